"""The gate before publishing, over the small college's two snapshots."""

from __future__ import annotations

import multiprocessing
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from server.ask.pipeline import Asker
from server.errors import (
    BadInputError,
    BlockedError,
    ConflictError,
    ModelError,
    NotFoundError,
    NotReadyError,
    SnapshotError,
    StorageError,
)
from server.models.golden import GoldenOutcome, GoldenQuestion
from server.settings import Settings
from server.wiring.publishing import command_publisher
from server.wiring.snapshot_store import shelf
from server.workbench.records import Records, open_existing, open_records
from server.workbench.snapshots.publishing import SnapshotPublisher
from tests import small_site
from tests.small_site import SITE

LIBRARY = GoldenQuestion("library", "main", "When is the library open?", (SITE + "/library",))
TUITION = GoldenQuestion("tuition", "main", "How much is tuition for residents?", (SITE + "/tuition",))
BOATS = GoldenQuestion("boats", "rowing", "When are boats lent?", (SITE + "/boats",))


@pytest.fixture
def records(own_snapshots: Settings) -> Iterator[Records]:
    store = open_records(own_snapshots.records_database_url)
    yield store
    store.close()


@contextmanager
def publisher(settings: Settings, warnings: list[str] | None = None) -> Iterator[SnapshotPublisher]:
    with command_publisher(settings, ([] if warnings is None else warnings).append) as one:
        yield one


def names(settings: Settings) -> tuple[str, str]:
    """The live snapshot of the fixture, and the later one."""
    first, second = shelf(settings).names()
    return first, second


def log(records: Records) -> list[tuple[str, str]]:
    """What the audit log says of snapshots, newest first: what was done, to which."""
    return [((row.after or {})["done"], row.id) for row in records.audit.changes(limit=9, kind="snapshot")]


def test_a_failed_golden_question_keeps_visitors_with_the_live_one(
    own_snapshots: Settings, records: Records
) -> None:
    first, second = names(own_snapshots)
    sites = '[sites.main]\nname = "Brackwater"\n[sites.rowing]\nname = "Rowing"\nstrategy = "keyword"\n'
    (own_snapshots.home / "sites.toml").write_text(sites, encoding="utf-8")
    for golden in (LIBRARY, TUITION, BOATS):
        records.golden.put(golden)
    with (
        publisher(own_snapshots) as one,
        pytest.raises(BlockedError, match=r"1 of 3 golden .* rightly now") as blocked,
    ):
        one.publish(second)
    assert "main/tuition: " in blocked.value.message
    assert [(failed["id"], failed["question"]) for failed in blocked.value.failed] == [
        ("tuition", TUITION.question)
    ]
    assert shelf(own_snapshots).current_name == first
    assert shelf(own_snapshots).names() == [first, second]
    assert log(records) == []
    runs = {run.site: run for run in records.golden.runs()}
    assert {run.occasion for run in runs.values()} == {"publish"}
    assert (runs["main"].snapshot, runs["main"].passed, runs["main"].failed) == (second, 1, 1)
    assert (runs["rowing"].passed, runs["rowing"].failed) == (1, 0)
    assert {site: run.strategy for site, run in runs.items()} == {"main": "hybrid", "rowing": "keyword"}
    assert records.search.conversations(limit=9) == []


def test_what_was_wrong_before_is_told_and_holds_nothing_back(
    own_snapshots: Settings, records: Records
) -> None:
    _, second = names(own_snapshots)
    never = GoldenQuestion("never", "main", "When is the library open?", (SITE + "/nowhere",))
    gap = replace(TUITION, id="gap", known_gap="It is set in May.")
    for golden in (LIBRARY, never, gap):
        records.golden.put(golden)
    with publisher(own_snapshots) as one:
        published = one.publish(second)
    assert shelf(own_snapshots).current_name == second
    assert [one["id"] for one in published.still_wrong] == ["never"]
    assert [(one["id"], one["known_gap"]) for one in published.known_gaps] == [("gap", "It is set in May.")]
    assert (published.failed, published.asked) == ([], 3)
    assert "1 of 3 golden questions are answered rightly (1 wrong as before, 1 known gaps)" in published.says
    [run] = records.golden.runs()
    assert (run.passed, run.failed, run.known_gaps) == (1, 1, 1)


def test_the_same_snapshot_can_always_be_published_again(own_snapshots: Settings, records: Records) -> None:
    first, _ = names(own_snapshots)
    records.golden.put(BOATS)  # which the first snapshot cannot answer
    same = [*small_site.kept_pages(), *small_site.dropped_pages()]
    again = small_site.index_pages(own_snapshots, same, publish=False).snapshot
    assert again != first
    with publisher(own_snapshots) as one:
        assert [failed["id"] for failed in one.publish(again).still_wrong] == ["boats"]
        assert one.publish(again).live_before == again
    assert shelf(own_snapshots).current_name == again


