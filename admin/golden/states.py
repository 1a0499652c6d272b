"""What became of a golden question, in words: a sign and a sentence, never by colour alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

PASSED, FAILED, OPEN = "✓", "✕", "–"

# What the list can be narrowed to: its name in the address → in words.
SHOWN = {
    "failed": "Wrong now",
    "known_gap": "Known gaps",
    "passed": "Right now",
    "never": "Not asked yet",
}
OCCASIONS: Mapping[str, str] = {"asked": "by hand", "publish": "before a snapshot was published"}


def state(golden: Mapping[str, Any]) -> str:
    """`failed`, `known_gap`, `passed` or `never`, as it was when it was last asked."""
    record = golden["record"]
    if record is None:
        return "never"
    if record["failure"]:
        return "known_gap" if golden.get("known_gap") else "failed"
    return "passed"


def told(golden: Mapping[str, Any]) -> str:
    """`✓ Right`, `✕ It is not answered.`, `– Known gap: …` or `– Not asked yet`."""
    record = golden["record"]
    if record is None:
        return f"{OPEN} Not asked yet"
    if state(golden) == "known_gap":
        return f"{OPEN} Known gap: {golden['known_gap']}"
    return outcome(record["failure"])


def outcome(failure: str | None) -> str:
    """`✓ Right`, or `✕` with why not."""
    return f"{FAILED} {failure}" if failure else f"{PASSED} Right"


def so_far(golden: Mapping[str, Any]) -> str:
    """`3 × ✓, 1 × ✕`, or nothing where it was never asked."""
    record = golden["record"]
    return f"{record['passed']} × {PASSED}, {record['failed']} × {FAILED}" if record else ""


def strip(history: Sequence[Mapping[str, Any]]) -> str:
    """The history as signs, oldest first: `✓ ✓ ✕ ✓`."""
    return " ".join(FAILED if row["failure"] else PASSED for row in reversed(history))


def occasion(word: str) -> str:
    """Why it was asked, in words."""
    return OCCASIONS.get(word, word)


def narrowed(
    questions: Iterable[dict[str, Any]], wanted: str | None, text: str | None
) -> list[dict[str, Any]]:
    """Those in a state, with these words in the question; what is wrong first, what was never asked next."""
    order = ("failed", "never", "known_gap", "passed")
    words = (text or "").casefold().split()
    found = [
        one
        for one in questions
        if wanted in (None, state(one)) and all(word in one["question"].casefold() for word in words)
    ]
    return sorted(found, key=lambda one: order.index(state(one)))
