from __future__ import annotations

import pytest

from server.ask.quoting.score import ANSWER_TYPES, expected_answer_types


@pytest.mark.parametrize(
    ("question", "name", "fits", "does_not"),
    [
        ("How much is tuition?", "money", "It is $9,240 a year.", "It is charged each term."),
        ("Is tutoring free?", "free", "There is no charge.", "Tutors earn $15 an hour."),
        ("When does add/drop end?", "time", "It ends on September 11.", "It ends soon."),
        ("library hours", "hours", "From 8 a.m. to midnight.", "All day long."),
        ("Who teaches Latin?", "person", "Latin is taught by Dr. Moor.", "latin is taught on mondays."),
        ("Where do I park?", "place", "Park in Lot C.", "Visitors may."),
        ("What is the registrar's email?", "e-mail", "Write to registrar@example.edu.", "Write to us."),
        ("phone of the health centre", "phone", "Call (802) 555-0120.", "Call at night."),
        ("How many credits does the major take?", "number", "It takes forty-two, or 42.", "It takes many."),
    ],
)
def test_the_kind_of_answer_a_question_asks_for(question: str, name: str, fits: str, does_not: str) -> None:
    [kind] = [kind for kind in expected_answer_types(question) if kind.name == name]
    assert kind.looks.search(fits)
    assert not kind.looks.search(does_not)


@pytest.mark.parametrize("question", ["Is there an engineering major?", "meal plans", "", "¿Cómo solicito?"])
def test_a_question_that_any_sentence_may_answer_has_none(question: str) -> None:
    assert expected_answer_types(question) == ()


def test_a_question_may_ask_for_several_kinds() -> None:
    assert {kind.name for kind in expected_answer_types("When are fees due, and how much are they?")} == {
        "money",
        "time",
    }


def test_every_kind_has_a_name_of_its_own() -> None:
    assert len({kind.name for kind in ANSWER_TYPES}) == len(ANSWER_TYPES)
