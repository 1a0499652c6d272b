"""Work that takes minutes, done aside while one watches its progress: a preview, a crawl, a run of questions.

Jobs live in the memory of one server. What they find is theirs to keep; a job that a restart ends is gone.
"""

from __future__ import annotations

import os
import sys
import threading
import uuid
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Literal

from server.errors import BlockedError, ConflictError, LodgeError, NotFoundError

State = Literal["waiting", "running", "done", "failed", "cancelled"]
OPEN: tuple[State, ...] = ("waiting", "running")

GAP_WORK = "gaps"  # the kind of a job that the console and the server's own clock both begin

MOST_AT_ONCE = 3
MOST_REMEMBERED = 50
NICER = 10  # visitors' answers go first


class CancelledError(Exception):
    """Raised in the work of a job that somebody has ended; its message, if it has one, is the last word."""


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of work at one moment. `done` of `total` (0: not known yet) steps; `result` once it is done.

    `says` is a short line for people: what it is at, or why it failed.
    """

    id: str
    kind: str
    about: str
    by: str
    started_at: str
    state: State = "waiting"
    done: int = 0
    total: int = 0
    says: str = ""
    ended_at: str | None = None
    result: Any = None


@dataclass(slots=True)
class Progress:
    """What the work tells of itself."""

    _tell: Callable[..., None]
    _ended: threading.Event = field(default_factory=threading.Event)

    def at(self, done: int, total: int, says: str = "") -> None:
        """So far it is; raises `CancelledError` where the job was ended meanwhile."""
        if self._ended.is_set():
            raise CancelledError
        self._tell(done=done, total=total, says=says)

    def part(self, begins_at: int, total: int) -> Progress:
        """The progress of a part of the work that begins after so many steps of the whole's `total`."""
        return Progress(
            lambda **now: self._tell(**{**now, "done": begins_at + now["done"], "total": total}), self._ended
        )

    @property
    def is_cancelled(self) -> bool:
        """Whether somebody has ended the job."""
        return self._ended.is_set()


Work = Callable[[Progress], Any]


class Jobs:
    """Runs work in a few threads of low priority, and remembers what came of it. Thread-safe."""

    def __init__(self) -> None:
        self._workers = ThreadPoolExecutor(MOST_AT_ONCE, "job", initializer=_step_back)
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._ended: dict[str, threading.Event] = {}
        self._lock = threading.Lock()

    def start(self, kind: str, about: str, by: str, work: Work, *, alone: bool = True) -> Job:
        """Put work in the queue. `alone`: a `ConflictError` where one of the kind is open about the same."""
        job = Job(uuid.uuid4().hex, kind, about, by, _now())
        with self._lock:
            open_ones = [j for j in self._jobs.values() if j.state in OPEN]
            if alone and any((j.kind, j.about) == (kind, about) for j in open_ones):
                raise ConflictError(f"Another {kind} is at work already; wait for its end, or cancel it.")
            self._jobs[job.id] = job
            self._ended[job.id] = threading.Event()
            self._forget_old_ones()
        self._workers.submit(self._run, job.id, work)
        return job

    def get(self, job_id: str) -> Job:
        """The job as it is now; `NotFoundError`."""
        with self._lock:
            job = self._jobs.get(job_id)
        if job is None:
            raise NotFoundError("There is no such job; a restart of the server forgets them.")
        return job

    def all(self, kind: str | None = None, about: str | None = None) -> list[Job]:
        """Those that are remembered, newest first."""
        with self._lock:
            jobs = list(reversed(self._jobs.values()))
        return [j for j in jobs if kind in (None, j.kind) and about in (None, j.about)]

    def cancel(self, job_id: str) -> Job:
        """End it at its next step; one that has ended stays as it is. `NotFoundError`."""
        self.get(job_id)
        self._ended[job_id].set()
        with self._lock:
            if self._jobs[job_id].state == "waiting":
                self._jobs[job_id] = replace(self._jobs[job_id], state="cancelled", ended_at=_now())
            return self._jobs[job_id]

    def close(self) -> None:
        """End everything at its next step."""
        with self._lock:
            for ended in self._ended.values():
                ended.set()
        self._workers.shutdown(cancel_futures=True)

    def _run(self, job_id: str, work: Work) -> None:
        ended = self._ended[job_id]
        if ended.is_set():
            return
        progress = Progress(lambda **now: self._change(job_id, **now), ended)
        self._change(job_id, state="running")
        try:
            result = work(progress)
        except CancelledError as end:
            last_word = {"says": str(end)} if str(end) else {}
            self._change(job_id, state="cancelled", ended_at=_now(), **last_word)
        except BlockedError as error:
            failed = {"failed": error.failed}
            self._change(job_id, state="failed", says=error.message, result=failed, ended_at=_now())
        except LodgeError as error:
            self._change(job_id, state="failed", says=error.message, ended_at=_now())
        except Exception as error:
            # Nobody waits for this thread: what is not kept with the job is seen by nobody.
            says = f"Something went wrong: {type(error).__name__}: {error}"
            self._change(job_id, state="failed", says=says, ended_at=_now())
        else:
            self._change(job_id, state="done", result=result, ended_at=_now())

    def _change(self, job_id: str, **now: Any) -> None:
        with self._lock:
            self._jobs[job_id] = replace(self._jobs[job_id], **now)

    def _forget_old_ones(self) -> None:
        for job_id in [j.id for j in self._jobs.values() if j.state not in OPEN][:-MOST_REMEMBERED]:
            del self._jobs[job_id], self._ended[job_id]


def _step_back() -> None:
    """Linux gives each thread a niceness of its own; elsewhere it would be the whole server's."""
    if sys.platform == "linux":
        with suppress(OSError):
            nicest = min(19, os.getpriority(os.PRIO_PROCESS, 0) + NICER)
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), nicest)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
