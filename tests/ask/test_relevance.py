from __future__ import annotations

import math

import pytest

from server.ask.rerank import COSINE_UNKNOWN, LATE_UNKNOWN, measures, relevance
from server.models import Candidate, Passage


def found(text: str, cosine: float | None = None, late: float | None = None) -> Candidate:
    return Candidate(Passage(1, "https://u.example/", "", "", text), 1.0, cosine, late_score=late)


def test_what_is_known_adds_up() -> None:
    known = measures(2.0, 3, 0.8, found("x" * 100, 0.7, 0.4))
    each = {"log_odds": 0.5, "rank": -0.7, "found": 2.0, "length": 0.4, "cosine": 3.0, "late": 2.0}
    weights = {"bias": -1.0, **each}
    told = 1 - 0.7 * math.log(3) + 2 * math.log(0.8) + 0.4 * math.log(100) + 3 * 0.7 + 2 * 0.4
    assert relevance(known, weights) == pytest.approx(-1 + told)


def test_a_cross_encoder_without_weights_is_believed() -> None:
    assert relevance(measures(2.0, 3, 0.8, found("x")), {}) == 2.0


def test_an_empty_passage_has_a_length() -> None:
    assert measures(0.0, 1, 1.0, found(""))["length"] == 0.0


def test_what_no_search_measured_counts_for_neither_side() -> None:
    known = measures(0.0, 1, 1.0, found("x"))
    assert (known["cosine"], known["late"]) == (COSINE_UNKNOWN, LATE_UNKNOWN)
