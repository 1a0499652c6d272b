from __future__ import annotations

import json
import os
import random
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from server.errors import NotFoundError
from server.index.search import Index
from server.ingest.publish import SnapshotStore
from tests import small_site
from tests.ingest.run_index import IndexProcess

pytestmark = pytest.mark.long


@pytest.fixture
def shelf(tmp_path: Path) -> SnapshotStore:
    return SnapshotStore(tmp_path / "snapshots")


def put(shelf: SnapshotStore, name: str, pages: int = 1) -> None:
    """A finished snapshot, as far as a shelf looks at it."""
    with shelf.building() as folder:
        (folder / "index.duckdb").write_bytes(bytes(250_000))
        table = {"created_at": f"2026-05-01T00:00:0{pages}+00:00", "pages": pages, "chunks": 2 * pages}
        (folder / "manifest.json").write_text(json.dumps(table))
        shelf.shelve(folder, name)


def hidden(shelf: SnapshotStore) -> list[str]:
    """What a shelf keeps out of sight: builds, removals, links on their way."""
    return sorted(path.name for path in shelf.folder.glob(".*"))


def test_an_empty_shelf_has_nothing_live(shelf: SnapshotStore) -> None:
    assert shelf.current_name is None
    assert shelf.entries() == []


def test_a_shelved_snapshot_is_listed_but_not_live_until_it_is_published(shelf: SnapshotStore) -> None:
    put(shelf, "a", pages=3)
    assert shelf.current_name is None
    shelf.publish("a")
    [entry] = shelf.entries()
    assert (entry.name, entry.current, entry.pages, entry.chunks, entry.megabytes) == ("a", True, 3, 6, 0.3)
    assert entry.created_at == "2026-05-01T00:00:03+00:00"


def test_entries_are_the_newest_first(shelf: SnapshotStore) -> None:
    for name in ("20260501-100000", "20260501-100000-2", "20260502-090000"):
        put(shelf, name)
    shelf.publish("20260501-100000")
    assert [(entry.name, entry.current) for entry in shelf.entries()] == [
        ("20260502-090000", False),
        ("20260501-100000-2", False),
        ("20260501-100000", True),
    ]


@pytest.mark.parametrize("manifest", [b"", b'{"created_at": "2026', b"[]", b'{"pages": 1}', b"\xff\xfe\0"])
def test_a_damaged_manifest_is_told_and_the_others_are_listed(
    manifest: bytes, shelf: SnapshotStore, caplog: pytest.LogCaptureFixture
) -> None:
    put(shelf, "a")
    put(shelf, "b")
    (shelf.folder / "b" / "manifest.json").write_bytes(manifest)
    assert [entry.name for entry in shelf.entries()] == ["a"]
    assert "The snapshot b is not listed; its manifest is damaged" in caplog.text


def test_rolls_back_to_a_name_and_forward_again(shelf: SnapshotStore) -> None:
    put(shelf, "a")
    put(shelf, "b")
    for name in ("b", "a", "b"):
        shelf.publish(name)
        assert shelf.current_name == name
        assert (shelf.current / "manifest.json").is_file()


@pytest.mark.parametrize("name", ["c", "current", ".", "..", "../snapshots/a", ".building-1", ""])
def test_an_unknown_name_is_named_with_those_there_are(shelf: SnapshotStore, name: str) -> None:
    put(shelf, "a")
    put(shelf, "b")
    shelf.publish("a")
    with pytest.raises(NotFoundError, match=r"There are: a, b\."):
        shelf.publish(name)
    assert shelf.current_name == "a"


def test_an_empty_shelf_says_that_there_are_none(shelf: SnapshotStore) -> None:
    with pytest.raises(NotFoundError, match=r"'a'\. There are: none\."):
        shelf.publish("a")


def test_publishing_is_atomic(shelf: SnapshotStore) -> None:
    """Whoever reads `current` all the while finds a whole snapshot behind it every time."""
    put(shelf, "a")
    put(shelf, "b")
    shelf.publish("a")
    stop = threading.Event()
    misses: list[str | None] = []

    def read() -> None:
        while not stop.is_set():
            name = shelf.current_name
            if name not in ("a", "b") or not (shelf.current / "manifest.json").is_file():
                misses.append(name)

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(100):
        shelf.publish("b")
        shelf.publish("a")
    stop.set()
    reader.join()
    assert misses == []
    assert hidden(shelf) == []


