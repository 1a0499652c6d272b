"""`lodge index --no-publish`, `lodge publish` and `lodge rollback`, with golden questions in the records."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest
from click.testing import CliRunner, Result

from server.cli import main
from server.models.golden import GoldenQuestion
from server.settings import Settings
from server.wiring.snapshot_store import shelf
from server.workbench.records import Records, open_records
from tests import small_site
from tests.small_site import SITE
from tests.test_cli import failed

pytestmark = pytest.mark.long

Lodge = Callable[..., Result]
TUITION = GoldenQuestion("tuition", "main", "How much is tuition for residents?", (SITE + "/tuition",))


@pytest.fixture
def lodge(own_snapshots: Settings) -> Lodge:
    """Runs a command over a home with a snapshot live and a later one shelved."""
    environ = own_snapshots.as_environ()
    return lambda *arguments: CliRunner().invoke(main, list(arguments), env=environ)


@pytest.fixture
def records(own_snapshots: Settings) -> Iterator[Records]:
    store = open_records(own_snapshots.records_database_url)
    store.golden.put(TUITION)
    yield store
    store.close()


def test_publish_is_blocked_by_name_and_overridden_with_a_reason(
    lodge: Lodge, records: Records, own_snapshots: Settings
) -> None:
    first, second = shelf(own_snapshots).names()
    sentence = failed(lodge("publish", second))
    assert f"{second} is not published: 1 of 1 golden questions are answered rightly now and fail" in sentence
    assert "(main/tuition: " in sentence
    assert shelf(own_snapshots).current_name == first
    published = json.loads(lodge("publish", second, "--override", "Set in May.", "--json").stdout)
    assert (published["name"], published["live_before"], published["asked"]) == (second, first, 1)
    assert lodge("rollback", first).stdout == f"{first} is live.\n"
    assert [
        (row.who, (row.after or {})["done"]) for row in records.audit.changes(limit=9, kind="snapshot")
    ] == [
        ("command line", "rolled back to"),
        ("command line", "published"),
        ("command line", "overrode the golden questions of"),
    ]
    assert "There are: " in failed(lodge("publish", "nowhere"))


def test_index_builds_without_publishing_and_says_how_far_it_is(
    lodge: Lodge, own_snapshots: Settings, records: Records
) -> None:
    live = shelf(own_snapshots).current_name
    pages = small_site.write_pages(own_snapshots.home / "pages.jsonl", small_site.changed_pages())
    arguments = ["index", "--pages", str(pages), "--no-publish", "--progress-lines", "--json"]
    result = lodge(*arguments)
    built = json.loads(result.stdout)["snapshot"]
    assert json.loads(result.stderr.splitlines()[0]).keys() == {"done", "total", "pages", "kept", "chunks"}
    assert shelf(own_snapshots).names()[-1] == built
    assert shelf(own_snapshots).current_name == live
    assert "answered rightly now and fail" in failed(lodge("index", "--pages", str(pages)))
    assert shelf(own_snapshots).current_name == live
    overridden = lodge("index", "--pages", str(pages), "--override", "Set in May.", "--json")
    assert shelf(own_snapshots).current_name == json.loads(overridden.stdout)["snapshot"]
