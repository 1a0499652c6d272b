"""The question of a trace as a golden one: as it stands alone, and without what is personal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from server.masking import Masker
from server.models.golden import GoldenQuestion
from server.models.sites import MAIN

FOLLOW_UP = "follow_up"


def golden_of(trace: Mapping[str, Any]) -> GoldenQuestion:
    """Question, site and topic of a trace's JSON; its right answer is still to be said, and it has no id."""
    return GoldenQuestion(
        id="",
        site=(trace.get("asked") or {}).get("site", MAIN),
        question=Masker().masked(asked_alone(trace)),
        topic=next(iter(topics_of(trace)), None),
        from_trace=trace["trace_id"],
    )


def asked_alone(trace: Mapping[str, Any]) -> str:
    """The question as it was typed; of a follow-up, what it was understood to ask."""
    parts = [one["notes"] for one in trace["steps"] if one["step"] == "contextualize"]
    parts = parts or _notes(trace, "triage").get("parts", [])  # as they were kept before 2026-12
    if any(part.get("relation") == FOLLOW_UP for part in parts):
        return " ".join(part["question"] for part in parts)
    return str(trace["question"])


def topics_of(trace: Mapping[str, Any]) -> tuple[str, ...]:
    """Those that the flow allowed, the likeliest first."""
    return tuple(_notes(trace, "classify").get("allowed") or ())


def _notes(trace: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = next((one["notes"] for one in trace["steps"] if one["step"] == name), {})
    return found
