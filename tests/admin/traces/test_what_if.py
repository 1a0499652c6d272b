"""Only what the form has otherwise than the trace is sent."""

from __future__ import annotations

from typing import Any

from admin.traces.what_if import USUAL, changed

TRACE: dict[str, Any] = {"strategy": "hybrid", "settings": {"alpha": 0.4, "passages": 5, "day": "2026-03-01"}}


def form(**given: Any) -> dict[str, Any]:
    return (
        USUAL | {"strategy": "hybrid", "alpha": 0.4, "topics": "", "prefix": "", "extractive": False} | given
    )


def test_a_form_left_as_it_is_changes_nothing() -> None:
    assert changed(TRACE, form()) == {}


def test_what_is_otherwise_is_named() -> None:
    assert changed(TRACE, form(alpha=0.6, strategy="keyword")) == {"alpha": 0.6, "strategy": "keyword"}


def test_where_to_search_and_who_writes_are_changes_too() -> None:
    given = form(topics=" aid/loans, admissions,", prefix=" https://e.example/ ", extractive=True)
    assert changed(TRACE, given) == {
        "answerer": "extractive",
        "filters": {"topics": ["aid/loans", "admissions"], "prefix": "https://e.example/"},
    }


def test_a_trace_without_settings_is_taken_to_have_the_usual_ones() -> None:
    assert changed({"strategy": "hybrid"}, form(alpha=USUAL["alpha"])) == {}
