"""What is removed when it is old, what stays, and who may have it gone."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from server.errors import BadInputError, ConflictError, NotFoundError
from server.models import Feedback
from server.models.golden import GoldenOutcome
from server.workbench.conversations.retention_store import Keep
from server.workbench.records import Records, open_records
from tests.storage.exchanges import exchange

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


def asked(store: Records, number: int, days_ago: float) -> str:
    """A conversation of its own, that long ago."""
    own = f"c{number}"
    at = (NOW - timedelta(days=days_ago)).isoformat()
    store.conversations.record(replace(exchange(number, conversation=own), asked_at=at))
    return own


def ids(store: Records) -> set[str]:
    return {row.id for row in store.search.conversations(limit=50)}


def test_old_conversations_go_and_those_on_hold_stay(store: Records) -> None:
    old, held, fresh = asked(store, 1, 31), asked(store, 2, 400), asked(store, 3, 29)
    store.retention.hold(held, "Case 14", by="dev")
    keep = Keep(conversations=30)
    assert store.retention.purge(keep, NOW, dry_run=True)["conversations"] == 1
    assert ids(store) == {old, held, fresh}
    assert store.retention.purge(keep, NOW)["conversations"] == 1
    assert ids(store) == {held, fresh}
    with pytest.raises(NotFoundError):
        store.conversations.trace("t1")
    store.retention.release(held, by="dev")
    assert store.retention.purge(keep, NOW)["conversations"] == 1


def test_where_nothing_is_set_everything_is_kept(store: Records) -> None:
    asked(store, 1, 4000)
    assert set(store.retention.purge(Keep(), NOW).values()) == {0}
    assert ids(store) == {"c1"}
    assert not Keep().ends


def test_more_than_a_batch_goes(store: Records, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.workbench.conversations.retention_store.AT_ONCE", 2)
    for number in range(1, 6):
        asked(store, number, 50)
    assert store.retention.purge(Keep(conversations=30), NOW)["conversations"] == 5
    assert ids(store) == set()


def test_comments_audit_and_golden_runs_have_an_age_of_their_own(store: Records) -> None:
    for number in (1, 2):
        own = asked(store, number, 100)
        at = (NOW - timedelta(days=100)).isoformat()
        store.conversations.rate(Feedback(own, f"m{number}", False, "wrong", "It is wrong.", at))
    store.retention.hold("c2", "Case 14")
    outcome = GoldenOutcome("g", None, "Yes.", ())
    for _ in range(2):
        store.golden.note_run(
            [outcome], site="main", occasion="by hand", snapshot="s", strategy="hybrid", by="dev"
        )
    later = datetime.now(UTC) + timedelta(days=10)
    counts = store.retention.purge(Keep(comments=30, audit=5, history=5), later)
    assert counts == {"conversations": 0, "comments": 1, "audit": 1, "history": 1}
    first = store.conversations.conversation("c1")["messages"][-1]["feedback"]
    assert (first["comment"], first["reason"]) == ("", "wrong")
    assert store.conversations.conversation("c2")["messages"][-1]["feedback"]["comment"] == "It is wrong."


def test_of_several_servers_one_purges_a_day(store: Records, url: str) -> None:
    other = open_records(url)
    days = (date(2026, 6, 1), date(2026, 6, 2))
    claims = [one.retention.claim(day) for day in days for one in (store, other)]
    assert claims == [0, None, 1, None]
    assert other.retention.claim(days[0]) is None
    other.close()


def test_a_clock_that_leapt_ahead_and_was_put_back_stops_no_purge(store: Records) -> None:
    days = (date(2026, 6, 1), date(2036, 6, 1), date(2026, 6, 2), date(2026, 6, 3))
    assert [store.retention.claim(day) for day in days] == [0, 3653, -3652, 1]


def test_what_is_on_hold_is_erased_by_nobody(store: Records) -> None:
    asked(store, 1, 1)
    store.retention.hold("c1", "Case 14", by="dev")
    with pytest.raises(ConflictError, match="legal hold"):
        store.conversations.erase("c1", "main")
    with pytest.raises(ConflictError, match="legal hold"):
        store.retention.erase("c1", by="dev")
    hold = store.conversations.conversation("c1")["hold"]
    assert (hold["by"], hold["reason"]) == ("dev", "Case 14")
    store.retention.hold("c1", "Case 15", by="other")
    store.retention.release("c1", by="dev")
    store.conversations.erase("c1", "main")
    log = [(row.who, row.before, row.after) for row in store.audit.changes(limit=9, kind="hold")]
    assert log == [
        ("dev", {"reason": "Case 15"}, None),
        ("other", {"reason": "Case 14"}, {"reason": "Case 15"}),
        ("dev", None, {"reason": "Case 14"}),
    ]


def test_the_log_has_what_was_erased_without_a_word_of_it(store: Records) -> None:
    asked(store, 1, 1)
    store.retention.erase("c1", by="dev")
    [row] = store.audit.changes(limit=1)
    assert (row.kind, row.id, row.after) == ("conversation", "c1", None)
    assert set(row.before or {}) == {"site", "started_at", "messages"}
    assert (row.before or {})["messages"] == 2


@pytest.mark.parametrize("reason", ["", "  ", "x" * 501])
def test_a_hold_needs_a_reason(store: Records, reason: str) -> None:
    asked(store, 1, 1)
    with pytest.raises(BadInputError, match="reason"):
        store.retention.hold("c1", reason)


def test_what_is_not_there_cannot_be_held_released_or_erased(store: Records) -> None:
    with pytest.raises(NotFoundError):
        store.retention.hold("none", "Case 14")
    with pytest.raises(NotFoundError):
        store.retention.release("none")
    with pytest.raises(NotFoundError):
        store.retention.erase("none")


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_nothing_of_it_is_left_in_the_files(store: Records, tmp_path: Path) -> None:
    word = "Xylophonquartett"
    at = (NOW - timedelta(days=50)).isoformat()
    store.conversations.record(
        replace(exchange(1, conversation="c1", question=f"Where is {word}?"), asked_at=at)
    )
    files = [tmp_path / "records.sqlite", tmp_path / "records.sqlite-wal"]
    assert any(word.encode() in one.read_bytes() for one in files)
    store.retention.purge(Keep(conversations=30), NOW)
    assert not any(word.encode() in one.read_bytes() for one in files if one.exists())
    assert sqlite3.connect(files[0]).execute("PRAGMA integrity_check").fetchone() == ("ok",)
