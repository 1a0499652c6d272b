"""Samples and labels in an editor's words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from admin import formatting as wording

LABELS = {
    "right": "Right",
    "partly": "Partly right",
    "wrong": "Wrong",
    "unanswered": "The site does not say",
    "not_worth": "Not worth keeping",
}
REASONS = {
    "sure_unhelpful": "Answered surely, and rated not helpful",
    "refused_helpful": "Refused, and rated helpful",
    "seems_helpful": "Shown as what seems to answer, and rated helpful",
    "asked_again": "Answered surely, and soon asked again in other words",
}
AT_RANDOM = "Drawn at random"


def sample(one: Mapping[str, Any]) -> str:
    """`2026-10-28 to 2026-11-26, no. 3: 7 of 20 labelled`."""
    done = f"{one['labelled']} of {one['questions']} labelled"
    return f"{one['since']} to {one['until']}, no. {one['seed']}: {done}"


def reasons(question: Mapping[str, Any]) -> str:
    """Why a question is in the sample: `Answered surely, and rated not helpful · Drawn at random`."""
    said = [REASONS.get(reason, reason) for reason in question["reasons"]]
    return " · ".join([*said, AT_RANDOM] if question["at_random"] else said)


def share(found: Mapping[str, Any] | None) -> str:
    """What share of those drawn at random was right, as Markdown."""
    if found is None:
        return "None of those drawn at random is labelled yet."
    right = f"**Of {found['n']} drawn at random, {found['right']} right** ({found['value']:.0%})"
    partly = f" and {found['partly']} partly" if found["partly"] else ""
    return f"{right}{partly}; of all, most likely {found['low']:.0%} to {found['high']:.0%} are right."


def outcome(one: Mapping[str, Any]) -> str:
    """`Right, kept as a golden question`."""
    return LABELS[one["label"]] + (", kept as a golden question" if one["golden_id"] else "")


def labelled(one: Mapping[str, Any]) -> str:
    """`When does add/drop end? – Right, kept as a golden question`, as Markdown."""
    return f"{wording.literal(wording.shortened(one['question'], 70))} – {outcome(one)}"
