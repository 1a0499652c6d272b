"""The labelled sentences of a real model, and the figures that are made of them."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from scripts.research.writing.measure_written import LABELLED, UNSUPPORTED, agreement, auroc

LABELS = {"supported", *UNSUPPORTED, "none"}
OWN = ("http://127.0.0.1:8090/", "https://www.tamsettferry.example/", "https://www.quennell.example/")


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in LABELLED.read_text(encoding="utf-8").splitlines()]


def test_every_sentence_has_two_labels_and_every_passage_is_of_a_site_of_ours(
    rows: list[dict[str, Any]],
) -> None:
    assert len({row["id"] for row in rows}) == len(rows)
    for row in rows:
        assert all(passage["url"].startswith(OWN) for passage in row["passages"])
        assert all({one["first"], one["second"]} <= LABELS for one in row["sentences"])


def test_there_are_as_many_as_the_documents_say(rows: list[dict[str, Any]]) -> None:
    labels = [one["first"] for row in rows for one in row["sentences"]]
    assert (len(rows), len(labels)) == (88, 246)
    assert [labels.count(label) for label in ("supported", *UNSUPPORTED)] == [19, 12, 82, 22]


def test_a_score_that_tells_them_apart_is_1_and_ties_are_half() -> None:
    assert auroc([0.9, 0.8], [0.1]) == 1.0
    assert auroc([0.5], [0.5]) == 0.5
    assert math.isnan(auroc([], [0.5]))


def test_agreement_is_told_with_what_chance_would_give() -> None:
    pairs = [("supported", "supported"), ("not", "not"), ("not", "supported"), ("not", "not")]
    rows = [{"sentences": [{"first": a, "second": b} for a, b in pairs]}]
    assert agreement(rows) == "0.750 of 4, kappa 0.50"
