from __future__ import annotations

import pytest

from server.evaluate.risk_coverage import calibration_error, reliability
from tests.evaluate.test_risk_coverage import outcome


def test_bins_hold_their_answers_mean_evidence_and_share_right() -> None:
    bins = reliability(
        [
            outcome("right", 0.72),
            outcome("wrong", 0.78),
            outcome("right", 1.0),
            outcome("rightly_refused", 0.1),
            outcome("unjudged", 0.5),
        ]
    )
    assert [(one.low, one.high, one.answers) for one in bins] == [(0.7, 0.8, 2), (0.9, 1.0, 1)]
    assert bins[0].evidence == pytest.approx(0.75)
    assert (bins[0].right.value, bins[1].right.value) == (0.5, 1)
    assert bins[0].right.low < 0.2
    assert bins[1].right.low < 0.5


def test_the_expected_calibration_error_weighs_each_bin_by_its_answers() -> None:
    """|.75 − .5| for two answers, |.95 − 1| for one."""
    bins = reliability([outcome("right", 0.72), outcome("wrong", 0.78), outcome("right", 0.95)])
    assert calibration_error(bins) == pytest.approx((2 * 0.25 + 0.05) / 3)


def test_evidence_that_is_the_probability_has_no_error() -> None:
    answers = [outcome("right", 0.75)] * 3 + [outcome("wrong", 0.75)]
    assert calibration_error(reliability(answers)) == pytest.approx(0)


def test_without_an_answer_there_is_no_bin_and_no_error() -> None:
    assert reliability([outcome("wrongly_refused", 0.2)]) == ()
    assert calibration_error(()) is None
