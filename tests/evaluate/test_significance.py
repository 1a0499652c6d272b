from __future__ import annotations

import math
from dataclasses import astuple
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.evaluate.significance import (
    Interval,
    auroc,
    auroc_difference,
    auroc_interval,
    mean_interval,
    share_interval,
    verdict,
)


def _binomial_quantile(n: int, p: float, share: float) -> int:
    """The least k with P(X ≤ k) ≥ share."""
    chances = accumulate(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1))
    return next(k for k, chance in enumerate(chances) if chance >= share)


@pytest.mark.parametrize(("n", "hits"), [(40, 12), (250, 230)])
def test_the_interval_of_a_share_is_the_binomial_one(n: int, hits: int) -> None:
    """The bootstrap of hits out of n is the binomial distribution itself, whose quantiles are known."""
    interval = mean_interval(np.array([1.0] * hits + [0.0] * (n - hits)))
    assert interval.value == pytest.approx(hits / n)
    assert n * interval.low == pytest.approx(_binomial_quantile(n, hits / n, 0.025), abs=1.01)
    assert n * interval.high == pytest.approx(_binomial_quantile(n, hits / n, 0.975), abs=1.01)


def test_the_interval_of_a_mean_is_its_standard_error_times_1_96() -> None:
    values = np.random.default_rng(1).normal(5, 2, size=400)
    half = 1.96 * values.std() / math.sqrt(len(values))
    interval = mean_interval(values)
    assert interval.low == pytest.approx(values.mean() - half, abs=half * 0.05)
    assert interval.high == pytest.approx(values.mean() + half, abs=half * 0.05)


def test_the_multinomial_draw_agrees_with_drawing_questions_one_by_one() -> None:
    values = np.array([0, 0.25, 0.5, 0.5, 1, 1, 1, 0.125] * 4)
    drawn = np.random.default_rng(2).choice(values, size=(10_000, len(values))).mean(axis=1)
    interval = mean_interval(values)
    assert (interval.low, interval.high) == pytest.approx(np.quantile(drawn, (0.025, 0.975)), abs=0.01)


def test_the_same_values_print_the_same_interval_in_any_order() -> None:
    values = np.linspace(0, 1, 50)
    assert mean_interval(values) == mean_interval(values[::-1])


def test_equal_scores_have_no_spread() -> None:
    assert mean_interval(np.full(30, 1 / 3)) == Interval(0.333333, 0.333333, 0.333333)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_an_interval_holds_its_value_and_stays_within_the_scores(scores: list[float]) -> None:
    interval = mean_interval(np.array(scores))
    assert min(scores) - 1e-6 <= interval.low <= interval.high <= max(scores) + 1e-6
    assert interval.low - 1e-6 <= interval.value <= interval.high + 1e-6


def test_auroc_by_hand_with_a_tie() -> None:
    """Positives 0.9, 0.5; negatives 0.5, 0.1, 0.7: of 6 pairs 3 + 1 won, 1 tied, 1 lost."""
    scores = np.array([0.9, 0.5, 0.1, 0.5, 0.7])
    positive = np.array([True, False, False, True, False])
    assert auroc(scores, positive) == pytest.approx(4.5 / 6)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(-3, 3), st.booleans()), min_size=2, max_size=30))
def test_auroc_is_the_share_of_pairs_won(cases: list[tuple[int, bool]]) -> None:
    positives = [score for score, positive in cases if positive]
    negatives = [score for score, positive in cases if not positive]
    if not positives or not negatives:
        return
    won = sum((p > n) + (p == n) / 2 for p in positives for n in negatives)
    scores, positive = np.array([float(score) for score, _ in cases]), np.array([kind for _, kind in cases])
    assert auroc(scores, positive) == pytest.approx(won / len(positives) / len(negatives))


def test_the_interval_of_an_auroc_is_near_hanley_and_mcneils() -> None:
    rng = np.random.default_rng(3)
    scores, positive = np.r_[rng.normal(1, 1, 200), rng.normal(0, 1, 100)], np.arange(300) < 200
    area = auroc(scores, positive)
    q1, q2 = area / (2 - area), 2 * area**2 / (1 + area)
    variance = area * (1 - area) + 199 * (q1 - area**2) + 99 * (q2 - area**2)
    half = 1.96 * math.sqrt(variance / (200 * 100))
    interval = auroc_interval(scores, positive)
    assert interval.value == pytest.approx(area, abs=1e-6)
    assert interval.high - interval.low == pytest.approx(2 * half, rel=0.15)


def test_an_auroc_difference_is_paired() -> None:
    """A strategy against itself has no spread at all, and one that orders worse is told from it."""
    rng = np.random.default_rng(5)
    positive = np.arange(200) < 100
    good = rng.normal(0, 1, 200) + 2 * positive
    noise = rng.normal(0, 1, 200)
    assert auroc_difference(good, good, positive) == Interval(0, 0, 0)
    delta = auroc_difference(good, noise, positive)
    assert delta.value == pytest.approx(auroc(noise, positive) - auroc(good, positive), abs=1e-6)
    assert delta.low < delta.value < delta.high < 0


def test_minus_infinity_is_below_every_score() -> None:
    assert auroc(np.array([0.0, -math.inf]), np.array([True, False])) == 1


@pytest.mark.parametrize(
    ("low", "high", "differing", "lower_is_better", "expected"),
    [
        (0.01, 0.2, 30, False, "better"),
        (-0.2, -0.01, 30, False, "worse"),
        (-0.2, -0.01, 30, True, "better"),
        (0.01, 0.2, 30, True, "worse"),
        (0.0, 0.2, 30, False, "cannot tell"),
        (-0.1, 0.2, 30, False, "cannot tell"),
        (0.01, 0.2, 5, False, "cannot tell"),
        (0.01, 0.2, 6, False, "better"),
    ],
)
def test_verdict(low: float, high: float, differing: int, lower_is_better: bool, expected: str) -> None:
    delta = Interval((low + high) / 2, low, high)
    assert verdict(delta, differing, lower_is_better=lower_is_better) == expected


def test_differences_that_cancel_out_cannot_be_told_from_nothing() -> None:
    delta = mean_interval(np.array([0.1, 0.2, -0.3] * 20))
    assert delta.low < 0 < delta.high
    assert verdict(delta, 60) == "cannot tell"


def test_wilsons_interval_is_the_published_one() -> None:
    """Newcombe (1998), table I: 81 of 263 and 0 of 20."""
    assert astuple(share_interval(81, 263)) == pytest.approx((0.3080, 0.2553, 0.3662), abs=1e-4)
    assert astuple(share_interval(0, 20)) == pytest.approx((0, 0, 0.1611), abs=1e-4)
    assert share_interval(1, 1).high == 1


@given(st.integers(1, 400), st.floats(0, 1))
def test_a_share_lies_in_its_interval(n: int, part: float) -> None:
    for hits in (0, n, round(part * n)):
        interval = share_interval(hits, n)
        assert 0 <= interval.low <= interval.value <= interval.high <= 1
