from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from server.errors import NotReadyError, SnapshotError, StorageError
from server.index.manager import SnapshotManager, current_name
from server.index.search import Index
from tests.index.small_index import build


class Held(Index):
    """An index of nothing, which must not be used once it is closed."""

    def __init__(self, held: str) -> None:
        self.held = held
        self.closed = 0

    def use(self) -> str:
        assert not self.closed, f"{self.held} was closed under a lease"
        return self.held

    def close(self) -> None:
        self.closed += 1


class Opener:
    """Opens folders as `Held`, those named bad never; it remembers what it was asked to open."""

    def __init__(self) -> None:
        self.opened: list[Held] = []
        self.tried: list[str] = []

    def __call__(self, folder: Path) -> Held:
        self.tried.append(folder.name)
        if folder.name.startswith("bad"):
            raise SnapshotError(f"{folder.name} cannot be opened")
        self.opened.append(Held(folder.name))
        return self.opened[-1]


def publish(current: Path, name: str) -> None:
    link = current.with_name(".new")
    link.symlink_to(name)
    link.replace(current)


@pytest.fixture
def current(tmp_path: Path) -> Path:
    return tmp_path / "current"


@contextmanager
def askers(ask: Callable[[], object], count: int = 4) -> Iterator[None]:
    """Threads that ask without pause for the length of a `with`; the first failure is raised at its end."""
    stop = threading.Event()

    def run() -> None:
        while not stop.is_set():
            ask()

    with ThreadPoolExecutor(count) as pool:
        running = [pool.submit(run) for _ in range(count)]
        try:
            yield
        finally:
            stop.set()
        for future in running:
            future.result()


def test_without_a_snapshot_it_is_not_ready_and_says_what_to_do(current: Path) -> None:
    with pytest.raises(NotReadyError, match="lodge index"), SnapshotManager(current, Opener()).lease():
        pass


def test_a_snapshot_published_later_is_found(current: Path) -> None:
    live = SnapshotManager(current, Opener())
    with pytest.raises(NotReadyError), live.lease():
        pass
    publish(current, "one")
    with live.lease() as held:
        assert held.use() == "one"


def test_a_lease_keeps_its_snapshot_while_new_ones_get_the_next(current: Path) -> None:
    publish(current, "one")
    opener = Opener()
    live = SnapshotManager(current, opener)
    with live.lease() as first, live.lease() as second:
        publish(current, "two")
        with live.lease() as third:
            assert (first.use(), second.use(), third.use()) == ("one", "one", "two")
    assert [held.closed for held in opener.opened] == [1, 0]


def test_the_old_one_is_closed_when_its_last_lease_ends_and_not_before(current: Path) -> None:
    publish(current, "one")
    opener = Opener()
    live = SnapshotManager(current, opener)
    first, second = live.lease(), live.lease()
    held = first.__enter__()
    second.__enter__()
    publish(current, "two")
    with live.lease():
        pass
    first.__exit__(None, None, None)
    assert held.closed == 0
    second.__exit__(None, None, None)
    assert held.closed == 1


def test_an_error_within_a_lease_ends_it(current: Path) -> None:
    publish(current, "one")
    opener = Opener()
    live = SnapshotManager(current, opener)
    with pytest.raises(ValueError, match="boom"), live.lease():
        raise ValueError("boom")
    live.close()
    assert opener.opened[0].closed == 1


def test_swaps_under_threads_that_ask_all_the_time_fail_no_question(current: Path) -> None:
    publish(current, "s0")
    opener = Opener()
    live = SnapshotManager(current, opener)
    answered = threading.Semaphore(0)

    def ask() -> None:
        with live.lease() as held:
            held.use()
            answered.release()
            held.use()

    with askers(ask):
        for number in range(1, 30):
            publish(current, f"s{number}")
            for _ in range(20):
                assert answered.acquire(timeout=10)
    with live.lease() as held:
        assert held.use() == "s29"
    assert [held.closed for held in opener.opened[:-1]] == [1] * (len(opener.opened) - 1)
    assert opener.opened[-1].closed == 0


