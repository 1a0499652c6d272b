"""A check's verdicts as columns."""

from __future__ import annotations

from typing import Any

import pytest

from admin.traces.written import choice, verdicts

PASSED: dict[str, Any] = {
    "outcome": "passed", "sentence": "It is $310.", "cited": [1], "shown": "It is $310. [1]", "cites": [1],
    "findings": [], "support": 0.912, "measures": {}, "ms": 1.0,
}  # fmt: skip
WITHHELD: dict[str, Any] = PASSED | {
    "outcome": "withheld", "sentence": "It is free.", "cited": [], "shown": "", "support": None,
    "findings": [{"kind": "number", "text": "free", "note": ""}],
}  # fmt: skip


def test_each_sentence_has_its_verdict_with_a_sign_and_what_was_found() -> None:
    columns = verdicts([PASSED, WITHHELD])
    assert columns["Verdict"] == ["✓ passed", "✕ withheld"]
    assert columns["Cites"] == ["[1]", ""]
    assert columns["Support"] == ["0.91", ""]
    assert columns["Found"] == ["", "number free"]
    assert columns["Shown"] == ["It is $310. [1]", ""]


@pytest.mark.parametrize(
    ("notes", "told"),
    [
        ({"shown": "llm"}, "The language model's answer was shown"),
        ({"shown": "extractive", "quote_reason": "says_nothing"}, "nothing to the question."),
        (
            {"shown": "extractive", "quote_reason": None, "trouble": "slow"},
            "the model failed (slow).",
        ),
    ],
)
def test_of_two_answers_it_is_told_which_was_shown_and_why(notes: dict[str, Any], told: str) -> None:
    assert told in choice(notes)


def test_a_trace_from_before_tells_nothing_of_a_choice() -> None:
    assert choice({"prompt": ["Say."], "trouble": None}) == ""
