"""How likely a passage answers a question, from what a cross-encoder says and what else is known.

A cross-encoder's log-odds say most. The place and the score that the search before gave the passage say
something more, and so does its length: the short end of a section seldom holds the answer (docs/models.md has
the figures).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from server.ask.context import RerankOptions
from server.ask.grounding.evidence import logistic
from server.ask.ports import CrossEncoder
from server.ask.quoting.confidence import STALE
from server.ask.quoting.score import MONEY, expected_answer_types
from server.ask.trace import OpenStep
from server.models import Candidate, Hit, Passage, Reading, lead_line

MEASURES = ("log_odds", "rank", "found", "length", "cosine", "late")
# A score of less than this share of the best one says no more than this: BM25's fall much faster than the
# fused ones that the weights are fitted to.
LEAST_FOUND = 0.5
# What is taken for a cosine, and for late interaction's score, where none was computed: about what they are
# where a passage answers.
COSINE_UNKNOWN, LATE_UNKNOWN = 0.5, 0.6


def shares_of_best(candidates: Sequence[Candidate]) -> list[float]:
    """Each one's score as a share of the best one's."""
    best = max((one.score for one in candidates), default=0.0)
    return [one.score / best if best > 0 else 1.0 for one in candidates]


def measures(log_odds: float, rank: int, share: float, found: Candidate) -> dict[str, float]:
    """The cross-encoder's `log_odds`; logarithms: of the passage's `rank` before, from 1, of its score there
    as a share of the best one's (`found`), and of its `length` in characters; and what meaning and late
    interaction said of it."""
    return {
        "log_odds": log_odds,
        "rank": math.log(rank),
        "found": math.log(max(LEAST_FOUND, share)),
        "length": math.log(max(1, len(found.passage.text))),
        "cosine": COSINE_UNKNOWN if found.semantic_score is None else found.semantic_score,
        "late": LATE_UNKNOWN if found.late_score is None else found.late_score,
    }


def relevance(known: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """The log-odds by all that is known: `bias` and a weight for each measure, of which some may be left out.

    A cross-encoder that brings no weights is believed as it is.
    """
    if not weights:
        return known["log_odds"]
    return weights["bias"] + sum(weights.get(name, 0.0) * known[name] for name in MEASURES)


# What the right term adds to a passage's log-odds, and the wrong one takes off. Chosen, not fitted: about as
# much as four ranks before, for no set at hand asks about terms often enough.
RIGHT_TERM = 1.0
# What news of long ago loses besides where a price is asked for: there is a newer one. Chosen.
OLD_PRICE = 2.0
# What a page for people at another stage loses: one for applicants tells whoever would change their major how
# they change the one that they have applied for. Chosen.
OTHER_STAGE = 1.0
# What a page loses for its distance from the front door, where a general question is asked. Chosen over ten
# sets (docs/retrieval.md).
DISTANCE = 0.25
# What a page about the very course gains, and one about another loses.
COURSE = {1: 0.5, 0: 0.0, -1: -2.0}


def rerank(  # noqa: PLR0913, PLR0917  (a question, what was found for it, and how it is read)
    question: str,
    candidates: Sequence[Candidate],
    cross_encoder: CrossEncoder,
    options: RerankOptions,
    step: OpenStep,
    as_in: Callable[[str], str] | None = None,
) -> list[Candidate]:
    """The candidates in their new order: those read, by the probability that they answer, then the others.

    `as_in` puts the question in a passage's own words, as it is read with it: a small cross-encoder knows few
    synonyms, and a site's own not at all. A score is that probability (0 to 1); of one that was not read it
    is 0.
    """
    read: list[Candidate] = []
    likely = 0.0
    considered = candidates[: options.candidates]
    shares = shares_of_best(considered)
    asks_price = any(kind.name == MONEY for kind in expected_answer_types(question))
    stale = STALE + OLD_PRICE * asks_price
    while len(read) < len(considered) and not is_settled(likely, len(read), options.stop):
        wave = considered[len(read) : len(read) + options.wave]
        readings = _readings(question, wave, cross_encoder, as_in)
        for one, reading in zip(wave, readings, strict=True):
            known = measures(reading.log_odds, len(read) + 1, shares[len(read)], one)
            odds = relevance(known, cross_encoder.weights) + RIGHT_TERM * one.preference
            odds += COURSE[one.course] - stale * one.stale - OTHER_STAGE * one.other_stage
            odds -= DISTANCE * one.distance
            read.append(replace(one, score=logistic(odds), reading=reading))
            likely = max(likely, read[-1].score)
    rest = [replace(one, score=0.0) for one in candidates[len(read) :]]
    ranked = [*sorted(read, key=lambda one: -one.score), *rest]
    step.ranking = [Hit(one.passage.chunk_id, round(one.score, 4)) for one in ranked]
    step.notes = {"read": len(read), "of": len(considered), "best": round(likely, 4)}
    return ranked


def _readings(
    question: str,
    wave: Sequence[Candidate],
    cross_encoder: CrossEncoder,
    as_in: Callable[[str], str] | None,
) -> list[Reading]:
    """A reading for each, the passages with the same wording of the question together."""
    pairs = [pair(one.passage) for one in wave]
    asked = [as_in("\n".join(words)) if as_in else question for words in pairs]
    readings: dict[int, Reading] = {}
    for wording in dict.fromkeys(asked):
        own = [i for i, one in enumerate(asked) if one == wording]
        readings |= zip(own, cross_encoder.read(wording, [pairs[i] for i in own]), strict=True)
    return [readings[i] for i in range(len(wave))]


def is_settled(likely: float, read: int, stop: float) -> bool:
    """Whether it is likely enough that the right passage is among the `read` best ones already.

    Before reading, 1 / (read + 1) is taken for the chance that it is not (Laplace; the first stage does
    better on every set measured). The best probability found so far is the evidence: by Bayes' rule the
    chance falls to u (1 − p) / (u (1 − p) + (1 − u) p).
    """
    if not read:
        return False
    unseen = 1 / (read + 1)
    missed, found = unseen * (1 - likely), (1 - unseen) * likely
    return missed < stop * (missed + found)


def pair(passage: Passage) -> tuple[str, str]:
    """A passage as a cross-encoder reads it: title and headings, and the text."""
    return lead_line(passage.title, passage.heading), passage.text
