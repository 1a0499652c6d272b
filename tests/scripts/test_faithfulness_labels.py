"""What a judge's faithfulness is audited by."""

from __future__ import annotations

from typing import Any

import pytest

from scripts.data_files import read_rows
from scripts.research.writing.faithfulness_labels import WRITTEN, drawn, labelled


def row(*labels: tuple[str, str]) -> dict[str, Any]:
    sentences = [{"text": f"Said {i}.", "first": a, "second": b} for i, (a, b) in enumerate(labels)]
    passages = [{"title": "Hours", "heading": "Desk", "text": "Until ten."}]
    return {"id": "1", "question": "When?", "sentences": sentences, "passages": passages}


@pytest.mark.parametrize(
    ("labels", "faithful"),
    [
        ([("supported", "supported"), ("supported", "supported")], 1.0),
        ([("supported", "supported"), ("unsupported", "unsupported")], 0.0),
        ([("supported", "unsupported")], None),
        ([], None),
    ],
)
def test_an_answer_is_labelled_where_both_hands_agree(
    labels: list[tuple[str, str]], faithful: float | None
) -> None:
    found = labelled(row(*labels))
    assert (found and found["labels"]["faithfulness"]) == faithful
    if found:
        assert (found["answer"], found["sources"]) == ("Said 0. Said 1.", "Hours › Desk\nUntil ten.")


def test_as_many_of_each_are_drawn_and_always_the_same() -> None:
    rows = read_rows(WRITTEN)
    labels = drawn(rows, 20)
    assert [one["labels"]["faithfulness"] for one in labels] == [1.0] * 20 + [0.0] * 20
    assert labels == drawn(rows, 20)
