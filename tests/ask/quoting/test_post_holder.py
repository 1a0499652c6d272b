"""Who holds a post: how it is asked, and whose a line says it is."""

from __future__ import annotations

import pytest

from server.ask.quoting.post_holder import asked_post, post_holder
from server.ask.quoting.posts import is_of_another
from server.ask.quoting.score import ScoredSentence
from server.models import Passage
from tests.ask.quoting.candidates import wanted


@pytest.mark.parametrize(
    ("question", "held", "of"),
    [
        ("who is the president?", "President", ""),
        ("who chairs biology", "Chair", "biology"),
        ("whos the dean of nursing", "dean", "of nursing"),
        ("who heads the honors program", "Director", "the honors program"),
        ("name of the dean", "Dean", ""),
        ("ics dean", "Dean", "ics"),
        ("chair of statistics", "Chair", "of statistics"),
    ],
)
def test_a_post_is_asked_for_with_what_it_is_of(question: str, held: str, of: str) -> None:
    asked = asked_post(question)
    assert asked is not None
    assert asked.post.search(held)
    assert asked.of.split() == of.split()


@pytest.mark.parametrize(
    "question",
    [
        "who is my advisor",
        "who teaches calculus",
        "when does the president speak",
        "who is the vice provost",
        "vice chair of statistics",
        "registrar",
        "dean's office",
    ],
)
def test_what_several_people_are_is_no_such_post(question: str) -> None:
    assert asked_post(question) is None


@pytest.mark.parametrize(
    ("text", "is_other"),
    [
        ("The associate provost for research is Ada Lund.", True),
        ("Vice Provost Ada Lund", True),
        ("Assistant to the Provost: Ada Lund", True),
        ("Office of the Provost, Founders House", True),
        ("Beth Lund, Provost's Office Assistant", True),
        ("Beth Lund, Provost’s Assistant", True),
        ("General Provost of LICS, Academic Press", True),
        ("Provost: Ada Lund. Associate provost: Bo Marsh.", False),
        ("Ada Lund", False),
    ],
)
def test_another_post_is_told_apart(text: str, is_other: bool) -> None:
    asked = asked_post("who is the provost")
    assert asked is not None
    assert is_of_another(asked, text) is is_other


def test_whoever_stands_where_it_is_of_that_goes_before_a_line_that_only_has_its_words() -> None:
    asked = asked_post("who is the chair of computer science")
    assert asked is not None
    board, department = (
        ScoredSentence(Passage(n, "https://a.edu", title, "", line), 0, len(line), 1.0, 0.0, 1.0, fits=True)
        for n, (title, line) in enumerate(
            (
                ("The alumni board", "Name: Ada Quill (chair) — Job: baker; Degree: BS computer science"),
                ("Department of computer science", "Name: Bo Marsh — Rank: Chair; Room: Corwin 330"),
            )
        )
    )
    by = wanted("chair", "computer", "science")
    assert post_holder(asked, [board, department], by) is department
    assert post_holder(asked, [board], by) is board
