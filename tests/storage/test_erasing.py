"""What was erased is known to every server for a while, so that no answer on its way brings it back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest

from server.errors import ConflictError, NotFoundError
from server.storage import conversations as erasing
from server.workbench.records import Records
from tests.storage.exchanges import exchange


def test_what_is_erased_is_marked_whoever_erased_it(store: Records) -> None:
    ways: list[Callable[[str], None]] = [
        partial(store.conversations.erase, site="main"),
        store.retention.erase,
    ]
    for number, erase in enumerate(ways):
        conversation = f"c{number}"
        store.conversations.record(exchange(number, conversation=conversation))
        assert not store.conversations.is_erased(conversation, "main")
        erase(conversation)
        assert store.conversations.is_erased(conversation, "main")
    assert not store.conversations.is_erased("another", "main")


def test_one_that_is_not_there_yet_is_marked_too(store: Records) -> None:
    with pytest.raises(NotFoundError):
        store.conversations.erase("c1", "main")
    assert store.conversations.is_erased("c1", "main")
    store.conversations.record(exchange())
    store.conversations.erase("c1", "main")
    assert store.search.conversations(limit=10) == []


def test_one_on_hold_is_neither_erased_nor_marked(store: Records) -> None:
    store.conversations.record(exchange())
    store.retention.hold("c1", "a claim")
    for erase in (partial(store.conversations.erase, site="main"), store.retention.erase):
        with pytest.raises(ConflictError, match="legal hold"):
            erase("c1")
    assert not store.conversations.is_erased("c1", "main")


def test_a_mark_goes_in_time(store: Records, monkeypatch: pytest.MonkeyPatch) -> None:
    store.conversations.record(exchange(1))
    store.conversations.record(exchange(2, conversation="c2"))
    store.conversations.erase("c1", "main")
    monkeypatch.setattr(erasing, "MARKED_FOR", timedelta(0))
    store.conversations.erase("c2", "main")
    assert (store.conversations.is_erased("c1", "main"), store.conversations.is_erased("c2", "main")) == (
        False,
        True,
    )
