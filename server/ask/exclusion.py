"""Which pages of a snapshot a rulebook leaves out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import date
from urllib.parse import urlsplit

from server.errors import BadInputError
from server.models import PageFacts
from server.models.curation import LeaveOut

Matches = Callable[[PageFacts], bool]


def left_out(rules: Sequence[LeaveOut], pages: Iterable[PageFacts], today: date) -> dict[int, LeaveOut]:
    """By page id, the first rule that leaves it out; `BadInputError` for a rule that cannot be used."""
    tests = [(rule, page_test(rule, today)) for rule in rules]
    found: dict[int, LeaveOut] = {}
    for page in pages:
        rule = next((rule for rule, matches in tests if matches(page)), None)
        if rule:
            found[page.page_id] = rule
    return found


def page_test(rule: LeaveOut, today: date) -> Matches:
    """Whether a page is one of those that a rule means."""
    value = rule.value.strip()
    if rule.kind == "prefix":
        return lambda page: begins(page.url, value)
    if rule.kind == "pattern":
        pieces = value.lower().split("*")
        return lambda page: holds(page.url.lower(), pieces)
    if rule.kind == "pages":
        pages = {bare(line) for line in value.splitlines() if line.strip()}
        return lambda page: bare(page.url) in pages
    number = _number(value)
    if rule.kind == "older":
        oldest = months_before(today, number)
        return lambda page: page.day is not None and page.day < oldest
    return lambda page: page.chars < number


def begins(url: str, prefix: str) -> bool:
    """Whether an address begins so; a prefix that begins with a slash is one of the path, on any host."""
    if not prefix.startswith("/"):
        return url.startswith(prefix)
    parts = urlsplit(url)
    return ((parts.path or "/") + (f"?{parts.query}" if parts.query else "")).startswith(prefix)


def holds(url: str, pieces: Sequence[str]) -> bool:
    """Whether an address has these pieces one after another: `*/news/20*`, parted at its stars.

    The first place of each will do, so that no number of stars makes it slow.
    """
    place = 0
    for piece in pieces:
        found = url.find(piece, place)
        if found < 0:
            return False
        place = found + len(piece)
    return True


def months_before(day: date, months: int) -> str:
    """The ISO day so many months before; the 31st of a short month is its first days' neighbour, the 28th."""
    year, month = divmod(day.year * 12 + day.month - 1 - months, 12)
    if year < 1:
        return date.min.isoformat()
    return date(year, month + 1, min(day.day, 28)).isoformat()


def _number(value: str) -> int:
    if not (value.isascii() and value.isdigit() and len(value) <= 6):
        raise BadInputError(f"{value!r} is no whole number.")
    return int(value)


def bare(url: str) -> str:
    """An address without its fragment and its last slash: what tells one page from another."""
    return url.strip().partition("#")[0].rstrip("/")
