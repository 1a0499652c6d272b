from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from server.ask.grounding.evidence import EvidenceModel, logistic
from server.ask.quoting.confidence import RIVALS, answer_measures, evidence_measures, evidence_of, late_rivals
from server.ask.quoting.score import QuestionFeatures, ScoredSentence
from server.models import Candidate, Passage, Reading


def stems(texts: Sequence[str]) -> list[set[str]]:
    return [set(text.lower().split()) for text in texts]


WANTED = QuestionFeatures({"library": 3.0, "opens": 1.0}, (), stems)


def candidate(
    text: str = "Nothing", semantic: float | None = None, reading: Reading | None = None
) -> Candidate:
    passage = Passage(1, "https://u.example/", "Page", "Hours", text)
    return Candidate(passage, 0.5, semantic_score=semantic, reading=reading)


def test_a_measure_is_that_of_the_best_passage() -> None:
    measures = evidence_measures(
        [
            candidate("the library", 0.2, Reading(-1.0, 0, 3, 4.0)),
            candidate("it opens", 0.6, Reading(2.0, 0, 2, -3.0)),
        ],
        WANTED,
    )
    assert measures == {"words": 0.75, "cosine": 0.6, "relevance": 2.0, "margin": 4.0}


def test_what_was_not_measured_is_not_there() -> None:
    assert set(evidence_measures([candidate()], WANTED)) == {"words"}
    assert set(evidence_measures([candidate(semantic=0.1)], WANTED)) == {"words", "cosine"}
    ranked = candidate(reading=Reading(1.0))
    assert set(evidence_measures([candidate(), ranked], WANTED)) == {"words", "relevance"}


def test_the_first_passage_is_held_against_those_that_match_the_question_best_beside_it() -> None:
    scores = [0.9, 0.5, 0.4, 0.3, 0.2, 0.1, 0.0]
    found = [replace(candidate(), late_score=score) for score in scores]
    rivals = late_rivals(found)
    assert rivals == pytest.approx(0.3)
    wanted = replace(WANTED, late_rivals=rivals)
    assert evidence_measures(found[:2], wanted)["late_lead"] == pytest.approx(0.6)
    assert evidence_measures(found[5:], wanted)["late_lead"] == pytest.approx(-0.2)
    assert late_rivals(found[:RIVALS]) is None
    assert "late_lead" not in evidence_measures(found, WANTED)
    assert "late_lead" not in evidence_measures([candidate()], wanted)


def quoted(chunk: int, share: float, marked: float) -> ScoredSentence:
    passage = Passage(chunk, f"https://u.example/{chunk}", "Page", "Hours", "It opens at nine.")
    return ScoredSentence(passage, 0, 17, 0.5, 0.0, share, fits=True, marked=marked)


def test_the_reader_is_sure_of_passage_and_place_and_the_next_passage_is_behind() -> None:
    measures = answer_measures([quoted(1, 1.0, 0.49), quoted(1, 1.0, 0.0), quoted(2, 0.6, 0.9)])
    assert measures == pytest.approx({"marked": 0.7, "lead": 0.4})


def test_a_line_of_other_days_is_no_answer_where_its_passage_has_none_of_the_days_meant() -> None:
    other, plain, meant = (replace(quoted(1, 1.0, 0.49), day=day) for day in (-0.6, 0.0, 0.6))
    behind = quoted(2, 0.6, 0.9)
    assert answer_measures([other, plain, behind])["marked"] == 0.0
    assert answer_measures([other, meant, behind])["marked"] == pytest.approx(0.7)
    assert answer_measures([plain, other, behind])["marked"] == pytest.approx(0.7)


def test_where_no_place_was_marked_nothing_is_known_of_the_answer() -> None:
    assert answer_measures([quoted(1, 1.0, 0.0)]) == {}
    assert answer_measures([]) == {}


@pytest.mark.parametrize(
    "read",
    [
        {},
        {"cosine": 0.4},
        {"relevance": 0.0},
        {"relevance": 0.0, "margin": 0.0, "cosine": 0.4},
        {"marked": 0.5, "lead": 0.2, "relevance": 0.0},
        {"marked": 0.5, "lead": 0.2, "late": 0.4},
        {"marked": 0.5, "lead": 0.2, "late": 0.4, "late_lead": 0.1, "relevance": 0.0},
    ],
)
def test_more_of_a_measure_is_never_less_evidence(read: dict[str, float]) -> None:
    measures = {"words": 0.5, **read}
    usual = evidence_of(measures)
    assert 0 < usual < 1
    more = [evidence_of({**measures, name: value + 0.3}) for name, value in measures.items()]
    assert min(more) >= usual
    assert max(more) > usual


def test_a_model_is_a_logistic_function_of_its_measures() -> None:
    model = EvidenceModel(-1.0, {"words": 2.0})
    assert model({"words": 1.0, "cosine": 9.0}) == pytest.approx(1 / (1 + math.exp(-1)))


@pytest.mark.parametrize(("odds", "expected"), [(0.0, 0.5), (1e9, 1.0), (-1e9, 0.0), (-math.inf, 0.0)])
def test_the_logistic_function_takes_every_number(odds: float, expected: float) -> None:
    assert logistic(odds) == pytest.approx(expected)


def test_coverage_is_the_share_of_the_questions_weight() -> None:
    weighted = QuestionFeatures({"rare": 3.0, "common": 1.0}, (), stems)
    assert weighted.coverage({"rare", "other"}) == 0.75
    assert weighted.coverage(set()) == 0.0
    assert QuestionFeatures({}, (), stems).coverage({"rare"}) == 0.0
