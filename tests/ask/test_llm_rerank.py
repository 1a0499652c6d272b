from __future__ import annotations

from collections.abc import Sequence

import pytest

from server.ask.context import LlmRerankOptions
from server.ask.llm_rerank import by_probability, llm_rerank, sliding
from server.ask.trace import OpenStep
from server.models import Candidate, Passage


def by_number(window: Sequence[int]) -> list[int]:
    """The highest place first."""
    return sorted(range(len(window)), key=lambda position: -window[position])


def test_the_best_climbs_to_the_top_from_any_place() -> None:
    assert sliding(10, 4, 2, by_number)[:2] == [9, 8]
    assert sliding(3, 5, 3, by_number) == [2, 1, 0]


@pytest.mark.parametrize(
    ("count", "window", "stride"), [(0, 4, 2), (1, 4, 2), (5, 2, 1), (7, 3, 3), (10, 5, 3)]
)
def test_every_place_stays_once(count: int, window: int, stride: int) -> None:
    seen: list[int] = []

    def order(places: Sequence[int]) -> list[int]:
        seen.extend(places)
        return by_number(places)

    assert sorted(sliding(count, window, stride, order)) == list(range(count))
    assert set(seen) == set(range(count))


def test_what_nothing_was_said_of_stands_between_yes_and_no() -> None:
    assert by_probability([0.1, None, 0.9, 0.5]) == [2, 1, 3, 0]
    assert by_probability([0.0, 0.0, None]) == [2, 0, 1]


def test_without_a_model_the_order_stays() -> None:
    step, candidates = OpenStep(), [Candidate(Passage(n, "", "", "", ""), 1 / (n + 1)) for n in range(3)]
    assert llm_rerank("where", candidates, None, LlmRerankOptions(), step) == candidates
    assert step.notes == {"how": "listwise", "of": 3, "trouble": "down"}
