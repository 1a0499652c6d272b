"""Every change leaves an entry, in its own transaction; nothing else does."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import text

from server.errors import BadInputError, NotFoundError, StorageError
from server.storage.engine import engine_for
from server.workbench.records import Records
from tests.storage.exchanges import role_of
from tests.storage.test_curation import ANSWER, NOTICE


def entries(store: Records) -> list[tuple[str, str, str, bool, bool]]:
    """Who, kind, id, and whether there was something before and after; oldest first."""
    rows = reversed(store.audit.changes(limit=100))
    return [(r.who, r.kind, r.id, r.before is not None, r.after is not None) for r in rows]


def test_every_write_of_an_editor_leaves_an_entry_with_who_and_what(store: Records) -> None:
    store.curation.put_curated(ANSWER, by="ana")
    store.curation.put_curated(replace(ANSWER, text="Still 003696."), by="ben")
    store.curation.remove_curated(ANSWER.id, by="ana")
    store.curation.put_notice(NOTICE)
    store.curation.remove_notice(NOTICE.id)
    assert entries(store) == [
        ("ana", "curated", "fafsa-code", False, True),
        ("ben", "curated", "fafsa-code", True, True),
        ("ana", "curated", "fafsa-code", True, False),
        ("command line", "notice", "snow", False, True),
        ("command line", "notice", "snow", True, False),
    ]


def test_before_and_after_are_what_was_kept(store: Records) -> None:
    store.curation.put_curated(replace(ANSWER, text=" Our code is 003696. "))
    store.curation.put_curated(replace(ANSWER, text="Still 003696."))
    latest = store.audit.changes(limit=1)[0]
    assert (latest.before or {})["text"] == "Our code is 003696."
    assert (latest.after or {})["text"] == "Still 003696."
    assert (latest.after or {})["links"] == [["Applying for aid", "https://example.edu/aid"]]


def test_tokens_leave_entries_without_their_secret(store: Records) -> None:
    token = store.tokens.create("ana", "editor", 30)
    role_of(store, token)
    store.tokens.revoke("ana")
    assert entries(store) == [
        ("command line", "token", "ana", False, True),
        ("command line", "token", "ana", True, True),
    ]
    revoked = store.audit.changes(limit=1)[0]
    assert ((revoked.before or {})["revoked_at"], (revoked.after or {})["role"]) == (None, "editor")
    assert (revoked.after or {})["revoked_at"] > (revoked.after or {})["created_at"]
    assert set(revoked.after or {}) == {"name", "role", "created_at", "expires_at", "revoked_at"}
    assert token not in str(store.audit.changes(limit=9))


def test_a_write_that_fails_leaves_no_entry(store: Records) -> None:
    with pytest.raises(BadInputError):
        store.curation.put_curated(replace(ANSWER, text=" "))
    with pytest.raises(NotFoundError):
        store.curation.remove_notice("nothing")
    with pytest.raises(BadInputError):
        store.tokens.create("ana", "admin", 1)
    with pytest.raises(NotFoundError):
        store.tokens.revoke("nobody")
    assert store.audit.changes(limit=9) == []


REFUSING = {
    "sqlite": "CREATE TRIGGER no_log BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'no'); END",
    "postgresql": "ALTER TABLE audit ADD CONSTRAINT no_log CHECK (false)",
}


def test_a_write_whose_entry_cannot_be_made_is_not_made_either(store: Records, url: str) -> None:
    engine = engine_for(url)
    with engine.begin() as connection:
        connection.execute(text(REFUSING[connection.dialect.name]))
    engine.dispose()
    with pytest.raises(StorageError):
        store.curation.put_curated(ANSWER)
    with pytest.raises(StorageError):
        store.tokens.create("ana", "viewer", 1)
    assert (store.curation.curated(), store.tokens.all()) == ((), ())


def test_no_token_passes_for_the_command_line(store: Records) -> None:
    with pytest.raises(BadInputError, match="the audit log calls the command line so"):
        store.tokens.create(" Command Line", "editor", 1)


def test_the_log_is_read_in_pages_and_by_kind_and_who(store: Records) -> None:
    for number in range(5):
        store.curation.put_curated(replace(ANSWER, id=f"a{number}"), by="ana")
    store.curation.put_notice(NOTICE, by="ben")
    first = store.audit.changes(limit=2, kind="curated")
    assert [row.id for row in first] == ["a4", "a3"]
    rest = store.audit.changes(limit=9, kind="curated", before=first[-1].cursor)
    assert [row.id for row in rest] == ["a2", "a1", "a0"]
    assert [row.id for row in store.audit.changes(limit=9, who="ben")] == ["snow"]
    assert store.audit.changes(limit=9, who="ben", kind="token") == []


@pytest.mark.parametrize("cursor", ["yesterday", "-1", "", "9" * 19, "²"])
def test_what_is_no_cursor_is_bad_input(store: Records, cursor: str) -> None:
    with pytest.raises(BadInputError, match="no `cursor` of the audit log"):
        store.audit.changes(limit=1, before=cursor)
