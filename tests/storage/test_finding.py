"""Conversations are found by what one of their exchanges is like, and by nothing that is personal in it."""

from __future__ import annotations

from typing import Any

import pytest

from server.errors import BadInputError
from server.models import Citation, ConversationFilter, Feedback
from server.workbench.conversations.store import ConversationChoices
from server.workbench.records import Records
from tests.storage.exchanges import DEADLINE, exchange


def cites(url: str) -> tuple[Citation, ...]:
    return (Citation(1, url, "A page", "", "Its words."),)


@pytest.fixture
def filled(store: Records) -> Records:
    """Four conversations, each unlike the others."""
    store.conversations.record(
        exchange(1, conversation="aid", topic="aid", asked_at="2026-03-01T23:59:59+00:00")
    )
    store.conversations.record(
        exchange(2, conversation="lost", refused=True, question="Wo ist die MENSA? 100% sicher_")
    )
    store.conversations.record(
        exchange(3, conversation="lib", site="library", asked_at="2026-03-02T00:00:00+00:00")
    )
    store.conversations.record(
        exchange(
            4,
            conversation="model",
            asked_at="2026-03-03T12:00:00+00:00",
            answerer="llm",
            degraded="slow",
            citations=cites("https://www.larkmoor.example/life/housing/?a=1"),
        )
    )
    store.conversations.rate(Feedback("aid", "m1", True, "clear", "", "2026-03-04T00:00:00+00:00"))
    store.conversations.rate(Feedback("model", "m4", False, "wrong", "", "2026-03-04T00:00:00+00:00"))
    return store


@pytest.mark.parametrize(
    ("wanted", "ids"),
    [
        ({}, "model lib aid lost"),
        ({"since": "2026-03-02"}, "model lib"),
        ({"until": "2026-03-01"}, "aid lost"),
        ({"since": "2026-03-02", "until": "2026-03-02"}, "lib"),
        ({"until": "2026-03-02T00:00:00Z"}, "aid lost"),
        ({"site": "library"}, "lib"),
        ({"topic": "aid"}, "aid"),
        ({"refused": True}, "lost"),
        ({"refused": False}, "model lib aid"),
        ({"degraded": True}, "model"),
        ({"degraded": False}, "lib aid lost"),
        ({"rating": "helpful"}, "aid"),
        ({"rating": "unhelpful"}, "model"),
        ({"rating": "any"}, "model aid"),
        ({"rating": "none"}, "lib lost"),
        ({"answerer": "llm"}, "model"),
        ({"text": "mensa"}, "lost"),
        ({"text": "  Last   DAY is "}, "model lib aid"),
        ({"text": "100%"}, "lost"),
        ({"text": "1%0"}, ""),
        ({"text": "sicher_"}, "lost"),
        ({"text": " "}, "model lib aid lost"),
        ({"url": DEADLINE.url}, "lib aid"),
        ({"url": "https://www.larkmoor.example/life"}, "model"),
        ({"url": "https://www.larkmoor.example/%"}, ""),
        ({"answerer": "llm", "degraded": True, "rating": "unhelpful", "text": "3 february"}, "model"),
        ({"answerer": "llm", "rating": "helpful"}, ""),
    ],
)
def test_each_filter_finds_its_own(filled: Records, wanted: dict[str, Any], ids: str) -> None:
    found = filled.search.conversations(limit=9, wanted=ConversationFilter(**wanted))
    assert [row.id for row in found] == ids.split()


def test_one_exchange_has_to_be_all_that_is_asked_for(store: Records) -> None:
    store.conversations.record(exchange(1, topic="aid"))
    store.conversations.record(exchange(2, refused=True, topic="housing"))
    both = ConversationFilter(topic="aid", refused=True)
    assert store.search.conversations(limit=9, wanted=both) == []
    assert (
        len(store.search.conversations(limit=9, wanted=ConversationFilter(topic="housing", refused=True)))
        == 1
    )


def test_a_filtered_list_is_turned_page_by_page(store: Records) -> None:
    for number in range(9):
        store.conversations.record(exchange(number, conversation=f"c{number}", refused=number % 2 == 0))
    refused = ConversationFilter(refused=True)
    first = store.search.conversations(limit=3, wanted=refused)
    rest = store.search.conversations(limit=3, wanted=refused, before=first[-1].cursor)
    assert [row.id for row in first + rest] == ["c8", "c6", "c4", "c2", "c0"]


@pytest.mark.parametrize("wanted", [{"since": "spring"}, {"until": "2026-13-01"}, {"until": "9999-12-31"}])
def test_a_day_that_is_none_is_bad_input(store: Records, wanted: dict[str, Any]) -> None:
    with pytest.raises(BadInputError):
        store.search.conversations(limit=9, wanted=ConversationFilter(**wanted))


def test_nobody_finds_out_what_is_personal_by_searching_for_it(store: Records) -> None:
    store.conversations.record(exchange(question="I am ana@example.edu, student 00123456, where is my aid?"))
    for guess in ("ana@example.edu", "ana@", "a", "00123456", "001", "e-mail 1", "[phone"):
        words = ConversationFilter(text=guess)
        found = store.search.conversations(limit=9, wanted=words)
        assert [row.id for row in found] == (["c1"] if guess == "a" else []), guess
    assert store.search.conversations(limit=9, wanted=ConversationFilter(text="where is my aid"))


def test_a_number_of_the_sites_own_is_found_in_its_answers(store: Records) -> None:
    store.conversations.record(exchange(answer="Our code is 003696; call (802) 555-0100."))
    for words in ("003696", "(802) 555-0100"):
        assert store.search.conversations(limit=9, wanted=ConversationFilter(text=words))


def test_what_is_erased_is_found_no_more(filled: Records) -> None:
    filled.conversations.erase("model", "main")
    assert filled.search.conversations(limit=9, wanted=ConversationFilter(answerer="llm")) == []
    assert filled.search.choices().answerers == ["extractive"]


def test_there_is_to_choose_from_what_there_is(filled: Records) -> None:
    assert filled.search.choices() == ConversationChoices(
        sites=["library", "main"],
        topics=["aid"],
        answerers=["extractive", "llm"],
    )


def test_exchanges_come_in_the_order_asked_for_oldest_first_in_each(filled: Records) -> None:
    filled.conversations.record(exchange(5, conversation="aid", question="And then?"))
    rows = filled.search.exchanges(["model", "aid", "nobody"])
    assert [(row["conversation_id"], row["question"][:8]) for row in rows] == [
        ("model", "When doe"),
        ("aid", "When doe"),
        ("aid", "And then"),
    ]
    assert (rows[0]["site"], rows[0]["topic"], rows[1]["topic"]) == ("main", None, "aid")
    assert rows[0]["feedback"] == {
        "helpful": False, "reason": "wrong", "comment": "", "given_at": "2026-03-04T00:00:00+00:00"
    }  # fmt: skip
    assert rows[2]["feedback"] is None
    assert rows[2]["answer"]["message_id"] == "m5"
