"""Pages held against questions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

import pytest

from server.models import ALL_TURNS, OpeningHours, TurnFilter
from server.models.deadlines import Deadline
from server.workbench.coverage.service import (
    CoverageService,
    LivePage,
    badly_rated,
    newest_day,
    stale,
    topic_rows,
)
from server.workbench.coverage.store import CoverageStore
from tests.scripted_app import no_parts

TODAY = date(2026, 3, 31)
HOME = LivePage("https://x.example/", "Home", None, "2020-01-01", "2026-01-05T10:00:00+00:00")
AID = LivePage("https://x.example/aid", "Aid", "aid", None, "2023-05-01")
FALL = LivePage("https://x.example/fall", "Fall 2024", "dates", None, "2026-03-01", ("2024-fall", "2024/25"))
NOW = LivePage("https://x.example/now", "Dates", "dates", None, None, ("2024-fall", "2026-spring"))
PAGES = (HOME, AID, FALL, NOW)
BY_URL = {page.url: page for page in PAGES}


def row(page: str, times: int = 1, helpful: int = 0, unhelpful: int = 0) -> dict[str, Any]:
    return {"url": page, "times": times, "helpful": helpful, "unhelpful": unhelpful}


class Counts(CoverageStore):
    """Two pages cited, one of which is not there any more."""

    def __init__(self) -> None:
        pass

    def topics_asked(self, wanted: TurnFilter = ALL_TURNS) -> list[dict[str, Any]]:
        return [{"topic": "aid", "questions": 3, "refused": 1}, {"topic": None, "questions": 5, "refused": 0}]

    def cited(self, wanted: TurnFilter = ALL_TURNS) -> list[dict[str, Any]]:
        return [row(AID.url, 4, unhelpful=2), row("https://x.example/gone", 9)]


class Coverage(CoverageService):
    """Over these pages."""

    def __init__(self) -> None:
        super().__init__(Counts(), no_parts)

    def _live(self) -> tuple[date, str, Sequence[LivePage]]:
        return TODAY, "a", PAGES

    def days_known(self) -> tuple[Sequence[OpeningHours], Sequence[Deadline]]:
        return (), ()


def test_pages_are_counted_against_what_was_cited() -> None:
    found = Coverage().coverage(ALL_TURNS, 24)
    assert (found["snapshot"], found["pages"], found["cited"], found["never_cited"]) == ("a", 4, 1, 3)
    assert [one["url"] for one in found["stale"]] == [AID.url]
    assert [one["title"] for one in found["badly_rated"]] == ["Aid"]


def test_pages_never_cited_are_listed_and_searched() -> None:
    book = Coverage()
    assert [one["url"] for one in book.never_cited(ALL_TURNS)] == [HOME.url, FALL.url, NOW.url]
    [fall] = book.never_cited(ALL_TURNS, " fall 2024")
    assert fall == {"url": FALL.url, "title": "Fall 2024", "topic": "dates", "day": "2026-03-01"}


def test_topics_stand_by_how_much_they_are_asked_about() -> None:
    asked: list[dict[str, Any]] = [
        {"topic": "aid", "questions": 1, "refused": 0},
        {"topic": "life", "questions": 3, "refused": 2},
        {"topic": None, "questions": 9, "refused": 0},
    ]
    rows = topic_rows(asked, PAGES)
    assert [one["topic"] for one in rows] == ["life", "aid", "dates", None]
    assert [one["asked_share"] for one in rows] == [0.75, 0.25, 0, None]
    assert [one["pages"] for one in rows] == [0, 1, 2, 1]
    assert rows[1]["pages_share"] == pytest.approx(1 / 3)


def test_a_page_is_badly_rated_by_two_visitors_and_two_of_five() -> None:
    cited = [row("a", 9, 0, 1), row("b", 9, 3, 2), row("c", 9, 4, 2), row("d", 9, 0, 5)]
    assert [one["url"] for one in badly_rated(cited, {})] == ["d", "b"]


@pytest.mark.parametrize(
    ("page", "months", "reason"),
    [(HOME, 2, "old"), (HOME, 3, None), (AID, 24, "old"), (FALL, 24, "past_terms"), (NOW, 1, None)],
)
def test_a_page_is_stale_by_its_newest_day_or_its_terms(
    page: LivePage, months: int, reason: str | None
) -> None:
    found = stale([row(page.url)], BY_URL, months, TODAY)
    assert [one["reason"] for one in found] == ([reason] if reason else [])


def test_a_month_that_has_fewer_days_ends_earlier() -> None:
    page = LivePage("https://x.example/", "Home", None, None, "2026-02-28")
    assert stale([row(page.url)], {page.url: page}, 1, date(2026, 3, 31)) == []


def test_a_date_that_is_none_is_left_out() -> None:
    assert newest_day(LivePage("u", "t", None, "spring", None)) is None
    assert newest_day(HOME) == "2026-01-05"
