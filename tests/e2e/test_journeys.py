"""The three journeys of docs/console.md, made by a browser over the small college."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import expect

from scripts.research.console.journeys import (
    MissingAnswer,
    Section,
    Traveller,
    WrongAnswer,
    leave_out_a_section,
    mend_a_wrong_answer,
    write_a_missing_answer,
)
from server.models import ALL_TURNS, GapFilter, GapKinds, GapStates
from server.workbench.jobs import JobProgress
from tests.e2e.conftest import NewPage
from tests.e2e.consoles import Console
from tests.small_site import SITE

COST = "live on campus, how much to pay for a place"
DEPOSIT = "$200"  # which the wrong answer does not have
HORSE = "May I keep a horse in the housing halls?"
TOWERS = "How tall are the towers of the housing halls?"
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
        without.append(pages(console, "between"))

    leave_out_a_section(person, Section("/library", "The library has pages of its own."), ask_meanwhile)
    assert without
    assert SITE + "/library" not in without[0]
    assert pages(console, "after") == {SITE + "/library"}
    assert console.parts.records.rulebooks.book("main").leave_out == ()
    assert person.clicks == 7


def test_an_editor_goes_from_a_wrong_answer_to_one_that_is_right_live_and_golden(
    console: Console, new_page: NewPage
) -> None:
    wrong = console.ask(COST, "wrong", strategy="hybrid")
    assert SITE + "/housing" not in {citation.url for citation in wrong.citations}
    person = Traveller(console.visit(new_page(viewport={"width": 1400, "height": 1000}), "editor"))
    mended: list[set[str]] = []

    def look_again() -> None:
        answer = console.ask(COST, "mended", strategy="hybrid")
        mended.append({citation.url for citation in answer.citations})

    right = WrongAnswer(COST, "Housing and residence halls · Applying", DEPOSIT)
    mend_a_wrong_answer(person, right, look_again)
    assert mended == [{SITE + "/housing"}]
    golden = next(one for one in console.parts.records.golden.all("main") if one.question == COST)
    assert (golden.pages, golden.answers) == ((SITE + "/housing",), (DEPOSIT,))
    assert golden.from_trace == "t-wrong"
    assert person.clicks == 6


def test_an_editor_writes_a_missing_answer_and_goes_on_to_the_next(
    console: Console, new_page: NewPage
) -> None:
    for n, question in enumerate((HORSE, HORSE, TOWERS)):
        assert console.ask(question, f"horse-{n}", strategy="hybrid").refused
    console.parts.gaps.work(JobProgress(lambda **_now: None))
    person = Traveller(console.visit(new_page(viewport={"width": 1400, "height": 1000}), "editor"))
    live: list[str] = []

    def look_again() -> None:
        live.append(console.ask(HORSE, "horse-now", strategy="hybrid").answer)

    said = "No. The farm next door takes horses."
    write_a_missing_answer(person, MissingAnswer(HORSE, said, "Housing and residence halls"), look_again)
    assert live == [f"{said} [1]"]
    [kept] = console.parts.records.curation.curated("main")
    assert kept.links == (("Housing and residence halls", SITE + "/housing"),)
    left = console.parts.records.gaps.all(GapFilter(), limit=50)
    assert TOWERS in {one["question"] for one in left}
    expect(person.page.get_by_role("heading", name=left[0]["question"])).to_be_visible()
    [gap] = [one for one in everything(console) if one["question"] == HORSE]
    assert gap["state"] == "mended"
    assert person.clicks == 8


def everything(console: Console) -> list[dict[str, Any]]:
    """All missing answers, whatever became of them."""
    return console.parts.records.gaps.all(GapFilter(GapKinds, GapStates, ALL_TURNS), limit=50)