def test_the_first_snapshot_of_all_is_live_and_says_what_is_wrong(tmp_path: Path) -> None:
    settings = replace(small_site.settings_for(tmp_path), reranker="")
    with closing(open_records(settings.records_database_url)) as records:
        records.golden.put(BOATS)
    built = small_site.index_pages(settings, small_site.kept_pages(), publish=False).snapshot
    with publisher(settings) as one:
        published = one.publish(built)
    assert (published.live_before, shelf(settings).current_name) == (None, built)
    assert [one["id"] for one in published.still_wrong] == ["boats"]


def test_where_the_live_one_cannot_be_asked_what_it_last_answered_counts(
    own_snapshots: Settings, records: Records
) -> None:
    first, second = names(own_snapshots)
    warnings: list[str] = []
    records.golden.put(TUITION)
    outcome = GoldenOutcome("tuition", "It is not answered.", "", ())
    told = {"site": "main", "occasion": "asked", "strategy": "hybrid", "by": "ada"}
    with publisher(own_snapshots, warnings) as one:

        @contextmanager
        def only_the_new_one(folder: Path) -> Iterator[Asker]:
            if folder.name == first:
                raise SnapshotError("It was made with another model.")
            with one.asker_over(folder) as asker:
                yield asker

        lame = replace(one, asker_over=only_the_new_one)
        with pytest.raises(BlockedError):  # nothing is known of it over the live one
            lame.publish(second)
        records.golden.note_run([outcome], snapshot=first, **told)
        assert [failed["id"] for failed in lame.publish(second).still_wrong] == ["tuition"]
    assert "could not be asked over the live snapshot" in warnings[0]


def test_an_override_with_its_reason_is_noted_before_what_it_allows(
    own_snapshots: Settings, records: Records
) -> None:
    first, second = names(own_snapshots)
    records.golden.put(TUITION)
    with publisher(own_snapshots) as one:
        with pytest.raises(BadInputError, match="An override says why"):
            one.publish(second, override="  ")
        published = one.publish(second, by="ada", override="Tuition is set\nin May.")
    assert shelf(own_snapshots).current_name == second
    assert (published.live_before, published.asked, len(published.failed)) == (first, 1, 1)
    assert log(records) == [("published", second), ("overrode the golden questions of", second)]
    made, allowed = records.audit.changes(limit=2, kind="snapshot")
    assert (made.before, (made.after or {})["live"], made.who) == ({"live": first}, second, "ada")
    assert (allowed.after or {})["reason"] == "Tuition is set in May."
    assert [one["id"] for one in (allowed.after or {})["failed"]] == ["tuition"]


def test_what_passes_is_published_and_an_override_for_nothing_is_not_noted(
    own_snapshots: Settings, records: Records
) -> None:
    records.golden.put(LIBRARY)
    _, second = names(own_snapshots)
    with publisher(own_snapshots) as one:
        assert one.publish(second, override="just in case").failed == []
    assert log(records) == [("published", second)]


def test_without_golden_questions_no_model_is_loaded(own_snapshots: Settings, records: Records) -> None:
    _, second = names(own_snapshots)
    with publisher(replace(own_snapshots, embedder="missing")) as one:
        assert one.publish(second).asked == 0
    assert shelf(own_snapshots).current_name == second
    assert log(records) == [("published", second)]


def test_without_records_none_are_made(own_snapshots: Settings) -> None:
    _, second = names(own_snapshots)
    with publisher(own_snapshots) as one:
        one.publish(second)
    assert shelf(own_snapshots).current_name == second
    assert open_existing(own_snapshots.records_database_url) is None


def test_where_nobody_can_be_asked_it_is_blocked_and_can_be_overridden(
    own_snapshots: Settings, records: Records
) -> None:
    first, second = names(own_snapshots)
    records.golden.put(LIBRARY)
    broken = replace(own_snapshots, reranker="missing")
    with publisher(broken) as one:
        with pytest.raises((ModelError, NotReadyError)):
            one.publish(second)
        assert shelf(own_snapshots).current_name == first
        one.publish(second, override="The reranker's disk has died.")
    assert shelf(own_snapshots).current_name == second
    overridden = records.audit.changes(limit=2, kind="snapshot")[1].after or {}
    assert "could not be asked" in overridden["failed"][0]["failure"]


