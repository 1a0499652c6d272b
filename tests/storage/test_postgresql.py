"""What PostgreSQL alone does: many writers at once, servers that go away, errors by their codes."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from sqlalchemy import Connection, insert, select, text

from server.errors import BadInputError, StorageError
from server.models import Feedback
from server.storage import conversations
from server.storage.engine import Transactions, address_of, engine_for
from server.storage.tables.running import TokenRow
from server.storage.tables.visitors import Conversation
from server.workbench.conversations.retention_store import Keep
from server.workbench.records import Records, open_existing, open_records
from tests.postgres import Postgres, needed
from tests.storage.exchanges import exchange, role_of

NOW = datetime(2026, 5, 1, tzinfo=UTC)
pytestmark = pytest.mark.parametrize("url", ["postgresql"], indirect=True)


@pytest.fixture
def server(postgres: Postgres | None) -> Postgres:
    return needed(postgres)


@pytest.fixture
def transactions(url: str) -> Iterator[Transactions]:
    """Those of another server on the same records."""
    engine = engine_for(url)
    yield Transactions(engine)
    engine.dispose()


def meanwhile(work: Callable[[], object], url: str) -> threading.Thread:
    """`work` in a thread of its own, begun and waiting for a lock of the database."""
    thread = threading.Thread(target=work)
    thread.start()
    engine = engine_for(url)
    waiting = text("SELECT count(*) FROM pg_locks WHERE NOT granted")
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        while not connection.execute(waiting).scalar_one():
            assert thread.is_alive(), "it did not wait"
    engine.dispose()
    return thread


def test_urls_as_people_write_them_take_the_driver_that_is_installed(url: str) -> None:
    for written in (url, url.replace("postgresql://", "postgres://", 1)):
        assert address_of(written).drivername == "postgresql+psycopg"
        with closing(open_records(written)) as store:
            assert store.search.conversations(limit=1) == []
    opened = open_existing(url)
    assert opened is not None
    opened.close()


def test_who_reads_before_writing_is_alone(store: Records, url: str, transactions: Transactions) -> None:
    """Of two that would both find the name free, one must wait, and then finds it taken."""
    refused: list[str] = []

    def make_another() -> None:
        try:
            store.tokens.create("ana", "viewer", 1)
        except BadInputError as error:
            refused.append(error.message)

    now = datetime.now(UTC)
    row = {
        "name": "ana",
        "role": "viewer",
        "hash": "",
        "created_at": now,
        "expires_at": now + timedelta(days=1),
    }
    with transactions.writing() as connection:
        thread = meanwhile(make_another, url)
        connection.execute(insert(TokenRow), row | {"expires_at": now + timedelta(days=1)})
    thread.join()
    assert len(refused) == 1


def test_visitors_wait_for_no_editor(store: Records, transactions: Transactions) -> None:
    token = store.tokens.create("ana", "viewer", 1)
    with transactions.writing():
        store.conversations.record(exchange(1))
        store.conversations.rate(Feedback("c1", "m1", True, "", "", "2026-03-01T11:00:00+00:00"))
        assert role_of(store, token) == "viewer"
    assert store.conversations.conversation("c1")["messages"][1]["feedback"]["helpful"] is True


def test_one_answer_rated_by_many_at_once_has_one_feedback(store: Records) -> None:
    store.conversations.record(exchange(1))

    def rate(number: int) -> None:
        store.conversations.rate(
            Feedback("c1", "m1", bool(number % 2), "", str(number), "2026-03-01T11:00:00+00:00")
        )

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(rate, range(40)))
    [row] = store.feedback.queue(limit=9)
    assert int(row.comment) % 2 == row.helpful
    assert store.coverage.overview().total.helpful == row.helpful


def test_a_conversation_that_goes_on_is_not_purged_with_what_was_said_just_now(
    store: Records, url: str, transactions: Transactions
) -> None:
    old, now = NOW - timedelta(days=50), NOW.isoformat()
    store.conversations.record(exchange(1, asked_at=old.isoformat()))
    store.conversations.record(exchange(2, conversation="c2", asked_at=old.isoformat()))
    purged: list[dict[str, int]] = []
    with transactions.recording() as connection:
        conversations.write_exchange(connection, exchange(3, asked_at=now))
        thread = meanwhile(lambda: purged.append(store.retention.purge(Keep(conversations=30), NOW)), url)
    thread.join()
    assert len(store.conversations.conversation("c1")["messages"]) == 4
    assert [row.id for row in store.search.conversations(limit=9)] == ["c1"]
    assert purged[0]["conversations"] == 1


def test_what_one_reads_is_of_one_moment(store: Records, transactions: Transactions) -> None:
    def count(connection: Connection) -> int:
        return len(connection.execute(select(Conversation.id)).all())

    with transactions.reading() as connection:
        assert count(connection) == 0
        store.conversations.record(exchange(1))
        assert count(connection) == 0
    with transactions.reading() as connection:
        assert count(connection) == 1


def test_reading_writes_nothing(transactions: Transactions) -> None:
    with (
        pytest.raises(StorageError, match="read only"),
        transactions.reading() as connection,
    ):
        connection.execute(text("DELETE FROM tokens"))


def test_a_nul_character_is_bad_input(store: Records) -> None:
    with pytest.raises(BadInputError, match="NUL"):
        store.conversations.record(exchange(question="Where\0is it?"))


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("53100", "The records store cannot be written: the disk is full."),
        ("53300", "takes no more connections"),
        ("25006", "read only"),
        ("40P01", "try again"),
        ("57P01", "stopping or starting"),
        ("42501", "lacks the permission"),
        ("XX001", "restore it from a backup"),
        ("42P01", r"could not be used \(UndefinedTable\)"),
    ],
)
def test_errors_are_sentences(transactions: Transactions, code: str, sentence: str) -> None:
    """The server itself raises them, by their codes."""
    with pytest.raises(StorageError, match=sentence), transactions.recording() as connection:
        connection.execute(text(f"DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '{code}'; END $$"))


def test_doors_that_stay_shut_say_why_without_the_password(url: str, server: Postgres) -> None:
    with pytest.raises(StorageError, match="does not accept the user or the password") as raised:
        open_records(server.url("postgres", password="wrong-and-secret"))
    assert "secret" not in raised.value.message
    with pytest.raises(StorageError, match="no database of that name"):
        open_records(server.url("nowhere"))
    nobody = server.url("postgres").replace(f":{server.port}", ":1")
    with pytest.raises(StorageError, match="cannot be reached: no connection"):
        open_records(nobody)


def test_a_server_that_was_killed_is_missed_and_found_again(
    store: Records, url: str, server: Postgres
) -> None:
    store.conversations.record(exchange(1))
    server.stop(signal.SIGKILL)
    with pytest.raises(StorageError, match="cannot be reached"):
        store.conversations.record(exchange(2))
    with pytest.raises(StorageError, match="cannot be reached"):
        store.search.conversations(limit=1)
    server.start()
    store.conversations.record(exchange(3))
    assert store.conversations.trace("t3")["trace_id"] == "t3"


def test_what_these_tests_are_lent_is_as_new_whatever_was_done_to_it(server: Postgres, url: str) -> None:
    def numbers_issued() -> int | None:
        with psycopg.connect(url) as connection:
            [found] = connection.execute("SELECT sum(last_value) FROM pg_sequences").fetchone() or [None]
        return found

    with closing(open_records(url)) as store:
        store.conversations.record(exchange(1))
        assert numbers_issued()
        assert server.lend() == url  # though somebody is still connected
    with closing(open_records(url)) as store:
        assert numbers_issued() is None
        assert store.search.conversations(limit=1) == []
        store.conversations.record(exchange(1))
    server.execute("DROP TABLE erasures", url.rpartition("/")[2])
    assert server.lend() != url
