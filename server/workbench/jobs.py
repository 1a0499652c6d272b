"""Work that takes minutes, done aside while one watches its progress: a preview, a crawl, a run of questions.

A job runs in the server that was asked for it, and is in the records store (`job_store.py`) for all of them:
each lists it, shows how far it is, and can end it. One whose server died is lost, and can be started again.
"""

from __future__ import annotations

import logging
import os
import socket
import sys
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from server.errors import BlockedError, ConflictError, LodgeError, StorageError
from server.storage.engine import Connection
from server.workbench.clock import Clock
from server.workbench.job_store import LOST, Job, JobStore

if TYPE_CHECKING:
    from server.workbench.access.auth import Role  # it is the web's, for which a command does not wait

logger = logging.getLogger("lodge.jobs")

MOST_AT_ONCE = 3
NICER = 10  # visitors' answers go first
LOOK_EVERY_S = 2.0
LOST_AFTER_S = 20.0  # without a sign of life
FORGET_EVERY_S = 3_600.0


class CancelledError(Exception):
    """Raised in the work of a job that somebody has ended; its message, if it has one, is the last word."""


@dataclass(slots=True)
class JobProgress:
    """What the work tells of itself."""

    _tell: Callable[..., None]
    _ended: threading.Event = field(default_factory=threading.Event)

    def at(self, done: int, total: int, says: str = "") -> None:
        """So far it is; raises `CancelledError` where the job was ended meanwhile."""
        if self._ended.is_set():
            raise CancelledError
        self._tell(done=done, total=total, says=says)

    def part(self, begins_at: int, total: int) -> JobProgress:
        """The progress of a part of the work that begins after so many steps of the whole's `total`."""
        return JobProgress(
            lambda **now: self._tell(**{**now, "done": begins_at + now["done"], "total": total}), self._ended
        )

    @property
    def is_cancelled(self) -> bool:
        """Whether somebody has ended the job."""
        return self._ended.is_set()


Work = Callable[[JobProgress], Any]


@dataclass(frozen=True, slots=True)
class Restart:
    """How a kind of job is started again: by whom at least, and from what (`about`, arguments, by whom)."""

    least: Role
    start: Callable[[str, Mapping[str, Any], str], Job]


@dataclass(slots=True)
class _OwnJob:
    """A job of this server: as it is now, how it ended, until that is kept, and whether it is to end."""

    now: Job
    final: Job | None = None
    ended: threading.Event = field(default_factory=threading.Event)


