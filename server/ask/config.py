"""Retrieval configurations, the presets of published systems, and the settings of the whole pipeline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from server.ask.boost import TermOptions
from server.ask.classify import SoftFilter
from server.ask.conversation.modes import DEFAULT, Mode
from server.ask.rerank import RerankOptions
from server.ask.retrieve import RetrieveOptions
from server.ask.scope import ScopeOptions
from server.ask.strategy import Strategy, parse_strategy


@dataclass(frozen=True, slots=True)
class RetrievalConfig:
    """A strategy with its numbers; the answer is made from the first `passages`."""

    strategy: Strategy
    retrieve: RetrieveOptions = field(default_factory=RetrieveOptions)
    rerank: RerankOptions = field(default_factory=RerankOptions)
    passages: int = 5
    name: str = ""


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


@dataclass(frozen=True, slots=True)
class AskOptions:
    """The settings of the flow; `versions` names models and prompts, for the trace."""

    strategy: str = "hybrid"
    retrieve: RetrieveOptions = field(default_factory=RetrieveOptions)
    rerank: RerankOptions = field(default_factory=RerankOptions)
    soft_filter: SoftFilter = field(default_factory=SoftFilter)
    terms: TermOptions = field(default_factory=TermOptions)
    gate: ScopeOptions = field(default_factory=ScopeOptions)
    mode: Mode = DEFAULT
    passages: int = 5
    refusal_threshold: float = 0.5
    support_threshold: float = 0.5
    site_name: str = "the university"
    max_question_chars: int = 2000
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def default_config(self) -> RetrievalConfig:
        """How a question is retrieved unless a preset is asked for."""
        return RetrievalConfig(Strategy("hybrid"), self.retrieve, self.rerank, self.passages)