def test_names_sort_by_time_and_are_never_taken_twice(shelf: SnapshotStore) -> None:
    now = datetime(2026, 5, 1, 10, 0, 0, tzinfo=UTC)
    names = []
    for _ in range(3):
        names.append(shelf.new_name(now))
        put(shelf, names[-1])
    assert names == ["20260501-100000", "20260501-100000-2", "20260501-100000-3"]


def test_names_sort_in_the_order_of_making_where_the_clock_was_put_back(shelf: SnapshotStore) -> None:
    put(shelf, "20360501-100059-2")
    names = []
    for _ in range(2):
        names.append(shelf.new_name(datetime(2026, 5, 1, 10, 0, 0, tzinfo=UTC)))
        put(shelf, names[-1])
    assert names == ["20360501-100100", "20360501-100101"]
    assert shelf.names()[-2:] == names


def test_prune_keeps_the_newest_and_never_removes_the_live_one(shelf: SnapshotStore) -> None:
    for name in "abcde":
        put(shelf, name)
    shelf.publish("b")
    assert shelf.prune(2) == ["a", "c"]
    assert [entry.name for entry in shelf.entries()] == ["e", "d", "b"]
    assert shelf.prune(2) == []
    assert hidden(shelf) == []


def test_a_build_that_fails_leaves_nothing(shelf: SnapshotStore) -> None:
    def fail(folder: Path) -> None:
        (folder / "index.duckdb").write_bytes(b"half")
        raise ValueError("boom")

    with pytest.raises(ValueError, match="boom"), shelf.building() as folder:
        fail(folder)
    assert list(shelf.folder.iterdir()) == []


def test_a_build_removes_what_killed_runs_left_and_nothing_else(shelf: SnapshotStore) -> None:
    put(shelf, "a")
    shelf.publish("a")
    for name in (".building-dead", ".removed-z"):
        (shelf.folder / name).mkdir()
        (shelf.folder / name / "index.duckdb").write_bytes(b"half")
    (shelf.folder / f".current-{_ended_process()}").symlink_to("a")
    with shelf.building() as one, shelf.building() as other:
        assert hidden(shelf) == sorted([one.name, other.name])
    assert hidden(shelf) == []
    assert shelf.current_name == "a"


def _ended_process() -> int:
    with subprocess.Popen(["true"]) as process:
        process.wait()
    return process.pid


def test_a_folder_that_is_no_snapshot_is_not_listed(shelf: SnapshotStore) -> None:
    put(shelf, "a")
    (shelf.folder / "notes").mkdir()
    assert [entry.name for entry in shelf.entries()] == ["a"]


def test_kills_at_random_moments_leave_the_live_snapshot_serving_and_the_next_run_succeeds(
    tmp_path: Path,
) -> None:
    settings = small_site.settings_for(tmp_path)
    shelf = SnapshotStore(settings.snapshots_dir)
    small_site.write_pages(tmp_path / "pages.jsonl", small_site.kept_pages())
    process = IndexProcess(tmp_path)
    start = time.perf_counter()
    assert process.result() == shelf.current_name
    length_s = time.perf_counter() - start
    moments = random.Random(7)
    killed = 0
    for _ in range(8):
        before, live = {entry.name for entry in shelf.entries()}, shelf.current_name
        process = IndexProcess(tmp_path)
        time.sleep(moments.uniform(0, length_s))
        killed += process.kill()
        assert shelf.current_name == live or shelf.current_name not in before
        assert _answers(shelf)
    assert killed >= 4
    report = small_site.index_pages(settings)
    assert shelf.current_name == report.snapshot
    assert _answers(shelf)
    assert hidden(shelf) == []
    assert len(shelf.entries()) <= settings.keep_snapshots


def _answers(shelf: SnapshotStore) -> bool:
    index = Index(shelf.current.resolve(), threads=1)
    try:
        hits = index.keyword.search("library", 3)
        return bool(index.snapshot.passages([hit.chunk_id for hit in hits])) and len(hits) > 1
    finally:
        index.close()


