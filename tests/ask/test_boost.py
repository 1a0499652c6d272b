from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from server.ask.boost import CITED, boost, boost_cited
from server.ask.context import AskOptions, BoostOptions, TermOptions
from server.ask.trace import OpenStep, citation_of
from server.models import Candidate, Passage
from server.models.curation import PageLabel

TODAY = date(2026, 11, 22)
OPTIONS = AskOptions(terms=TermOptions(0.1), boosts=BoostOptions(0.05, 0.15))
KNOWN = {"2025/26", "2026/27", "2026-fall"}


def candidate(name: str, score: float, *terms: str, **page: Any) -> Candidate:
    chunk_id = sum(map(ord, name))
    url = f"https://u.example/{name.replace(' ', '-')}"
    return Candidate(Passage(chunk_id, url, name, "", name, terms=terms, **page), score)


LAST = candidate("dates 2025-26", 0.80, "2025/26")
THIS = candidate("dates 2026-27", 0.79, "2026/27")
NONE = candidate("dates", 0.78)


def order(
    question: str, *found: Candidate, known: set[str] = KNOWN, labels: tuple[PageLabel, ...] = ()
) -> list[str]:
    return [c.passage.title for c in boost(question, found, known, TODAY, OPTIONS, labels, OpenStep())]


def test_the_year_that_is_asked_for_goes_first() -> None:
    assert order("drop deadline fall 2025", THIS, LAST, NONE) == ["dates 2025-26", "dates", "dates 2026-27"]
    assert order("drop deadline this fall", LAST, THIS, NONE) == ["dates 2026-27", "dates", "dates 2025-26"]


def test_without_a_term_in_the_question_what_is_over_steps_back() -> None:
    assert order("drop deadline", LAST, THIS, NONE) == ["dates 2026-27", "dates", "dates 2025-26"]


def test_it_is_a_preference_and_no_filter() -> None:
    best = candidate("by far the best of 2025-26", 0.99, "2025/26")
    assert order("drop deadline", best, THIS)[0] == best.passage.title


def test_what_names_a_term_in_passing_is_not_over() -> None:
    rule = candidate("residency", 0.80, "2019/20")
    assert order("how do i become a resident", rule, THIS)[0] == "residency"
    assert order("how do i become a resident in 2026-27", rule, THIS)[0] == "dates 2026-27"


def test_a_site_that_ended_is_asked_as_it_was() -> None:
    """Beside the newest term of an old crawl, that term is not over."""
    old = candidate("dates 2003-04", 0.8, "2003/04")
    older = candidate("dates 1999-00", 0.81, "1999/00")
    assert order("drop deadline", older, old, known={"1999/00", "2003/04"}) == [
        "dates 2003-04",
        "dates 1999-00",
    ]


def test_scores_below_nothing_are_moved_the_same_way() -> None:
    assert order("fall 2025", candidate("x", -0.2, "2026/27"), candidate("y", -0.2, "2025/26")) == ["y", "x"]


def test_the_trace_says_which_terms_were_meant() -> None:
    step = OpenStep()
    found = boost("drop deadline next fall", [LAST, THIS], KNOWN, TODAY, OPTIONS, (), step)
    assert (step.notes["terms"], step.notes["as_of"]) == (["2027-fall"], "2026-11-22")
    assert [hit.chunk_id for hit in step.ranking] == [c.passage.chunk_id for c in found]
    assert {c.passage.title: c.preference for c in found} == {"dates 2025-26": -1.0, "dates 2026-27": -1.0}


NEWS = candidate("dining opens late", 0.80, kind="news")
HOURS = candidate("dining hours", 0.78)
EVENT = candidate("winter concert", 0.78, kind="event")
FORM = candidate("leave form", 0.80, kind="form")


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("when does dining close", HOURS),
        ("any news about dining", NEWS),
        ("i read something about dining", NEWS),
        ("which concerts are there in december", EVENT),
    ],
)
def test_a_question_that_asks_for_no_news_gets_the_reference_page_first(
    question: str, first: Candidate
) -> None:
    assert order(question, NEWS, HOURS, EVENT)[0] == first.passage.title


def test_a_form_is_no_worse_than_a_page_that_only_tells() -> None:
    assert order("how do i ask for a leave", FORM, HOURS)[0] == "leave form"


