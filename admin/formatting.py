"""Text of visitors and pages, made safe and readable for Streamlit, which takes Markdown in most places."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
_NOT_IN_ADDRESS = re.compile(r"[\s<>\\]")

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def literal(text: str) -> str:
    """Markdown that shows the text as it is on one line: no link, no image, no formula comes out of it."""
    return _PUNCTUATION.sub(r"\\\1", " ".join(text.split()))


def link(label: str, url: str) -> str:
    """A Markdown link to a web page; an address of any other kind stays plain text."""
    if not url.lower().startswith(("http://", "https://")) or _NOT_IN_ADDRESS.search(url):
        return literal(f"{label} ({url})")
    return f"[{literal(label)}](<{url}>)"


def moment(iso: str, zone: str | None) -> str:
    """`2026-03-01T10:00:00+00:00` → `1 Mar 2026, 11:00 CET`, in a zone by name; else in UTC."""
    at = datetime.fromisoformat(iso)
    try:
        at = at.astimezone(ZoneInfo(zone or ""))
    except (ZoneInfoNotFoundError, ValueError):
        at = at.astimezone(UTC)
    return f"{at.day} {at:%b %Y, %H:%M %Z}"


def counted(count: int, one: str, more: str = "") -> str:
    """`1 page`, `2,000 pages`; `more` is the plural where it takes more than an s."""
    return f"{count:,} {one if count == 1 else more or one + 's'}"


def shortened(text: str, chars: int) -> str:
    """One line of at most so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= chars else line[: chars - 1].rstrip() + "…"


def day(text: str | None) -> date | None:
    """An ISO 8601 day; None for anything else."""
    try:
        return date.fromisoformat(text or "")
    except ValueError:
        return None


def in_address(query: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    """The parts of a filter that an address names, without a day (`since`, `until`) that is none."""
    known = {name: query[name].strip() for name in names if query.get(name, "").strip()}
    return {name: text for name, text in known.items() if name not in ("since", "until") or day(text)}


def lines(text: str) -> list[str]:
    """What stands on each line of a field."""
    return [line.strip() for line in text.splitlines() if line.strip()]
