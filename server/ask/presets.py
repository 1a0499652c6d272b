"""Presets: the retrieval of published systems, to compare with, each by its published numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from server.ask.context import (
    RerankOptions,
    RetrievalConfig,
    RetrieveOptions,
    Strategy,
    parse_strategy,
)


@dataclass(frozen=True, slots=True)
class Preset:
    """A published system's retrieval, and the chunks it was published with, in characters."""

    config: RetrievalConfig
    chunk_chars: int
    chunk_overlap_chars: int


_ALL_OF = {n: RerankOptions(candidates=n, stop=0.0) for n in (16, 50, 100)}
_READ = Strategy("hybrid", ("rerank",))

# Princeton's chunks are 1,024 tokens, taken here as four characters a token; its hybrid retriever brings 3k
# passages by meaning and k by words, and its reranker alone says which k = 4 are used.
PRESETS: Mapping[str, Preset] = {
    "brockport": Preset(RetrievalConfig(_READ, RetrieveOptions(50), _ALL_OF[50], 5, "brockport"), 350, 25),
    "cmu": Preset(RetrievalConfig(_READ, RetrieveOptions(100), _ALL_OF[100], 3, "cmu"), 512, 100),
    "princeton": Preset(
        RetrievalConfig(
            _READ, RetrieveOptions(12, "rrf", 0.5, keyword_candidates=4), _ALL_OF[16], 4, "princeton"
        ),
        4096,
        0,
    ),
}


def reranks(name: str) -> bool:
    """Whether a cross-encoder reads passages under this name, a preset's or a strategy's."""
    return "rerank" in (PRESETS[name].config.strategy.steps if name in PRESETS else name.split("+"))


def config_for(name: str, default: RetrievalConfig, steps: tuple[str, ...]) -> RetrievalConfig:
    """A preset's configuration, or the default with this strategy; `BadInputError` names those there are."""
    presets = [key for key, preset in PRESETS.items() if set(preset.config.strategy.steps) <= set(steps)]
    if name in presets:
        return PRESETS[name].config
    strategy = parse_strategy(name, steps, presets)
    return replace(default, strategy=strategy, name=strategy.name)
