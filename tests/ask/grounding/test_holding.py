from __future__ import annotations

import pytest

from server.ask.grounding.source import Source, facts_of
from server.ask.grounding.support import facts_for
from tests.ask.grounding.lexicon import source

PAGE = source(
    "Registrar, Quarry Hall 204, (802) 555-0120, registrar@u.example. "
    "Open Monday–Friday 8:30 a.m. to 4:30 p.m.; Saturday 10 a.m.–1 p.m., Sunday closed. "
    "Fall classes begin August 31 and end December 11; spring 2027 begins on Tuesday, January 19. "
    "The fee is $25 for each of the first two copies. Office: 22. Apply at apply.u.example. "
    "CSC 110 takes 4 credits, half of them in the lab. The 14th is a holiday.",
    "Office of the Registrar",
    "2026–27",
)


def holds(claimed: str, page: Source = PAGE) -> bool:
    facts = facts_of(f"it says {claimed}")
    assert facts, claimed
    return all(facts_for(fact, page) is not None for fact in facts)


@pytest.mark.parametrize(
    "claimed",
    [
        "August 31",
        "08/31",
        "31 August 2026",
        "January 19, 2027",
        "Tuesday, 1/19",
        "Tuesdays",
        "weekdays",
        "weekends",
        "8:30",
        "16:30",
        "10 o'clock",
        "10 a.m.",
        "25 dollars",
        "25",
        "csc110",
        "four credits",
        "50%",
        "room 204",
        "Quarry Hall, room 204",
        "Registrar, room 22",
        "802-555-0120",
        "555-0120",
        "REGISTRAR@U.EXAMPLE",
        "apply.u.example",
        "https://u.example/1",
        "fall",
        "spring 2027",
        "the 2026-2027 year",
        "the Registrar",
    ],
)
def test_what_the_page_holds_in_its_own_words(claimed: str) -> None:
    assert holds(claimed)


@pytest.mark.parametrize(
    "claimed",
    [
        "August 30",
        "August 31, 2025",
        "Monday, January 19",
        "9:30",
        "4:30 a.m.",
        "26 dollars",
        "csc111",
        "40%",
        "Quarry Hall 205",
        "Birch Hall 204",
        "802-555-0121",
        "registrars@u.example",
        "pay.u.example",
        "https://apply.u.example",
        "https://evil.example/1",
        "summer",
        "spring 2026",
        "Dean Moor",
        "January 14th",
    ],
)
def test_what_it_does_not(claimed: str) -> None:
    assert not holds(claimed)


def test_days_told_one_by_one_make_a_weekend() -> None:
    assert holds("weekends", source("Saturday 10 to 4. Sunday 12 to 4."))
    assert not holds("weekends", source("Saturday 10 to 4."))


def test_the_facts_that_bear_a_claim_out_are_named() -> None:
    [claimed] = facts_of("by 08/31")
    facts = facts_for(claimed, PAGE)
    assert facts is not None
    assert [fact.text for fact in facts] == ["August 31"]
