"""Work done aside: watched, ended, and never lost without a word."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator

import pytest

from server.errors import BadInputError, ConflictError, NotFoundError
from server.workbench.jobs import MOST_REMEMBERED, OPEN, Job, Jobs, Progress


@pytest.fixture
def jobs() -> Iterator[Jobs]:
    made = Jobs()
    yield made
    made.close()


def ended(jobs: Jobs, job: Job) -> Job:
    """The job once it is over."""
    for _ in range(10_000):
        now = jobs.get(job.id)
        if now.state not in OPEN:
            return now
        threading.Event().wait(0.001)
    raise AssertionError("the job does not end")


def test_a_job_tells_how_far_it_is_and_what_came_of_it(jobs: Jobs) -> None:
    reached, go_on = threading.Event(), threading.Event()

    def work(progress: Progress) -> str:
        progress.at(1, 2, "halfway")
        reached.set()
        assert go_on.wait(10)
        return "found"

    job = jobs.start("preview", "main", "an editor", work)
    assert reached.wait(10)
    now = jobs.get(job.id)
    assert (now.state, now.done, now.total, now.says) == ("running", 1, 2, "halfway")
    with pytest.raises(ConflictError, match="Another preview"):
        jobs.start("preview", "main", "another", work)
    go_on.set()
    assert (ended(jobs, job).state, ended(jobs, job).result) == ("done", "found")


def test_a_cancelled_job_ends_at_its_next_step(jobs: Jobs) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def work(progress: Progress) -> None:
        begun.set()
        assert go_on.wait(10)
        progress.at(1, 1)

    job = jobs.start("crawl", "main", "a developer", work)
    assert begun.wait(10)
    jobs.cancel(job.id)
    go_on.set()
    assert ended(jobs, job).state == "cancelled"


def test_a_failure_is_a_sentence(jobs: Jobs) -> None:
    def ours(_: Progress) -> None:
        raise BadInputError("There is no such page.")

    def unforeseen(_: Progress) -> None:
        raise ZeroDivisionError("by nought")

    assert ended(jobs, jobs.start("a", "main", "x", ours)).says == "There is no such page."
    assert "by nought" in ended(jobs, jobs.start("b", "main", "x", unforeseen)).says


def test_old_jobs_are_forgotten(jobs: Jobs) -> None:
    first = jobs.start("a", "first", "x", lambda _: None)
    ended(jobs, first)
    for n in range(MOST_REMEMBERED + 1):
        ended(jobs, jobs.start("a", str(n), "x", lambda _: None))
    with pytest.raises(NotFoundError, match="restart"):
        jobs.get(first.id)
    assert jobs.all(about="50")[0].state == "done"


@pytest.mark.skipif(sys.platform != "linux", reason="threads have a niceness of their own on Linux alone")
def test_it_steps_back_behind_the_visitors(jobs: Jobs) -> None:
    def niceness(_: Progress) -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    assert ended(jobs, jobs.start("a", "main", "x", niceness)).result > os.getpriority(os.PRIO_PROCESS, 0)