def test_real_snapshots_are_swapped_under_threads_that_search_all_the_time(current: Path) -> None:
    for name in ("red", "green"):
        build(current.parent / name, [f"the {name} door"])
    publish(current, "red")
    live = SnapshotManager(current, lambda folder: Index(folder, threads=1))
    asked_of: queue.Queue[str] = queue.Queue()

    def ask() -> None:
        with live.lease() as index:
            [hit] = index.keyword.search("door", 3)
            text = index.snapshot.passages([hit.chunk_id])[hit.chunk_id].text
            assert text == f"the {index.name} door"
            asked_of.put(index.name)

    with askers(ask, 2):
        for name in ("green", "red", "green"):
            publish(current, name)
            while asked_of.get(timeout=20) != name:
                pass
    live.close()


def test_a_broken_new_snapshot_leaves_the_old_one_serving_and_is_not_tried_again(current: Path) -> None:
    publish(current, "one")
    opener = Opener()
    live = SnapshotManager(current, opener)
    with live.lease():
        publish(current, "bad")
    for _ in range(3):
        with live.lease() as held:
            assert held.use() == "one"
    assert opener.tried == ["one", "bad"]
    publish(current, "two")
    with live.lease() as held:
        assert held.use() == "two"


def test_a_broken_first_snapshot_is_an_error_until_a_good_one_is_there(current: Path) -> None:
    publish(current, "bad")
    live = SnapshotManager(current, Opener())
    for _ in range(2):
        with pytest.raises(SnapshotError, match="bad cannot be opened"), live.lease():
            pass
    publish(current, "one")
    with live.lease() as held:
        assert held.use() == "one"


def finished(current: Path, *names: str) -> None:
    for name in names:
        (current.parent / name).mkdir()
        (current.parent / name / "manifest.json").touch()


def test_at_a_start_the_newest_earlier_one_that_opens_stands_in_for_a_broken_one(current: Path) -> None:
    finished(current, "a1", "a2", "bad", "later")
    (current.parent / "bad0").mkdir()
    publish(current, "bad")
    opener = Opener()
    live = SnapshotManager(current, opener)
    for _ in range(3):
        with live.lease() as held:
            assert held.use() == "a2"
    assert opener.tried == ["bad", "a2"]
    assert live.trouble == "bad cannot be opened The snapshot 'a2' answers in its place."
    publish(current, "later")
    with live.lease() as held:
        assert held.use() == "later"
    assert live.trouble is None


def test_while_a_broken_one_is_published_it_says_which_answers_instead(current: Path) -> None:
    publish(current, "one")
    live = SnapshotManager(current, Opener())
    with live.lease():
        assert live.trouble is None
    publish(current, "bad")
    with live.lease() as held:
        assert held.use() == "one"
    assert live.trouble is not None


def write(current: Path, name: str, words: str) -> None:
    folder = current.parent / name
    folder.mkdir(exist_ok=True)
    (folder / "manifest.json").write_text(words)


class Reader(Opener):
    """Opens a folder unless its file says that it is bad, or that there is no room."""

    def __call__(self, folder: Path) -> Held:
        words = (folder / "manifest.json").read_text()
        self.tried.append(f"{folder.name} {words}")
        if words == "full":
            raise StorageError("No room.")
        if words.startswith("bad"):
            raise SnapshotError(f"{folder.name} is bad.")
        self.opened.append(Held(f"{folder.name} {words}"))
        return self.opened[-1]


@pytest.fixture
def reader() -> Reader:
    return Reader()


@pytest.fixture
def watched(current: Path, reader: Reader) -> SnapshotManager[Held]:
    """Three snapshots, the second of them live."""
    for name in ("s1", "s2", "s3"):
        write(current, name, "good")
    publish(current, "s2")
    live = SnapshotManager(current, reader)
    live.look()
    return live


def leased(live: SnapshotManager[Held]) -> str:
    with live.lease() as held:
        return held.use()


def test_while_no_file_changes_nothing_is_opened_again(
    watched: SnapshotManager[Held], reader: Reader
) -> None:
    for _ in range(3):
        watched.look()
        assert leased(watched) == "s2 good"
    assert reader.tried == ["s2 good"]


