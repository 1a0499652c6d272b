"""Crawl traps: calendars without end, link loops, parameters in every order.

URLs are grouped by shape. When a row of pages of one shape has brought nothing new (not there, not a page, or
a text already seen but for its dates and numbers), the rest of that shape is left alone.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

_DIGITS = re.compile(r"\d+")
_REPEATED = re.compile(r"((?:/[^/]+){1,4}?)\1\1(?=/|$)")
_MONTHS = "january february march april may june july august september october november december"
_DAYS = "monday tuesday wednesday thursday friday saturday sunday"
_DATE_WORDS = "|".join(f"{name}|{name[:3]}" for name in (_MONTHS + " " + _DAYS).split())
_DATED = re.compile(rf"\b(?:{_DATE_WORDS}|sept|tues|thur|thurs)\b\.?|[\W\d_]+", re.IGNORECASE)


def shape_of(url: str) -> str:
    """What a trap's URLs have in common: path and query names, with the numbers out.

    Under a query the last path segment is one of many (`/event/*?ical`): such views hang off every page.
    """
    parts = urlsplit(url)
    path = _DIGITS.sub("0", parts.path)
    if not parts.query:
        return path
    keys = sorted({pair.partition("=")[0] for pair in parts.query.split("&")})
    folder, _, leaf = path.rstrip("/").rpartition("/")
    return f"{folder}/{'*' if leaf else ''}?{'&'.join(_DIGITS.sub('0', key) for key in keys)}"


def repeats_itself(url: str) -> bool:
    """Whether the path has the same one to four segments three times running (`/a/b/a/b/a/b`)."""
    return _REPEATED.search(urlsplit(url).path) is not None


def text_key(text: str) -> str:
    """A short hash of a page's words; two months of an empty calendar have the same."""
    words = _DATED.sub(" ", text.lower()).strip()
    return hashlib.blake2b(words.encode("utf-8", "replace"), digest_size=8).hexdigest()


@dataclass(slots=True)
class TrapWatch:
    """Counts, for one site, the pages in a row of each shape that brought nothing new."""

    limit: int
    seen: set[str] = field(default_factory=set)
    misses: dict[str, int] = field(default_factory=dict)

    @classmethod
    def resume(cls, limit: int, seen: Iterable[str], misses: Mapping[str, int]) -> TrapWatch:
        """The watch as an earlier run of the same crawl left it."""
        return cls(limit, set(seen), dict(misses))

    def is_closed(self, shape: str) -> bool:
        """Whether this shape is left alone by now."""
        return self.misses.get(shape, 0) >= self.limit

    def note(self, shape: str, text: str | None) -> int:
        """One page more of this shape, with its text's key or None when it had none. The misses so far."""
        if text is None or text in self.seen:
            self.misses[shape] = self.misses.get(shape, 0) + 1
        else:
            self.seen.add(text)
            self.misses[shape] = 0
        return self.misses[shape]
