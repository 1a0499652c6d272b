"""What became of golden questions, in words."""

from __future__ import annotations

from typing import Any

from admin.golden import asking, flips, states


def golden(question: str, failure: str | None = None, *, asked: bool = True) -> dict[str, Any]:
    record = {"passed": 3, "failed": 1, "failure": failure} if asked else None
    return {"question": question, "record": record}


RIGHT, WRONG = golden("How much is tuition?"), golden("Who won?", "It is not answered.")
NEW = golden("Where is tuition paid?", asked=False)


def test_each_state_has_a_sign_and_a_word() -> None:
    assert [states.told(one) for one in (RIGHT, WRONG, NEW)] == [
        "✓ Right",
        "✕ It is not answered.",
        "– Not asked yet",
    ]
    assert [states.so_far(one) for one in (RIGHT, NEW)] == ["3 × ✓, 1 × ✕", ""]
    assert states.strip([{"failure": None}, {"failure": "x"}]) == "✕ ✓"


def test_what_is_wrong_comes_first_and_the_list_narrows() -> None:
    everything = [RIGHT, WRONG, NEW]
    assert states.narrowed(everything, None, None) == [WRONG, NEW, RIGHT]
    assert states.narrowed(everything, "passed", "") == [RIGHT]
    assert states.narrowed(everything, None, "TUITION paid") == [NEW]


def test_a_comparison_is_a_sentence() -> None:
    found = {"broke": [1, 2], "mended": [3], "same": 9, "only_before": 0, "only_after": 4}
    assert flips.sentence(found) == "2 broke, 1 was mended, 9 came out the same, 4 are new."


def test_how_far_a_run_is() -> None:
    assert asking.progress({"done": 2, "total": 14, "says": "Who *won*?"}) == r"Asking 3 of 14: Who \*won\*\?"
    assert asking.progress({"done": 0, "total": 0, "says": ""}) == "Waiting for its turn"
