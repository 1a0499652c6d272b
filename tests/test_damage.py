"""What becomes of a live snapshot's files under a real server: it outlives that, says so, and goes on."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from scripts.research.several.fleet import Member, running
from server.errors import SnapshotError
from server.index.intact import require_intact
from server.index.search import Index
from server.index.snapshot import DatabaseError
from server.inference.encoders import Embedder
from server.settings import Settings
from server.wiring.opened import build_live
from server.wiring.snapshot_store import shelf
from tests import small_site

QUESTION = {"question": "When is the library open?"}
BEFORE, AFTER = "to midnight on weekdays", "to 2 a.m. on weekdays"  # what each of the two snapshots says
SOON_S = 30.0
HEADERS, BLOCK = 12_288, 262_144  # bytes of a DuckDB file: three headers, then blocks with a checksum each

Harm = Callable[[Path], object]


def cut(path: Path) -> None:
    os.truncate(path, 100)


def overwrite(path: Path) -> None:
    """Other bytes in place, over all of it, and the time of its content as it was."""
    size, had = path.stat().st_size, path.stat()
    with path.open("r+b") as file:
        file.write(b"\x5a" * size)
    os.utime(path, ns=(had.st_atime_ns, had.st_mtime_ns))


def become_the_other(path: Path) -> None:
    """In place, as `rsync --inplace` does: the same file of the other snapshot, which is sound in itself."""
    [other] = [one for one in path.parent.parent.glob(f"2*/{path.name}") if one.parent != path.parent]
    with path.open("r+b") as file:
        file.write(other.read_bytes())
        file.truncate()


@pytest.fixture
def own(own_snapshots: Settings) -> Settings:
    """A home whose later snapshot is live, for one test."""
    shelf(own_snapshots).publish(shelf(own_snapshots).names()[-1])
    return own_snapshots


@pytest.fixture(scope="module")
def home(two_snapshots: Settings, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """The same for all tests of the server, each of which leaves both snapshots whole."""
    settings = small_site.settings_for(tmp_path_factory.mktemp("damage") / "home")
    shutil.copytree(two_snapshots.snapshots_dir, settings.snapshots_dir, symlinks=True)
    shelf(settings).publish(shelf(settings).names()[-1])
    return replace(settings, reranker="")


@pytest.fixture(scope="module")
def server(home: Settings) -> Iterator[Member]:
    with running(1, home.as_environ(), home.home) as fleet:
        yield fleet.members[0]


def ask(server: Member) -> httpx.Response:
    return httpx.post(f"{server.url}/api/ask", json=QUESTION, timeout=SOON_S)


def readiness(server: Member) -> dict[str, Any]:
    response = httpx.get(f"{server.url}/readyz", timeout=SOON_S)
    assert response.is_success == response.json()["ready"]
    return dict(response.json())


def wait_for(server: Member, seen: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    """What `/readyz` says once that is seen in it; every question until then has a right answer or a 503."""
    give_up_at = time.monotonic() + SOON_S
    while not seen(told := readiness(server)):
        answer = ask(server)
        if answer.status_code != 503:
            assert BEFORE in answer.json()["answer"] or AFTER in answer.json()["answer"]
        assert time.monotonic() < give_up_at, told
        assert server.process
        assert server.process.poll() is None
    return told


@pytest.mark.parametrize(
    ("name", "harm"),
    [
        ("vectors.f32", cut),
        ("vectors.f32", overwrite),
        ("postings.bin", cut),
        ("index.duckdb", cut),
        ("index.duckdb", overwrite),
        ("index.duckdb", become_the_other),
        ("scope.onnx", cut),
        ("vectors.f32", Path.unlink),
        ("manifest.json", Path.unlink),
    ],
)
def test_a_server_outlives_a_damaged_file_and_answers_from_the_snapshot_before(
    home: Settings, server: Member, tmp_path: Path, name: str, harm: Harm
) -> None:
    first, second = shelf(home).names()
    live = home.snapshots_dir / second
    good = Path(shutil.copytree(live, tmp_path / "good"))
    assert AFTER in ask(server).json()["answer"]
    harm(live / name)
    told = wait_for(server, lambda told: told["degraded"])
    assert told["missing"] == []
    [sentence] = told["degraded"]
    assert sentence.endswith(f"The snapshot {first!r} answers in its place.")
    assert name in sentence
    assert str(home.home) not in sentence
    assert BEFORE in ask(server).json()["answer"]
    assert f"The snapshot {first} answers in place of {second}" in server.log.read_text()
    shutil.copyfile(good / name, live / name)
    assert wait_for(server, lambda told: not told["degraded"])["ready"]
    assert AFTER in ask(server).json()["answer"]


def test_without_an_earlier_snapshot_questions_get_503_until_one_is_whole_or_published(
    home: Settings, server: Member, tmp_path: Path
) -> None:
    good = Path(shutil.copytree(home.snapshots_dir, tmp_path / "good", symlinks=True))
    first, second = shelf(home).names()
    vectors = [home.snapshots_dir / name / "vectors.f32" for name in (first, second)]
    for path in vectors:
        cut(path)
    sentence = f"vectors.f32 of the snapshot {second!r} is damaged: its hash is another."
    assert wait_for(server, lambda told: not told["ready"])["missing"] == [sentence]
    refused = ask(server)
    assert refused.status_code == 503
    told = refused.json()["error"]
    assert told["code"] == "snapshot_failed"
    assert not any(word in told["message"] for word in ("vectors", second)), "that is for /readyz and the log"
    assert sentence in server.log.read_text()
    assert "Retry-After" in refused.headers
    assert httpx.get(f"{server.url}/healthz").is_success

    later = shelf(home).new_name()
    whole = shutil.copytree(good / first, tmp_path / later)
    shelf(home).shelve(Path(whole), later)
    shelf(home).publish(later)
    wait_for(server, lambda told: told["ready"] and not told["degraded"])
    assert BEFORE in ask(server).json()["answer"]

    shutil.rmtree(home.snapshots_dir / later)
    wait_for(server, lambda told: not told["ready"])
    shelf(home).publish(second)
    wait_for(server, lambda told: told["missing"] == [sentence])
    for path in vectors:
        shutil.copyfile(good / path.relative_to(home.snapshots_dir), path)
    wait_for(server, lambda told: told["ready"] and not told["degraded"])
    assert AFTER in ask(server).json()["answer"]


def test_nothing_that_is_searched_or_asked_is_a_mapped_file_with_a_name(
    home: Settings, server: Member
) -> None:
    assert ask(server).is_success
    assert server.process
    maps = Path(f"/proc/{server.process.pid}/maps")
    if not maps.exists():
        pytest.skip("no /proc here")
    mapped = maps.read_text()
    assert "vectors.f32 (deleted)" in mapped
    folders = (str(home.snapshots_dir), str(home.models_dir.resolve()))
    named = [line for line in mapped.splitlines() if not line.endswith("(deleted)")]
    assert [line for line in named if any(folder in line for folder in folders)] == []
    assert list((home.home / "opening").iterdir()) == []


def test_a_question_under_way_keeps_the_whole_snapshot_that_it_began_with(
    own: Settings, embedder: Embedder
) -> None:
    first, second = shelf(own).names()
    live = own.snapshots_dir / second
    with closing(build_live(own, own.current_snapshot, embedder)) as lives, lives.lease() as begun:
        rows = begun.snapshot.rows("SELECT * FROM chunks ORDER BY chunk_id")
        near = begun.vector.exact(begun.snapshot.vectors[3], 5)
        for name in ("vectors.f32", "postings.bin", "index.duckdb"):
            become_the_other(live / name)
        lives.look()
        with lives.lease() as now:
            assert now.name == first
        assert begun.snapshot.rows("SELECT * FROM chunks ORDER BY chunk_id") == rows
        assert begun.vector.exact(begun.snapshot.vectors[3], 5) == near
        assert begun.vector.hnsw(begun.snapshot.vectors[3], 1)[0].chunk_id == near[0].chunk_id


def test_a_snapshot_that_is_no_more_is_answered_from_no_more(own: Settings, embedder: Embedder) -> None:
    with closing(build_live(own, own.current_snapshot, embedder)) as live:
        with live.lease():
            pass
        for name in shelf(own).names():
            shutil.rmtree(own.snapshots_dir / name)
        live.look()
        with pytest.raises(SnapshotError, match=r"no readable manifest\.json"), live.lease():
            pass


def damage_vectors(path: Path) -> None:
    """Turn a byte of the one block of `index.duckdb` that is read for its vectors alone."""
    whole = path.read_bytes()
    for block in range(HEADERS, len(whole), BLOCK):
        at = block + BLOCK // 4096
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 255]) + whole[at + 1 :])
        with suppress(SnapshotError), closing(Index(path.parent, threads=1)) as index:
            try:
                index.snapshot.rows("SELECT * FROM vectors")
            except DatabaseError:
                return
    raise AssertionError("there is no such block")


def test_what_is_indexed_takes_no_vectors_from_a_damaged_snapshot(own: Settings) -> None:
    damage_vectors(own.current_snapshot.resolve() / "index.duckdb")
    report = small_site.index_pages(own, small_site.kept_pages())
    assert report.reused == 0
    assert shelf(own).current_name == report.snapshot
    require_intact(own.current_snapshot)
