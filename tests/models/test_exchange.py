from __future__ import annotations

import pytest

from server.models.exchange import Sureness, evidence_of

READ = ("extract", {"evidence": 0.4, "threshold": 0.5})
AGAIN = ("extract", {"evidence": 0.8, "threshold": 0.5})
BOTH = ("extract.asking", {"asks": "when is it", "alone": 0.8, "evidence": 0.6, "threshold": 0.5})


def test_read_twice_a_part_is_as_sure_as_both_readings_came_to() -> None:
    assert evidence_of([("rerank", {}), READ, ("rerank", {}), AGAIN, BOTH]) == [Sureness(0.6, 0.5)]


def test_read_in_the_visitors_own_words_it_is_what_was_taken() -> None:
    own = ("extract.own", {"asks": "tuition", "alone": 0.8, "evidence": 0.8, "threshold": 0.5})
    assert evidence_of([READ, ("rerank", {}), AGAIN, own]) == [Sureness(0.8, 0.5)]


def test_each_part_of_a_question_has_its_own() -> None:
    assert evidence_of([AGAIN, READ, AGAIN, BOTH]) == [Sureness(0.8, 0.5), Sureness(0.6, 0.5)]


@pytest.mark.parametrize("note", [{}, {"evidence": None}, {"evidence": "much"}, {"evidence": float("nan")}])
def test_what_is_no_number_says_nothing(note: dict[str, object]) -> None:
    assert evidence_of([("scope", {"evidence": 0.0}), ("extract", note)]) == []


def test_an_older_trace_names_no_threshold() -> None:
    assert evidence_of([("extract", {"evidence": 0.7})]) == [Sureness(0.7, None)]
