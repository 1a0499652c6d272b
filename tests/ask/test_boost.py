from __future__ import annotations

from datetime import date

from server.ask.boost import boost_terms
from server.ask.context import TermOptions
from server.ask.trace import OpenStep
from server.models import Candidate, Passage

OPTIONS = TermOptions(0.1, date(2026, 11, 22))
KNOWN = {"2025/26", "2026/27", "2026-fall"}


def candidate(name: str, score: float, *terms: str) -> Candidate:
    chunk_id = sum(map(ord, name))
    return Candidate(Passage(chunk_id, f"https://u.example/{name}", name, "", name, terms=terms), score)


LAST = candidate("last year", 0.80, "2025/26")
THIS = candidate("this year", 0.79, "2026/27")
NONE = candidate("no year", 0.78)


def order(question: str, *found: Candidate, known: set[str] = KNOWN) -> list[str]:
    return [c.passage.title for c in boost_terms(question, found, known, OPTIONS, OpenStep())]


def test_the_year_that_is_asked_for_goes_first() -> None:
    assert order("drop deadline fall 2025", THIS, LAST, NONE) == ["last year", "no year", "this year"]
    assert order("drop deadline this fall", LAST, THIS, NONE) == ["this year", "no year", "last year"]


def test_without_a_term_in_the_question_what_is_over_steps_back() -> None:
    assert order("drop deadline", LAST, THIS, NONE) == ["this year", "no year", "last year"]


def test_it_is_a_preference_and_no_filter() -> None:
    assert order("drop deadline", candidate("by far the best", 0.99, "2025/26"), THIS)[0] == "by far the best"


def test_a_site_that_ended_is_asked_as_it_was() -> None:
    """Beside the newest term of an old crawl, that term is not over."""
    old = candidate("old", 0.8, "2003/04")
    older = candidate("older", 0.81, "1999/00")
    assert order("drop deadline", older, old, known={"1999/00", "2003/04"}) == ["old", "older"]


def test_scores_below_nothing_are_moved_the_same_way() -> None:
    assert order("fall 2025", candidate("x", -0.2, "2026/27"), candidate("y", -0.2, "2025/26")) == ["y", "x"]


def test_the_trace_says_which_terms_were_meant() -> None:
    step = OpenStep()
    found = boost_terms("drop deadline next fall", [LAST, THIS], KNOWN, OPTIONS, step)
    assert step.notes == {"terms": ["2027-fall"], "as_of": "2026-11-22"}
    assert [hit.chunk_id for hit in step.ranking] == [c.passage.chunk_id for c in found]
    assert {c.passage.title: c.preference for c in found} == {"last year": -1.0, "this year": -1.0}
