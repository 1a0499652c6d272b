"""Lists of deadlines, from the visitor's line to those that are to come."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import pytest

from server.ask.deadlines import asks_for_list, listed_of, matter_of
from server.index.search import Index
from server.models import Deadline
from tests.index.small_index import build

TODAY = date(2026, 11, 23)
ADMISSION, BILL = (
    "Applications are due December 1, 2026.",
    "Spring 2027 — Due: January 6, 2027; Late by: January 20, 2027",
)


def deadline(day: date, line: str, page: str, label: str = "") -> Deadline:
    return Deadline(day, "", label, "", page, "https://example.edu/0", 0, line)


KNOWN = [
    deadline(date(2027, 1, 6), BILL, "Billing", "Spring 2027"),
    deadline(date(2027, 1, 20), BILL, "Billing", "Spring 2027"),
    deadline(date(2026, 12, 1), ADMISSION, "Admissions"),
    deadline(date(2026, 11, 6), "Last day to withdraw: November 6, 2026", "Calendar"),
]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    opened = Index(build(tmp_path_factory.mktemp("deadlines") / "s", [f"{ADMISSION}\n{BILL}"]), threads=1)
    yield opened
    opened.snapshot.close()


def days(index: Index, *matter: str, last: date | None = None) -> list[str]:
    found = listed_of(matter, KNOWN, index, TODAY, last)
    return [one.day.isoformat() for one in found.shown] if found else []


def test_those_to_come_are_listed_each_line_once_the_next_one_first(index: Index) -> None:
    assert days(index) == ["2026-12-01", "2027-01-06"]
    assert days(index, last=date(2026, 12, 18)) == ["2026-12-01"]


def test_a_matter_that_is_named_has_to_stand_in_line_or_headings(index: Index) -> None:
    assert days(index, "admissions") == ["2026-12-01"]
    assert days(index, "housing") == []


@pytest.mark.parametrize(
    ("question", "matter"),
    [
        ("what deadlines are left this term", ()),
        ("List all admissions deadlines", ("admissions",)),
        ("which due dates are coming up?", ()),
        ("¿Qué plazos quedan?", ()),
    ],
)
def test_what_asks_for_a_list_is_known_with_its_matter(question: str, matter: tuple[str, ...]) -> None:
    assert matter_of(question, "") == matter
    assert asks_for_list(question, matter)


@pytest.mark.parametrize(
    "question",
    ["when is the application deadline", "what is the deadline to withdraw", "is there a late fee"],
)
def test_a_question_of_one_deadline_or_of_a_page_s_own_asks_for_no_list(question: str) -> None:
    assert not asks_for_list(question, matter_of(question, ""))
