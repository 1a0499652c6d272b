"""Tokens open what their role may, until they are revoked or expire."""

from __future__ import annotations

import hashlib
import inspect
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine, event, update

from server.errors import BadInputError, NotFoundError
from server.storage.engine import engine_for
from server.storage.tables.running import TokenRow
from server.workbench.access import auth
from server.workbench.access import store as tokens
from server.workbench.access.store import ROLES
from server.workbench.records import Records
from tests.storage.exchanges import role_of


def test_a_token_carries_its_role(store: Records) -> None:
    token = store.tokens.create("ana", "editor", 30)
    assert token.startswith("lodge_")
    assert len(token) == len("lodge_") + 43
    assert role_of(store, token) == "editor"
    assert role_of(store, token[:-1]) is None
    assert role_of(store, "") is None
    assert role_of(store, "\udcff") is None


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_the_secret_itself_is_nowhere_in_the_file(store: Records, tmp_path: Path) -> None:
    token = store.tokens.create("ana", "viewer", 30)
    written = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert token.encode() not in written
    assert token.removeprefix("lodge_").encode() not in written


def test_a_token_is_looked_up_by_its_hash_alone(store: Records) -> None:
    """The database compares hashes, whose beginning nobody chooses; what it finds is compared once more."""
    token = store.tokens.create("ana", "viewer", 30)
    seen: list[str] = []

    def note(*given: object) -> None:
        seen.append(repr(given[2:4]))  # the statement and its parameters

    event.listen(Engine, "before_cursor_execute", note)
    try:
        assert role_of(store, token) == "viewer"
        assert role_of(store, token + "x") is None
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    assert any(hashlib.sha256(token.encode()).hexdigest() in one for one in seen)
    assert all(token not in one for one in seen)
    assert "hmac.compare_digest(" in inspect.getsource(tokens.TokenStore.holder_of)


def test_a_revoked_token_opens_nothing_and_its_name_is_free_again(store: Records) -> None:
    old = store.tokens.create("ana", "viewer", 30)
    with pytest.raises(BadInputError, match="valid token named 'ana'"):
        store.tokens.create("ana", "viewer", 30)
    store.tokens.revoke("ana")
    new = store.tokens.create("ana", "developer", 30)
    assert (role_of(store, old), role_of(store, new)) == (None, "developer")
    with pytest.raises(NotFoundError, match="'bob'"):
        store.tokens.revoke("bob")


def test_an_expired_token_opens_nothing(store: Records, url: str) -> None:
    token = store.tokens.create("ana", "viewer", 1)
    engine = engine_for(url)
    with engine.begin() as connection:
        connection.execute(update(TokenRow).values(expires_at=datetime.now(UTC) - timedelta(seconds=1)))
    engine.dispose()
    assert role_of(store, token) is None
    assert store.tokens.create("ana", "viewer", 1)


def test_last_use_is_noted_again_where_the_clock_was_put_back(store: Records, url: str) -> None:
    token = store.tokens.create("ana", "viewer", 30)
    engine = engine_for(url)
    with engine.begin() as connection:
        connection.execute(update(TokenRow).values(last_used_at=datetime.now(UTC) + timedelta(days=3650)))
    engine.dispose()
    assert role_of(store, token) == "viewer"
    last_used_at = store.tokens.all()[0].last_used_at
    assert last_used_at is not None
    assert abs(datetime.now(UTC) - last_used_at) < timedelta(minutes=1)


def test_last_use_is_noted(store: Records) -> None:
    token = store.tokens.create("ana", "viewer", 30)
    assert store.tokens.all()[0].last_used_at is None
    role_of(store, token)
    [info] = store.tokens.all()
    assert info.last_used_at is not None
    assert abs(datetime.now(UTC) - info.last_used_at) < timedelta(minutes=1)


@pytest.mark.parametrize(
    ("name", "role", "days", "complaint"),
    [
        ("", "viewer", 1, "name"),
        ("a\nb", "viewer", 1, "name"),
        ("x" * 81, "viewer", 1, "name"),
        ("ana", "admin", 1, "owner, viewer, editor, developer"),
        ("ana", "viewer", 0, "1 to 3650 days, not 0"),
        ("ana", "viewer", 99_999, "1 to 3650 days"),
    ],
)
def test_what_cannot_be_a_token_says_why(
    store: Records, name: str, role: str, days: int, complaint: str
) -> None:
    with pytest.raises(BadInputError, match=complaint):
        store.tokens.create(name, role, days)


def test_the_web_layer_ranks_the_same_roles() -> None:
    assert auth.ROLES == ROLES
