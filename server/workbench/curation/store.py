"""Curated answers and notices: what may be kept of them, and where they are kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, date, datetime
from typing import TypeVar

import msgspec
from sqlalchemy import Connection

from server.errors import BadInputError
from server.models.curation import CuratedAnswer, Notice
from server.models.sites import MAIN
from server.storage.audit import COMMAND_LINE
from server.storage.engine import RecordStore
from server.storage.kept import Shelf, read_version, renew_version
from server.storage.tables.editors import StoredCuratedAnswer, StoredNotice
from server.workbench.checks import MAX_TOPIC_CHARS, check_names, line_of, text_of, url_of

MAX_PHRASINGS, MAX_PHRASING_CHARS = 50, 300
MAX_TEXT_CHARS, MAX_NOTICE_CHARS = 4000, 500
MAX_LINKS, MAX_LABEL_CHARS = 10, 200

Kept = TypeVar("Kept", CuratedAnswer, Notice)


@dataclass(frozen=True, slots=True)
class Link:
    """Where a visitor can read more; `url` is an http or https address."""

    label: str
    url: str


@dataclass(frozen=True, slots=True)
class CuratedBody:
    """An answer as an editor gives it: ways to ask for it, one at least, and the words.

    With a `topic` it is given only to questions that sound like it; `valid_from` and `valid_until` are ISO
    days, both included.
    """

    phrasings: list[str]
    text: str
    links: list[Link] = field(default_factory=list)
    topic: str | None = None
    valid_from: str | None = None
    valid_until: str | None = None
    site: str = MAIN


@dataclass(frozen=True, slots=True)
class CuratedView(CuratedBody):
    """An answer as it is kept."""

    id: str = ""


def curated_of(answer_id: str, body: CuratedBody) -> CuratedAnswer:
    """An answer from what was given."""
    links = [(link.label, link.url) for link in body.links]
    return msgspec.convert(asdict(body) | {"id": answer_id, "links": links}, CuratedAnswer)


def curated_view(answer: CuratedAnswer) -> CuratedView:
    """An answer as it is given out."""
    links = [Link(label, url) for label, url in answer.links]
    return CuratedView(**msgspec.to_builtins(answer) | {"links": links})


class CurationStore(RecordStore):
    """The curated answers and notices of all sites. Every method is one transaction.

    What changes them takes `by`, the name of a token; the audit log has it.
    """

    def curated(self, site: str | None = None) -> tuple[CuratedAnswer, ...]:
        """The curated answers of a site, or all, by site and id."""
        with self._transactions.reading() as connection:
            return kept_of(connection, ANSWERS, site)

    def notices(self, site: str | None = None) -> tuple[Notice, ...]:
        """The notices of a site, or all, by site and id; those that are over too."""
        with self._transactions.reading() as connection:
            return kept_of(connection, NOTICES, site)

    def put_curated(self, answer: CuratedAnswer, *, by: str = COMMAND_LINE) -> CuratedAnswer | None:
        """Keeps it in place of what had its id, and returns that; `BadInputError` says what is wrong."""
        with self._changing() as connection:
            return ANSWERS.put(connection, answer, by)

    def put_notice(self, notice: Notice, *, by: str = COMMAND_LINE) -> Notice | None:
        """Keeps it in place of what had its id, and returns that; `BadInputError` says what is wrong."""
        with self._changing() as connection:
            return NOTICES.put(connection, notice, by)

    def remove_curated(self, answer_id: str, *, by: str = COMMAND_LINE) -> CuratedAnswer:
        """Removes it, and returns it; `NotFoundError` when there is none."""
        with self._changing() as connection:
            return ANSWERS.remove(connection, answer_id, by)

    def remove_notice(self, notice_id: str, *, by: str = COMMAND_LINE) -> Notice:
        """Removes it, and returns it; `NotFoundError` when there is none."""
        with self._changing() as connection:
            return NOTICES.remove(connection, notice_id, by)

    @contextmanager
    def _changing(self) -> Iterator[Connection]:
        with self._transactions.writing() as connection:
            yield connection
            renew_version(connection)

    def curation_version(self) -> str:
        """A value that is another one after every change to curated answers or notices, whoever made it."""
        with self._transactions.reading() as connection:
            return read_version(connection)


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
        text=text_of(answer.text, "The answer", MAX_TEXT_CHARS),
        links=_links(answer.links),
        topic=None if answer.topic is None else line_of(answer.topic, "A topic", MAX_TOPIC_CHARS),
    )


def checked_notice(notice: Notice) -> Notice:
    """The notice as it is kept, with its end in UTC; one that is over already is refused."""
    check_names(notice.id, notice.site)
    until = _moment(notice.until)
    if until <= datetime.now(UTC):
        raise BadInputError(f"The notice's end, {notice.until}, is past.")
    return replace(
        notice,
        text=text_of(notice.text, "The notice", MAX_NOTICE_CHARS),
        until=until.isoformat(),
        url=url_of(notice.url) if notice.url else "",
    )


ANSWERS: Shelf[CuratedAnswer] = Shelf(
    "curated", StoredCuratedAnswer, CuratedAnswer, checked_answer, "There is no curated answer with that id."
)
NOTICES: Shelf[Notice] = Shelf(
    "notice", StoredNotice, Notice, checked_notice, "There is no notice with that id."
)


def kept_of(connection: Connection, of: Shelf[Kept], site: str | None) -> tuple[Kept, ...]:
    """Those of a site, or all, by site and id; notices that are over too."""
    return of.all(connection, *(() if site is None else (of.table.site == site,)))


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
