"""Questions of usual hours: the pages' own lines, after today's hours where these are sure."""

from __future__ import annotations

from datetime import date

import pytest

from server.ask.context import ScopeOptions, TermOptions
from server.inference.encoders import Embedder
from server.models import Final
from server.wiring.opened import OpenedSnapshot
from tests.ask.asking import Flow

OPEN = ScopeOptions(threshold=-100.0)
FRIDAY, THANKSGIVING = date(2026, 11, 20), date(2026, 11, 26)
LINE = "The library is open from 8 a.m. to midnight on weekdays and from 10 a.m. to 8 p.m. at weekends."
TODAY = "Harbour Library is open today, Friday, November 20, from 8 a.m. to midnight."


@pytest.fixture
def flow(opened: OpenedSnapshot, embedder: Embedder) -> Flow:
    return Flow(opened, embedder)


def told(flow: Flow, text: str, day: date = FRIDAY, *, sure_from: float = 0.0) -> Final:
    return flow.final(
        text, terms=TermOptions(today=day), gate=OPEN, refusal_threshold=sure_from, seems_threshold=0.0
    )


def hours_noted(final: Final) -> object:
    return next(dict(step.notes) for step in final.trace.steps if step.step == "hours")


@pytest.mark.parametrize(
    "text", ["library hours", "when is the library open?", "what time does the library close"]
)
def test_today_s_hours_stand_before_the_page_s_line_which_is_said_once(flow: Flow, text: str) -> None:
    answer = told(flow, text).answer
    assert answer.answer.startswith(f"{TODAY}\n")
    assert answer.answer.count(LINE) == 1
    assert answer.citations[0].quote.startswith(LINE)


@pytest.mark.parametrize("text", ["library hours on fridays", "library holiday hours", "gym hours"])
def test_other_hours_are_quoted_alone(flow: Flow, text: str) -> None:
    assert "today" not in told(flow, text).answer.answer


def test_on_a_day_of_doubt_the_page_is_quoted_alone(flow: Flow) -> None:
    final = told(flow, "library hours", THANKSGIVING)
    assert "today" not in final.answer.answer
    assert LINE in final.answer.answer
    assert hours_noted(final) == {"usual": ["Harbour Library"]}


def test_all_that_a_passage_says_of_the_named_place_s_hours_is_sure(flow: Flow) -> None:
    final = told(flow, "library hours", sure_from=0.999)
    assert final.answer.tier == "answer"
    assert final.answer.confidence == 0.999
    assert final.answer.answer.startswith(TODAY)


def test_what_is_quoted_of_another_place_is_no_surer(flow: Flow) -> None:
    assert told(flow, "gym hours", sure_from=0.999).answer.tier == "seems"
