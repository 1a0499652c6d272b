from __future__ import annotations

import numpy as np
import pytest

from server.evaluate.scorecard.figures import (
    FIGURES,
    LEAST_OF_GROUP,
    all_figures,
    groups_by,
    percentile_interval,
)
from tests.evaluate.scorecard.cards import answer

ASKED = [
    answer("answer", right=True, unsupported=False),
    answer("answer", right=False, unsupported=False),
    answer("answer", unsupported=True),
    answer("seems", right=True, unsupported=False),
    answer("refusal"),
    answer("answer", right=None, answerable=False),
    answer("refusal", answerable=False),
    answer("answer", answerable=None),
]
STRANGERS = [answer("refusal", answerable=False), answer("seems", answerable=False)]


def test_figures_by_hand() -> None:
    """What is answered confidently, seems to answer and is refused adds up; an unanswerable one is apart."""
    figures = {one.name: one for one in all_figures(ASKED, STRANGERS, [])}
    assert {name: (one.value, one.n) for name, one in figures.items() if one.unit == "share"} == {
        "right_of_answered": (1 / 2, 2),
        "unsupported_shown": (1 / 4, 4),
        "off_scope_refused": (1 / 2, 2),
        "in_scope_answered": (3 / 5, 5),
        "seems_to_answer": (1 / 5, 5),
        "in_scope_not_refused": (4 / 5, 5),
        "right_of_seems": (1.0, 1),
        "unanswerable_answered": (1 / 2, 2),
    }
    assert all(one.low <= one.value <= one.high for one in figures.values())
    assert figures["latency_p95"].n == len(ASKED) + len(STRANGERS)


def test_what_nothing_can_be_judged_by_is_absent() -> None:
    """No right answer is known, nothing off-scope was asked, no attack tried: no figure, and no zero."""
    assert [one.name for one in all_figures([answer("answer")], [], [])] == [
        "in_scope_answered",
        "seems_to_answer",
        "in_scope_not_refused",
        "latency_p50",
        "latency_p95",
    ]
    assert all_figures([], [], []) == ()


def test_figures_come_in_the_order_of_their_table() -> None:
    names = [one.name for one in all_figures(ASKED, STRANGERS, [])]
    assert names == [name for name in FIGURES if name in names]


def test_groups_are_of_in_scope_questions_the_largest_first_small_ones_together() -> None:
    asked = [
        *(answer("answer", topic="fees") for _ in range(LEAST_OF_GROUP)),
        *(answer("refusal", topic="housing") for _ in range(LEAST_OF_GROUP + 1)),
        answer("seems", topic="pool"),
        answer("seems", topic=""),
        answer("answer", topic="fees", answerable=False),
    ]
    groups = groups_by(asked, lambda one: one.topic)
    assert [(one.name, one.questions) for one in groups] == [("housing", 6), ("fees", 5), ("2 of under 5", 2)]
    assert groups[0].figures["in_scope_not_refused"].value == 0
    assert groups_by(asked[:5], lambda one: one.topic) == ()


@pytest.mark.parametrize("share", [0.5, 0.95])
def test_the_interval_of_a_percentile_holds_the_true_one_nineteen_times_of_twenty(share: float) -> None:
    rng = np.random.default_rng(7)
    truth = float(np.quantile(rng.exponential(100, 200_000), share))
    held = [
        one.low <= truth <= one.high
        for one in (percentile_interval(rng.exponential(100, 120).tolist(), share) for _ in range(400))
    ]
    assert 0.91 <= np.mean(held) <= 0.995


def test_the_interval_of_few_times_ends_at_those_there_are() -> None:
    assert percentile_interval([5.0], 0.95) == percentile_interval([5.0, 5.0], 0.5)
    few = percentile_interval([1.0, 2.0, 3.0], 0.95)
    assert 1 <= few.low <= few.value <= few.high == 3
