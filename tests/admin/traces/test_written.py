"""A check's verdicts as columns."""

from __future__ import annotations

from typing import Any

from admin.traces.written import verdicts

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
