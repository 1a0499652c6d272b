from __future__ import annotations

from dataclasses import replace

import pytest

from server.errors import NotFoundError
from server.models import Feedback
from server.storage.store import RecordsStore
from tests.storage.exchanges import exchange

GOOD = Feedback("c1", "m1", True, "clear", "Just right, señor.", "2026-03-01T10:05:00+00:00")


def kept(store: RecordsStore) -> list[object]:
    return [message["feedback"] for message in store.conversation("c1")["messages"]]


def test_it_stands_beside_its_answer(store: RecordsStore) -> None:
    store.record(exchange())
    assert kept(store) == [None, None]
    store.rate(GOOD)
    assert kept(store) == [
        None,
        {"helpful": True, "reason": "clear", "comment": "Just right, señor.", "given_at": GOOD.given_at},
    ]


def test_a_later_word_takes_the_earlier_ones_place(store: RecordsStore) -> None:
    store.record(exchange())
    store.rate(GOOD)
    store.rate(replace(GOOD, helpful=False, reason="", comment=""))
    [_, feedback] = kept(store)
    assert isinstance(feedback, dict)
    assert (feedback["helpful"], feedback["comment"]) == (False, "")


@pytest.mark.parametrize(
    "wrong", [{"message_id": "m2"}, {"conversation_id": "c2"}, {"message_id": "m1-question"}]
)
def test_only_an_answer_of_that_very_conversation_can_be_rated(
    store: RecordsStore, wrong: dict[str, str]
) -> None:
    store.record(exchange())
    with pytest.raises(NotFoundError, match="no answer with that id"):
        store.rate(replace(GOOD, **wrong))  # type: ignore[arg-type]  # a subset of its fields
    assert kept(store) == [None, None]


def test_it_goes_with_its_conversation(store: RecordsStore) -> None:
    store.record(exchange())
    store.rate(GOOD)
    store.erase("c1", "main")
    store.record(exchange())
    assert kept(store) == [None, None]
