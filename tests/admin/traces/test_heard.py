"""What a trace says in a line each."""

from __future__ import annotations

from typing import Any

import pytest

from admin.traces.heard import heard, rewritten


def step(name: str, **notes: Any) -> dict[str, Any]:
    return {"step": name, "notes": notes}


@pytest.mark.parametrize(
    ("notes", "told"),
    [
        ({"evidence": 0.61, "threshold": 0.5}, "How sure: 0.61, ✓ enough: an answer takes 0.5"),
        (
            {"evidence": 0.41, "threshold": 0.5, "unverified": 0.62, "verified": -2.0},
            "How sure: 0.41 (0.62 before it was verified), ✕ too little: an answer takes 0.5",
        ),
    ],
)
def test_how_sure_it_was_and_before_it_was_verified(notes: dict[str, Any], told: str) -> None:
    assert heard([step("extract", **notes)]) == [told]


@pytest.mark.parametrize(
    ("taken", "told"), [(True, "with the whole question 0.52"), (False, "not taken")], ids=["taken", "left"]
)
def test_how_sure_it_was_of_what_asks_alone(taken: bool, told: str) -> None:
    notes = {"asks": "when is it", "alone": 0.8, "evidence": 0.52, "threshold": 0.5, "taken": taken}
    assert heard([step("extract.asking", **notes)]) == [f"Without its story, “when is it”: 0.80, {told}"]


@pytest.mark.parametrize(("taken", "told"), [(True, "taken"), (False, "not taken")])
def test_how_sure_it_was_of_the_visitors_own_words(taken: bool, told: str) -> None:
    notes = {"asks": "tuition", "alone": 0.8, "evidence": 0.8, "threshold": 0.5, "taken": taken}
    assert heard([step("extract.own", **notes)]) == [f"In the visitor's own words, “tuition”: 0.80, {told}"]


def test_what_a_usual_question_was_read_with() -> None:
    spelled = step("usual", says="tuition", closeness=0.9, asks="How much is tuition a year?")
    alone = step("usual", says="tuition", closeness=0.9, own=["nurse"])
    assert heard([spelled, alone, step("usual")]) == [
        "Any university is asked “tuition”: read with “How much is tuition a year?” behind it"
    ]


def test_whose_business_it_is_and_its_likeliest_topics() -> None:
    scope = step("scope", in_scope=0.934, nearest=None, verdict="in_scope")
    topics = step("classify", topics={"library": 0.7, "dining": 0.2, "aid": 0.06, "housing": 0.04})
    assert heard([topics, scope, step("rerank")]) == [
        "Topics: library 70%, dining 20%, aid 6%",
        "The site's business? in scope (93% likely the site's business)",
    ]


def test_what_was_searched_for_is_told_where_it_is_not_what_was_typed() -> None:
    trace = {"question": "libary", "steps": [step("rewrite", question="library")]}
    assert rewritten(trace) == "library"
    assert rewritten({**trace, "question": "library"}) is None