def test_rolling_back_asks_nothing_and_is_noted(own_snapshots: Settings, records: Records) -> None:
    first, second = names(own_snapshots)
    with publisher(own_snapshots) as one:
        one.publish(second)
        records.golden.put(BOATS)  # which the first snapshot cannot answer
        assert one.roll_back(None, by="ada").name == first
        assert shelf(own_snapshots).current_name == first
        with pytest.raises(BadInputError, match="no earlier snapshot"):
            one.roll_back(None)
        with pytest.raises(NotFoundError):
            one.roll_back("nowhere")
    assert log(records)[0] == ("rolled back to", first)


def test_a_damaged_snapshot_is_neither_published_nor_gone_back_to(
    own_snapshots: Settings, records: Records
) -> None:
    first, second = names(own_snapshots)
    path = own_snapshots.snapshots_dir / second / "vectors.f32"
    path.write_bytes(bytes(path.stat().st_size))
    with publisher(own_snapshots) as one:
        for attempt in (one.publish, one.roll_back):
            with pytest.raises(SnapshotError, match=r"vectors\.f32 of the snapshot .* is damaged"):
                attempt(second)
    assert shelf(own_snapshots).current_name == first
    assert log(records) == []


def test_rolling_back_does_not_wait_for_a_log_that_cannot_be_written(
    own_snapshots: Settings, records: Records
) -> None:
    first, second = names(own_snapshots)
    warnings: list[str] = []
    with publisher(own_snapshots, warnings) as one:
        one.publish(second)
        _refuse_writes(own_snapshots)
        with pytest.raises(StorageError):
            one.publish(first)
        assert shelf(own_snapshots).current_name == second
        one.roll_back(first)
    assert shelf(own_snapshots).current_name == first
    assert "could not be noted" in warnings[0]
    assert log(records) == [("published", second)]


def _refuse_writes(settings: Settings) -> None:
    """The audit log's table takes nothing more, as on a full disk."""
    path = settings.records_database_url.removeprefix("sqlite:///")
    with sqlite3.connect(path) as db:
        db.execute(
            "CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'disk is full'); END"
        )
    db.close()


def test_who_goes_back_while_the_questions_are_asked_has_the_last_word(
    own_snapshots: Settings, records: Records
) -> None:
    first, second = names(own_snapshots)
    shelf(own_snapshots).publish(second)
    records.golden.put(LIBRARY)
    with publisher(own_snapshots) as one:

        @contextmanager
        def meanwhile(folder: Path) -> Iterator[Asker]:
            with one.asker_over(folder) as asker:
                one.roll_back(first)
                yield asker

        with pytest.raises(ConflictError, match="Somebody else"):
            replace(one, asker_over=meanwhile).publish(second)
    assert shelf(own_snapshots).current_name == first


def test_an_index_run_is_held_back_too_and_keeps_what_it_has_built(
    own_snapshots: Settings, records: Records
) -> None:
    first, second = names(own_snapshots)
    records.golden.put(TUITION)
    with pytest.raises(BlockedError):
        small_site.index_pages(own_snapshots, small_site.changed_pages())
    held = shelf(own_snapshots).names()
    assert (len(held), held[:2]) == (3, [first, second])
    assert shelf(own_snapshots).current_name == first


def test_snapshots_that_are_not_published_do_not_fill_the_disk(own_snapshots: Settings) -> None:
    first, second = names(own_snapshots)
    shelf(own_snapshots).publish(second)
    settings = replace(own_snapshots, keep_snapshots=1)
    built = small_site.index_pages(settings, small_site.changed_pages(), publish=False).snapshot
    assert shelf(settings).names() == [first, second, built]  # the live one, and the way back
    again = small_site.index_pages(settings, publish=False).snapshot
    assert shelf(settings).names() == [first, second, again]


def test_a_kill_between_shelving_and_publishing_leaves_the_live_one(
    own_snapshots: Settings, records: Records
) -> None:
    first, second = names(own_snapshots)
    records.golden.put(LIBRARY)
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=publish_and_wait, args=(str(own_snapshots.home), second, there))
    process.start()
    assert here.poll(60)
    assert here.recv() == "asking"
    process.kill()
    process.join()
    assert shelf(own_snapshots).current_name == first
    assert shelf(own_snapshots).names() == [first, second]
    assert (log(records), records.golden.runs()) == ([], [])
    with publisher(own_snapshots) as one:
        one.publish(second)
    assert shelf(own_snapshots).current_name == second


def publish_and_wait(home: str, name: str, told: Connection) -> None:
    """Publish until the first golden question is to be asked; then say so, and wait for the kill."""

    @contextmanager
    def asker_over(_folder: Path) -> Iterator[Asker]:
        told.send("asking")
        yield told.recv()

    settings = small_site.settings_for(Path(home))
    with command_publisher(settings, print) as one:
        replace(one, asker_over=asker_over).publish(name)
