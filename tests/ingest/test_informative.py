import pytest

from server.ingest.informative import is_informative, says_something
from server.models import Block, Document, Section


@pytest.mark.parametrize(
    "text",
    [
        "Final examination: Tuesday, 8 a.m., Quarry Hall",
        "Monday to Friday",
        "By appointment in the annex",
        "registrar@brackwater.example",
        "$45 a term",
        "The harbour office is closed for stocktaking",
        "Dr. Aoife Lind, Chair of the Department",
        "The talk is held in Cornerstone Hall.",
        "La biblioteca está cerrada los domingos",
        "This page is under construction. The office moved to Hall 3.",
    ],
)
def test_a_fact_or_a_sentence_says_something(text: str) -> None:
    assert is_informative(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "This page is under construction. Please check back soon.",
        "Coming soon!",
        "Página en construcción",
        "There are no upcoming events at this time.",
        "Sorry, but you are looking for something that isn't here.",
        "© 2019 Brackwater College. All rights reserved.",
        "Page last updated: March 3, 2004",
        "You must be logged in to view this page.",
        "Previous | Home | Next",
        "Page 3 of 12",
        "Photo gallery",
    ],
)
def test_what_pages_say_that_have_nothing_to_say(text: str) -> None:
    assert not is_informative(text)


def test_a_bare_list_of_links_says_nothing_whatever_numbers_are_in_it() -> None:
    block = Block("list", "Minutes of 2024\nMinutes of 2025")
    linked = tuple((f"https://a.example/{n}", line) for n, line in enumerate(block.text.split("\n")))
    page = Document("https://a.example/", "Minutes", (Section((), (block,)),), links=linked)
    assert not says_something(page)
    assert says_something(Document("https://a.example/", "Minutes", (Section((), (block,)),)))
