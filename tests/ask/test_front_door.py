from __future__ import annotations

import math
from pathlib import Path

import pytest

from server.ask.front_door import AT_THE_DOOR, LOSES, is_general, nearer_first
from server.ask.trace import OpenStep
from server.index.search import Index
from server.models import Candidate, Passage
from tests.index.small_index import build


def found(name: str, nearer: int | None, score: float = 0.5) -> Candidate:
    url = f"https://u.example/{name}"
    return Candidate(Passage(sum(map(ord, name)), url, name, "", name, nearer=nearer), score)


def order(*candidates: Candidate) -> list[str]:
    return [one.passage.title for one in nearer_first(candidates, OpenStep())]


def test_the_nearer_of_two_that_suit_alike_goes_first() -> None:
    assert order(found("conference", 400, 0.51), found("department", 1, 0.50)) == ["department", "conference"]


def test_it_is_a_preference_and_no_filter() -> None:
    assert order(found("conference", 400, 0.9), found("department", 1, 0.5)) == ["conference", "department"]


def test_one_page_more_counts_less_the_more_are_nearer() -> None:
    moved = nearer_first([found("a", 0), found("b", AT_THE_DOOR), found("c", 3 * AT_THE_DOOR)], OpenStep())
    assert [one.distance for one in moved] == [0.0, math.log(2), math.log(4)]


def test_a_page_that_no_link_leads_to_is_as_far_as_the_middle() -> None:
    moved = nearer_first([found("a", 2), found("b", 2), found("c", 50), found("lost", None)], OpenStep())
    distances = {one.passage.title: one.distance for one in moved}
    assert distances["lost"] == distances["a"]


def test_where_no_distance_is_known_everything_stays() -> None:
    step = OpenStep()
    candidates = [found("a", None), found("b", None)]
    assert nearer_first(candidates, step) == candidates
    assert not step.notes


def test_the_trace_says_so() -> None:
    step = OpenStep(notes={"terms": []})
    [moved] = nearer_first([found("a", AT_THE_DOOR)], step)
    assert step.notes == {"terms": [], "general": True}
    assert [hit.score for hit in step.ranking] == [moved.score] == [0.5 - LOSES * math.log(2) * 0.5]


@pytest.mark.parametrize(
    ("question", "general"),
    [
        ("who is the chair", True),
        ("is it there", True),
        ("podc", True),
        ("has podc a dramaturgy", False),
        ("who chairs podc and the workshop beside it", False),
    ],
)
def test_a_question_that_says_much_is_not_general(tmp_path: Path, question: str, general: bool) -> None:
    """A word that no page has says as much as any."""
    texts = [*["The chair has an office."] * 300, "PODC has a chair."]
    index = Index(build(tmp_path / "one", texts), threads=1)
    assert is_general(question, index.text) is general
