"""What the commands for editors do: curated answers by the file, and notices."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from server.errors import BadInputError
from server.models.curation import CuratedAnswer, Notice
from server.settings import Settings
from server.storage.curation import checked_answer, name_of
from server.wiring.opening import build_records

MAIN = "main"
_KEYS = ("id", "site", "phrasings", "text", "links", "topic", "valid_from", "valid_until")


def import_answers(settings: Settings, path: Path) -> list[str]:
    """Keeps the answers of a file of JSON lines, all or none, and returns their ids.

    Each stands in place of what had its id; one without an id is named by its first phrasing. A line that
    cannot be kept is a `BadInputError` that names it.
    """
    answers = list(_read(path))
    with closing(build_records(settings)) as records:
        for answer in answers:
            records.put_curated(answer)
    return [answer.id for answer in answers]


def list_answers(settings: Settings, site: str | None = None) -> list[dict[str, Any]]:
    """The curated answers, as `import_answers` takes them."""
    with closing(build_records(settings)) as records:
        return [_as_json(answer) for answer in records.curated(site)]


def remove_answer(settings: Settings, answer_id: str) -> None:
    """Removes one; `NotFoundError`."""
    with closing(build_records(settings)) as records:
        records.remove_curated(answer_id)


def set_notice(settings: Settings, notice: Mapping[str, str]) -> dict[str, Any]:
    """Keeps a notice, under a new id where it has none, and returns it as it is kept."""
    fields = {"url": "", **notice, "id": notice.get("id") or f"notice-{secrets.token_hex(4)}"}
    with closing(build_records(settings)) as records:
        records.put_notice(Notice(**fields))
        return next(asdict(kept) for kept in records.notices() if kept.id == fields["id"])


def list_notices(settings: Settings, site: str | None = None) -> list[dict[str, Any]]:
    """The notices, each with whether visitors see it now."""
    now = datetime.now(UTC)
    with closing(build_records(settings)) as records:
        return [
            asdict(notice) | {"shown": now < datetime.fromisoformat(notice.until)}
            for notice in records.notices(site)
        ]


def clear_notice(settings: Settings, notice_id: str) -> None:
    """Removes one; `NotFoundError`."""
    with closing(build_records(settings)) as records:
        records.remove_notice(notice_id)


def _read(path: Path) -> Iterator[CuratedAnswer]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise BadInputError(f"{path} is no UTF-8 text.") from None
    seen: set[str] = set()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            answer = checked_answer(_answer(line))
        except BadInputError as error:
            raise BadInputError(f"Line {number} of {path}: {error.message}") from None
        if answer.id in seen:
            raise BadInputError(f"Line {number} of {path}: the id {answer.id!r} stands in an earlier line.")
        seen.add(answer.id)
        yield answer


def _answer(line: str) -> CuratedAnswer:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        raise BadInputError("it is not JSON.") from None
    if not isinstance(row, dict):
        raise BadInputError("it is not a JSON object.")
    if unknown := sorted(set(row) - set(_KEYS)):
        raise BadInputError(f"it has {', '.join(unknown)}; it takes: {', '.join(_KEYS)}.")
    phrasings = _texts(row.get("phrasings"))
    return CuratedAnswer(
        id=_string(row, "id") or name_of(phrasings[0] if phrasings else ""),
        site=_string(row, "site") or MAIN,
        phrasings=phrasings,
        text=_string(row, "text") or "",
        links=tuple(_link(link) for link in _list(row.get("links") or [], "links")),
        topic=_string(row, "topic"),
        valid_from=_string(row, "valid_from"),
        valid_until=_string(row, "valid_until"),
    )


def _string(row: dict[str, Any], key: str) -> str | None:
    value = row.get(key)
    if value is not None and not isinstance(value, str):
        raise BadInputError(f"{key} is {value!r}; it takes a text.")
    return value


def _list(value: Any, key: str) -> list[Any]:
    if not isinstance(value, list):
        raise BadInputError(f"{key} is {value!r}; it takes a list.")
    return value


def _texts(value: Any) -> tuple[str, ...]:
    texts = tuple(_list(value, "phrasings"))
    if not all(isinstance(text, str) for text in texts):
        raise BadInputError("phrasings takes a list of texts.")
    return texts


def _link(value: Any) -> tuple[str, str]:
    if not isinstance(value, dict) or set(value) != {"label", "url"}:
        raise BadInputError(f"a link is {value!r}; it takes a label and a url.")
    return (_string(value, "label") or "", _string(value, "url") or "")


def _as_json(answer: CuratedAnswer) -> dict[str, Any]:
    return asdict(answer) | {"links": [{"label": label, "url": url} for label, url in answer.links]}