def test_files_that_change_and_are_whole_are_opened_again(
    watched: SnapshotManager[Held], reader: Reader, current: Path
) -> None:
    write(current, "s2", "good, too")
    watched.look()
    assert leased(watched) == "s2 good, too"
    assert [held.closed for held in reader.opened] == [1, 0]
    assert watched.trouble is None


def test_a_change_that_leaves_size_and_times_of_content_alone_is_seen(
    watched: SnapshotManager[Held], current: Path
) -> None:
    path = current.parent / "s2" / "manifest.json"
    had = path.stat()
    path.write_text("bad!")
    os.utime(path, ns=(had.st_atime_ns, had.st_mtime_ns))
    assert path.stat().st_size == had.st_size
    watched.look()
    assert leased(watched) == "s1 good"


def test_the_one_before_answers_for_a_damaged_one_and_a_question_under_way_goes_on(
    watched: SnapshotManager[Held], reader: Reader, current: Path
) -> None:
    with watched.lease() as begun:
        write(current, "s2", "bad")
        watched.look()
        assert leased(watched) == "s1 good"
        assert begun.use() == "s2 good"
    assert reader.opened[0].closed == 1
    assert watched.trouble == "s2 is bad. The snapshot 's1' answers in its place."


def test_a_damaged_one_is_tried_again_once_its_files_are_at_rest(
    watched: SnapshotManager[Held], reader: Reader, current: Path
) -> None:
    for words in ("bad", "bad 2", "bad 3", "good again"):
        write(current, "s2", words)
        watched.look()
        assert leased(watched) == "s1 good"
    assert "s2 bad 3" not in reader.tried
    watched.look()
    assert leased(watched) == "s2 good again"
    assert watched.trouble is None


def test_one_that_stands_in_is_watched_too(watched: SnapshotManager[Held], current: Path) -> None:
    for name in ("s2", "s1"):
        write(current, name, "bad")
        watched.look()
    with pytest.raises(SnapshotError, match="s2 is bad"), watched.lease():
        pass
    write(current, "s1", "good again")
    for _ in range(2):
        watched.look()
    assert leased(watched) == "s1 good again"


def test_without_room_to_open_it_what_is_leased_stays_and_is_tried_again(
    watched: SnapshotManager[Held], current: Path
) -> None:
    write(current, "s2", "full")
    for _ in range(2):
        watched.look()
        assert leased(watched) == "s2 good"
    write(current, "s2", "good again")
    watched.look()
    assert leased(watched) == "s2 good again"


def test_while_one_thread_opens_the_next_snapshot_the_others_go_on_with_the_old(current: Path) -> None:
    opening, may_go_on = threading.Event(), threading.Event()

    def open_slowly(folder: Path) -> Held:
        if folder.name == "slow":
            opening.set()
            assert may_go_on.wait(10)
        return Held(folder.name)

    def ask() -> str:
        with live.lease() as held:
            return held.use()

    publish(current, "one")
    live = SnapshotManager(current, open_slowly)
    ask()
    publish(current, "slow")
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(ask)
        assert opening.wait(10)
        assert [ask() for _ in range(5)] == ["one"] * 5
        may_go_on.set()
        assert first.result() == "slow"


def test_threads_that_ask_first_wait_for_the_same_opening(current: Path) -> None:
    publish(current, "one")
    opener = Opener()
    live = SnapshotManager(current, opener)
    barrier = threading.Barrier(6)

    def ask() -> str:
        barrier.wait(10)
        with live.lease() as held:
            return held.use()

    with ThreadPoolExecutor(6) as pool:
        assert [future.result() for future in [pool.submit(ask) for _ in range(6)]] == ["one"] * 6
    assert opener.tried == ["one"]


def test_going_back_to_an_earlier_snapshot_opens_it_again(current: Path) -> None:
    opener = Opener()
    live = SnapshotManager(current, opener)
    for name in ("one", "two", "one"):
        publish(current, name)
        with live.lease() as held:
            assert held.use() == name
    assert opener.tried == ["one", "two", "one"]


def test_only_a_link_names_the_current_one(tmp_path: Path) -> None:
    (tmp_path / "current").mkdir()
    assert current_name(tmp_path / "current") is None
    assert current_name(tmp_path / "nothing") is None
