"""Sessions of the console: begun with a token, and over when they or their token are."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from server.errors import BadInputError, NotFoundError
from server.storage.tables.running import ConsoleSession
from server.workbench.access.store import SESSION_HOURS
from server.workbench.records import Records, open_records


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Records]:
    store = open_records(f"sqlite:///{tmp_path / 'records.sqlite'}")
    yield store
    store.close()


def test_a_session_opens_what_its_token_does_and_holds_for_hours(store: Records) -> None:
    token = store.tokens.create("ada", "editor", 1)
    entry = store.tokens.begin_session(token)
    holder = store.tokens.holder_of(entry.session)
    assert holder
    assert (holder.name, holder.role) == ("ada", "editor")
    assert token not in entry.session
    left = datetime.fromisoformat(entry.until) - datetime.now(UTC)
    assert timedelta(hours=SESSION_HOURS - 1) < left <= timedelta(hours=SESSION_HOURS)
    assert store.tokens.holder_of(entry.session + "x") is None


def test_signing_out_ends_it_and_leaves_the_token_and_other_sessions(store: Records) -> None:
    token = store.tokens.create("ada", "editor", 1)
    one, other = (store.tokens.begin_session(token).session for _ in range(2))
    store.tokens.end_session(one)
    assert store.tokens.holder_of(one) is None
    assert store.tokens.holder_of(other)
    assert store.tokens.holder_of(token)


def test_a_revoked_token_ends_its_sessions_at_once(store: Records) -> None:
    session = store.tokens.begin_session(store.tokens.create("ada", "editor", 1)).session
    store.tokens.revoke("ada")
    assert store.tokens.holder_of(session) is None


def test_a_session_is_over_at_its_end_and_begins_no_other(store: Records) -> None:
    session = store.tokens.begin_session(store.tokens.create("ada", "editor", 1)).session
    with pytest.raises(BadInputError, match="not with another session"):
        store.tokens.begin_session(session)
    with pytest.raises(NotFoundError):
        store.tokens.begin_session("lodge_unknown")
    past = update(ConsoleSession).values(expires_at=datetime.now(UTC) - timedelta(seconds=1))
    with store.transactions.writing() as connection:
        connection.execute(past)
    assert store.tokens.holder_of(session) is None
