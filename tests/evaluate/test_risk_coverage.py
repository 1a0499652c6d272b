from __future__ import annotations

import numpy as np
import pytest

from server.evaluate.outcomes import Judgement, QuestionOutcome
from server.evaluate.questions import EvalQuestion
from server.evaluate.risk_coverage import Answered, answered, aurc_difference, aurc_interval, risk_coverage


def outcome(verdict: Judgement, evidence: float | None) -> QuestionOutcome:
    refused = verdict in ("rightly_refused", "wrongly_refused")
    return QuestionOutcome(EvalQuestion("1", "q"), "", refused, verdict, None, evidence, {}, {})


def asked(*pairs: tuple[float, bool]) -> Answered:
    """(evidence, wrong) of each question."""
    evidence, wrong = zip(*pairs, strict=True)
    return Answered(np.array(evidence), np.array(wrong))


NOT = (float("nan"), False)


def test_the_curve_covers_the_surest_answers_first_and_ends_at_what_was_answered() -> None:
    curve = risk_coverage(
        [
            outcome("right", 0.9),
            outcome("wrong", 0.6),
            outcome("right", 0.7),
            outcome("wrongly_answered", 0.5),
            outcome("wrongly_refused", 0.3),
            outcome("unjudged", 0.99),
        ]
    )
    assert [(p.evidence, p.coverage, p.risk) for p in curve] == [
        (0.9, 0.2, 0.0),
        (0.7, 0.4, 0.0),
        (0.6, 0.6, pytest.approx(1 / 3)),
        (0.5, 0.8, 0.5),
    ]


def test_answers_of_equal_evidence_are_covered_together() -> None:
    curve = risk_coverage([outcome("right", 0.5), outcome("wrong", 0.5)])
    assert [(p.coverage, p.risk) for p in curve] == [(1.0, 0.5)]


def test_without_an_answer_that_is_judged_or_has_evidence_there_is_no_curve() -> None:
    assert risk_coverage([outcome("rightly_refused", 0.1), outcome("right", None)]) == ()
    assert not answered([outcome("unjudged", 0.5)]).given.any()


def test_the_area_is_the_mean_of_the_risks_met() -> None:
    """Risks 0, 1/2, 1/3: the mean is 5/18. Equals meet the risk of their group: (0 + 1/3 + 1/3) / 3 …"""
    assert aurc_interval(asked((0.9, False), (0.8, True), (0.7, False))).value == pytest.approx(
        5 / 18, abs=1e-6
    )
    together = aurc_interval(asked((0.9, False), (0.8, True), (0.8, False)))
    assert together.value == pytest.approx((0 + 1 / 3 + 1 / 3) / 3, abs=1e-6)


def test_questions_that_were_not_answered_leave_the_area_as_it_is() -> None:
    pairs = [(0.9, False), (0.8, True), (0.7, False)]
    assert aurc_interval(asked(*pairs, NOT, NOT)).value == aurc_interval(asked(*pairs)).value


def test_the_interval_is_what_resampling_question_by_question_gives() -> None:
    rng = np.random.default_rng(3)
    evidence, wrong = rng.random(60), rng.random(60) < 0.3
    plain = []
    for _ in range(4000):
        drawn = rng.integers(60, size=60)
        order = drawn[np.argsort(-evidence[drawn], kind="stable")]
        # Copies of one question are equals, covered together: the risk at the last copy is that of all.
        risks = np.cumsum(wrong[order]) / np.arange(1, 61)
        last = np.searchsorted(-evidence[order], -evidence[order], side="right") - 1
        plain.append(risks[last].mean())
    interval = aurc_interval(Answered(evidence, wrong))
    assert (interval.low, interval.high) == pytest.approx(np.quantile(plain, (0.025, 0.975)), abs=0.02)


def test_all_right_is_no_risk_and_all_wrong_nothing_else() -> None:
    right, wrong = (asked(*[(number / 10, flag) for number in range(10)]) for flag in (False, True))
    assert aurc_interval(right).high == 0
    assert aurc_interval(wrong).low == 1
    assert aurc_difference(right, wrong).low == 1


def test_resamples_in_which_nothing_was_answered_are_left_out() -> None:
    """One answer of two questions: a quarter of the resamples has none."""
    interval = aurc_interval(asked((0.9, True), NOT))
    assert (interval.value, interval.low, interval.high) == (1, 1, 1)


def test_the_difference_is_paired() -> None:
    """The same answers in a better order: whatever is drawn, b is no worse."""
    a = asked(*[(0.1 * number, number > 5) for number in range(10)])
    b = asked(*[(1 - 0.1 * number, number > 5) for number in range(10)])
    difference = aurc_difference(a, b)
    assert difference.value < 0
    assert difference.high < 0
    assert aurc_difference(a, a).low == aurc_difference(a, a).high == 0
