from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

import pytest

from server.errors import BadInputError, LodgeError
from server.evaluate.calibrate.calibrate import CalibrationReport, Present, calibrate
from server.evaluate.calibrate.choice import Parameter
from server.evaluate.evaluate import AnswerFlow
from server.evaluate.questions import EvalQuestion
from tests.evaluate.calibrate.small_askers import Found, SmallAskers, deep, questions

PRESENT = Present(alpha=0.3, depth=20, threshold=0.5)
# The words know better than the meaning: the right page is first from α = 0.5 on.
WORDS = {"near": (0.9, 0.4), "right": (0.4, 0.9)}


def run(
    askers: SmallAskers,
    asked: list[EvalQuestion],
    strategy: str = "hybrid",
    present: Present = PRESENT,
    wrong_costs: float = 1.0,
) -> CalibrationReport:
    return calibrate(
        askers, asked, strategy, present, wrong_costs=wrong_costs, on_progress=lambda done, total: None
    )


def found(pages: Mapping[str, tuple[float, float]], n: int = 40) -> SmallAskers:
    return SmallAskers({f"q{i}": Found(pages) for i in range(n)})


def parameters(calibration: CalibrationReport) -> dict[str, Parameter]:
    return {one.setting: one for one in calibration.parameters}


def test_alpha_goes_where_the_rankings_are_better() -> None:
    alpha = parameters(run(found(WORDS), questions(40)))["fusion_alpha"]
    assert alpha.chosen == alpha.recommended == 0.55
    assert alpha.folds == (0.55,) * 5
    assert (alpha.held_out.value, alpha.present_figure.value, alpha.verdict) == (1, 0.5, "better")
    assert alpha.objective == "mrr"


def test_later_settings_are_chosen_with_the_earlier_ones_as_recommended() -> None:
    """With the α recommended, the first page is right, and every answer with it."""
    threshold = parameters(run(found(WORDS), questions(40)))["refusal_threshold"]
    assert threshold.held_out.value == 1
    kept = replace(PRESENT, alpha=1.0)
    assert parameters(run(found(WORDS), questions(40), present=kept))["fusion_alpha"].recommended == 1.0


def test_a_question_of_names_is_ranked_by_the_alpha_it_would_be_given() -> None:
    """All lean on the words, so that any α up to theirs is as good as the present one."""
    named = [replace(question, question="N" + question.id) for question in questions(40)]
    askers = SmallAskers({question.question: Found(WORDS) for question in named})
    alpha = parameters(run(askers, named))["fusion_alpha"]
    assert (alpha.chosen, alpha.present_figure.value) == (0.3, 1)


def test_without_gold_alpha_is_judged_by_the_answers_string() -> None:
    asked = [replace(question, gold_urls=()) for question in questions(40)]
    alpha = parameters(run(found(WORDS), asked))["fusion_alpha"]
    assert (alpha.objective, alpha.held_out.value) == ("answer@5", 1)
    assert alpha.recommended == 0.3


@pytest.mark.parametrize("strategy", ["semantic", "keyword", "cmu"])
def test_a_strategy_of_one_search_or_with_an_alpha_of_its_own_has_none_to_set(strategy: str) -> None:
    assert parameters(run(found(WORDS), questions(40), strategy)).keys() == {"refusal_threshold"}


def test_a_smaller_depth_is_recommended_where_it_reads_less_and_loses_nothing() -> None:
    depth = parameters(run(found(deep(4)), questions(40), "hybrid+rerank"))["rerank_candidates"]
    assert (depth.chosen, depth.recommended, depth.present) == (5, 5, 20)
    assert depth.held_out.value == depth.present_figure.value == 1
    assert "5.0 passages are read a question, not 20.0." in depth.reason


def test_a_larger_depth_is_recommended_where_the_right_passages_lie_deeper() -> None:
    depth = parameters(run(found(deep(25)), questions(40), "hybrid+rerank"))["rerank_candidates"]
    assert (depth.chosen, depth.recommended, depth.verdict) == (30, 30, "better")


def test_a_strategy_that_does_not_rerank_has_no_depth() -> None:
    assert "rerank_candidates" not in parameters(run(found(deep(4)), questions(40), "hybrid"))


