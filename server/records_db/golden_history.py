"""What became of golden questions in every run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Select, and_, case, func, insert, select

from server.errors import NotFoundError
from server.golden import GoldenOutcome
from server.records_db.database import Transactions
from server.records_db.tables import GoldenResult, GoldenRun


class GoldenHistory:
    """The runs of all sites. Every method is one transaction."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    def note_run(  # noqa: PLR0913  (what a run was, each by its name)
        self,
        outcomes: Sequence[GoldenOutcome],
        *,
        site: str,
        occasion: str,
        snapshot: str,
        strategy: str,
        by: str,
    ) -> int:
        """Keeps a run and all that came of it; returns its number. `occasion` says why it was run."""
        run = {"site": site, "occasion": occasion, "snapshot": snapshot, "strategy": strategy, "by": by}
        with self._transactions.writing() as connection:
            made = connection.execute(insert(GoldenRun).values(run | {"at": datetime.now(UTC)}))
            [number] = made.inserted_primary_key or (0,)
            if outcomes:
                connection.execute(
                    insert(GoldenResult),
                    [
                        {"run_number": number, **asdict(outcome), "cited": list(outcome.cited)}
                        for outcome in outcomes
                    ],
                )
        return int(number)

    def runs(self, site: str | None = None, *, limit: int = 50) -> list[dict[str, Any]]:
        """The latest runs, newest first.

        Keys: number, at, site, occasion, snapshot, strategy, by; passed and failed (counts).
        """
        query = _counted().order_by(GoldenRun.number.desc()).limit(limit)
        if site is not None:
            query = query.where(GoldenRun.site == site)
        with self._transactions.reading() as connection:
            return [_counted_run(row) for row in connection.execute(query).mappings()]

    def run(self, number: int) -> dict[str, Any]:
        """One run, with the same keys; `NotFoundError` when there was no such run."""
        with self._transactions.reading() as connection:
            query = _counted().where(GoldenRun.number == number)
            row = connection.execute(query).mappings().one_or_none()
        if row is None:
            raise NotFoundError(_no_run(number))
        return _counted_run(row)

    def outcomes(self, number: int) -> tuple[GoldenOutcome, ...]:
        """What became of each question in one run, by id; `NotFoundError` when there was no such run."""
        query = select(GoldenResult.__table__).where(GoldenResult.run_number == number)
        with self._transactions.reading() as connection:
            if connection.execute(select(GoldenRun.number).where(GoldenRun.number == number)).first() is None:
                raise NotFoundError(_no_run(number))
            rows = connection.execute(query.order_by(GoldenResult.golden_id)).mappings().all()
        return tuple(
            GoldenOutcome(row["golden_id"], row["failure"], row["answer"], tuple(row["cited"]))
            for row in rows
        )

    def history(self, golden_id: str, *, limit: int = 50) -> list[dict[str, Any]]:
        """What became of one question, newest first: a run's own keys, and failure, answer and cited."""
        query = (
            select(GoldenRun.__table__, GoldenResult.failure, GoldenResult.answer, GoldenResult.cited)
            .join(GoldenResult, GoldenResult.run_number == GoldenRun.number)
            .where(GoldenResult.golden_id == golden_id)
            .order_by(GoldenRun.number.desc())
            .limit(limit)
        )
        with self._transactions.reading() as connection:
            rows = connection.execute(query).mappings().all()
        return [_run(row) | {name: row[name] for name in ("failure", "answer", "cited")} for row in rows]

    def record_of(self, site: str | None = None) -> dict[str, dict[str, Any]]:
        """By golden id, of those that were ever asked (on a site), what became of them.

        Keys: how often it `passed` and `failed` so far, the `number` of its last run, that run's `at`, and
        the `failure` then (None: it passed).
        """
        counted = _counts(site).subquery()
        last = and_(
            GoldenResult.golden_id == counted.c.golden_id, GoldenResult.run_number == counted.c.number
        )
        query = (
            select(counted, GoldenResult.failure, GoldenRun.at)
            .join(GoldenResult, last)
            .join(GoldenRun, GoldenRun.number == counted.c.number)
        )
        with self._transactions.reading() as connection:
            rows = connection.execute(query).mappings().all()
        return {row["golden_id"]: _record(row) for row in rows}


def _counted() -> Select[Any]:
    """A row a run, with how many questions passed and failed in it."""
    failed = func.count(GoldenResult.failure).label("failed")
    passed = (func.count(GoldenResult.golden_id) - func.count(GoldenResult.failure)).label("passed")
    return (
        select(GoldenRun.__table__, passed, failed)
        .outerjoin(GoldenResult, GoldenResult.run_number == GoldenRun.number)
        .group_by(*GoldenRun.__table__.columns)
    )


def _counts(site: str | None) -> Select[Any]:
    """A row a question, with how often it passed and failed, and its last run."""
    columns: tuple[Any, ...] = (
        GoldenResult.golden_id,
        func.sum(case((GoldenResult.failure.is_(None), 1), else_=0)).label("passed"),
        func.count(GoldenResult.failure).label("failed"),
        func.max(GoldenResult.run_number).label("number"),
    )
    query = select(*columns).group_by(GoldenResult.golden_id)
    if site is None:
        return query
    runs = query.join(GoldenRun, GoldenRun.number == GoldenResult.run_number)
    return runs.where(GoldenRun.site == site)


def _record(row: Mapping[Any, Any]) -> dict[str, Any]:
    names = ("passed", "failed", "number", "failure")
    return {name: row[name] for name in names} | {"at": row["at"].isoformat()}


def _counted_run(row: Mapping[Any, Any]) -> dict[str, Any]:
    return _run(row) | {"passed": row["passed"], "failed": row["failed"]}


def _no_run(number: int) -> str:
    return f"There was no run {number} of golden questions."


def _run(row: Mapping[Any, Any]) -> dict[str, Any]:
    names = ("number", "site", "occasion", "snapshot", "strategy", "by")
    return {name: row[name] for name in names} | {"at": row["at"].isoformat()}
