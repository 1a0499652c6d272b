"""How one question is looked for and answered, and the ways of published systems, by their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from server.ask.rerank import RerankOptions
from server.ask.retrieve import RetrieveOptions
from server.ask.strategy import Strategy, parse_strategy


@dataclass(frozen=True, slots=True)
class Way:
    """A strategy with its numbers; the answer is made from the first `passages`."""

    strategy: Strategy
    retrieve: RetrieveOptions = field(default_factory=RetrieveOptions)
    rerank: RerankOptions = field(default_factory=RerankOptions)
    passages: int = 5
    name: str = ""


@dataclass(frozen=True, slots=True)
class Preset:
    """A published system's way, and the chunks it was published with, in characters."""

    way: Way
    chunk_chars: int
    chunk_overlap_chars: int


_ALL_OF = {n: RerankOptions(candidates=n, stop=0.0) for n in (16, 50, 100)}
_READ = Strategy("hybrid", ("rerank",))

# Princeton's chunks are 1,024 tokens, taken here as four characters a token; its hybrid retriever brings 3k
# passages by meaning and k by words, and its reranker alone says which k = 4 are used.
PRESETS: Mapping[str, Preset] = {
    "brockport": Preset(Way(_READ, RetrieveOptions(50), _ALL_OF[50], 5, "brockport"), 350, 25),
    "cmu": Preset(Way(_READ, RetrieveOptions(100), _ALL_OF[100], 3, "cmu"), 512, 100),
    "princeton": Preset(
        Way(_READ, RetrieveOptions(12, "rrf", 0.5, keyword_candidates=4), _ALL_OF[16], 4, "princeton"),
        4096,
        0,
    ),
}


def reranks(name: str) -> bool:
    """Whether passages are read in the way of this name, a preset's or a strategy's."""
    return "rerank" in (PRESETS[name].way.strategy.steps if name in PRESETS else name.split("+"))


def way_of(name: str, usual: Way, steps: tuple[str, ...]) -> Way:
    """A preset's way, or the usual one with this strategy; `BadInputError` names those there are."""
    presets = [key for key, preset in PRESETS.items() if set(preset.way.strategy.steps) <= set(steps)]
    if name in presets:
        return PRESETS[name].way
    strategy = parse_strategy(name, steps, presets)
    return replace(usual, strategy=strategy, name=strategy.name)