ANYONE = candidate("fees", 0.78)
UNDERGRADUATE = candidate("undergraduate fees", 0.77, audiences=("undergraduate",))
GRADUATE = candidate("graduate fees", 0.79, audiences=("graduate",))
INTERNATIONAL = candidate("international fees", 0.76, audiences=("international", "prospective"))
ALUMNI = candidate("alumni fees", 0.75, audiences=("alumni",))
ALL = (GRADUATE, ANYONE, UNDERGRADUATE, INTERNATIONAL, ALUMNI)


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("how much are the fees", ANYONE),
        ("grad student fees", GRADUATE),
        ("fees for phd students", GRADUATE),
        ("when do i graduate if fees are due", ANYONE),
        ("im an international applicant, what fees", INTERNATIONAL),
        ("fees as an alum", ALUMNI),
        ("undergrad fees", UNDERGRADUATE),
    ],
)
def test_a_named_audience_gets_its_pages_and_no_name_means_anyones(question: str, first: Candidate) -> None:
    assert order(question, *ALL)[0] == first.passage.title


def test_anyones_page_goes_before_another_audiences() -> None:
    assert order("fees as an alum", GRADUATE, ANYONE) == ["fees", "graduate fees"]
    assert order("my son is transferring, what fees", GRADUATE, UNDERGRADUATE)[0] == "undergraduate fees"


def test_only_a_page_for_another_stage_steps_back_far() -> None:
    """ "For applicants" does not say of what, and who is from abroad may be at any stage."""
    admission = candidate("applying", 0.78, audiences=("prospective",))
    assert order("lowest gpa for the masters program", UNDERGRADUATE, admission)[0] == "applying"
    assert order("can intl students pay the fees later", UNDERGRADUATE, GRADUATE)[0] == "undergraduate fees"
    assert (
        order("can intl students pay the fees later", replace(GRADUATE, score=0.82), ANYONE)[0]
        == "graduate fees"
    )
    assert order("fees as an alum", GRADUATE, replace(ANYONE, score=0.7))[0] == "fees"


@pytest.mark.parametrize(
    ("question", "is_other"),
    [
        ("how do i change my major", True),
        ("can i retake a class i failed", True),
        ("my advisor left, who signs", True),
        ("will my classes transfer to you", False),  # who asks is none yet
        ("how do i apply to change my major as an applicant", False),
        ("which majors are there", False),
        ("my high school gpa is 3.1", False),
    ],
)
def test_who_is_a_student_here_does_not_mean_what_is_told_to_applicants(
    question: str, is_other: bool
) -> None:
    admission = candidate("applying", 0.78, audiences=("prospective", "transfer"))
    ranked = boost(question, [admission, ANYONE], KNOWN, TODAY, OPTIONS, (), OpenStep())
    assert {one.passage.title: one.other_stage for one in ranked} == {
        "applying": is_other,
        "fees": False,
    }


def test_a_page_for_another_stage_is_other() -> None:
    ranked = boost("grad student fees", list(ALL), KNOWN, TODAY, OPTIONS, (), OpenStep())
    others = {one.passage.title for one in ranked if one.other_stage}
    assert others == {"undergraduate fees", "alumni fees"}


def test_where_audiences_have_no_weight_no_page_is_for_another_stage() -> None:
    options = replace(OPTIONS, boosts=replace(OPTIONS.boosts, audience=0.0))
    news = candidate("alumni news", 0.75, kind="news", audiences=("alumni",))
    [found] = boost("grad student fees", [news], KNOWN, TODAY, options, (), OpenStep())
    assert not found.other_stage


def test_an_audience_is_a_preference_and_no_filter() -> None:
    best = replace(GRADUATE, score=0.99)
    assert order("how much are the fees", best, ANYONE)[0] == "graduate fees"


def test_the_trace_says_what_moved_each_passage() -> None:
    step = OpenStep()
    boost("grad student fees", [NEWS, GRADUATE, ANYONE, UNDERGRADUATE], KNOWN, TODAY, OPTIONS, (), step)
    assert (step.notes["kinds"], step.notes["audiences"]) == ([], ["graduate"])
    assert step.notes["changes"] == {
        str(NEWS.passage.chunk_id): {"kind": -0.05},
        str(GRADUATE.passage.chunk_id): {"audience": 0.15},
        str(UNDERGRADUATE.passage.chunk_id): {"audience": -0.15},
    }
    assert "labelled" not in step.notes


@pytest.mark.parametrize(("less", "first"), [(CITED - 0.02, "parking"), (CITED + 0.02, "shuttle")])
def test_a_page_that_the_line_was_answered_from_comes_forward(less: float, first: str) -> None:
    other, cited = candidate("shuttle", 0.5), candidate("parking", 0.5 / (1 + less))
    step = OpenStep()
    moved = boost_cited([other, cited], [citation_of(cited.passage, 1, "")], step)
    assert moved[0].passage.title == first
    assert step.notes["cited"] == [cited.passage.url]
    assert [hit.chunk_id for hit in step.ranking] == [one.passage.chunk_id for one in moved]


