"""The language model says which passages answer: their order alone is its own.

Listwise (RankGPT, Sun et al. 2023): it orders a window of passages at a time, from the last to the first, and
each window begins among the best of the one before, so that a good passage climbs to the top. Pointwise: each
passage by the probability that it answers with yes. Princeton's assistant has both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from server.ask.context import LlmRerankOptions
from server.ask.ports import SearchLlm
from server.ask.trace import OpenStep
from server.errors import LlmUnavailableError, LodgeError
from server.models import Candidate, Hit, Passage

LLM_RERANKS = ("listwise", "pointwise")


def llm_rerank(
    question: str,
    candidates: Sequence[Candidate],
    llm: SearchLlm | None,
    options: LlmRerankOptions,
    step: OpenStep,
) -> list[Candidate]:
    """The first of the candidates in the model's order, then the others; all as they were where it is away.

    The places keep their scores: how sure the best is, a model does not say in numbers to compare.
    """
    considered, rest = list(candidates[: options.candidates]), candidates[options.candidates :]
    notes: dict[str, object] = {"how": options.how, "of": len(considered)}
    try:
        order = _order(question, [one.passage for one in considered], llm, options, notes)
    except LodgeError as error:
        trouble = error.trouble if isinstance(error, LlmUnavailableError) else error.code
        order, notes["trouble"] = list(range(len(considered))), trouble
    scores = sorted((one.score for one in considered), reverse=True)
    ranked = [replace(considered[place], score=score) for place, score in zip(order, scores, strict=True)]
    step.ranking = [Hit(one.passage.chunk_id, one.score) for one in (*ranked, *rest)]
    step.notes = notes
    return [*ranked, *rest]


def _order(
    question: str,
    passages: Sequence[Passage],
    llm: SearchLlm | None,
    options: LlmRerankOptions,
    notes: dict[str, object],
) -> list[int]:
    if llm is None:
        raise LlmUnavailableError("There is no language model.", "down")
    if options.how == "pointwise":
        said = [llm.yes_probability(question, passage) for passage in passages]
        notes["yes"] = [None if one is None else round(one, 4) for one in said]
        return by_probability(said)
    return sliding(
        len(passages),
        options.window,
        options.stride,
        lambda window: llm.order(question, [passages[place] for place in window]),
    )


def by_probability(said: Sequence[float | None]) -> list[int]:
    """Places, the likeliest first, equals as they were; one that nothing was said of counts as even odds."""
    return sorted(range(len(said)), key=lambda place: -(0.5 if said[place] is None else said[place] or 0.0))


def sliding(
    count: int, window: int, stride: int, order: Callable[[Sequence[int]], Sequence[int]]
) -> list[int]:
    """The places 0 to `count` − 1 as windows from the last to the first have ordered them.

    `order` is given the places in a window, and returns their positions in it, each once.
    """
    places = list(range(count))
    start = max(0, count - window)
    while count:
        inside = places[start : start + window]
        places[start : start + window] = [inside[position] for position in order(inside)]
        if start == 0:
            break
        start = max(0, start - stride)
    return places