def mixed() -> tuple[SmallAskers, list[EvalQuestion]]:
    """Forty answered right at 0.7, forty unanswerable ones at 0.3 and ten at 0.8."""
    right, wrong = {"right": (1.0, 1.0)}, {"other": (1.0, 1.0)}
    table = {f"q{i}": Found(right, 0.7) for i in range(40)}
    table |= {f"q{i}": Found(wrong, 0.3 if i < 80 else 0.8) for i in range(40, 90)}
    unanswerable = [replace(one, answerable=False, gold_urls=(), answers=()) for one in questions(90)[40:]]
    return SmallAskers(table), [*questions(40), *unanswerable]


def test_the_threshold_parts_right_answers_from_wrong_ones() -> None:
    """From just above 0.3 to 0.7 all are as good; the nearest to the present is taken."""
    askers, asked = mixed()
    high = parameters(run(askers, asked, present=replace(PRESENT, threshold=0.9)))["refusal_threshold"]
    assert (high.chosen, high.recommended, high.verdict) == (0.7, 0.7, "better")
    assert high.held_out.value == pytest.approx((40 - 10) / 90, abs=1e-6)
    assert high.present_figure.value == 0
    low = parameters(run(askers, asked, present=replace(PRESENT, threshold=0.0)))["refusal_threshold"]
    assert (low.chosen, low.verdict) == (0.31, "better")
    assert low.present_figure.value == pytest.approx((40 - 50) / 90, abs=1e-6)
    kept = parameters(run(askers, asked))["refusal_threshold"]
    assert (kept.chosen, kept.recommended, kept.reason) == (0.5, 0.5, "keep 0.5: no value tried is better.")


def test_the_dearer_a_wrong_answer_the_stricter_the_threshold() -> None:
    askers, asked = mixed()
    threshold = parameters(run(askers, asked, wrong_costs=20))["refusal_threshold"]
    assert threshold.chosen == 0.81
    assert threshold.objective == "right − 20 × wrong"
    assert threshold.held_out.value == 0


def test_too_few_questions_for_one_setting_leave_it_out_with_a_sentence() -> None:
    askers, asked = mixed()
    calibration = run(askers, asked[36:])
    assert parameters(calibration).keys() == {"refusal_threshold"}
    assert calibration.left_out == (
        "To set α, at least 10 questions with gold or answers are needed; there are 4.",
        "To refit the confidence, at least 20 right and 20 wrong answers are needed; there are 4 and 50.",
    )


def test_questions_that_can_judge_nothing_are_bad_input() -> None:
    with pytest.raises(BadInputError, match=r"there are 9\. .*there are 9\."):
        run(found(WORDS), questions(9))


def test_a_fusion_that_cannot_be_foretold_ends_it() -> None:
    askers = replace(found(WORDS), curved=True)
    with pytest.raises(LodgeError, match="not linear"):
        run(askers, questions(40))


def test_a_snapshot_swapped_meanwhile_ends_it() -> None:
    class Swapping(SmallAskers):
        def asker(self, *, alpha: float, depth: int, threshold: float) -> AnswerFlow:
            snapshot = "small-2" if threshold == 0 else "small-1"
            same = SmallAskers(self.found, snapshot=snapshot)
            return same.asker(alpha=alpha, depth=depth, threshold=threshold)

    swapping = Swapping(found(WORDS).found)
    with pytest.raises(LodgeError, match=r"changed meanwhile \(small-1, small-2\)"):
        run(swapping, questions(40))


def test_progress_is_told_to_the_end() -> None:
    told: list[tuple[int, int]] = []
    calibrate(
        found(deep(4)), questions(40), "hybrid+rerank", PRESENT, wrong_costs=1,
        on_progress=lambda done, total: told.append((done, total)),
    )  # fmt: skip
    assert told == [(done, 165) for done in range(1, 166)]


def test_the_json_has_every_figure() -> None:
    document = json.loads(json.dumps(run(found(WORDS), questions(40)).as_json(), allow_nan=False))
    assert document.keys() == {"strategy", "snapshot", "questions", "parameters", "left_out", "folds"}
    assert (document["snapshot"], document["questions"], document["folds"]) == ("small-1", 40, 5)
    first = document["parameters"][0]
    assert first["held_out"].keys() == first["delta"].keys() == {"value", "low", "high"}
