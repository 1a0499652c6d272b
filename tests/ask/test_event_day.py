"""What is on, on a day: the entry of that day, of a page that has the others, asked for real."""

from __future__ import annotations

from datetime import date

import pytest

from server.ask.conversation.asked_time import asked_time
from server.ask.quoting.event_day import asked_event
from tests.ask.asking import Flow, fixture_over

TODAY = date(2026, 10, 15)
TALKS = (("October 17", "Shi Lund", "Rivers in winter"), ("October 24", "Bo Marsh", "Sand and its ways"))


def talks(year: int, *entries: tuple[str, str, str]) -> str:
    told = "".join(
        f"<p>{day}<br>{name}<br>Oakham State University<br>“{title}”</p>" for day, name, title in entries
    )
    return f"<h1>Seminar Series</h1><h2>Fall {year}</h2>{told}"


PAGES = {
    "/geology/seminars": talks(2026, *TALKS),
    "/geology/seminars-2025-2026/": talks(2025, ("October 18", "Cy Brook", "Old ice")),
    "/geology/about": "<h1>Geology</h1><p>The department of geology is in Weld Hall, and has a map room.</p>",
}


flow = fixture_over(PAGES)


@pytest.mark.parametrize(
    ("question", "who"),
    [
        ("who speaks at the geology seminar on october 17, 2026", "Shi Lund"),
        ("geology talk on october 24, 2026", "Bo Marsh"),
        ("is there a geology seminar on october 18, 2025?", "Cy Brook"),
        ("any talks on october 24, 2026", "Bo Marsh"),
    ],
)
def test_the_entry_of_the_day_is_quoted(flow: Flow, question: str, who: str) -> None:
    answer = flow.ungated(question).answer
    assert answer.tier == "answer"
    assert who in answer.answer
    assert [name for _, name, _ in TALKS if name != who and name in answer.answer] == []


@pytest.mark.parametrize(
    "question",
    ["geology seminar on october 18, 2026", "chemistry seminar on october 17, 2026"],
)
def test_an_entry_of_another_year_or_of_other_events_is_not(flow: Flow, question: str) -> None:
    trace = flow.ungated(question).trace
    assert all("event" not in step.notes for step in trace.steps)


@pytest.mark.parametrize(
    ("question", "what"),
    [
        ("who speaks at the statistics seminar on october 17", "statistics"),
        ("what's on at the art museum, any events on october 17", "art museum"),
        ("is the library open on october 17", None),
        ("any talks on october 17", ""),
        ("who gives the statistics seminar", None),
    ],
)
def test_what_is_on_is_asked_with_a_day(question: str, what: str | None) -> None:
    asked_of = asked_event(question, asked_time(question, TODAY))
    assert (asked_of and asked_of.replace(",", "").split()) == (what and what.split())
    assert (asked_of is None) is (what is None)