def test_what_editors_say_of_a_page_goes_before_what_its_signs_tell() -> None:
    told = PageLabel("a", NEWS.passage.url + "/", kind="reference")
    assert order("when does dining close", NEWS, HOURS, labels=(told,))[0] == "dining opens late"
    both = PageLabel("b", "https://u.example/graduate*", audiences=("undergraduate",))
    anyone = PageLabel("c", GRADUATE.passage.url, audiences=())
    assert order("undergrad fees", GRADUATE, UNDERGRADUATE, labels=(both,))[0] == "graduate fees"
    assert order("fees", GRADUATE, ANYONE, labels=(both, anyone))[0] == "graduate fees"
    step = OpenStep()
    boost("fees", [GRADUATE, ANYONE], KNOWN, TODAY, OPTIONS, (anyone,), step)
    assert step.notes["labelled"] == [GRADUATE.passage.chunk_id]
    assert step.notes["changes"] == {}


@pytest.mark.parametrize(
    ("question", "kind", "day", "stale"),
    [
        ("how much is a permit", "news", "2024-06-20", True),
        ("how much is a permit", "news", "2026-06-20", False),
        ("how much is a permit", "news", None, False),
        ("how much is a permit", "reference", "2024-06-20", False),
        ("any news about permits", "news", "2024-06-20", False),
        ("how much was a permit in fall 2024", "news", "2024-06-20", False),
        ("how much is a permit", "archived", None, True),
        ("how much was the old permit", "archived", None, False),
    ],
)
def test_news_of_more_than_a_year_ago_and_what_is_put_away_are_stale_where_neither_is_asked_for(
    question: str, kind: str, day: str | None, stale: bool
) -> None:
    story = candidate("permits cost more", 0.9, kind=kind, last_modified=day)
    [found] = boost(question, [story], KNOWN, TODAY, OPTIONS, (), OpenStep())
    assert found.stale is stale


@pytest.mark.parametrize(
    ("question", "stale"),
    [
        ("when is the next seminar", True),
        ("any events this friday", True),
        ("who spoke when there was a seminar on networks", False),
        ("seminars in fall 2023", False),
    ],
)
def test_an_event_of_long_ago_is_stale_where_events_are_asked_for(question: str, stale: bool) -> None:
    seminar = candidate("seminar", 0.9, kind="event")
    over = replace(seminar, passage=replace(seminar.passage, text="On networks: October 3, 2023, 4 p.m."))
    [found] = boost(question, [over], KNOWN, TODAY, OPTIONS, (), OpenStep())
    assert found.stale is stale


def test_what_held_until_a_term_that_has_begun_is_stale_where_no_term_is_asked_for() -> None:
    rule = candidate("second degree", 0.9)
    before = replace(
        rule, passage=replace(rule.passage, heading="Second degree › Effective before Fall 2025")
    )
    for question, stale in (("gpa for a second degree", True), ("second degree gpa in fall 2024", False)):
        [found] = boost(question, [before], KNOWN, TODAY, OPTIONS, (), OpenStep())
        assert found.stale is stale
        assert found.score == pytest.approx(0.9)


def test_a_page_of_the_course_that_is_named_comes_forward_and_one_of_another_steps_back() -> None:
    own, other, none = candidate("CS 212", 0.6), candidate("CS 314", 0.8), candidate("handbook", 0.65)
    assert order("late homework", own, other, none) == ["CS 314", "handbook", "CS 212"]
    assert order("cs212 late homework", own, other, none) == ["CS 212", "handbook", "CS 314"]


@pytest.mark.parametrize(
    ("question", "text", "stale"),
    [
        ("when do the robots meet", "The robots meet on January 25, 2017.", True),
        (
            "when do the robots meet",
            "The robots met on January 25, 2017 and meet on December 3, 2026.",
            False,
        ),
        ("when do the robots meet", "The robots meet on Mondays.", False),
        ("what events did the robots have", "The robots meet on January 25, 2017.", False),
    ],
)
def test_an_event_of_then_is_stale_where_no_event_is_asked_for(question: str, text: str, stale: bool) -> None:
    event = candidate("robots", 0.8, kind="event")
    event = replace(event, passage=replace(event.passage, text=text))
    [found] = boost(question, [event], KNOWN, TODAY, OPTIONS, (), OpenStep())
    assert found.stale is stale
