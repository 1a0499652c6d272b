"""What the verifier reads of an answer, and what its word does to the confidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from server.ask.quoting.answer import ExtractiveAnswer, QuotedWords
from server.ask.quoting.confidence import ConfidenceFit
from server.ask.quoting.verify import SHIPPED, verified
from server.ask.trace import OpenStep
from server.models import Citation, Reading

POOL = Citation(1, "https://x/pool", "Pool", "Hours", "Open 6 to 8. Mondays closed.")
QUESTION = "when is the pool open"


class Says:
    """A verifier that is as sure of everything, and keeps what it was given."""

    def __init__(self, log_odds: float) -> None:
        self.log_odds = log_odds
        self.given: list[tuple[str, str, str]] = []

    @property
    def weights(self) -> Mapping[str, float]:
        return {}

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> list[Reading]:
        self.given += [(question, place, said) for place, said in passages]
        return [Reading(self.log_odds) for _ in passages]


def draft(evidence: float, *said: QuotedWords, is_told: bool = False) -> ExtractiveAnswer:
    said = said or (QuotedWords("Open 6 to 8. [1]"),)
    return ExtractiveAnswer(said, (POOL,), evidence, {"evidence": evidence, "marked": 0.5}, is_told=is_told)


def test_it_reads_the_place_and_the_words_without_their_marks() -> None:
    model = Says(0.0)
    said = QuotedWords("Open 6 to 8. [1]"), QuotedWords("Mondays: closed [1]", lead="The pool:")
    verified(lambda _: QUESTION, draft(0.5, *said), model, ConfidenceFit(), OpenStep())
    assert model.given == [(QUESTION, "Pool › Hours", "Open 6 to 8.\nThe pool:\nMondays: closed")]


def test_the_question_is_put_for_the_place_and_the_words_that_are_read() -> None:
    model, texts = Says(0.0), list[str]()

    def asked_of(text: str) -> str:
        texts.append(text)
        return "pool hours"

    verified(asked_of, draft(0.5), model, ConfidenceFit(), OpenStep())
    assert texts == ["Pool › Hours\nOpen 6 to 8."]
    assert [question for question, *_ in model.given] == ["pool hours"]


def test_the_surer_it_is_the_surer_the_answer_and_the_trace_has_both() -> None:
    step = OpenStep(notes={"threshold": 0.5})
    doubted = verified(lambda _: QUESTION, draft(0.5), Says(-3.0), ConfidenceFit(), OpenStep())
    believed = verified(lambda _: QUESTION, draft(0.5), Says(3.0), ConfidenceFit(), step)
    assert doubted.evidence < 0.5 < believed.evidence
    assert step.notes["unverified"] == 0.5
    assert step.notes["verified"] == 3.0
    assert step.notes["evidence"] == round(believed.evidence, 4) == believed.notes["evidence"]
    assert step.notes["threshold"] == 0.5


@pytest.mark.parametrize("evidence", [0.0, 1.0])
def test_what_was_certain_has_a_confidence_too(evidence: float) -> None:
    found = verified(lambda _: QUESTION, draft(evidence), Says(0.0), ConfidenceFit(), OpenStep())
    assert 0.0 < found.evidence < 1.0


def test_what_is_told_by_how_a_page_is_built_and_what_says_nothing_is_not_read() -> None:
    model, nothing = Says(-9.0), ExtractiveAnswer((), (), 0.0, {})
    told = draft(0.8, is_told=True)
    assert verified(lambda _: QUESTION, told, model, ConfidenceFit(), OpenStep()) is told
    assert verified(lambda _: QUESTION, nothing, model, ConfidenceFit(), OpenStep()) is nothing
    assert model.given == []


def test_a_sites_own_correction_comes_after_the_verifier() -> None:
    fit = ConfidenceFit(shift=1.0, scale=0.5)
    corrected = draft(fit.corrected(0.4))
    found = verified(lambda _: QUESTION, corrected, Says(1.0), fit, OpenStep())
    assert found.evidence == pytest.approx(fit.corrected(SHIPPED(0.4, 1.0)))
