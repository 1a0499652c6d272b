"""Every change leaves an entry, in its own transaction; nothing else does."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import text

from server.errors import BadInputError, NotFoundError, StorageError
from server.storage.engine import engine_for
from server.storage.store import RecordsStore
from tests.storage.test_curation import ANSWER, NOTICE


def entries(store: RecordsStore) -> list[tuple[str, str, str, bool, bool]]:
    """Who, kind, id, and whether there was something before and after; oldest first."""
    rows = reversed(store.changes(limit=100))
    return [(r["who"], r["kind"], r["id"], r["before"] is not None, r["after"] is not None) for r in rows]


def test_every_write_of_an_editor_leaves_an_entry_with_who_and_what(store: RecordsStore) -> None:
    store.put_curated(ANSWER, by="ana")
    store.put_curated(replace(ANSWER, text="Still 003696."), by="ben")
    store.remove_curated(ANSWER.id, by="ana")
    store.put_notice(NOTICE)
    store.remove_notice(NOTICE.id)
    assert entries(store) == [
        ("ana", "curated", "fafsa-code", False, True),
        ("ben", "curated", "fafsa-code", True, True),
        ("ana", "curated", "fafsa-code", True, False),
        ("command line", "notice", "snow", False, True),
        ("command line", "notice", "snow", True, False),
    ]


def test_before_and_after_are_what_was_kept(store: RecordsStore) -> None:
    store.put_curated(replace(ANSWER, text=" Our code is 003696. "))
    store.put_curated(replace(ANSWER, text="Still 003696."))
    latest = store.changes(limit=1)[0]
    assert latest["before"]["text"] == "Our code is 003696."
    assert latest["after"]["text"] == "Still 003696."
    assert latest["after"]["links"] == [["Applying for aid", "https://example.edu/aid"]]


def test_tokens_leave_entries_without_their_secret(store: RecordsStore) -> None:
    token = store.create_token("ana", "editor", 30)
    store.role_of(token)
    store.revoke("ana")
    assert entries(store) == [
        ("command line", "token", "ana", False, True),
        ("command line", "token", "ana", True, True),
    ]
    revoked = store.changes(limit=1)[0]
    assert (revoked["before"]["revoked_at"], revoked["after"]["role"]) == (None, "editor")
    assert revoked["after"]["revoked_at"] > revoked["after"]["created_at"]
    assert set(revoked["after"]) == {"name", "role", "created_at", "expires_at", "revoked_at"}
    assert token not in str(store.changes(limit=9))


def test_a_write_that_fails_leaves_no_entry(store: RecordsStore) -> None:
    with pytest.raises(BadInputError):
        store.put_curated(replace(ANSWER, text=" "))
    with pytest.raises(NotFoundError):
        store.remove_notice("nothing")
    with pytest.raises(BadInputError):
        store.create_token("ana", "owner", 1)
    with pytest.raises(NotFoundError):
        store.revoke("nobody")
    assert store.changes(limit=9) == []


REFUSING = {
    "sqlite": "CREATE TRIGGER no_log BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'no'); END",
    "postgresql": "ALTER TABLE audit ADD CONSTRAINT no_log CHECK (false)",
}


def test_a_write_whose_entry_cannot_be_made_is_not_made_either(store: RecordsStore, url: str) -> None:
    engine = engine_for(url)
    with engine.begin() as connection:
        connection.execute(text(REFUSING[connection.dialect.name]))
    engine.dispose()
    with pytest.raises(StorageError):
        store.put_curated(ANSWER)
    with pytest.raises(StorageError):
        store.create_token("ana", "viewer", 1)
    assert (store.curated(), store.tokens()) == ((), ())


def test_no_token_passes_for_the_command_line(store: RecordsStore) -> None:
    with pytest.raises(BadInputError, match="the audit log calls the command line so"):
        store.create_token(" Command Line", "editor", 1)


def test_the_log_is_read_in_pages_and_by_kind_and_who(store: RecordsStore) -> None:
    for number in range(5):
        store.put_curated(replace(ANSWER, id=f"a{number}"), by="ana")
    store.put_notice(NOTICE, by="ben")
    first = store.changes(limit=2, kind="curated")
    assert [row["id"] for row in first] == ["a4", "a3"]
    rest = store.changes(limit=9, kind="curated", before=first[-1]["cursor"])
    assert [row["id"] for row in rest] == ["a2", "a1", "a0"]
    assert [row["id"] for row in store.changes(limit=9, who="ben")] == ["snow"]
    assert store.changes(limit=9, who="ben", kind="token") == []


@pytest.mark.parametrize("cursor", ["yesterday", "-1", "", "9" * 19, "²"])
def test_what_is_no_cursor_is_bad_input(store: RecordsStore, cursor: str) -> None:
    with pytest.raises(BadInputError, match="no `cursor` of the audit log"):
        store.changes(limit=1, before=cursor)
