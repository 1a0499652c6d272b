"""What was erased is known to every server for a while, so that no answer on its way brings it back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest

from server.errors import ConflictError, NotFoundError
from server.storage import conversations as erasing
from server.storage.store import RecordsStore
from tests.storage.exchanges import exchange


def test_what_is_erased_is_marked_whoever_erased_it(store: RecordsStore) -> None:
    ways: list[Callable[[str], None]] = [partial(store.erase, site="main"), store.retention.erase]
    for number, erase in enumerate(ways):
        conversation = f"c{number}"
        store.record(exchange(number, conversation=conversation))
        assert not store.is_erased(conversation, "main")
        erase(conversation)
        assert store.is_erased(conversation, "main")
    assert not store.is_erased("another", "main")


def test_one_that_is_not_there_yet_is_marked_too(store: RecordsStore) -> None:
    with pytest.raises(NotFoundError):
        store.erase("c1", "main")
    assert store.is_erased("c1", "main")
    store.record(exchange())
    store.erase("c1", "main")
    assert store.conversations(limit=10) == []


def test_one_on_hold_is_neither_erased_nor_marked(store: RecordsStore) -> None:
    store.record(exchange())
    store.retention.hold("c1", "a claim")
    for erase in (partial(store.erase, site="main"), store.retention.erase):
        with pytest.raises(ConflictError, match="legal hold"):
            erase("c1")
    assert not store.is_erased("c1", "main")


def test_a_mark_goes_in_time(store: RecordsStore, monkeypatch: pytest.MonkeyPatch) -> None:
    store.record(exchange(1))
    store.record(exchange(2, conversation="c2"))
    store.erase("c1", "main")
    monkeypatch.setattr(erasing, "MARKED_FOR", timedelta(0))
    store.erase("c2", "main")
    assert (store.is_erased("c1", "main"), store.is_erased("c2", "main")) == (False, True)
