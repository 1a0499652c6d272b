"""What a trace says in a line each: what was searched for, whose business it is, how sure the answer was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

LIKELIEST = 3  # so many topics are named


def rewritten(trace: Mapping[str, Any]) -> str | None:
    """What the rewrite step made of the question; None when there was none or it changed nothing."""
    for step in trace["steps"]:
        question = step["notes"].get("question")
        if step["step"] == "rewrite" and isinstance(question, str) and question != trace["question"]:
            return question
    return None


def heard(steps: Sequence[Mapping[str, Any]]) -> list[str]:
    """Whether a question is the site's business, its topics, how sure the answer was: a line each."""
    return [line for step in steps if (line := _line(step["step"], step["notes"]))]


def _line(step: str, notes: Mapping[str, Any]) -> str | None:
    if step == "scope" and notes.get("in_scope") is not None:
        nearest = "" if notes["nearest"] is None else f", its nearest passage at {notes['nearest']:.2f}"
        chance = f"{notes['in_scope']:.0%} likely the site's business"
        return f"The site's business? {notes['verdict'].replace('_', ' ')} ({chance}{nearest})"
    if step == "classify" and notes.get("topics"):
        likely = list(notes["topics"].items())[:LIKELIEST]
        return "Topics: " + ", ".join(f"{topic} {chance:.0%}" for topic, chance in likely)
    if step == "extract" and notes.get("threshold") is not None:
        return f"How sure: {notes['evidence']:.2f}{_before(notes)}: an answer takes {notes['threshold']:g}"
    return _read_otherwise(step, notes)


def _read_otherwise(step: str, notes: Mapping[str, Any]) -> str | None:
    """In which other words the question was read, and how sure the answer was in these."""
    if step == "usual" and notes.get("asks"):
        return f"Any university is asked “{notes['says']}”: read with “{notes['asks']}” behind it"
    if step == "extract.own":
        taken = "taken" if notes["taken"] else "not taken"
        return f"In the visitor's own words, “{notes['asks']}”: {notes['alone']:.2f}, {taken}"
    if step == "extract.asking":
        both = f"with the whole question {notes['evidence']:.2f}" if notes["taken"] else "not taken"
        return f"Without its story, “{notes['asks']}”: {notes['alone']:.2f}, {both}"
    return None


def _before(notes: Mapping[str, Any]) -> str:
    """How sure it was before the verifier read the answer, where one did, and whether it is enough now."""
    before = f" ({notes['unverified']:.2f} before it was verified)" if "unverified" in notes else ""
    return before + (", ✓ enough" if notes["evidence"] >= notes["threshold"] else ", ✕ too little")
