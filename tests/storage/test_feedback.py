from __future__ import annotations

from dataclasses import replace

import pytest

from server.errors import NotFoundError
from server.models import Feedback
from server.workbench.records import Records
from tests.storage.exchanges import exchange

GOOD = Feedback("c1", "m1", True, "clear", "Just right, señor.", "2026-03-01T10:05:00+00:00")


def kept(store: Records) -> list[object]:
    return [message["feedback"] for message in store.conversations.conversation("c1")["messages"]]


def test_it_stands_beside_its_answer(store: Records) -> None:
    store.conversations.record(exchange())
    assert kept(store) == [None, None]
    store.conversations.rate(GOOD)
    assert kept(store) == [
        None,
        {"helpful": True, "reason": "clear", "comment": "Just right, señor.", "given_at": GOOD.given_at},
    ]


def test_a_later_word_takes_the_earlier_ones_place(store: Records) -> None:
    store.conversations.record(exchange())
    store.conversations.rate(GOOD)
    store.conversations.rate(replace(GOOD, helpful=False, reason="", comment=""))
    [_, feedback] = kept(store)
    assert isinstance(feedback, dict)
    assert (feedback["helpful"], feedback["comment"]) == (False, "")


@pytest.mark.parametrize(
    "wrong", [{"message_id": "m2"}, {"conversation_id": "c2"}, {"message_id": "m1-question"}]
)
def test_only_an_answer_of_that_very_conversation_can_be_rated(store: Records, wrong: dict[str, str]) -> None:
    store.conversations.record(exchange())
    with pytest.raises(NotFoundError, match="no answer with that id"):
        store.conversations.rate(replace(GOOD, **wrong))  # type: ignore[arg-type]  # a subset of its fields
    assert kept(store) == [None, None]


def test_it_goes_with_its_conversation(store: Records) -> None:
    store.conversations.record(exchange())
    store.conversations.rate(GOOD)
    store.conversations.erase("c1", "main")
    store.conversations.record(exchange())
    assert kept(store) == [None, None]
