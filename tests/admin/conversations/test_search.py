"""The filter in the address and in the API's words."""

from __future__ import annotations

from datetime import date

from admin.conversations.search import chosen, for_api
from admin.formatting import day


def test_an_address_is_a_filter_without_what_it_cannot_mean() -> None:
    query = {
        "text": " fees ",
        "site": "",
        "since": "spring",
        "until": "2026-03-01",
        "rating": "good",
        "x": "1",
    }
    assert chosen(query) == {"text": "fees", "until": "2026-03-01"}


def test_an_editors_words_become_the_apis() -> None:
    assert for_api({"outcome": "Refused", "rating": "Not helpful", "topic": "aid"}) == {
        "topic": "aid",
        "refused": "true",
        "rating": "unhelpful",
    }
    assert for_api({"outcome": "Simpler than usual"}) == {"degraded": "true"}
    assert for_api({}) == {}


def test_a_day_is_a_day() -> None:
    assert day("2026-03-01") == date(2026, 3, 1)
    assert day("1 March") is day("") is day(None) is None
