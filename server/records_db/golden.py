"""Golden questions; what became of them in every run is in `golden_history.py`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from itertools import chain, count
from typing import Any

from sqlalchemy import Connection, delete, insert, select

from server.errors import BadInputError, NotFoundError
from server.golden import GoldenQuestion
from server.records_db.audit import COMMAND_LINE, note_change
from server.records_db.curation_check import MAX_TOPIC_CHARS, check_names, line_of, name_of, url_of
from server.records_db.golden_history import GoldenHistory
from server.records_db.tables import GoldenResult, StoredGoldenQuestion

MAX_QUESTION_CHARS, MAX_ANSWER_CHARS, MAX_PAGES = 2000, 1000, 20
NO_QUESTION = "There is no golden question with that id."
RESERVED = ("export", "run", "runs")  # what the admin API has at these addresses is something else


class GoldenShelf(GoldenHistory):
    """The golden questions of all sites, and their history. Changes are in the audit log."""

    def all(self, site: str | None = None, from_trace: str | None = None) -> tuple[GoldenQuestion, ...]:
        """Those of a site, or all, by site and id; or only those that were made from a trace."""
        query = select(StoredGoldenQuestion.__table__).order_by(
            StoredGoldenQuestion.site, StoredGoldenQuestion.id
        )
        if site is not None:
            query = query.where(StoredGoldenQuestion.site == site)
        if from_trace is not None:
            query = query.where(StoredGoldenQuestion.from_trace == from_trace)
        with self._transactions.reading() as connection:
            return tuple(_question(row) for row in connection.execute(query).mappings())

    def get(self, golden_id: str) -> GoldenQuestion:
        """The one with that id; `NotFoundError`."""
        with self._transactions.reading() as connection:
            golden = _find(connection, golden_id)
        if golden is None:
            raise NotFoundError(NO_QUESTION)
        return golden

    def add(self, golden: GoldenQuestion, *, by: str = COMMAND_LINE) -> GoldenQuestion:
        """Keeps a new one beside all others, and returns it under the id that it was given.

        The id is made of the question's words, with a number where that is taken.
        """
        with self._transactions.writing() as connection:
            own = _free_id(connection, name_of(golden.question) or "question")
            golden = checked_golden(replace(golden, id=own))
            connection.execute(insert(StoredGoldenQuestion), asdict(golden))
            note_change(connection, by, ("golden", golden.id), None, asdict(golden))
        return golden

    def put(self, golden: GoldenQuestion, *, by: str = COMMAND_LINE) -> GoldenQuestion | None:
        """Keeps it in place of what had its id, and returns that; `BadInputError` says what is wrong."""
        golden = checked_golden(golden)
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
    )


def _find(connection: Connection, golden_id: str) -> GoldenQuestion | None:
    query = select(StoredGoldenQuestion.__table__).where(StoredGoldenQuestion.id == golden_id)
    row = connection.execute(query).mappings().one_or_none()
    return None if row is None else _question(row)


def _taken(connection: Connection, golden_id: str) -> GoldenQuestion | None:
    """The question of that id, which is no longer there; None when there was none."""
    found = _find(connection, golden_id)
    connection.execute(delete(StoredGoldenQuestion).where(StoredGoldenQuestion.id == golden_id))
    return found


def _free_id(connection: Connection, name: str) -> str:
    """The name, or with the first number that makes it new: the history of a removed one is its own."""
    taken = {*RESERVED}
    for column in (StoredGoldenQuestion.id, GoldenResult.golden_id):
        like = select(column).where(column.startswith(name, autoescape=True))
        taken |= set(connection.execute(like).scalars())
    names = chain([name], (f"{name}-{number}" for number in count(2)))
    return next(one for one in names if one not in taken)


def _question(row: Mapping[Any, Any]) -> GoldenQuestion:
    return GoldenQuestion(**{**row, "pages": tuple(row["pages"]), "answers": tuple(row["answers"])})
