"""Golden questions, and what became of them in every run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, case, delete, func, insert, select

from server.errors import BadInputError, NotFoundError
from server.golden import GoldenOutcome, GoldenQuestion
from server.records_db.audit import COMMAND_LINE, note_change
from server.records_db.curation_check import MAX_TOPIC_CHARS, check_names, line_of, url_of
from server.records_db.database import Transactions
from server.records_db.tables import GoldenResult, GoldenRun, StoredGoldenQuestion

MAX_QUESTION_CHARS, MAX_ANSWER_CHARS, MAX_PAGES = 2000, 1000, 20
NO_QUESTION = "There is no golden question with that id."


class GoldenShelf:
    """The golden questions of all sites. Every method is one transaction; changes are in the audit log."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    def all(self, site: str | None = None) -> tuple[GoldenQuestion, ...]:
        """Those of a site, or all, by site and id."""
        query = select(StoredGoldenQuestion.__table__).order_by(
            StoredGoldenQuestion.site, StoredGoldenQuestion.id
        )
        if site is not None:
            query = query.where(StoredGoldenQuestion.site == site)
        with self._transactions.reading() as connection:
            return tuple(_question(row) for row in connection.execute(query).mappings())

    def put(self, golden: GoldenQuestion, *, by: str = COMMAND_LINE) -> GoldenQuestion | None:
        """Keeps it in place of what had its id, and returns that; `BadInputError` says what is wrong."""
        golden = _checked(golden)
        with self._transactions.writing() as connection:
            before = _taken(connection, golden.id)
            connection.execute(insert(StoredGoldenQuestion), asdict(golden))
            note_change(
                connection, by, ("golden", golden.id), asdict(before) if before else None, asdict(golden)
            )
        return before

    def remove(self, golden_id: str, *, by: str = COMMAND_LINE) -> GoldenQuestion:
        """Removes it, and returns it; its history stays. `NotFoundError` when there is none."""
        with self._transactions.writing() as connection:
            removed = _taken(connection, golden_id)
            if removed is None:
                raise NotFoundError(NO_QUESTION)
            note_change(connection, by, ("golden", golden_id), asdict(removed), None)
        return removed

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
        failed = func.count(GoldenResult.failure).label("failed")
        passed = (func.count(GoldenResult.golden_id) - func.count(GoldenResult.failure)).label("passed")
        query = (
            select(GoldenRun.__table__, passed, failed)
            .outerjoin(GoldenResult, GoldenResult.run_number == GoldenRun.number)
            .group_by(*GoldenRun.__table__.columns)
            .order_by(GoldenRun.number.desc())
            .limit(limit)
        )
        if site is not None:
            query = query.where(GoldenRun.site == site)
        with self._transactions.reading() as connection:
            rows = connection.execute(query).mappings().all()
        return [_run(row) | {"passed": row["passed"], "failed": row["failed"]} for row in rows]

    def outcomes(self, number: int) -> tuple[GoldenOutcome, ...]:
        """What became of each question in one run, by id; `NotFoundError` when there was no such run."""
        query = select(GoldenResult.__table__).where(GoldenResult.run_number == number)
        with self._transactions.reading() as connection:
            if connection.execute(select(GoldenRun.number).where(GoldenRun.number == number)).first() is None:
                raise NotFoundError(f"There was no run {number} of golden questions.")
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
        """By golden id: how often it `passed` and `failed` so far, and the `number` of its last run."""
        failed = func.count(GoldenResult.failure)
        query = select(
            GoldenResult.golden_id,
            func.sum(case((GoldenResult.failure.is_(None), 1), else_=0)).label("passed"),
            failed.label("failed"),
            func.max(GoldenResult.run_number).label("number"),
        ).group_by(GoldenResult.golden_id)
        if site is not None:
            query = query.join(GoldenRun, GoldenRun.number == GoldenResult.run_number)
            query = query.where(GoldenRun.site == site)
        with self._transactions.reading() as connection:
            rows = connection.execute(query).mappings().all()
        return {
            row["golden_id"]: {name: row[name] for name in ("passed", "failed", "number")} for row in rows
        }


def _taken(connection: Connection, golden_id: str) -> GoldenQuestion | None:
    """The question of that id, which is no longer there; None when there was none."""
    query = select(StoredGoldenQuestion.__table__).where(StoredGoldenQuestion.id == golden_id)
    row = connection.execute(query).mappings().one_or_none()
    connection.execute(delete(StoredGoldenQuestion).where(StoredGoldenQuestion.id == golden_id))
    return None if row is None else _question(row)


def _checked(golden: GoldenQuestion) -> GoldenQuestion:
    """As it is kept: its texts on one line each, pages and answers each once."""
    check_names(golden.id, golden.site)
    if len(golden.pages) > MAX_PAGES or len(golden.answers) > MAX_PAGES:
        raise BadInputError(f"A golden question takes at most {MAX_PAGES} pages and {MAX_PAGES} answers.")
    if golden.refuse and (golden.pages or golden.answers):
        raise BadInputError("A question that must not be answered has no right pages and no right words.")
    return replace(
        golden,
        question=line_of(golden.question, "The question", MAX_QUESTION_CHARS),
        pages=tuple(dict.fromkeys(url_of(page) for page in golden.pages)),
        answers=tuple(
            dict.fromkeys(line_of(one, "A right answer", MAX_ANSWER_CHARS) for one in golden.answers)
        ),
        topic=None if golden.topic is None else line_of(golden.topic, "A topic", MAX_TOPIC_CHARS),
    )


def _question(row: Mapping[Any, Any]) -> GoldenQuestion:
    return GoldenQuestion(**{**row, "pages": tuple(row["pages"]), "answers": tuple(row["answers"])})


def _run(row: Mapping[Any, Any]) -> dict[str, Any]:
    names = ("number", "site", "occasion", "snapshot", "strategy", "by")
    return {name: row[name] for name in names} | {"at": row["at"].isoformat()}
