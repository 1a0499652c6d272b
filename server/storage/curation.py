"""What an editor wrote, before it is kept: whatever cannot be shown to a visitor is a `BadInputError`."""

from __future__ import annotations

import re
import unicodedata
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, date, datetime
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import Connection, delete, insert, select, update

from server.errors import BadInputError, NotFoundError
from server.models.curation import CuratedAnswer, Notice
from server.storage.audit import Kind, note_change
from server.storage.tables import CurationVersion, StoredCuratedAnswer, StoredNotice

MAX_PHRASINGS, MAX_PHRASING_CHARS = 50, 300
MAX_TEXT_CHARS, MAX_NOTICE_CHARS = 4000, 500
MAX_LINKS, MAX_LABEL_CHARS, MAX_URL_CHARS = 10, 200, 2000
MAX_TOPIC_CHARS = 80

_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,79}")
_SITE = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


def checked_answer(answer: CuratedAnswer) -> CuratedAnswer:
    """The answer as it is kept: without space around its texts, phrasings and links each once."""
    check_names(answer.id, answer.site)
    if not 1 <= len(answer.phrasings) <= MAX_PHRASINGS:
        raise BadInputError(f"A curated answer takes 1 to {MAX_PHRASINGS} phrasings of its question.")
    if len(answer.links) > MAX_LINKS:
        raise BadInputError(f"A curated answer takes at most {MAX_LINKS} links.")
    _check_days(answer.valid_from, answer.valid_until)
    phrasings = (line_of(phrasing, "A phrasing", MAX_PHRASING_CHARS) for phrasing in answer.phrasings)
    return replace(
        answer,
        phrasings=tuple(dict.fromkeys(phrasings)),
        text=_text(answer.text, "The answer", MAX_TEXT_CHARS),
        links=_links(answer.links),
        topic=None if answer.topic is None else line_of(answer.topic, "A topic", MAX_TOPIC_CHARS),
    )


def checked_notice(notice: Notice, now: datetime) -> Notice:
    """The notice as it is kept, with its end in UTC; one that is over already is refused."""
    check_names(notice.id, notice.site)
    until = _moment(notice.until)
    if until <= now:
        raise BadInputError(f"The notice's end, {notice.until}, is past.")
    return replace(
        notice,
        text=_text(notice.text, "The notice", MAX_NOTICE_CHARS),
        until=until.isoformat(),
        url=url_of(notice.url) if notice.url else "",
    )


def check_names(own: str, site: str) -> None:
    """The id of what an editor writes, and the key of its site."""
    if not is_id(own):
        raise BadInputError(
            f"The id is {own!r}; it takes at most 80 small letters, digits, dots, hyphens and underscores."
        )
    if not _SITE.fullmatch(site):
        raise BadInputError(
            f"The site is {site!r}; it takes a site's name: small letters, digits and hyphens."
        )


def is_id(text: str) -> bool:
    """Whether what an editor writes may have it as its id."""
    return _ID.fullmatch(text) is not None


