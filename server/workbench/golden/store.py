"""Golden questions: where they are kept, and what became of them in every run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from itertools import chain, count
from typing import Any

from sqlalchemy import Connection, Select, and_, case, func, insert, select

from server.errors import BadInputError, NotFoundError
from server.models.golden import GoldenOutcome, GoldenQuestion
from server.storage.audit import COMMAND_LINE, is_as_added
from server.storage.conversations import plain
from server.storage.engine import RecordStore
from server.storage.kept import Shelf
from server.storage.tables.editors import GoldenResult, GoldenRun, StoredGoldenQuestion
from server.workbench.checks import MAX_TOPIC_CHARS, check_names, line_of, name_of, url_of

MAX_QUESTION_CHARS, MAX_ANSWER_CHARS, MAX_PAGES, MAX_GAP_CHARS = 2000, 1000, 20, 500
RESERVED = ("export", "run", "runs")  # what the admin API has at these addresses is something else


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run with its counts. `occasion` is why it was run: "asked" by a person.

    `known_gaps` counts those that failed and were known to; they are none of the `failed`.
    """

    number: int
    at: str
    site: str
    occasion: str
    snapshot: str
    strategy: str
    by: str
    passed: int
    failed: int
    known_gaps: int


@dataclass(frozen=True, slots=True)
class Turnout:
    """What became of a question in one run; `failure` is null where it passed."""

    number: int
    at: str
    site: str
    occasion: str
    snapshot: str
    strategy: str
    by: str
    failure: str | None
    answer: str
    cited: list[str]


@dataclass(frozen=True, slots=True)
class GoldenRecord:
    """How often it passed and failed; at its last run, when that was, and why it failed (null: it passed)."""

    passed: int
    failed: int
    number: int
    at: str
    failure: str | None


class GoldenStore(RecordStore):
    """The golden questions of all sites, and their history. Every method is one transaction.

    Changes are in the audit log.
    """

    def all(self, site: str | None = None, from_trace: str | None = None) -> tuple[GoldenQuestion, ...]:
        """Those of a site, or all, by site and id; or only those that were made from a trace."""
        conditions = []
        if site is not None:
            conditions.append(StoredGoldenQuestion.site == site)
        if from_trace is not None:
            conditions.append(StoredGoldenQuestion.from_trace == from_trace)
        with self._transactions.reading() as connection:
            return QUESTIONS.all(connection, *conditions)

    def get(self, golden_id: str) -> GoldenQuestion:
        """The one with that id; `NotFoundError`."""
        with self._transactions.reading() as connection:
            return QUESTIONS.get(connection, golden_id)

    def add(self, golden: GoldenQuestion, *, by: str = COMMAND_LINE) -> GoldenQuestion:
        """Keeps a new one beside all others, and returns it under the id that it was given.

        The id is made of the question's words, with a number where that is taken.
        """
        with self._transactions.writing() as connection:
            return self.add_within(connection, golden, by)

    def add_within(self, connection: Connection, golden: GoldenQuestion, by: str) -> GoldenQuestion:
        """The same, as a part of another transaction."""
        own = _free_id(connection, name_of(golden.question) or "question")
        QUESTIONS.put(connection, replace(golden, id=own), by)
        return QUESTIONS.get(connection, own)

    def take_back_within(self, connection: Connection, golden_id: str, by: str) -> bool:
        """Removes one as a part of another transaction, unless somebody has changed it since it was added.

        Returns whether it is gone; so it is, too, where it had been removed before.
        """
        if not QUESTIONS.all(connection, StoredGoldenQuestion.id == golden_id):
            return True
        if not is_as_added(connection, (QUESTIONS.kind, golden_id)):
            return False
        QUESTIONS.remove(connection, golden_id, by)
        return True

    def put(self, golden: GoldenQuestion, *, by: str = COMMAND_LINE) -> GoldenQuestion | None:
        """Keeps it in place of what had its id, and returns that; `BadInputError` says what is wrong."""
        with self._transactions.writing() as connection:
            return QUESTIONS.put(connection, golden, by)

    def remove(self, golden_id: str, *, by: str = COMMAND_LINE) -> GoldenQuestion:
        """Removes it, and returns it; its history stays. `NotFoundError` when there is none."""
        with self._transactions.writing() as connection:
            return QUESTIONS.remove(connection, golden_id, by)

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

    def runs(self, site: str | None = None, *, limit: int = 50) -> list[RunRow]:
        """The latest runs, newest first."""
        query = _counted().order_by(GoldenRun.number.desc()).limit(limit)
        if site is not None:
            query = query.where(GoldenRun.site == site)
        with self._transactions.reading() as connection:
            return [RunRow(**plain(row)) for row in connection.execute(query).mappings()]

    def run(self, number: int) -> RunRow:
        """One run; `NotFoundError` when there was no such run."""
        with self._transactions.reading() as connection:
            query = _counted().where(GoldenRun.number == number)
            row = connection.execute(query).mappings().one_or_none()
        if row is None:
            raise NotFoundError(_no_run(number))
        return RunRow(**plain(row))

    def failed_over(self, snapshot: str) -> set[str]:
        """The ids of those that failed when they were last asked over a snapshot."""
        last = (
            select(GoldenResult.golden_id, func.max(GoldenResult.run_number).label("number"))
            .join(GoldenRun, GoldenRun.number == GoldenResult.run_number)
            .where(GoldenRun.snapshot == snapshot)
            .group_by(GoldenResult.golden_id)
            .subquery()
        )
        query = select(GoldenResult.golden_id).join(
            last,
            and_(GoldenResult.golden_id == last.c.golden_id, GoldenResult.run_number == last.c.number),
        )
        with self._transactions.reading() as connection:
            return set(connection.execute(query.where(GoldenResult.failure.is_not(None))).scalars())

    def outcomes(self, number: int) -> tuple[GoldenOutcome, ...]:
        """What became of each question in one run, by id; `NotFoundError` when there was no such run."""
        query = select(GoldenResult.__table__).where(GoldenResult.run_number == number)
        with self._transactions.reading() as connection:
            if connection.execute(select(GoldenRun.number).where(GoldenRun.number == number)).first() is None:
                raise NotFoundError(_no_run(number))
            rows = connection.execute(query.order_by(GoldenResult.golden_id)).mappings().all()
        return tuple(
            GoldenOutcome(
                row["golden_id"], row["failure"], row["answer"], tuple(row["cited"]), row["known_gap"]
            )
            for row in rows
        )

    def broken_in(self, number: int) -> list[str]:
        """The questions that failed in one run, though the last time before they were answered rightly.

        Known gaps are none of them, nor is what was removed since.
        """
        earlier = GoldenResult.__table__.alias("earlier")
        own = (earlier.c.golden_id == GoldenResult.golden_id, earlier.c.run_number < number)
        last = select(func.max(earlier.c.run_number)).where(*own).correlate(GoldenResult).scalar_subquery()
        before = GoldenResult.__table__.alias("before")
        query = (
            select(StoredGoldenQuestion.question)
            .join(GoldenResult, GoldenResult.golden_id == StoredGoldenQuestion.id)
            .join(before, and_(before.c.golden_id == GoldenResult.golden_id, before.c.run_number == last))
            .where(GoldenResult.run_number == number, GoldenResult.failure.is_not(None))
            .where(GoldenResult.known_gap.is_(False), before.c.failure.is_(None))
            .order_by(StoredGoldenQuestion.id)
        )
        with self._transactions.reading() as connection:
            return list(connection.scalars(query))

    def history(self, golden_id: str, *, limit: int = 50) -> list[Turnout]:
        """What became of one question, newest first."""
        query = (
            select(GoldenRun.__table__, GoldenResult.failure, GoldenResult.answer, GoldenResult.cited)
            .join(GoldenResult, GoldenResult.run_number == GoldenRun.number)
            .where(GoldenResult.golden_id == golden_id)
            .order_by(GoldenRun.number.desc())
            .limit(limit)
        )
        with self._transactions.reading() as connection:
            return [Turnout(**plain(row)) for row in connection.execute(query).mappings()]

    def record_of(self, site: str | None = None) -> dict[str, GoldenRecord]:
        """By golden id, of those that were ever asked (on a site), what became of them."""
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
            rows = [plain(row) for row in connection.execute(query).mappings()]
        return {row.pop("golden_id"): GoldenRecord(**row) for row in rows}


