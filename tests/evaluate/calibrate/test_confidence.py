from __future__ import annotations

import numpy as np
import pytest

from server.ask.quoting.confidence import ConfidenceFit
from server.evaluate.calibrate.calibrate import CalibrationReport, Present, calibrate
from server.evaluate.calibrate.confidence import (
    FEWEST_OF_EACH,
    ConfidenceCorrection,
    WeighedAnswer,
    refit,
    too_few,
)
from tests.evaluate.calibrate.small_askers import Found, SmallAskers, questions

RIGHT, WRONG = {"right": (1.0, 1.0)}, {"other": (1.0, 1.0)}
NOTHING = ConfidenceCorrection()


def answers(confidence: float, right: int, wrong: int) -> list[WeighedAnswer]:
    return [WeighedAnswer(confidence, True)] * right + [WeighedAnswer(confidence, False)] * wrong


def run(askers: SmallAskers, present: Present, rated: list[WeighedAnswer]) -> CalibrationReport:
    return calibrate(
        askers,
        questions(len(askers.found)),
        "semantic",
        present,
        wrong_costs=1,
        on_progress=lambda done, total: None,
        rated=rated,
    )


def test_a_confidence_that_is_too_low_everywhere_is_shifted() -> None:
    """Of those told to be right with .3, 80 in a hundred are; of those with .1, half."""
    shift, scale = refit([*answers(0.3, 160, 40), *answers(0.1, 100, 100)], NOTHING)
    assert shift.recommended == pytest.approx(2.2, abs=0.15)
    assert (shift.verdict, shift.objective) == ("better", "log-likelihood")
    fitted = ConfidenceCorrection(shift.recommended, scale.recommended)
    assert fitted.corrected(np.array([0.3, 0.1])) == pytest.approx([0.8, 0.5], abs=0.06)


def test_a_confidence_that_is_too_sure_is_drawn_to_the_middle() -> None:
    _, scale = refit([*answers(0.95, 120, 40), *answers(0.05, 40, 120)], NOTHING)
    assert scale.recommended == pytest.approx(0.4, abs=0.11)


def test_a_confidence_that_holds_is_kept() -> None:
    for parameter in refit([*answers(0.8, 80, 20), *answers(0.2, 20, 80)], NOTHING):
        assert parameter.recommended == parameter.present


def test_it_is_found_again_from_wherever_it_was_set() -> None:
    """The answers are weighed as they were before any correction."""
    weighed = [*answers(0.3, 160, 40), *answers(0.1, 100, 100)]
    first, again = refit(weighed, NOTHING)[0], refit(weighed, ConfidenceCorrection(-3.0, 1.0))[0]
    assert again.recommended == pytest.approx(first.recommended, abs=0.11)


def test_too_few_of_either_kind_refit_nothing() -> None:
    assert too_few(answers(0.5, FEWEST_OF_EACH, FEWEST_OF_EACH)) == ""
    assert too_few(answers(0.5, 90, FEWEST_OF_EACH - 1)).endswith("there are 90 and 19.")
    few = run(SmallAskers({f"q{i}": Found(RIGHT, 0.3) for i in range(40)}), Present(0.3, 5, 0.5), [])
    assert [one.setting for one in few.parameters] == ["refusal_threshold"]
    assert few.left_out == (
        "To refit the confidence, at least 20 right and 20 wrong answers are needed; there are 40 and 0.",
    )


def test_visitors_ratings_count_beside_the_questions() -> None:
    """All questions are answered right at .3; visitors were not helped by as many answers at .2."""
    askers = SmallAskers({f"q{i}": Found(RIGHT, 0.3) for i in range(40)})
    found = {one.setting: one for one in run(askers, Present(0.3, 5, 0.5), answers(0.2, 0, 30)).parameters}
    assert list(found) == ["confidence_shift", "confidence_scale", "refusal_threshold"]
    assert found["confidence_shift"].questions == 70
    assert found["confidence_shift"].recommended > 0.5


def test_the_threshold_is_held_against_the_corrected_confidence() -> None:
    """Right at .3 and wrong at .1: as it ships none would be answered, and after the refit all right ones."""
    table = {f"q{i}": Found(RIGHT if i < 40 else WRONG, 0.3 if i < 40 else 0.1) for i in range(80)}
    found = {one.setting: one for one in run(SmallAskers(table), Present(0.3, 5, 0.5), []).parameters}
    assert found["confidence_shift"].recommended > 1
    assert found["refusal_threshold"].recommended == 0.5
    assert found["refusal_threshold"].present_figure.value == 0.5


def test_the_flow_corrects_as_the_calibration_does() -> None:
    confidences = np.array([0.01, 0.2, 0.5, 0.93])
    for shift, scale in ((0.0, 1.0), (0.7, 1.0), (-1.2, 0.6)):
        flow = ConfidenceFit(shift, scale)
        corrected = [flow.corrected(one) for one in confidences]
        assert corrected == pytest.approx(list(ConfidenceCorrection(shift, scale).corrected(confidences)))
        assert [flow.as_shipped(one) for one in corrected] == pytest.approx(list(confidences))
    assert [ConfidenceFit(2.0, 3.0).corrected(one) for one in (0.0, 1.0)] == [0.0, 1.0]
