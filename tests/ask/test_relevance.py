from __future__ import annotations

import math

import pytest

from server.ask.rerank import measures, relevance


def test_what_is_known_adds_up() -> None:
    known = measures(2.0, 3, 0.8, "x" * 100)
    weights = {"bias": -1.0, "log_odds": 0.5, "rank": -0.7, "found": 2.0, "length": 0.4}
    told = 1 - 0.7 * math.log(3) + 2 * math.log(0.8) + 0.4 * math.log(100)
    assert relevance(known, weights) == pytest.approx(-1 + told)


def test_a_cross_encoder_without_weights_is_believed() -> None:
    assert relevance(measures(2.0, 3, 0.8, "x"), {}) == 2.0


def test_an_empty_passage_has_a_length() -> None:
    assert measures(0.0, 1, 1.0, "")["length"] == 0.0