@pytest.mark.parametrize("most_bytes", [0, 5_000, 1_000_000])
def test_files_that_cannot_grow_end_the_run_and_the_live_snapshot_stays(
    limited_home: Path, most_bytes: int
) -> None:
    shelf = SnapshotStore(limited_home / "snapshots")
    live = shelf.current_name
    error = IndexProcess(limited_home, most_bytes).result()
    assert isinstance(error, tuple)
    assert error[0] == "StorageError", error
    assert shelf.current_name == live
    assert hidden(shelf) == []
    assert _answers(shelf)


@pytest.fixture(scope="module")
def limited_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a live snapshot."""
    home = tmp_path_factory.mktemp("limited")
    small_site.index_pages(small_site.settings_for(home), small_site.kept_pages())
    return home


@pytest.fixture(scope="module")
def full_disk_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home with a live snapshot on a file system of 16 MB; only root may mount one."""
    home = tmp_path_factory.mktemp("full")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(home)], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip("a file system cannot be mounted here")
    try:
        small_site.index_pages(small_site.settings_for(home), small_site.kept_pages())
        yield home
    finally:
        subprocess.run(["umount", "-l", str(home)], check=True)


@pytest.mark.parametrize("free_kilobytes", [0, 400, 1500])
def test_a_full_disk_ends_the_run_and_the_live_snapshot_stays(
    full_disk_home: Path, free_kilobytes: int
) -> None:
    shelf = SnapshotStore(full_disk_home / "snapshots")
    live = shelf.current_name
    filler = full_disk_home / "filler"
    room = os.statvfs(full_disk_home)
    filler.write_bytes(bytes(room.f_bavail * room.f_frsize - free_kilobytes * 1024))
    try:
        error = IndexProcess(full_disk_home).result()
        assert isinstance(error, tuple)
        assert error[0] == "StorageError", error
        assert shelf.current_name == live
        assert _answers(shelf)
        assert hidden(shelf) == []
    finally:
        filler.unlink()


class Notebook:
    """A mirror that notes what it is told, and what was live at that moment."""

    def __init__(self) -> None:
        self.shelf: SnapshotStore | None = None
        self.told: list[tuple[str, str, str | None]] = []

    def note(self, what: str, name: str) -> None:
        self.told.append((what, name, self.shelf.current_name if self.shelf else None))

    def copy(self, folder: Path) -> None:
        assert (folder / "manifest.json").is_file()
        self.note("copy", folder.name)

    def switch(self, folder: Path) -> None:
        assert (folder / "manifest.json").is_file()
        self.note("switch", folder.name)

    def drop(self, names: Sequence[str]) -> None:
        self.note("drop", " ".join(names))


@pytest.fixture
def mirrored(tmp_path: Path) -> tuple[SnapshotStore, Notebook]:
    notebook = Notebook()
    notebook.shelf = SnapshotStore(tmp_path / "snapshots", notebook)
    return notebook.shelf, notebook


def test_a_mirror_copies_before_a_snapshot_is_live_and_switches_after(
    mirrored: tuple[SnapshotStore, Notebook],
) -> None:
    shelf, notebook = mirrored
    put(shelf, "a")
    put(shelf, "b")
    for name in ("a", "b"):
        shelf.copy(name)
        shelf.publish(name)
    first, second = [("copy", "a", None), ("switch", "a", "a")], [("copy", "b", "a"), ("switch", "b", "b")]
    assert notebook.told == first + second


def test_a_rollback_does_not_wait_for_the_mirror(mirrored: tuple[SnapshotStore, Notebook]) -> None:
    shelf, notebook = mirrored
    put(shelf, "a")
    put(shelf, "b")
    shelf.publish("b")
    shelf.publish("a")
    assert notebook.told[-1] == ("switch", "a", "a")
    assert {what for what, _, _ in notebook.told} == {"switch"}


def test_a_mirror_drops_what_is_pruned_and_is_not_told_of_nothing(
    mirrored: tuple[SnapshotStore, Notebook],
) -> None:
    shelf, notebook = mirrored
    for name in ("a", "b", "c", "d"):
        put(shelf, name)
    shelf.publish("a")
    assert shelf.prune(2) == ["b"]
    assert notebook.told[-1] == ("drop", "b", "a")
    told = len(notebook.told)
    assert shelf.prune(2) == []
    assert len(notebook.told) == told
