"""Work done aside: watched, ended, lost with its server and begun again, and never lost without a word."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, update

from server.errors import BadInputError, ConflictError, NotFoundError, StorageError
from server.storage.audit import note_change
from server.storage.tables.running import StoredJob
from server.workbench.job_store import KEPT_FOR, KEPT_OF_A_KIND, LOST, OPEN, Job, JobStore
from server.workbench.jobs import JobProgress, Jobs, Restart
from server.workbench.records import Records, open_records
from tests.storage.exchanges import exchange

LOST_AFTER_S = 0.5


def jobs_of(store: Records) -> Jobs:
    """Those of one server, which looks often."""
    return Jobs(JobStore(store.transactions), look_every_s=0.02, lost_after_s=LOST_AFTER_S)


@pytest.fixture
def jobs(store: Records) -> Iterator[Jobs]:
    made = jobs_of(store)
    yield made
    made.close()


@pytest.fixture
def elsewhere(url: str) -> Iterator[Jobs]:
    """Another server on the same records."""
    store = open_records(url)
    made = jobs_of(store)
    made.watch()
    yield made
    made.close()
    store.close()


def wait_until(seen: Callable[[], bool]) -> None:
    give_up_at = time.monotonic() + 20
    while not seen():
        assert time.monotonic() < give_up_at
        time.sleep(0.005)


def ended(jobs: Jobs, job: Job) -> Job:
    """The job once it is over."""
    wait_until(lambda: jobs.get(job.id).state not in OPEN)
    return jobs.get(job.id)


class Held:
    """Work that has begun, and goes on step by step until it may end."""

    def __init__(self, result: Any = None) -> None:
        self.begun, self.may_end, self.ended = threading.Event(), threading.Event(), threading.Event()
        self._result = result

    def __call__(self, progress: JobProgress) -> Any:
        try:
            while not self.may_end.wait(0.005):
                progress.at(1, 2, "halfway")
                self.begun.set()
        finally:
            self.ended.set()
        return self._result


def test_a_job_tells_how_far_it_is_and_what_came_of_it(jobs: Jobs) -> None:
    work = Held({"found": ["something", None]})
    job = jobs.start("preview", "main", "an editor", work, arguments={"questions": 5})
    assert work.begun.wait(10)
    now = jobs.get(job.id)
    assert (now.state, now.done, now.total, now.says) == ("running", 1, 2, "halfway")
    with pytest.raises(ConflictError, match="Another preview"):
        jobs.start("preview", "main", "another", work)
    work.may_end.set()
    job = ended(jobs, job)
    assert (job.state, job.result) == ("done", {"found": ["something", None]})
    assert (job.by, job.arguments, job.ended_at is None) == ("an editor", {"questions": 5}, False)


def test_every_server_sees_how_far_it_is_and_what_came_of_it(jobs: Jobs, elsewhere: Jobs) -> None:
    work = Held("found")
    job = jobs.start("golden", "main", "an editor", work)
    wait_until(lambda: elsewhere.get(job.id).says == "halfway")
    [seen] = elsewhere.all("golden")
    assert (seen.state, seen.done, seen.total, seen.server) == ("running", 1, 2, job.server)
    work.may_end.set()
    assert ended(elsewhere, job).result == "found"


def test_one_alone_is_open_across_all_servers(jobs: Jobs, elsewhere: Jobs) -> None:
    for _ in range(5):
        work, together = Held(), threading.Barrier(8)
        begun: list[Job] = []

        def begin(server: Jobs, work: Held = work, together: threading.Barrier = together) -> None:
            together.wait()
            with suppress(ConflictError):
                begun.append(server.start("publish", "live", "x", work))  # noqa: B023

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(begin, [jobs, elsewhere] * 4))
        [job] = begun
        work.may_end.set()
        ended(jobs, job)
    other = jobs.start("publish", "another", "x", Held(), alone=None)
    jobs.start("publish", "another", "x", Held(), alone=None)
    for server in (jobs, elsewhere):
        for job in server.all("publish"):
            server.cancel(job.id)
    assert ended(jobs, other).state == "cancelled"


def test_what_is_done_first_is_undone_where_the_job_cannot_be_kept(jobs: Jobs, store: Records) -> None:
    def note(connection: Connection) -> None:
        note_change(connection, "ada", ("crawl", "main"), None, {"done": "started a"})

    def refuse(_: Connection) -> None:
        raise ConflictError("Another was first.")

    work = Held()
    jobs.start("crawl", "main", "ada", work, alone="crawl", first=note)
    for about, first, words in (("other", note, "Another crawl"), ("main", refuse, "Another")):
        with pytest.raises(ConflictError, match=words):
            jobs.start("crawl", about, "ada", work, alone="crawl", first=first)
    with pytest.raises(ConflictError, match="was first"):
        jobs.start("index", "main", "ada", work, first=refuse)
    work.may_end.set()
    assert len(store.audit.changes(limit=9, kind="crawl")) == 1
    assert [job.kind for job in jobs.all()] == ["crawl"]


@pytest.mark.parametrize("asked_there", [False, True])
def test_a_cancelled_job_ends_at_its_next_step(jobs: Jobs, elsewhere: Jobs, asked_there: bool) -> None:
    work = Held()
    job = jobs.start("crawl", "main", "a developer", work)
    assert work.begun.wait(10)
    (elsewhere if asked_there else jobs).cancel(job.id)
    assert ended(elsewhere, job).state == ended(jobs, job).state == "cancelled"


def test_a_job_that_waits_is_cancelled_at_once_by_any_server(jobs: Jobs, elsewhere: Jobs) -> None:
    works = [Held() for _ in range(4)]
    *_, last = [jobs.start("golden", str(n), "x", work) for n, work in enumerate(works)]
    assert elsewhere.get(last.id).state == "waiting"
    assert elsewhere.cancel(last.id).state == jobs.get(last.id).state == "cancelled"
    for work in works:
        work.may_end.set()
    for job in jobs.all():
        ended(jobs, job)
    assert not works[-1].begun.is_set()


def test_a_failure_is_a_sentence(jobs: Jobs) -> None:
    def ours(_: JobProgress) -> None:
        raise BadInputError("There is no such page.")

    def unforeseen(_: JobProgress) -> None:
        raise ZeroDivisionError("by nought\0")

    assert ended(jobs, jobs.start("a", "main", "x", ours)).says == "There is no such page."
    assert "by nought" in ended(jobs, jobs.start("b", "main", "x", unforeseen)).says
    assert ended(jobs, jobs.start("c", "main", "x", lambda _: object())).says.startswith("What came of it")


def test_a_job_whose_server_says_no_more_is_lost_and_can_be_begun_again(
    elsewhere: Jobs, store: Records
) -> None:
    dead = Jobs(JobStore(store.transactions), look_every_s=1_000)
    work = Held()
    job = dead.start("golden", "main", "ada", work, arguments={"strategy": "hybrid"})
    assert work.begun.wait(10)
    with pytest.raises(ConflictError):
        elsewhere.start("golden", "main", "bob", Held())
    lost = ended(elsewhere, job)
    assert (lost.state, lost.says, lost.result) == ("lost", LOST, None)
    begun: list[tuple[str, Any, str]] = []

    def again(about: str, arguments: Any, by: str) -> Job:
        begun.append((about, arguments, by))
        return elsewhere.start("golden", about, by, lambda _: "found", arguments=arguments)

    with pytest.raises(ConflictError, match="begins by itself"):
        elsewhere.again(job.id, by="bob")
    elsewhere.restarts["golden"] = Restart("editor", again)
    new = ended(elsewhere, elsewhere.again(job.id, by="bob"))
    assert (begun, new.result) == ([("main", {"strategy": "hybrid"}, "bob")], "found")
    with pytest.raises(ConflictError, match="nothing to start again"):
        elsewhere.again(new.id, by="bob")
    work.may_end.set()
    dead.close()
    assert elsewhere.get(job.id).state == "lost"  # whatever it still came to


def test_a_server_that_comes_back_from_a_long_sleep_ends_what_was_given_up(
    jobs: Jobs, store: Records
) -> None:
    work = Held()
    job = jobs.start("crawl", "main", "ada", work)
    assert work.begun.wait(10)
    wait_until(lambda: _give_up(store, job.id))
    assert work.ended.wait(10)
    assert jobs.get(job.id).state == "lost"


def _give_up(store: Records, job_id: str) -> bool:
    """What another server does that has heard nothing for too long; between two signs of life."""
    kept = JobStore(store.transactions)
    kept.give_up(job_id, kept.heartbeats().get(job_id, datetime.now(UTC)))
    return kept.get(job_id).state == "lost"


def test_a_server_that_stops_says_so_of_its_jobs(store: Records, elsewhere: Jobs) -> None:
    stopping = jobs_of(store)
    works = [Held() for _ in range(5)]
    started = [stopping.start("golden", str(n), "x", work) for n, work in enumerate(works)]
    assert works[0].begun.wait(10)
    stopping.close()
    assert {(elsewhere.get(job.id).state, elsewhere.get(job.id).says) for job in started} == {("lost", LOST)}


def test_what_came_of_it_is_kept_as_soon_as_the_store_takes_it(jobs: Jobs, store: Records) -> None:
    refused: list[str] = []
    kept = JobStore(store.transactions)
    end = kept.end

    def busy_at_first(job: Job) -> None:
        if not refused:
            refused.append(job.id)
            raise StorageError("The records store is busy.")
        end(job)

    kept.end = busy_at_first  # type: ignore[method-assign]
    patient = Jobs(kept, look_every_s=0.02)
    job = patient.start("golden", "main", "x", lambda _: "found")
    assert (ended(jobs, job).result, refused) == ("found", [job.id])
    patient.close()


def test_old_jobs_are_forgotten(jobs: Jobs, store: Records) -> None:
    all_are_there = threading.Event()  # a start forgets those of its kind that have ended before it
    first, *others = [
        jobs.start("a", str(n), "x", lambda _: all_are_there.wait(20), alone=None)
        for n in range(KEPT_OF_A_KIND + 2)
    ]
    all_are_there.set()
    for job in (first, *others):
        ended(jobs, job)
    ended(jobs, jobs.start("b", "main", "x", lambda _: None))
    ended(jobs, jobs.start("a", "last", "x", lambda _: None))
    with pytest.raises(NotFoundError, match="long ago"):
        jobs.get(first.id)
    assert [job.about for job in jobs.all()][:2] == ["last", "main"]
    long_ago = datetime.now(UTC) - KEPT_FOR - timedelta(minutes=1)
    with store.transactions.writing() as connection:
        connection.execute(update(StoredJob).where(StoredJob.kind == "a").values(ended_at=long_ago))
    JobStore(store.transactions).forget_old()
    assert [job.kind for job in jobs.all()] == ["b"]


def test_visitors_words_go_with_a_conversation_that_is_erased(jobs: Jobs, store: Records) -> None:
    store.conversations.record(exchange(1))
    found = {"changes": [{"question": "I am ana@example.edu"}]}
    over = ended(jobs, jobs.start("preview", "main", "x", lambda _: found, personal=True))
    golden = ended(jobs, jobs.start("golden", "main", "x", lambda _: "found"))
    assert over.result == found
    work = Held(found)
    job = jobs.start("preview", "other", "x", work, personal=True)
    assert work.begun.wait(10)
    store.conversations.erase("c1", "main")
    with pytest.raises(NotFoundError):
        jobs.get(over.id)
    job = ended(jobs, job)
    assert (job.state, job.says, job.result) == ("cancelled", "", None)
    assert jobs.get(golden.id).result == "found"


@pytest.mark.skipif(sys.platform != "linux", reason="threads have a niceness of their own on Linux alone")
def test_it_steps_back_behind_the_visitors(jobs: Jobs) -> None:
    def niceness(_: JobProgress) -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    assert ended(jobs, jobs.start("a", "main", "x", niceness)).result > os.getpriority(os.PRIO_PROCESS, 0)
