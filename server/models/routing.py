"""How a line is best gone on with, as a small classifier has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

# One thing is asked that a place of the pages answers; or it has to be put together or explained; or several
# things are asked; or the answer depends on who asks, which is not said.
Way = Literal["quote", "write", "decompose", "ask_back"]
WAYS: tuple[Way, ...] = get_args(Way)


@dataclass(frozen=True, slots=True)
class Routing:
    """How likely each way helps best (0 to 1, 1 together), and what is said of the line's words, each named
    by its first character, with how likely it is so.

    `begins`: another question begins with it. `shared`: another question of the line leaves it out. `lacks`:
    a question that begins with it leaves something out.
    """

    ways: Mapping[Way, float]
    begins: Mapping[int, float]
    shared: Mapping[int, float] = field(default_factory=dict)
    lacks: Mapping[int, float] = field(default_factory=dict)

    @property
    def way(self) -> Way:
        """The likeliest."""
        return max(WAYS, key=lambda way: self.ways[way])
