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


def quotes(
    *lines: str, title: str = "Contact us", url: str = "https://a.edu/contact"
) -> Sequence[ScoredSentence]:
    return [
        ScoredSentence(Passage(n, url, title, "", line), 0, len(line), 1.0, 0.0, 1.0, fits=True)
        for n, line in enumerate(lines)
    ]


def told(question: str, quoted: Sequence[ScoredSentence], *words: str) -> str:
    looks = asked_of_itself(question, wanted(*words))
    assert looks is not None
    quote = own_contact(looks, quoted, {"a.edu": 100})
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


def test_where_there_are_several_hosts_it_is_told_on_a_large_one() -> None:
    looks, quoted = asked_of_itself("what is the address", wanted("address")), quotes(ADDRESS)
    assert looks is not None
    assert own_contact(looks, quoted, {"b.edu": 400, "a.edu": 100}) is quoted[0]
    assert own_contact(looks, quoted, {"b.edu": 400, "a.edu": 99}) is None


@pytest.mark.parametrize("path", ["~quill/contact.html", "People/quill/", "users/quill/resume.html"])
def test_the_address_on_somebodys_own_page_is_theirs(path: str) -> None:
    assert told("what is the address", quotes(ADDRESS, url=f"https://a.edu/{path}"), "address") == ""


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
