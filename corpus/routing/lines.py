"""The lines of this folder as typed rows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from server.models.routing import Way

HERE = Path(__file__).parent
LEARNT, CHECK, LARKMOOR = (HERE / f"{name}.jsonl" for name in ("lines", "check", "larkmoor"))


@dataclass(frozen=True, slots=True)
class Line:
    """A line and the way that helps best. `parts`: what is asked in it, word for word and in order, where
    that is more than one thing; `second`: the way by another hand, who was not told the first."""

    line: str
    way: Way
    voice: str
    parts: tuple[str, ...] = ()
    hand: str = ""
    second: Way | None = None

    @property
    def begins(self) -> frozenset[int]:
        """The characters at which its second and further parts begin."""
        found, end = [], 0
        for part in self.parts:
            found.append(self.line.index(part, end))
            end = found[-1] + len(part)
        return frozenset(found[1:])


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
    """`LEARNT` or `CHECK`."""
    return [Line(**{**row, "parts": tuple(row.get("parts", ()))}) for row in _rows(path)]


def read_demo_lines() -> list[DemoLine]:
    """Those over the demo site."""
    return [
        DemoLine(row["line"], row["way"], tuple(_told(**one) for one in row["told"]), row["hand"])
        for row in _rows(LARKMOOR)
    ]


def _told(of: str, must_have: list[list[str]], url: str) -> Told:
    return Told(of, tuple(map(tuple, must_have)), url)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)
