"""The numbers that a question is retrieved by: those of published systems (presets), to compare with, or the
default ones with a strategy; and all of one answer's numbers, for its trace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from server.ask.context import (
    AskOptions,
    LlmRerankOptions,
    QuestionOptions,
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
_K = 4  # passages of Princeton's answers

_CMU = RetrievalConfig(_READ, RetrieveOptions(100), _ALL_OF[100], 3, "cmu")
# Princeton's chunks are 1,024 tokens, taken here as four characters a token; its hybrid retriever brings 3k
# passages by meaning and k by words, and its reranker alone says which k = 4 are used.
_PRINCETON = RetrievalConfig(
    _READ, RetrieveOptions(3 * _K, "rrf", 0.5, keyword_candidates=_K), _ALL_OF[16], _K, "princeton"
)
_LLM_ORDERS = LlmRerankOptions("listwise", candidates=4 * _K, window=2 * _K, stride=_K)

PRESETS: Mapping[str, Preset] = {
    "brockport": Preset(RetrievalConfig(_READ, RetrieveOptions(50), _ALL_OF[50], 5, "brockport"), 350, 25),
    "cmu": Preset(_CMU, 512, 100),
    "princeton": Preset(_PRINCETON, 4096, 0),
    "cmu-multiquery": Preset(
        replace(_CMU, strategy=Strategy("hybrid", ("rerank", "multiquery")), name="cmu-multiquery"), 512, 100
    ),
    "princeton-hyde": Preset(
        replace(_PRINCETON, strategy=Strategy("hybrid", ("rerank", "hyde")), name="princeton-hyde"), 4096, 0
    ),
    "princeton-llmrerank": Preset(
        replace(
            _PRINCETON,
            strategy=Strategy("hybrid", ("llmrerank",)),
            llm_rerank=_LLM_ORDERS,
            name="princeton-llmrerank",
        ),
        4096,
        0,
    ),
    # Of Salerno's only the sum of the two scores is known to us; its chunks are those that are usual here.
    "salerno": Preset(
        RetrievalConfig(Strategy("semantic", ("questions",)), name="salerno", questions=QuestionOptions(0.3)),
        500,
        0,
    ),
}


def reranks(name: str) -> bool:
    """Whether a cross-encoder reads passages under this name, a preset's or a strategy's."""
    return has_step(name, "rerank")


def has_step(name: str, step: str) -> bool:
    """Whether a preset or a strategy of this name has the step."""
    return step in (PRESETS[name].config.strategy.steps if name in PRESETS else name.split("+"))


def config_for(name: str, default: RetrievalConfig, steps: tuple[str, ...]) -> RetrievalConfig:
    """A preset's configuration, or the default with this strategy; `BadInputError` names those there are."""
    presets = [key for key, preset in PRESETS.items() if set(preset.config.strategy.steps) <= set(steps)]
    if name in presets:
        return PRESETS[name].config
    strategy = parse_strategy(name, steps, presets)
    return replace(default, strategy=strategy, name=strategy.name)


def settings_of(way: RetrievalConfig, options: AskOptions, day: date) -> dict[str, Any]:
    """The numbers that an answer depends on, by name, for its trace."""
    return {
        "fusion": way.retrieve.fusion,
        "alpha": way.retrieve.alpha,
        "late_interaction": way.retrieve.late_interaction,
        "candidates": way.retrieve.candidates,
        "rerank_candidates": way.rerank.candidates,
        "rerank_stop": way.rerank.stop,
        "wordings": way.expand.wordings,
        "wording_share": way.expand.share,
        "hypothetical_answers": way.expand.answers,
        "llm_rerank": way.llm_rerank.how,
        "examples": way.examples,
        "question_share": way.questions.share,
        "question_least": way.questions.least,
        "passages": way.passages,
        "refusal_threshold": options.refusal_threshold,
        "seems_threshold": options.seems_threshold,
        "confidence_shift": options.confidence.shift,
        "confidence_scale": options.confidence.scale,
        "support_threshold": options.support_threshold,
        "gate_threshold": options.gate.threshold,
        "topic_least": options.soft_filter.least,
        "topic_others": options.soft_filter.others,
        "term_weight": options.terms.weight,
        "kind_weight": options.boosts.kind,
        "audience_weight": options.boosts.audience,
        "asks_back": options.asks_back,
        "mode": str(options.mode),
        "day": day.isoformat(),
    }