def checked_golden(golden: GoldenQuestion) -> GoldenQuestion:
    """As it is kept: its texts on one line each, pages and answers each once; or a `BadInputError`."""
    check_names(golden.id, golden.site)
    if golden.id in RESERVED:
        raise BadInputError(f"The id {golden.id!r} is taken; choose another.")
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
        known_gap=_known_gap(golden.known_gap),
    )


def _known_gap(why: str) -> str:
    return line_of(why, "Why it is a known gap", MAX_GAP_CHARS) if why.strip() else ""


QUESTIONS: Shelf[GoldenQuestion] = Shelf(
    "golden",
    StoredGoldenQuestion,
    GoldenQuestion,
    checked_golden,
    "There is no golden question with that id.",
)


def _free_id(connection: Connection, name: str) -> str:
    """The name, or with the first number that makes it new: the history of a removed one is its own."""
    taken = {*RESERVED}
    for column in (StoredGoldenQuestion.id, GoldenResult.golden_id):
        like = select(column).where(column.startswith(name, autoescape=True))
        taken |= set(connection.execute(like).scalars())
    names = chain([name], (f"{name}-{number}" for number in count(2)))
    return next(one for one in names if one not in taken)


def _counted() -> Select[Any]:
    """A row a run, with how many questions passed and failed in it, and how many failed as was known."""
    gaps = func.count(case((GoldenResult.known_gap, GoldenResult.failure)))
    failed = (func.count(GoldenResult.failure) - gaps).label("failed")
    passed = (func.count(GoldenResult.golden_id) - func.count(GoldenResult.failure)).label("passed")
    return (
        select(GoldenRun.__table__, passed, failed, gaps.label("known_gaps"))
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


def _no_run(number: int) -> str:
    return f"There was no run {number} of golden questions."