def name_of(text: str) -> str:
    """An id of a text's words: "How much is tuition?" → how-much-is-tuition; empty without letters."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return re.sub(r"[^a-z0-9]+", "-", plain.encode("ascii", "ignore").decode())[:60].strip("-")


def _check_days(first: str | None, last: str | None) -> None:
    for day in (first, last):
        if day is not None:
            _day(day)
    if first is not None and last is not None and last < first:
        raise BadInputError(f"The answer is valid until {last}, which is before {first}, its first day.")


def _day(text: str) -> None:
    try:
        if date.fromisoformat(text).isoformat() == text:
            return
    except ValueError:
        pass
    raise BadInputError(f"{text!r} is no day such as 2026-11-22.")


def _moment(text: str) -> datetime:
    """In UTC; a day alone leaves open which of its hours is meant."""
    try:
        moment = datetime.fromisoformat(text)
        if len(text) <= len("2026-11-22"):
            raise ValueError
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise BadInputError(f"{text!r} is no time such as 2026-11-22T18:00Z.") from None


def _links(links: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    checked = ((line_of(label, "A link's label", MAX_LABEL_CHARS), url_of(url)) for label, url in links)
    return tuple(dict.fromkeys(checked))


def url_of(text: str) -> str:
    """An http or https address that a visitor can follow."""
    try:
        parts = urlsplit(text.strip())
        good = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        good = False
    if not good or len(text) > MAX_URL_CHARS or any(c.isspace() or not c.isprintable() for c in text.strip()):
        raise BadInputError(
            f"{text[:100]!r} is no http or https address of at most {MAX_URL_CHARS} characters."
        )
    return text.strip()


def line_of(text: str, what: str, most: int) -> str:
    """On one line."""
    return _text(" ".join(text.split()), what, most)


def _text(text: str, what: str, most: int) -> str:
    text = text.strip()
    if not text:
        raise BadInputError(f"{what} is empty.")
    if len(text) > most:
        raise BadInputError(f"{what} has {len(text):,} characters; it takes {most:,}.")
    if not all(c.isprintable() or c in "\n\t" for c in text):
        raise BadInputError(f"{what} holds a character that cannot be shown.")
    return text


Kept = type[StoredCuratedAnswer] | type[StoredNotice]

NO_ANSWER = "There is no curated answer with that id."
NO_NOTICE = "There is no notice with that id."


def read_answers(connection: Connection, site: str | None) -> tuple[CuratedAnswer, ...]:
    """Those of a site, or all, by site and id."""
    return tuple(map(_answer, _rows(connection, StoredCuratedAnswer, site)))


def put_answer(connection: Connection, answer: CuratedAnswer, by: str) -> CuratedAnswer | None:
    """Keeps it in place of what had its id, and returns that; `BadInputError`."""
    row = asdict(checked_answer(answer))
    taken = _taken(connection, StoredCuratedAnswer, answer.id)
    connection.execute(insert(StoredCuratedAnswer), row)
    before = _answer(taken) if taken else None
    _note(connection, by, ("curated", answer.id), before, row)
    return before


def remove_answer(connection: Connection, answer_id: str, by: str) -> CuratedAnswer:
    """Removes it, and returns it; `NotFoundError`."""
    row = _taken(connection, StoredCuratedAnswer, answer_id)
    if row is None:
        raise NotFoundError(NO_ANSWER)
    removed = _answer(row)
    _note(connection, by, ("curated", answer_id), removed, None)
    return removed


def read_notices(connection: Connection, site: str | None) -> tuple[Notice, ...]:
    """Those of a site, or all, by site and id; those that are over too."""
    return tuple(map(_notice, _rows(connection, StoredNotice, site)))


def put_notice(connection: Connection, notice: Notice, by: str) -> Notice | None:
    """Keeps it in place of what had its id, and returns that; `BadInputError`."""
    row = asdict(checked_notice(notice, datetime.now(UTC)))
    taken = _taken(connection, StoredNotice, notice.id)
    connection.execute(insert(StoredNotice), row | {"until": datetime.fromisoformat(row["until"])})
    before = _notice(taken) if taken else None
    _note(connection, by, ("notice", notice.id), before, row)
    return before


def remove_notice(connection: Connection, notice_id: str, by: str) -> Notice:
    """Removes it, and returns it; `NotFoundError`."""
    row = _taken(connection, StoredNotice, notice_id)
    if row is None:
        raise NotFoundError(NO_NOTICE)
    removed = _notice(row)
    _note(connection, by, ("notice", notice_id), removed, None)
    return removed


def read_version(connection: Connection) -> str:
    """Another value after every change."""
    return connection.execute(select(CurationVersion.value)).scalar_one()


def _rows(connection: Connection, table: Kept, site: str | None) -> list[Mapping[str, Any]]:
    query = select(table.__table__).order_by(table.site, table.id)
    if site is not None:
        query = query.where(table.site == site)
    return [dict(row) for row in connection.execute(query).mappings()]


def _taken(connection: Connection, table: Kept, own: str) -> Mapping[str, Any] | None:
    """The row of that id, which is no longer there; None when there was none."""
    row = connection.execute(select(table.__table__).where(table.id == own)).mappings().one_or_none()
    connection.execute(delete(table).where(table.id == own))
    return None if row is None else dict(row)


def _note(
    connection: Connection,
    by: str,
    thing: tuple[Kind, str],
    before: CuratedAnswer | Notice | None,
    after: Mapping[str, Any] | None,
) -> None:
    """Writes the change down, and renews the version.

    That is a random value: a counter could come to the same number again after a restored backup.
    """
    connection.execute(update(CurationVersion).values(value=uuid.uuid4().hex))
    note_change(connection, by, thing, asdict(before) if before else None, after)


def _answer(row: Mapping[str, Any]) -> CuratedAnswer:
    links = tuple((label, url) for label, url in row["links"])
    return CuratedAnswer(**{**row, "phrasings": tuple(row["phrasings"]), "links": links})


def _notice(row: Mapping[str, Any]) -> Notice:
    return Notice(**{**row, "until": row["until"].isoformat()})
