"""Where the university itself is, and how it is reached."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from server.ask.quoting.own_contact import asked_of_itself, own_contact
from server.ask.quoting.score import ScoredSentence
from server.models import Passage
from tests.ask.quoting.candidates import wanted

ADDRESS = "Oakham College, 1 Quarry Road, Oakham, VT 05099."
SWITCHBOARD = "The switchboard, (802) 555-0100, is answered all day."
PRESS = "Reporters: Ada Quill, (802) 555-0104. The switchboard can reach her."
BURSAR = "Bursar: Quarry Hall 110, (802) 555-0125, bursar@oakham.example"


def quotes(*lines: str, title: str = "Contact us") -> Sequence[ScoredSentence]:
    return [
        ScoredSentence(Passage(n, "https://a.edu", title, "", line), 0, len(line), 1.0, 0.0, 1.0, fits=True)
        for n, line in enumerate(lines)
    ]


def told(question: str, quoted: Sequence[ScoredSentence], *words: str) -> str:
    looks = asked_of_itself(question, wanted(*words))
    assert looks is not None
    quote = own_contact(looks, quoted)
    return quote.sentence if quote else ""


@pytest.mark.parametrize(
    ("question", "words", "line"),
    [
        ("what is the address", ("address",), ADDRESS),
        ("where are you located", ("located",), ADDRESS),
        ("where is the university", ("university",), ADDRESS),
        ("main phone number", ("main", "phone", "number"), SWITCHBOARD),
        ("what is your phone number", ("phone", "number"), SWITCHBOARD),
    ],
)
def test_it_is_a_line_with_the_address_or_the_main_number(
    question: str, words: tuple[str, ...], line: str
) -> None:
    assert told(question, quotes(BURSAR, PRESS, ADDRESS, SWITCHBOARD), *words) == line


def test_another_office_is_not_the_university() -> None:
    assert told("phone number", quotes(BURSAR, PRESS), "phone", "number") == ""
    assert told("what is your email", quotes(BURSAR), "email") == ""


def test_a_page_that_is_not_on_contact_tells_none() -> None:
    assert told("what is the address", quotes(ADDRESS, title="Poster printing"), "address") == ""


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("what is the address of the bursar", ("address", "bursar")),
        ("registrar phone", ("registrar", "phone")),
        ("what is the university", ("university",)),
    ],
)
def test_what_names_anybody_or_asks_for_something_else_is_not_of_itself(
    question: str, words: tuple[str, ...]
) -> None:
    assert asked_of_itself(question, wanted(*words)) is None