class Jobs:
    """Runs work in a few threads of low priority, and keeps what came of it. Thread-safe.

    `restarts` has what can be started again, by kind; whoever starts such jobs puts it there.
    """

    def __init__(
        self, store: JobStore, *, look_every_s: float = LOOK_EVERY_S, lost_after_s: float = LOST_AFTER_S
    ) -> None:
        self.restarts: dict[str, Restart] = {}
        self._server = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
        self._store = store
        self._workers = ThreadPoolExecutor(MOST_AT_ONCE, "job", initializer=_step_back)
        self._own: dict[str, _OwnJob] = {}
        self._lock = threading.Lock()
        self._keeper = Clock(self._look, every_s=look_every_s)
        self._is_watching = self._is_closing = False
        self._lost_after_s = lost_after_s
        self._heard: dict[str, tuple[datetime, float]] = {}  # sign of life, when it was first seen here
        self._forget_at = time.monotonic() + FORGET_EVERY_S

    def watch(self) -> None:
        """Look after the jobs of all servers from now on, until it is closed."""
        with self._lock:
            begins, self._is_watching = not self._is_watching, True
        if begins:
            self._keeper.start()

    def start(  # noqa: PLR0913  (what a job is, each by its name)
        self,
        kind: str,
        about: str,
        by: str,
        work: Work,
        *,
        alone: str | None = "",
        arguments: Mapping[str, Any] | None = None,
        personal: bool = False,
        first: Callable[[Connection], None] | None = None,
    ) -> Job:
        """Put work in the queue.

        `ConflictError` where a job with the same `alone` is open at any server: unless said otherwise, one of
        the kind about the same; None: any number of them. `arguments` (JSON) are for `again`. `personal`: it
        finds visitors' words, which are kept no longer than need be. What is done `first` is in the
        transaction that keeps the job.
        """
        key = f"{kind} {about}" if alone == "" else alone
        moment = datetime.now(UTC).isoformat(timespec="seconds")
        given = dict(arguments or {})
        job = Job(uuid.uuid4().hex, kind, about, by, moment, arguments=given, server=self._server)
        job = replace(job, personal=personal)
        self._store.add(job, key, first)
        with self._lock:
            self._own[job.id] = _OwnJob(job)
        self.watch()
        self._workers.submit(self._run, job.id, work)
        return job

    def again(self, job_id: str, *, by: str) -> Job:
        """A new job like one that came to no good end; `NotFoundError`, `ConflictError`."""
        job = self.get(job_id)
        restart = self.restart_of(job)
        return restart.start(job.about, job.arguments, by)

    def restart_of(self, job: Job) -> Restart:
        """How it is started again; `ConflictError` where it need not or cannot be."""
        if job.is_open or job.state == "done":
            raise ConflictError(f"This {job.kind} is {job.state}; there is nothing to start again.")
        if job.kind not in self.restarts:
            raise ConflictError(f"A job of the kind {job.kind} begins by itself where it is needed.")
        return self.restarts[job.kind]

    def get(self, job_id: str) -> Job:
        """The job as it is now; `NotFoundError`."""
        return self._fresh(self._store.get(job_id))

    def all(self, kind: str | None = None, about: str | None = None) -> list[Job]:
        """Those of all servers that are kept, newest first, without their results."""
        return [self._fresh(job) for job in self._store.all(kind, about)]

    def cancel(self, job_id: str) -> Job:
        """End it at its next step, wherever it runs; one that has ended stays as it is. `NotFoundError`."""
        job = self._store.cancel(job_id)
        with self._lock:
            own = self._own.get(job_id)
        if own is not None:
            own.ended.set()
        return self._fresh(job)

    def close(self) -> None:
        """End everything of this server at its next step; it is lost then, as nobody has asked for it."""
        self._is_closing = True
        with self._lock:
            own = list(self._own.values())
        for one in own:
            one.ended.set()
        self._workers.shutdown(cancel_futures=True)
        for one in own:
            if one.now.state == "waiting":
                self._end(one, "lost", says=LOST)
        self._keeper.close()

    def _fresh(self, job: Job) -> Job:
        """As this server knows it, where it is its own: what is stored is some seconds old."""
        with self._lock:
            own = self._own.get(job.id)
        return own.now if own is not None and job.is_open else job

    def _run(self, job_id: str, work: Work) -> None:
        with self._lock:
            own = self._own[job_id]
        try:
            begun = self._store.begin(job_id)
        except LodgeError as error:
            self._end(own, "failed", says=error.message)
            return
        if not begun:
            self._forget_own(job_id)
            return
        own.now = replace(own.now, state="running")

        def tell(**now: Any) -> None:
            own.now = replace(own.now, **now)

        try:
            result = work(JobProgress(tell, own.ended))
        except CancelledError as end:
            if self._is_closing:
                self._end(own, "lost", says=LOST)
            else:
                self._end(own, "cancelled", says=str(end) or own.now.says)
        except BlockedError as error:
            self._end(own, "failed", says=error.message, result={"failed": error.failed})
        except LodgeError as error:
            self._end(own, "failed", says=error.message)
        except Exception as error:
            # Nobody waits for this thread: what is not kept with the job is seen by nobody.
            self._end(own, "failed", says=f"Something went wrong: {type(error).__name__}: {error}")
        else:
            self._end(own, "done", result=result)

    def _end(self, own: _OwnJob, state: Any, **now: Any) -> None:
        """Keep how it ended; what cannot be kept now is kept as soon as it can be."""
        own.final = replace(own.now, state=state, **now)
        try:
            self._settle(own.final)
        except StorageError as error:
            logger.warning("What came of a %s could not be kept yet: %s", own.now.kind, error.message)

    def _settle(self, job: Job) -> None:
        try:
            self._store.end(job)
        except StorageError:
            raise
        except Exception as error:  # a result that no store takes
            logger.exception("what came of a job cannot be kept")
            says = f"What came of it cannot be kept: {type(error).__name__}."
            self._store.end(replace(job, state="failed", says=says, result=None))
        self._forget_own(job.id)

    def _forget_own(self, job_id: str) -> None:
        with self._lock:
            self._own.pop(job_id, None)

    def _look(self, _now: datetime) -> None:
        """Say that this server is alive, hear who wants its jobs to end, and give up those of dead ones."""
        with self._lock:
            own = list(self._own.values())
        if own:
            going_on = self._store.beat(self._server, [one.now for one in own])
            for one in own:
                if one.final is not None:
                    self._settle(one.final)
                elif one.now.id not in going_on:
                    one.ended.set()
        self._look_at_others({one.now.id for one in own})
        if time.monotonic() >= self._forget_at:
            self._forget_at = time.monotonic() + FORGET_EVERY_S
            self._store.forget_old()

    def _look_at_others(self, own: set[str]) -> None:
        now, heard = time.monotonic(), self._heard
        signs = {job_id: at for job_id, at in self._store.heartbeats().items() if job_id not in own}
        self._heard = {
            job_id: heard[job_id] if job_id in heard and heard[job_id][0] == at else (at, now)
            for job_id, at in signs.items()
        }
        for job_id, (at, first_seen) in self._heard.items():
            if now - first_seen > self._lost_after_s:
                self._store.give_up(job_id, at)


def _step_back() -> None:
    """Linux gives each thread a niceness of its own; elsewhere it would be the whole server's."""
    if sys.platform == "linux":
        with suppress(OSError):
            nicest = min(19, os.getpriority(os.PRIO_PROCESS, 0) + NICER)
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), nicest)
