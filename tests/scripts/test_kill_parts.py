"""A few kills of each part; `python -m scripts.research.killing.kill_parts` makes a hundred.

Those of the indexer and the crawler stand with their own tests: tests/ingest/test_publish.py, test_crawl.py.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from scripts.research.killing import crawler, damage, indexer
from scripts.research.killing.home import small_home as home_in
from scripts.research.killing.kill_parts import Part, parts_with
from scripts.research.killing.killed import Plan
from scripts.research.killing.records import trouble_in
from scripts.research.killing.visitors import QUESTIONS, Acknowledged
from server.models import Feedback
from server.settings import Settings
from server.storage.engine import engine_for
from server.workbench.records import open_records
from tests.ingest.crawl.loopback import serving
from tests.postgres import TEMPLATE, Postgres, needed
from tests.storage.exchanges import exchange

pytestmark = pytest.mark.long

SEED = 8


@pytest.fixture
def server(postgres: Postgres | None) -> Postgres:
    return needed(postgres)


def survived(part: Part, kills: int, folder: Path, small_home: Settings) -> dict[str, int]:
    """What was seen of so many kills, all of which were survived."""
    home_in(folder, small_home.snapshots_dir)
    done = part(folder, Plan(kills, SEED))
    assert (done.made, done.troubles) == (kills, [])
    return done.seen


def test_answers_that_a_killed_server_gave_are_kept(tmp_path: Path, small_home: Settings) -> None:
    assert survived(parts_with(None)["server"], 2, tmp_path, small_home)["answers acknowledged"]


def test_a_server_outlives_damaged_files_of_its_snapshot(
    tmp_path: Path, small_home: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(damage, "KNOWN_FROM", 3 * len(QUESTIONS))  # then each visitor hears the same again
    assert survived(parts_with(None)["damage"], 2, tmp_path, small_home)["answers acknowledged"]


@pytest.mark.parametrize("name", ["migration", "migration-postgresql"])
def test_a_killed_migration_is_finished_by_the_next_start(
    name: str, tmp_path: Path, small_home: Settings, server: Postgres
) -> None:
    survived(parts_with(server)[name], 2, tmp_path, small_home)


def test_a_server_outlives_its_database(tmp_path: Path, small_home: Settings, server: Postgres) -> None:
    seen = survived(parts_with(server)["postgresql"], 2, tmp_path, small_home)
    assert seen["turned away with 503"]
    assert seen["found unready"] == 2


@pytest.mark.parametrize("backend", ["sqlite", "postgresql"])
def test_what_is_lost_is_seen(backend: str, tmp_path: Path, postgres: Postgres | None) -> None:
    """A check that cannot fail would survive everything."""
    url = f"sqlite:///{tmp_path / 'records.sqlite'}"
    if backend == "postgresql":
        url = needed(postgres).new_database(template=TEMPLATE)
    answer = exchange(1).answer.as_json()
    with closing(open_records(url)) as store:
        store.conversations.record(exchange(1))
        had = Acknowledged({"t1": answer}, {"m1": True})
        assert trouble_in(url, had) == "feedback that was taken is not recorded (m1)"
        store.conversations.rate(Feedback("c1", "m1", True, "", "", "2026-03-01T11:00:00+00:00"))
        assert trouble_in(url, had) is None
        had.answers["t2"] = answer
        assert trouble_in(url, had) == "an answer that was given is not recorded (t2)"
    engine = engine_for(url)
    with engine.begin() as connection:
        connection.execute(text("DELETE FROM traces"))
    engine.dispose()
    assert trouble_in(url, Acknowledged()) == "1 answers without a trace"


def test_a_snapshot_that_is_not_whole_is_seen(tmp_path: Path, small_home: Settings) -> None:
    settings = home_in(tmp_path, small_home.snapshots_dir)
    assert indexer.trouble_in(settings) is None
    live = (settings.snapshots_dir / "current").resolve()
    (live / "index.duckdb").write_bytes(b"half of it")
    assert indexer.trouble_in(settings)
    (live / "manifest.json").unlink()
    assert indexer.trouble_in(settings) == f"the live snapshot {live.name} is not whole"
    (settings.snapshots_dir / ".building-1").mkdir()
    assert indexer.leftovers(settings) == [".building-1 was left"]


def test_what_a_damaged_snapshot_should_not_have_said_is_seen() -> None:
    known = {("20260101-000000", "Open until midnight.")}
    had = Acknowledged({"t1": {"snapshot": "20260101-000000", "answer": "Open until midnight."}})
    assert damage.wrong(had, known) is None
    had.answers["t2"] = {"snapshot": "20260101-000000", "answer": "Open all night."}
    assert damage.wrong(had, known) == "20260101-000000 was said to say 'Open all night.'"
    had.statuses[500] += 1
    assert damage.wrong(had, known) == "visitors were answered {500: 1}"


def test_pages_that_are_gone_from_a_crawl_are_seen(tmp_path: Path, small_home: Settings) -> None:
    settings = home_in(tmp_path, small_home.snapshots_dir)
    with serving({}) as site:
        assert crawler.looked_at(settings, site, {"/"})[0] == "the crawl store is gone"
