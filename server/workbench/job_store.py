"""Jobs in the records store, where every server sees those of every other.

Each job has one server as its owner, which alone changes it while it lives, and says so by moving
`heartbeat_at`. Whether that moves is what others look at, each by its own clock: clocks may differ, and leap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from sqlalchemy import Connection, delete, insert, select, update

from server.errors import ConflictError, NotFoundError
from server.storage.engine import Transactions
from server.storage.tables.running import StoredJob

State = Literal["waiting", "running", "done", "failed", "cancelled", "lost"]
OPEN: tuple[State, ...] = ("waiting", "running")

KEPT_OF_A_KIND = 50
KEPT_FOR = timedelta(days=30)
PERSONAL_KEPT_FOR = timedelta(days=1)

LOST = "The server was stopped while it ran."
NO_JOB = "There is no such job, or it was long ago and is forgotten."

_TABLE = StoredJob.__table__
_IS_OPEN = StoredJob.state.in_(OPEN)


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of work at one moment. `done` of `total` (0: not known yet) steps; `result` once it is done.

    `says` is a short line for people: what it is at, or why it failed. `arguments` are what it was started
    with, `server` names the process that does it. Moments are ISO 8601, UTC.
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
    arguments: Mapping[str, Any] = field(default_factory=dict)
    server: str = ""
    personal: bool = False

    @property
    def is_open(self) -> bool:
        """Whether it is still waiting or running."""
        return self.state in OPEN


_COLUMNS = [_TABLE.c[one.name] for one in fields(Job)]


class JobStore:
    """The jobs of all servers. Every method is one transaction; `StorageError` where it is not to be had."""

    def __init__(self, transactions: Transactions) -> None:
        self._reading, self._writing = transactions.reading, transactions.writing
        self._changing = transactions.recording

    def add(self, job: Job, alone: str | None, first: Callable[[Connection], None] | None) -> None:
        """Keep a job that waits; `ConflictError` where one of the same `alone` is open at any server.

        What is done `first` is in the same transaction, and is undone if the job cannot be kept. Jobs that
        ended long ago are forgotten.
        """
        row = {one.name: getattr(job, one.name) for one in fields(Job)}
        times = {name: datetime.fromisoformat(job.started_at) for name in ("started_at", "heartbeat_at")}
        with self._writing() as connection:
            is_same = StoredJob.alone == alone
            if alone is not None and connection.execute(select(StoredJob.id).where(is_same)).first():
                raise ConflictError(f"Another {job.kind} is at work already; wait for its end, or cancel it.")
            if first is not None:
                first(connection)
            connection.execute(insert(StoredJob), row | times | {"alone": alone, "cancel_asked": False})
            _forget(connection, job.kind)

    def get(self, job_id: str) -> Job:
        """One with its result; `NotFoundError`."""
        with self._reading() as connection:
            return _one(connection, job_id)

    def all(self, kind: str | None = None, about: str | None = None) -> list[Job]:
        """Those that are kept, the newest first, without their results."""
        wanted = select(*(one for one in _COLUMNS if one.name != "result")).order_by(StoredJob.number.desc())
        if kind is not None:
            wanted = wanted.where(StoredJob.kind == kind)
        if about is not None:
            wanted = wanted.where(StoredJob.about == about)
        with self._reading() as connection:
            return [_job(row) for row in connection.execute(wanted).mappings()]

    def begin(self, job_id: str) -> bool:
        """A job that waits is running from now on; False where somebody has ended it before."""
        with self._changing() as connection:
            mine = update(StoredJob).where(StoredJob.id == job_id, StoredJob.state == "waiting")
            return connection.execute(mine.values(state="running")).rowcount == 1

    def beat(self, server: str, jobs: Iterable[Job]) -> set[str]:
        """The owner is alive, and its jobs are so far; the ids of those that may go on."""
        now = datetime.now(UTC)
        with self._changing() as connection:
            for job in jobs:
                told = {"done": job.done, "total": job.total, "says": "" if job.personal else _text(job.says)}
                mine = update(StoredJob).where(StoredJob.id == job.id, _IS_OPEN)
                connection.execute(mine.values(heartbeat_at=now, **told))
            going_on = (StoredJob.server == server, _IS_OPEN, StoredJob.cancel_asked.is_(False))
            return set(connection.scalars(select(StoredJob.id).where(*going_on)))

    def end(self, job: Job) -> None:
        """Keep what came of it, unless it was given up for lost meanwhile.

        Of personal work that was cancelled nothing is kept: whom it speaks of may have been erased.
        """
        with self._changing() as connection:
            own = update(StoredJob).where(StoredJob.id == job.id, _IS_OPEN)
            values = {
                "state": job.state,
                "done": job.done,
                "total": job.total,
                "says": "" if job.personal and job.state != "failed" else _text(job.says),
                "result": job.result,
                "ended_at": datetime.now(UTC),
                "alone": None,
            }
            if job.personal:
                erased = own.where(StoredJob.cancel_asked.is_(True))
                connection.execute(erased.values(values | {"state": "cancelled", "says": "", "result": None}))
            connection.execute(own.values(values))

    def cancel(self, job_id: str) -> Job:
        """One that waits has ended; the owner of one that runs is asked to end it. `NotFoundError`."""
        with self._changing() as connection:
            own = StoredJob.id == job_id
            ended = {"state": "cancelled", "ended_at": datetime.now(UTC), "alone": None}
            connection.execute(update(StoredJob).where(own, StoredJob.state == "waiting").values(ended))
            connection.execute(update(StoredJob).where(own, _IS_OPEN).values(cancel_asked=True))
            return _one(connection, job_id)

    def heartbeats(self) -> dict[str, datetime]:
        """When the owner of each open job, by its id, has last said that it is alive."""
        with self._reading() as connection:
            rows = connection.execute(select(StoredJob.id, StoredJob.heartbeat_at).where(_IS_OPEN))
            return {row.id: row.heartbeat_at for row in rows}

    def give_up(self, job_id: str, heartbeat_at: datetime) -> None:
        """An open job is lost, unless its owner has said meanwhile that it is alive."""
        lost = {"state": "lost", "says": LOST, "ended_at": datetime.now(UTC), "alone": None}
        with self._changing() as connection:
            silent = (StoredJob.id == job_id, _IS_OPEN, StoredJob.heartbeat_at == heartbeat_at)
            connection.execute(update(StoredJob).where(*silent).values(lost))

    def forget_old(self) -> None:
        """Remove what ended longer ago than it is kept."""
        with self._changing() as connection:
            _forget(connection)


def _forget(connection: Connection, kind: str | None = None) -> None:
    """What ended too long ago, and of one kind all but the latest."""
    now = datetime.now(UTC)
    connection.execute(delete(StoredJob).where(~_IS_OPEN, StoredJob.ended_at < now - KEPT_FOR))
    outdated = StoredJob.ended_at < now - PERSONAL_KEPT_FOR
    connection.execute(delete(StoredJob).where(~_IS_OPEN, StoredJob.personal.is_(True), outdated))
    if kind is not None:
        ended = select(StoredJob.number).where(StoredJob.kind == kind, ~_IS_OPEN)
        old = list(connection.scalars(ended.order_by(StoredJob.number.desc()).offset(KEPT_OF_A_KIND)))
        connection.execute(delete(StoredJob).where(StoredJob.number.in_(old)))


def _one(connection: Connection, job_id: str) -> Job:
    row = connection.execute(select(*_COLUMNS).where(StoredJob.id == job_id)).mappings().one_or_none()
    if row is None:
        raise NotFoundError(NO_JOB)
    return _job(row)


def _job(row: Mapping[Any, Any]) -> Job:
    ended_at = row["ended_at"] and _written(row["ended_at"])
    return Job(**{**row, "started_at": _written(row["started_at"]), "ended_at": ended_at})


def _written(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")


def _text(said: str) -> str:
    """What any store takes."""
    return said.replace("\0", " ").encode("utf-8", "replace").decode()
