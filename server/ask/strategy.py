"""A strategy is named by its parts: `semantic`, `keyword` or `hybrid`, each with optional steps after it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from server.errors import BadInputError

SEARCHES = ("semantic", "keyword", "hybrid")


@dataclass(frozen=True, slots=True)
class Strategy:
    """Which search brings candidates, and which optional steps follow it."""

    search: str
    steps: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name it was parsed from, steps in their usual order."""
        return "+".join((self.search, *self.steps))


def known_strategies(steps: Iterable[str]) -> list[str]:
    """Every name that can be asked for where these optional steps exist."""
    tails = [tail for n in range(len(list(steps)) + 1) for tail in combinations(steps, n)]
    return ["+".join((search, *tail)) for search in SEARCHES for tail in tails]


def parse_strategy(name: str, steps: tuple[str, ...] = (), also: Sequence[str] = ()) -> Strategy:
    """`"hybrid+rerank"` → `Strategy("hybrid", ("rerank",))`; `BadInputError` names the known ones, and `also`
    what else can be asked for."""
    if name not in (known := known_strategies(steps)):
        raise BadInputError(
            f"There is no strategy {name!r}. There are: {', '.join([*known, *also])}.",
            code="unknown_strategy",
        )
    search, *rest = name.split("+")
    return Strategy(search, tuple(rest))
