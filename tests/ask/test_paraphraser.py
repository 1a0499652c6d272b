"""What a paraphraser reads, and what it makes of a reading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

import pytest

from server.ask.conversation.paraphrase import read, subject_of
from server.ask.paraphraser import (
    LEAST_READ,
    LIKELY,
    MOST_ANSWERS,
    MOST_READ,
    SERVES,
    SIMILAR,
    CuratedCandidate,
    Paraphraser,
    Weighed,
)
from server.inference.encoders import Embedder
from server.models import Reading

TODAY = date(2026, 9, 1)
LAUNDRY = "How much does a load of laundry cost?"


class Says:
    """A cross-encoder that is as sure of everything, and keeps what it was given."""

    def __init__(self, log_odds: float) -> None:
        self.log_odds = log_odds
        self.given: list[tuple[str, str]] = []

    @property
    def weights(self) -> Mapping[str, float]:
        return {}

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> list[Reading]:
        self.given += [(question, text) for _, text in passages]
        return [Reading(self.log_odds) for _ in passages]


def candidate(*ways: str, cosine: float = 0.6, answer: str = "") -> CuratedCandidate:
    return CuratedCandidate(answer, subject_of(ways), [cosine] * len(ways))


def weigh(
    model: Says, embedder: Embedder, question: str, one: CuratedCandidate, verifier: Says | None = None
) -> Weighed:
    return Paraphraser(embedder, model, verifier).weigh(read(question), one, TODAY)


def test_the_question_is_read_beside_the_phrasing_and_its_answer(embedder: Embedder) -> None:
    model = Says(4.0)
    found = weigh(model, embedder, "what do I pay for a washer", candidate(LAUNDRY, answer="$1.50, by card."))
    assert model.given == [("what do I pay for a washer", f"{LAUNDRY} | $1.50, by card.")]
    assert (found.same, found.similar, found.likelihood >= LIKELY) == (True, False, True)
    alone = weigh(Says(0.0), embedder, "what do I pay for a washer", candidate(LAUNDRY))
    assert (alone.same, alone.similar, SIMILAR <= alone.likelihood < LIKELY) == (False, True, True)
    far = weigh(Says(-4.0), embedder, "what do I pay for a washer", candidate(LAUNDRY))
    assert (far.same, far.similar) == (False, False)


def test_only_the_nearest_phrasings_are_read_and_none_that_is_far(embedder: Embedder) -> None:
    model = Says(4.0)
    cosines = [LEAST_READ - 0.01, *(0.9 - n / 100 for n in range(MOST_READ + 2))]
    ways = [f"who washes {chr(97 + n)}{chr(97 + n)}" for n in range(len(cosines))]
    one = CuratedCandidate("", subject_of(ways), cosines)
    told = Paraphraser(embedder, model).readings(read("who washes here"), one, TODAY)
    assert [each.same or each.similar for each in told] == [False, *([True] * MOST_READ), False, False]
    assert len(model.given) == MOST_READ


def test_the_nearest_answers_are_weighed_and_none_that_is_far(embedder: Embedder) -> None:
    nearest = [LEAST_READ - 0.01, LEAST_READ, 0.9, 0.5]
    assert Paraphraser(embedder, Says(0.0)).worth_weighing(nearest) == [2, 3][:MOST_ANSWERS]
    assert Paraphraser(embedder).worth_weighing([0.33, 0.9, 0.5, 0.4]) == [1, 2, 3, 0]  # words cost little


def test_an_editors_own_words_are_not_read_and_a_reading_is_remembered(embedder: Embedder) -> None:
    model = Says(-9.0)
    paraphraser = Paraphraser(embedder, model)
    same = paraphraser.weigh(read(LAUNDRY.upper()), candidate(LAUNDRY), TODAY)
    assert (same.likelihood, same.same, model.given) == (1.0, True, [])
    for _ in range(3):
        paraphraser.weigh(read("washer price"), candidate(LAUNDRY), TODAY)
    assert len(model.given) == 1


def test_a_similar_answer_is_verified_with_its_text(embedder: Embedder) -> None:
    """One that reads like a phrasing is shown only where the answer's own text serves the question."""
    answer, asked = "A load of laundry costs $1.50.", "what will one load of washing cost me"
    found = {}
    for odds in (6.0, -6.0):
        verifier = Says(odds)
        found[odds] = weigh(Says(0.0), embedder, asked, candidate(LAUNDRY, answer=answer), verifier)
        assert verifier.given == [(asked, answer)]
    assert (found[6.0].similar, found[-6.0].similar) == (True, False)
    assert found[6.0].serving >= SERVES > found[-6.0].serving


@pytest.mark.parametrize(
    ("question", "odds", "cosine"),
    [("what will one load of washing cost me", 4.0, 0.6), ("can robots dream of electric sheep", 0.0, 0.31)],
)
def test_the_verifier_is_not_asked_where_it_decides_nothing(
    embedder: Embedder, question: str, odds: float, cosine: float
) -> None:
    verifier = Says(6.0)
    weigh(Says(odds), embedder, question, candidate(LAUNDRY, cosine=cosine, answer="$1.50."), verifier)
    assert verifier.given == []


@pytest.mark.parametrize(
    ("question", "way", "differs", "similar"),
    [
        ("what did a load of laundry cost in 2021", LAUNDRY, "term", False),
        ("is a load of laundry 2 dollars", LAUNDRY, "number", False),
        ("laundry", LAUNDRY, "broader", False),
        ("are pets not allowed", "Are pets allowed?", "denial", True),
        ("how much is graduate tuition", "How much is undergraduate tuition?", "opposite", True),
    ],
)
def test_what_makes_it_another_question_keeps_it_from_being_the_same_however_sure_the_model_is(
    embedder: Embedder, question: str, way: str, differs: str, similar: bool
) -> None:
    found = weigh(Says(9.0), embedder, question, candidate(way))
    assert (found.differs, found.same, found.similar) == (differs, False, similar)
    verified = weigh(Says(9.0), embedder, question, candidate(way, answer="1.50."), Says(-9.0))
    assert (verified.same, verified.similar) == (False, False)
