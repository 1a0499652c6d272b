"""The lines of this folder as typed rows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from server.models.routing import Way

HERE = Path(__file__).parent
LEARNT, CHECK, PARTS, LARKMOOR = (HERE / f"{name}.jsonl" for name in ("lines", "check", "parts", "larkmoor"))


@dataclass(frozen=True, slots=True)
class Line:
    """A line and the way that helps best. `parts`: what is asked in it, word for word and in order, where
    that is more than one thing; `takes`: for each part the words of the rest of the line that it leaves out;
    `second`: the way by another hand, who was not told the first."""

    line: str
    way: Way
    voice: str
    parts: tuple[str, ...] = ()
    takes: tuple[tuple[str, ...], ...] = ()
    hand: str = ""
    second: Way | None = None

    @property
    def begins(self) -> frozenset[int]:
        """The characters at which its second and further parts begin."""
        return frozenset(first for first, _ in self.spans[1:])

    @property
    def spans(self) -> list[tuple[int, int]]:
        """From where to where each part stands."""
        found: list[tuple[int, int]] = []
        for part in self.parts:
            first = self.line.index(part, found[-1][1] if found else 0)
            found.append((first, first + len(part)))
        return found

    @property
    def taken(self) -> list[list[tuple[int, int]]]:
        """From where to where stand the words that each part takes over."""
        return [
            [self._outside(words, own) for words in taken]
            for own, taken in zip(self.spans, self.takes, strict=False)
        ]

    def _outside(self, words: str, own: tuple[int, int]) -> tuple[int, int]:
        """Where these words stand whole outside a part, at first."""
        found = re.finditer(rf"(?<!\w){re.escape(words)}(?!\w)", self.line)
        places = [one.span() for one in found if one.end() <= own[0] or one.start() >= own[1]]
        if not places:
            message = f"{words!r} does not stand outside a part of {self.line!r}"
            raise ValueError(message)
        return places[0]


@dataclass(frozen=True, slots=True)
class Told:
    """What the demo site says to one part of a line, or to one kind of people; by whom or what: `of`.

    It is told by what holds, of each group of `must_have`, one string.
    """

    of: str
    must_have: tuple[tuple[str, ...], ...]
    url: str


@dataclass(frozen=True, slots=True)
class DemoLine:
    """A line over the demo site: of several parts (`decompose`), of one (`quote`), or one that the pages
    answer differently for different kinds of people (`ask_back`)."""

    line: str
    way: Way
    told: tuple[Told, ...]
    hand: str


def read_lines(path: Path) -> list[Line]:
    """`LEARNT`, `CHECK` or `PARTS`."""
    return [_line(**row) for row in _rows(path)]


def read_demo_lines() -> list[DemoLine]:
    """Those over the demo site."""
    return [
        DemoLine(row["line"], row["way"], tuple(_told(**one) for one in row["told"]), row["hand"])
        for row in _rows(LARKMOOR)
    ]


def _line(parts: Sequence[str] = (), takes: Sequence[Sequence[str]] = (), **row: Any) -> Line:
    return Line(**row, parts=tuple(parts), takes=tuple(map(tuple, takes)))


def _told(of: str, must_have: list[list[str]], url: str) -> Told:
    return Told(of, tuple(map(tuple, must_have)), url)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)
