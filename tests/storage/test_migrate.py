"""Opening brings the tables up to date, once, whoever else is starting."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text

from server.errors import StorageError
from server.storage.engine import engine_for
from server.storage.migrate import HEAD, alembic_config
from server.storage.tables import Base
from server.workbench.records import open_records
from tests.storage.exchanges import exchange

OPEN = "import sys; from server.workbench.records import open_records; open_records(sys.argv[1]).close()"


def test_the_newest_migration_is_the_one_known_as_head(url: str) -> None:
    engine = engine_for(url)
    with engine.connect() as connection:
        script = ScriptDirectory.from_config(alembic_config(connection))
    engine.dispose()
    assert script.get_heads() == [HEAD]


def test_migrations_make_the_tables_that_the_code_declares(new_url: str) -> None:
    open_records(new_url).close()
    engine = engine_for(new_url)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        difference = compare_metadata(context, Base.metadata)
    engine.dispose()
    assert difference == []


def test_processes_that_start_at_once_all_find_the_store_ready(new_url: str) -> None:
    starters = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", OPEN, new_url], stderr=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    assert [starter.communicate(timeout=60)[1] for starter in starters] == ["", "", ""]
    assert [starter.returncode for starter in starters] == [0, 0, 0]
    store = open_records(new_url)
    store.conversations.record(exchange())
    store.close()


def test_a_second_opening_keeps_what_is_there_and_needs_no_alembic(new_url: str) -> None:
    store = open_records(new_url)
    store.conversations.record(exchange())
    store.close()
    code = OPEN + "; sys.exit('alembic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code, new_url], check=False).returncode == 0
    store = open_records(new_url)
    assert store.conversations.trace("t1")["trace_id"] == "t1"
    store.close()


def test_a_store_of_the_first_revision_keeps_its_conversations(new_url: str) -> None:
    engine = engine_for(new_url, foreign_keys=False)
    with engine.begin() as connection:
        command.upgrade(alembic_config(connection), "0001")
        moment = "'2026-03-01 10:00:00'"
        connection.execute(text(f"INSERT INTO conversations VALUES ('c1', 'main', {moment}, {moment})"))
    engine.dispose()
    store = open_records(new_url)
    assert store.conversations.conversation("c1")["site"] == "main"
    store.conversations.record(exchange())
    store.close()


def test_a_store_from_a_newer_lodge_is_left_alone(url: str) -> None:
    open_records(url).close()
    engine = engine_for(url)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StorageError, match=r"newer Lodge.*9999"):
        open_records(url)
    with engine.connect() as connection:
        assert connection.execute(text("SELECT version_num FROM alembic_version")).scalar() == "9999"
    engine.dispose()


def test_a_folder_with_a_percent_sign_is_a_folder_like_others(tmp_path: Path) -> None:
    store = tmp_path / "100%(done)s" / "records.sqlite"
    open_records(f"sqlite:///{store}").close()
    assert store.stat().st_size > 0
