"""Gaps in an editor's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

# What the API calls it → in an editor's words.
KINDS: Mapping[str, str] = {
    "missing": "anything but off topic",
    "no_evidence": "nothing was found",
    "unhelpful": "the visitor was not helped",
    "low_evidence": "an answer was shown, but Lodge was barely sure of it",
    "off_topic": "off topic",
}
STATES: Mapping[str, str] = {
    "to_do": "to do",
    "mended": "mended, to be asked again",
    "answered": "answered now",
    "unanswered": "still not answered",
    "ignored": "ignored",
    "all": "all",
}
OF_ONE: Mapping[str, str] = {**STATES, "open": "open", "reopened": "open again"}
CLOSED = ("mended", "answered", "ignored")  # what is taken care of
COUNTED: Mapping[str, str] = {
    "no_evidence": "found nothing",
    "unhelpful": "did not help",
    "low_evidence": "shown, but barely sure",
    "off_topic": "off topic",
}
MONTH = timedelta(days=28)


def counts(kinds: Mapping[str, int]) -> str:
    """`12 found nothing, 3 did not help`."""
    return ", ".join(f"{kinds[kind]:,} {words}" for kind, words in COUNTED.items() if kinds.get(kind))


def trend(weeks: Sequence[Mapping[str, Any]], today: date | None = None) -> str:
    """The last four weeks against the four before, in words with an arrow."""
    today = today or datetime.now(UTC).date()
    ago = [(today - date.fromisoformat(week["week"]), int(week["questions"])) for week in weeks]
    now = sum(count for since, count in ago if since < MONTH)
    before = sum(count for since, count in ago if MONTH <= since < 2 * MONTH)
    arrow = "↗" if now > before * 1.25 else "↘" if now * 1.25 < before else "→"
    return f"{arrow} {now:,} in four weeks, {before:,} before"
