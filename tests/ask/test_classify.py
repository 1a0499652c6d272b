from __future__ import annotations

import json
from dataclasses import dataclass, field

import numpy as np
import pytest

from server.ask.classify import Classification, classify
from server.ask.context import SoftFilter
from server.models import Scope
from server.models.usual import NearestUsual

ANY = np.zeros(4, dtype=np.float32)


@dataclass
class Says:
    """A classifier that says the same of every question."""

    of_topics: dict[str, float] = field(default_factory=dict)
    of_subtopics: dict[str, dict[str, float]] = field(default_factory=dict)
    scope: float | None = None

    def topics(self, vector: object) -> dict[str, float]:
        return self.of_topics

    def subtopics(self, vector: object) -> dict[str, dict[str, float]]:
        return self.of_subtopics

    def in_scope(self, vector: object) -> float | None:
        return self.scope

    def usual(self, vector: object) -> float | None:
        return None

    def nearest_usual(self, vector: object, language: str = "en") -> NearestUsual | None:
        return None


@pytest.mark.parametrize(
    ("probabilities", "allowed"),
    [
        ({}, ()),
        ({"a": 0.29, "b": 0.28, "c": 0.43 - 0.15}, ()),
        ({"a": 0.30, "b": 0.25, "c": 0.25, "d": 0.2}, ("a", "b", "c", "d")),
        ({"a": 0.7, "b": 0.16, "c": 0.14}, ("a", "b")),
        ({"a": 0.85, "b": 0.15}, ("a",)),
        ({"b": 0.4, "a": 0.4, "c": 0.2}, ("a", "b", "c")),
        ({"a": 1.0}, ("a",)),
    ],
)
def test_the_soft_filter_by_its_published_thresholds(
    probabilities: dict[str, float], allowed: tuple[str, ...]
) -> None:
    assert SoftFilter().allowed(probabilities) == allowed


def test_the_thresholds_can_be_set() -> None:
    probabilities = {"a": 0.5, "b": 0.3, "c": 0.2}
    assert SoftFilter(least=0.6).allowed(probabilities) == ()
    assert SoftFilter(others=0.25).allowed(probabilities) == ("a", "b")


def test_subtopics_are_filtered_in_the_same_way_within_each_allowed_topic() -> None:
    says = Says(
        {"academics": 0.6, "life": 0.3, "library": 0.1},
        {
            "academics": {"policies": 0.7, "programs": 0.2, "courses": 0.1},
            "life": {"housing": 0.26, "dining": 0.26, "clubs": 0.24, "parking": 0.24},
            "library": {"hours": 1.0},
        },
    )
    scope = classify(ANY, says).scope
    assert scope == Scope({"academics": ("policies", "programs"), "life": ()})


@pytest.mark.parametrize(
    ("topics", "unfiltered"),
    [
        ({}, "no_topics"),
        ({"a": 0.25, "b": 0.25, "c": 0.25, "d": 0.25}, "unsure"),
        ({"a": 0.9, "b": 0.1}, None),
    ],
)
def test_why_there_is_no_filter(topics: dict[str, float], unfiltered: str | None) -> None:
    found = classify(ANY, Says(topics))
    assert found.unfiltered == unfiltered
    assert (found.scope is None) == (unfiltered is not None)


def test_the_gates_probability_is_reported_and_decides_nothing() -> None:
    found = classify(ANY, Says({"a": 1.0}, scope=0.01))
    assert (found.in_scope, found.scope) == (0.01, Scope({"a": ()}))


def test_the_notes_are_rounded_and_ranked_for_the_trace() -> None:
    says = Says(
        {"library": 0.12345, "life": 0.87655}, {"life": {"x": 1.0}, "library": {"y": 1.0}}, scope=0.98765
    )
    notes = json.loads(json.dumps(classify(ANY, says).notes))
    assert notes == {
        "topics": {"life": 0.877, "library": 0.123},
        "subtopics": {"life": {"x": 1.0}},
        "allowed": {"life": ["x"]},
        "unfiltered": None,
        "in_scope": 0.988,
        "usual": None,
    }
    assert list(notes["topics"]) == ["life", "library"]


def test_the_notes_of_nothing() -> None:
    assert Classification().notes == {
        "topics": {}, "subtopics": {}, "allowed": {}, "unfiltered": "no_topics", "in_scope": None,
        "usual": None,
    }  # fmt: skip
