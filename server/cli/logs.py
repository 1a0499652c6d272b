"""What `lodge serve` writes on standard error: a line an event, plain or as JSON.

An error's own words may hold what a visitor typed (a database's do), so a line has its kind and where it was
raised.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

_NEAR = 8  # so many of the innermost calls


class PlainLines(logging.Formatter):
    """`12:00:00 WARNING lodge.web: … key=value`."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        fields = _fields(record)
        head = f"{_at(record):%H:%M:%S} {fields.pop('level')} {fields.pop('logger')}: {fields.pop('message')}"
        del fields["at"]
        return " ".join([head, *(f"{key}={value}" for key, value in fields.items())])


class JsonLines(logging.Formatter):
    """A JSON object a line: `at` (ISO 8601, UTC), `level`, `logger`, `message`, the event's own fields."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        return json.dumps(_fields(record), ensure_ascii=False, default=str)


def set_up(form: str) -> None:
    """Everything that is logged goes to standard error; `form` is "plain", "json" or empty: as fits it."""
    handler = logging.StreamHandler(sys.stderr)
    plain = form == "plain" or (not form and sys.stderr.isatty())
    handler.setFormatter(PlainLines() if plain else JsonLines())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.getLogger("lodge").setLevel(logging.INFO)


def _fields(record: logging.LogRecord) -> dict[str, Any]:
    fields = {
        "at": _at(record).isoformat(timespec="milliseconds"),
        "level": record.levelname,
        "logger": record.name,
        "message": record.getMessage(),
        **getattr(record, "fields", {}),
    }
    if record.exc_info and record.exc_info[1] is not None:
        error = record.exc_info[1]
        frames = traceback.extract_tb(error.__traceback__)[-_NEAR:]
        fields["error"] = type(error).__name__
        fields["raised_at"] = [f"{Path(one.filename).name}:{one.lineno} {one.name}" for one in frames]
    return fields


def _at(record: logging.LogRecord) -> datetime:
    return datetime.fromtimestamp(record.created, UTC)
