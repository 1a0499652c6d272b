"""The two journeys of docs/console.md, made by a browser over the small college."""

from __future__ import annotations

from scripts.journeys import Section, Traveller, leave_out_a_section
from tests.e2e.conftest import NewPage
from tests.e2e.consoles import Console
from tests.small_site import SITE

LOOKS_EVERY_MS = 2500  # a little longer than a server takes to notice what was published
BOOKS = "How many books may undergraduates borrow?"


def pages(console: Console, name: str) -> set[str]:
    """What the answer to the journey's question cites now."""
    return {citation.url for citation in console.ask(BOOKS, name, strategy="hybrid").citations}


def test_an_editor_leaves_out_a_section_after_seeing_what_it_breaks_and_goes_back(
    console: Console, new_page: NewPage
) -> None:
    assert pages(console, "before") == {SITE + "/library"}
    person = Traveller(console.visit(new_page(viewport={"width": 1400, "height": 1000}), "editor"))
    without: list[set[str]] = []

    def ask_meanwhile() -> None:
        person.page.wait_for_timeout(LOOKS_EVERY_MS)
        without.append(pages(console, "between"))

    leave_out_a_section(person, Section("/library", "The library has pages of its own."), ask_meanwhile)
    assert without
    assert SITE + "/library" not in without[0]
    person.page.wait_for_timeout(LOOKS_EVERY_MS)
    assert pages(console, "after") == {SITE + "/library"}
    assert console.parts.records.rulebooks.book("main").leave_out == ()
    assert person.clicks == 7
