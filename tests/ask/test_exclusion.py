"""Which pages each kind of filter leaves out."""

from __future__ import annotations

from datetime import date

import pytest

from server.ask.rules import left_out, months_before
from server.errors import BadInputError
from server.models import PageFacts
from server.models.curation import LeaveOut

TODAY = date(2026, 11, 22)
NEWS = PageFacts(0, "https://www.example.edu/news/2019/snow", "Snow", "2019-02-01", 900)
FEES = PageFacts(1, "https://www.example.edu/fees/", "Fees", "2026-11-01", 2000)
STUB = PageFacts(2, "https://old.example.edu/news/?id=7", "Stub", None, 80)
PAGES = (NEWS, FEES, STUB)


@pytest.mark.parametrize(
    ("kind", "value", "pages"),
    [
        ("prefix", "/news/", [NEWS, STUB]),
        ("prefix", "https://www.example.edu/news", [NEWS]),
        ("prefix", "/news/?id", [STUB]),
        ("pattern", "/NEWS/20*", [NEWS]),
        ("pattern", "*old.*", [STUB]),
        ("pattern", "example.edu/f.es", []),
        ("pages", "https://www.example.edu/fees#top\n\nhttps://www.example.edu/none", [FEES]),
        ("older", "36", [NEWS]),
        ("older", "999999", []),
        ("thinner", "900", [STUB]),
    ],
)
def test_a_filter_leaves_out_what_it_means(kind: str, value: str, pages: list[PageFacts]) -> None:
    rule = LeaveOut("one", kind, value)  # type: ignore[arg-type]
    assert list(left_out([rule], PAGES, TODAY)) == [page.page_id for page in pages]


def test_the_first_filter_that_leaves_a_page_out_is_named() -> None:
    rules = [LeaveOut("news", "prefix", "/news/"), LeaveOut("thin", "thinner", "100")]
    assert {page: rule.id for page, rule in left_out(rules, PAGES, TODAY).items()} == {0: "news", 2: "news"}


def test_a_number_that_is_none_is_told() -> None:
    with pytest.raises(BadInputError, match="no whole number"):
        left_out([LeaveOut("old", "older", "three years")], PAGES, TODAY)


def test_months_are_those_of_the_calendar() -> None:
    assert months_before(date(2026, 3, 31), 1) == "2026-02-28"
    assert months_before(date(2026, 1, 15), 13) == "2024-12-15"


def test_any_number_of_stars_is_looked_for_in_one_go() -> None:
    """As a regular expression this would be tried in more ways than there are atoms."""
    page = PageFacts(1, "http://a.example/" + "a" * 1_900, "A", None, 100)
    assert left_out([LeaveOut("one", "pattern", "*a" * 60 + "*b")], [page], TODAY) == {}
    assert left_out([LeaveOut("one", "pattern", "*A" * 60 + "*")], [page], TODAY)
