"""How high the right passages rank. The maths is trec_eval's, by `ir_measures`.

A question names what is right by page (gold URLs) or by passage (gold chunks: words that a right passage
holds). Either way relevance is binary: a passage is relevant when it holds a gold page or a gold chunk.

Chunks of one page share their relevance, and how many there are depends on the chunking, not on the
question; so recall and nDCG count each gold once, where it first appears, and figures stay comparable
between chunk sizes. A passage that is the first to hold two gold chunks gains twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import ir_measures
from ir_measures import RR, P, R, nDCG

from server.evaluate.questions import GoldChunk, comparable_url, contains_any, normalised
from server.models import Passage

RECALL_DEPTHS = (1, 3, 4, 5, 10, 50)
PRECISION_DEPTH = 4
NDCG_DEPTH = 10
ANSWER_DEPTHS = (1, 3, 5, 10)

_PRECISION, _NDCG = P @ PRECISION_DEPTH, nDCG @ NDCG_DEPTH
_RECALLS = tuple(R @ k for k in RECALL_DEPTHS)


@dataclass(frozen=True, slots=True)
class Matches:
    """Which of a question's golds, counted from 0, each ranked passage holds, best first."""

    golds: int
    held: tuple[frozenset[int], ...]

    @property
    def first_rank(self) -> int | None:
        """The rank, from 1, of the first relevant passage in the whole ranking; None when there is none."""
        return next((rank for rank, golds in enumerate(self.held, start=1) if golds), None)


def match_pages(ranked_urls: Sequence[str], gold_urls: Sequence[str]) -> Matches:
    """Gold by page: `ranked_urls` has the page of each passage, best first."""
    gold = sorted({comparable_url(url) for url in gold_urls})
    ranked = [comparable_url(url) for url in ranked_urls]
    return Matches(len(gold), tuple(frozenset([gold.index(url)] if url in gold else []) for url in ranked))


def match_chunks(passages: Sequence[Passage], gold_chunks: Sequence[GoldChunk]) -> Matches:
    """Gold by passage: the passages, best first."""
    held = (frozenset(i for i, gold in enumerate(gold_chunks) if holds(one, gold)) for one in passages)
    return Matches(len(gold_chunks), tuple(held))


def holds(passage: Passage, gold: GoldChunk) -> bool:
    """Whether a passage has the gold chunk's words in their order, and is of its page if it names one."""
    return _of_page(passage, gold) and contains_any(passage.text, [gold.text])


def unknown_gold_chunks(golds: Iterable[GoldChunk], passages: Iterable[Passage]) -> int:
    """How many of the golds no passage holds. Each passage is read once, however many golds there are."""
    wanted = {gold: f" {normalised(gold.text)} " for gold in golds}
    for passage in passages:
        padded = f" {normalised(passage.text)} "
        for gold in [gold for gold, words in wanted.items() if words in padded and _of_page(passage, gold)]:
            del wanted[gold]
    return len(wanted)


def _of_page(passage: Passage, gold: GoldChunk) -> bool:
    return gold.url is None or comparable_url(gold.url) == comparable_url(passage.url)


def retrieval_scores(matches: Matches) -> dict[str, float]:
    """`recall@k`, `precision@4`, `mrr` and `ndcg@10` of one ranking, each 0 to 1.

    A ranking shorter than k is scored as it is: an empty place is not relevant. There must be a gold.

    - `recall@k`: the share of the golds that the first k passages hold. Where a question has one gold, it
      is also the hit rate (success@k).
    - `precision@4`: the share of the first 4 places that hold a relevant passage, repeats included.
    - `mrr`: 1 / the rank of the first relevant passage, however deep.
    - `ndcg@10`: 1 when the first places hold each gold once; a gold gains where it first appears.
    """
    ranking = {str(rank): -float(rank) for rank in range(1, len(matches.held) + 1)}
    judged = {"any": _relevant(matches), "gains": _gains(matches), **_each(matches)}
    calculated = ir_measures.iter_calc(
        [RR, _PRECISION, _NDCG, *_RECALLS], judged, dict.fromkeys(judged, ranking)
    )
    values = {(metric.query_id, metric.measure): float(metric.value) for metric in calculated}
    recalls = {
        f"recall@{k}": sum(values[str(gold), R @ k] for gold in range(matches.golds)) / matches.golds
        for k in RECALL_DEPTHS
    }
    return recalls | {
        f"precision@{PRECISION_DEPTH}": values["any", _PRECISION],
        "mrr": values["any", RR],
        f"ndcg@{NDCG_DEPTH}": values["gains", _NDCG],
    }


def passage_scores(ranked_texts: Sequence[str], references: Sequence[str]) -> dict[str, float]:
    """`answer@k`: 1 when a reference answer stands, normalised, in one of the first k passages, else 0."""
    deepest = ranked_texts[: max(ANSWER_DEPTHS)]
    rank = next((r for r, text in enumerate(deepest, start=1) if contains_any(text, references)), None)
    return {f"answer@{k}": float(rank is not None and rank <= k) for k in ANSWER_DEPTHS}


# A document is a rank of the ranking, or a gold that was not found: `ir_measures` takes judgements of
# documents by query, and each way to count below is a query of its own.


def _relevant(matches: Matches) -> dict[str, int]:
    """Every passage that holds a gold."""
    found = {str(rank): 1 for rank, golds in enumerate(matches.held, start=1) if golds}
    return found or {"not found": 1}


def _gains(matches: Matches) -> dict[str, int]:
    """How many golds each passage is the first to hold; one for a gold that is nowhere."""
    gains: dict[str, int] = {}
    for document in _first_places(matches):
        gains[document] = gains.get(document, 0) + 1
    return gains


def _each(matches: Matches) -> dict[str, dict[str, int]]:
    """Each gold as a query, by its number."""
    return {str(gold): {document: 1} for gold, document in enumerate(_first_places(matches))}


def _first_places(matches: Matches) -> list[str]:
    """For each gold, the document that is the first to hold it."""
    places = {gold: str(rank) for rank, golds in reversed([*enumerate(matches.held, 1)]) for gold in golds}
    return [places.get(gold, f"not found {gold}") for gold in range(matches.golds)]
