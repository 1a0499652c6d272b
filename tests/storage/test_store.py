"""The store under troubles: full disks, locked and broken files, many threads, a killed process."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from server.errors import BadInputError, StorageError
from server.storage import engine as database
from server.storage.engine import Transactions, engine_for
from server.workbench.records import Records, open_records
from tests.full_disk import full_disk
from tests.storage.exchanges import exchange, role_of

RECORD_UNTIL_KILLED = """
import sys
from server.workbench.records import open_records
from tests.storage.exchanges import exchange, role_of
store = open_records(sys.argv[1])
for number in range(3000):
    store.conversations.record(exchange(number, conversation=f"c{number}"))
    print(f"t{number}", flush=True)
"""


def _record_many(store: Records, count: int) -> None:
    for number in range(count):
        store.conversations.record(exchange(number))


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_a_disk_that_fills_up_is_a_storage_error_and_leaves_whole_exchanges(url: str) -> None:
    with full_disk(pages=100):
        store = open_records(url)
        with pytest.raises(StorageError, match="The records store cannot be written: the disk is full"):
            _record_many(store, 2000)
        written = store.conversations.conversation("c1")["messages"]
        assert [message["role"] for message in written] == ["user", "assistant"] * (len(written) // 2)
        assert store.conversations.trace(written[-1]["trace_id"])
        store.close()


@pytest.mark.parametrize("new_url", ["sqlite"], indirect=True)
def test_a_disk_without_room_for_the_tables_is_a_storage_error(new_url: str) -> None:
    with full_disk(pages=3), pytest.raises(StorageError, match=r"records\.sqlite.*disk is full"):
        open_records(new_url)
    open_records(new_url).close()  # nothing half-made is in the way once there is room


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_the_console_still_opens_on_a_full_disk(url: str, store: Records) -> None:
    token = store.tokens.create("ana", "viewer", 30)
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as other:
        pages = other.execute("PRAGMA page_count").fetchone()[0]
    with full_disk(pages):
        reopened = open_records(url)
        assert role_of(reopened, token) == "viewer"
        reopened.close()


def test_a_store_locked_for_too_long_is_busy(
    url: str, store: Records, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "BUSY_TIMEOUT_S", 0.05)
    impatient, other = open_records(url), engine_for(url)
    with Transactions(other).writing():
        with pytest.raises(StorageError, match="busy"):
            impatient.tokens.create("ana", "viewer", 1)
        assert impatient.search.conversations(limit=1) == []
    assert impatient.tokens.create("ana", "viewer", 1)
    impatient.close()
    other.dispose()


def test_a_file_that_is_no_database_says_so(tmp_path: Path) -> None:
    path = tmp_path / "records.sqlite"
    path.write_text("These are my notes of the week, and no database at all. " * 50)
    with pytest.raises(StorageError, match=r"records\.sqlite is not a SQLite database"):
        open_records(f"sqlite:///{path}")


def test_a_folder_that_cannot_be_made_says_why(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageError, match="cannot be made"):
        open_records(f"sqlite:///{tmp_path / 'file' / 'home' / 'records.sqlite'}")
    with pytest.raises(StorageError, match="cannot be opened"):
        open_records(f"sqlite:///{tmp_path}")


@pytest.mark.parametrize("url", ["", "records", "sqlite://", "sqlite:///:memory:", "paper://here/there"])
def test_a_url_that_cannot_hold_records_is_bad_input(url: str) -> None:
    with pytest.raises(BadInputError, match="sqlite:////folder"):
        open_records(url)


def test_a_missing_driver_is_named_without_the_password() -> None:
    with pytest.raises(StorageError, match="driver 'pg8000' is not installed") as raised:
        open_records("postgresql+pg8000://lodge:secret@127.0.0.1/lodge")
    assert "secret" not in raised.value.message


def test_threads_write_and_read_at_once(store: Records) -> None:
    def visit(number: int) -> int:
        for turn in range(5):
            store.conversations.record(exchange(number * 5 + turn, conversation=f"c{number % 3}"))
            store.search.conversations(limit=5)
        return len(store.conversations.history(f"c{number % 3}", 1000))

    with ThreadPoolExecutor(8) as pool:
        assert all(seen >= 10 for seen in pool.map(visit, range(12)))
    assert sum(row.messages for row in store.search.conversations(limit=10)) == 12 * 5 * 2


def test_no_recorded_answer_is_lost_when_the_process_is_killed(url: str) -> None:
    writer = subprocess.Popen(
        [sys.executable, "-c", RECORD_UNTIL_KILLED, url], stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    acknowledged = [writer.stdout.readline().strip() for _ in range(40)]
    writer.send_signal(signal.SIGKILL)
    rest, _ = writer.communicate(timeout=30)
    acknowledged += [line for line in rest.splitlines(keepends=False) if line]
    store = open_records(url)
    assert [trace_id for trace_id in acknowledged if not store.conversations.trace(trace_id)] == []
    assert all(row.messages == 2 for row in store.search.conversations(limit=200))
    store.close()


def test_a_table_that_is_missing_is_not_called_a_missing_connection(url: str, store: Records) -> None:
    engine = engine_for(url)
    with engine.begin() as connection:
        connection.execute(text("DROP TABLE erasures"))
    engine.dispose()
    with pytest.raises(StorageError, match="could not be used"):
        store.conversations.is_erased("c1", "main")
