from __future__ import annotations

from pathlib import Path

import pytest

from server.errors import NotFoundError
from server.visitor import sessions as erasing
from server.visitor.sessions import Eraser
from server.workbench.records import Records, open_records
from tests.storage.exchanges import exchange


@pytest.fixture
def records(tmp_path: Path) -> Records:
    return open_records(f"sqlite:///{tmp_path / 'records.sqlite'}")


def test_what_was_recorded_is_gone(records: Records) -> None:
    records.conversations.record(exchange())
    eraser = Eraser(records.conversations)
    eraser.erase("c1", "main")
    assert eraser.has_erased("c1", "main")
    assert not eraser.has_erased("c2", "main")
    with pytest.raises(NotFoundError):
        records.conversations.conversation("c1")
    records.close()


def test_an_answer_that_comes_later_is_erased_when_its_flow_ends(records: Records) -> None:
    eraser = Eraser(records.conversations)
    eraser.erase("c1", "main")
    late = exchange()
    records.conversations.record(late)
    eraser.ended(late.question)
    with pytest.raises(NotFoundError):
        records.conversations.conversation("c1")
    records.close()


def test_an_answer_on_its_way_at_one_server_is_erased_though_another_server_was_asked_to(
    records: Records,
) -> None:
    here, there = Eraser(records.conversations), Eraser(records.conversations)
    there.erase("c1", "main")
    late = exchange()
    records.conversations.record(late)
    here.ended(late.question)
    with pytest.raises(NotFoundError):
        records.conversations.conversation("c1")
    assert here.has_erased("c1", "main")  # the next question of it begins another
    records.close()


def test_one_that_is_held_since_it_was_erased_stays(records: Records) -> None:
    eraser = Eraser(records.conversations)
    eraser.erase("c1", "main")
    late = exchange()
    records.conversations.record(late)
    records.retention.hold("c1", "a claim")
    eraser.ended(late.question)
    assert records.conversations.conversation("c1")["messages"]
    assert not eraser.has_erased("c1", "main")
    records.close()


def test_other_conversations_stay(records: Records) -> None:
    records.conversations.record(exchange(conversation="c2"))
    eraser = Eraser(records.conversations)
    eraser.erase("c1", "main")
    eraser.ended(exchange(conversation="c2").question)
    assert records.conversations.conversation("c2")["messages"]
    records.close()


def test_it_remembers_many_but_not_all(records: Records, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(erasing, "_REMEMBERED", 2)
    eraser = Eraser(records.conversations)
    for name in "abc":
        eraser.erase(name, "main")
    assert [eraser.has_erased(name, "main") for name in "abc"] == [False, True, True]
    records.close()
