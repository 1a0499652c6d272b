"""Curated answers in files: JSON lines, as `lodge curated import` takes them and `export` prints them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import msgspec

from server.errors import BadInputError
from server.models.curation import CuratedAnswer
from server.workbench.checks import name_of
from server.workbench.curation.store import CuratedView, checked_answer, curated_of

_KEYS = [field.name for field in fields(CuratedAnswer)]


def read_answers(path: Path) -> Iterator[CuratedAnswer]:
    """The answers of a file; one without an id is named by its first phrasing.

    A line that cannot be kept is a `BadInputError` that names it.
    """
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


def line_of_answer(answer: CuratedAnswer) -> dict[str, Any]:
    """An answer as `read_answers` takes it."""
    return asdict(answer) | {"links": [{"label": label, "url": url} for label, url in answer.links]}


def _answer(line: str) -> CuratedAnswer:
    """A line without the checks of what is kept; null is as good as nothing."""
    try:
        row = msgspec.json.decode(line)
        if not isinstance(row, dict):
            raise BadInputError("it is not a JSON object.")
        if unknown := sorted(set(row) - set(_KEYS)):
            raise BadInputError(f"it has {', '.join(unknown)}; it takes: {', '.join(_KEYS)}.")
        given = msgspec.convert({key: value for key, value in row.items() if value is not None}, CuratedView)
    except msgspec.ValidationError as error:
        raise BadInputError(f"it does not fit: {error}.") from None
    except (msgspec.DecodeError, RecursionError):
        raise BadInputError("it is not JSON.") from None
    first = given.phrasings[0] if given.phrasings else ""
    return curated_of(given.id or name_of(first), given)
