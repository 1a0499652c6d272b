"""Whom a question asks how to reach: what a line has to tell."""

import pytest

from server.ask.quoting.contact import asked_contact


@pytest.mark.parametrize(
    ("question", "line", "is_told"),
    [
        ("where is weld hall", "Ada Quill, 4132 Weld Hall, office hours Wednesday", False),
        ("where is weld hall", "Weld Hall, Room 12 of the annex", True),
        ("where is the bursar", "Bursar: 110 Weld Hall", True),
        ("phone of the bursar", "Bursar: (802) 555-0125", True),
        ("phone of the bursar", "Bursar: 110 Weld Hall", False),
        ("email for ada quill", "Ada Quill, ada@oakham.example", True),
    ],
)
def test_a_line_tells_what_is_asked_for(question: str, line: str, is_told: bool) -> None:
    asked = asked_contact(question)
    assert asked is not None
    assert asked.is_told_in(line) is is_told
