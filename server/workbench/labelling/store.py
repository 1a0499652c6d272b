"""Samples of visitors' questions and what people found of each, with the golden question that came of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, Protocol

from sqlalchemy import Connection, and_, exists, func, insert, or_, select, union, update

from server.errors import NotFoundError
from server.models import TurnFilter
from server.models.answers import OF_NO_QUESTION
from server.models.golden import GoldenQuestion
from server.storage.audit import COMMAND_LINE, note_change
from server.storage.conversations import plain
from server.storage.engine import RecordStore, Transactions
from server.storage.tables.labelling import StoredLabel, StoredSample
from server.storage.tables.visitors import SEEMS, MessageRow, StoredTrace, TurnRow
from server.storage.turns import counted
from server.workbench.labelling.choose import ChosenQuestion, PastTurn

Label = Literal["right", "partly", "wrong", "unanswered", "not_worth"]

NO_SAMPLE, NO_QUESTION = "There is no sample with that number.", "The sample has no such question."


class GoldenKeeper(Protocol):
    """Where golden questions are kept, within a transaction that is under way."""

    def add_within(self, connection: Connection, golden: GoldenQuestion, by: str) -> GoldenQuestion:
        """Keeps a new one."""

    def take_back_within(self, connection: Connection, golden_id: str, by: str) -> bool:
        """Removes one unless it was changed since; returns whether it is gone."""


@dataclass(frozen=True, slots=True)
class SampleDrawing:
    """What a sample is drawn by: a site, its days (ISO 8601, both included), how many questions, the seed."""

    site: str
    since: str
    until: str
    size: int
    seed: int


@dataclass(frozen=True, slots=True)
class SampleRow:
    """A sample, by whom it was drawn and when, how many questions it has, and how many are labelled."""

    id: int
    site: str
    since: str
    until: str
    size: int
    seed: int
    by: str
    at: str
    questions: int
    labelled: int


@dataclass(frozen=True, slots=True)
class SampledRow:
    """A question of a sample, what became of it when it was asked, and what somebody found since."""

    message_id: str
    trace_id: str
    conversation_id: str
    question: str
    day: str
    topic: str | None
    refused: bool
    seems: bool
    draws: int
    times: int
    reasons: list[str]
    label: Label | None
    golden_id: str | None
    by: str
    at: str | None


class LabelStore(RecordStore):
    """Samples and labels; a label goes with its answer. Every method is one transaction."""

    def __init__(self, transactions: Transactions, golden: GoldenKeeper) -> None:
        super().__init__(transactions)
        self._golden = golden

    def turns(self, wanted: TurnFilter) -> list[PastTurn]:
        """All questions of these days that have a trace, oldest first, without small talk, distress and what
        is unsafe."""
        query = (
            select(
                TurnRow.number, MessageRow.id.label("message_id"), MessageRow.trace_id,
                TurnRow.conversation_id, TurnRow.question, TurnRow.asked, TurnRow.refused,
                TurnRow.evidence.label("confidence"), TurnRow.helpful, TurnRow.reason,
            )
            .join(MessageRow, MessageRow.number == TurnRow.number)
            .where(*counted(wanted), *_is_question())
            .order_by(TurnRow.number)
        )  # fmt: skip
        with self._transactions.reading() as connection:
            return [PastTurn(**_with_seems(row)) for row in connection.execute(query).mappings()]

    def known(self, site: str, traces: Collection[str]) -> set[str]:
        """Of a site's questions, the `asked` of those that were labelled, or asked in one of these traces."""
        asked = select(TurnRow.asked).join(MessageRow, MessageRow.number == TurnRow.number)
        of_site = asked.where(TurnRow.site == site)
        labelled = of_site.join(StoredLabel, StoredLabel.message_id == MessageRow.id)
        traced = of_site.join(StoredTrace, StoredTrace.message_id == MessageRow.id)
        query = union(
            labelled.where(StoredLabel.label.is_not(None)), traced.where(StoredTrace.id.in_(traces))
        )
        with self._transactions.reading() as connection:
            return set(connection.scalars(query))

    def find(self, drawing: SampleDrawing) -> int | None:
        """The number of the sample that was drawn so."""
        with self._transactions.reading() as connection:
            return _find(connection, drawing)

    def keep(
        self, drawing: SampleDrawing, chosen: Sequence[ChosenQuestion], *, by: str = COMMAND_LINE
    ) -> int:
        """Keeps a sample and returns its number; where one was drawn so meanwhile, that one's."""
        with self._transactions.writing() as connection:
            if (known := _find(connection, drawing)) is not None:
                return known
            values = {name: getattr(drawing, name) for name in SampleDrawing.__slots__}
            made = connection.execute(insert(StoredSample).values(values | {"by": by, "at": _now()}))
            [number] = made.inserted_primary_key or (0,)
            rows = [
                {"sample_id": number, "place": place, "message_id": one.message_id, "draws": one.draws}
                | {"times": one.times, "reasons": list(one.reasons)}
                for place, one in enumerate(chosen)
            ]
            connection.execute(insert(StoredLabel), rows)
            note_change(connection, by, ("sample", str(number)), None, values)
        return int(number)

    def samples(self, site: str | None = None, sample_id: int | None = None) -> list[SampleRow]:
        """Those of a site that have any question left, the latest first; or the one of a number."""
        query = (
            select(
                StoredSample.__table__,
                func.count().label("questions"),
                func.count(StoredLabel.label).label("labelled"),
            )
            .join(StoredLabel, StoredLabel.sample_id == StoredSample.id)
            .group_by(*StoredSample.__table__.columns)
            .order_by(StoredSample.id.desc())
        )
        if site is not None:
            query = query.where(StoredSample.site == site)
        if sample_id is not None:
            query = query.where(StoredSample.id == sample_id)
        with self._transactions.reading() as connection:
            return [SampleRow(**plain(row)) for row in connection.execute(query).mappings()]

    def questions(self, sample_id: int) -> list[SampledRow]:
        """The questions of a sample, in its order."""
        with self._transactions.reading() as connection:
            rows = connection.execute(_sampled(StoredLabel.sample_id == sample_id)).mappings()
            return [SampledRow(**plain(_with_seems(row))) for row in rows]

    def question(self, sample_id: int, message_id: str) -> SampledRow:
        """One of them; `NotFoundError`."""
        with self._transactions.reading() as connection:
            return _one(connection, sample_id, message_id)

    def label(
        self,
        sample_id: int,
        message_id: str,
        label: Label | None,
        golden: GoldenQuestion | None = None,
        *,
        by: str = COMMAND_LINE,
    ) -> SampledRow:
        """Keeps what somebody found, with the golden question that comes of it, in place of what was before.

        Without a label that is undone. A golden question that somebody has changed since stays as it is, and
        no other is made of this label. `NotFoundError`: the sample has no such question.
        """
        with self._transactions.writing() as connection:
            before = _one(connection, sample_id, message_id)
            own_id = before.golden_id
            if own_id and self._golden.take_back_within(connection, own_id, by):
                own_id = None
            if golden and not own_id:
                own_id = self._golden.add_within(connection, golden, by).id
            found = {"label": label, "golden_id": own_id if label else None}
            own = and_(StoredLabel.sample_id == sample_id, StoredLabel.message_id == message_id)
            who = {"by": by if label else "", "at": _now() if label else None}
            connection.execute(update(StoredLabel).where(own).values(found | who))
            told = {"label": before.label, "golden_id": before.golden_id} if before.label else None
            note_change(connection, by, ("label", message_id), told, found if label else None)
            return _one(connection, sample_id, message_id)


def _is_question() -> Iterator[Any]:
    """What a turn has to be to be worth a label: a question that was answered or refused, with its trace."""
    yield TurnRow.answerer.not_in(OF_NO_QUESTION)
    yield TurnRow.help.is_(None)
    yield or_(TurnRow.reason.is_(None), TurnRow.reason != "unsafe")
    yield exists().where(StoredTrace.id == MessageRow.trace_id)


def _find(connection: Connection, drawing: SampleDrawing) -> int | None:
    same = [getattr(StoredSample, name) == getattr(drawing, name) for name in SampleDrawing.__slots__]
    return connection.execute(select(StoredSample.id).where(*same)).scalar_one_or_none()


def _sampled(*conditions: Any) -> Any:
    return (
        select(
            StoredLabel.message_id, MessageRow.trace_id, TurnRow.conversation_id, TurnRow.question,
            TurnRow.day, TurnRow.topic, TurnRow.refused, TurnRow.reason, StoredLabel.draws,
            StoredLabel.times, StoredLabel.reasons, StoredLabel.label, StoredLabel.golden_id,
            StoredLabel.by, StoredLabel.at,
        )
        .join(MessageRow, MessageRow.id == StoredLabel.message_id)
        .join(TurnRow, TurnRow.number == MessageRow.number)
        .where(*conditions)
        .order_by(StoredLabel.place)
    )  # fmt: skip


def _with_seems(row: Mapping[Any, Any]) -> dict[str, Any]:
    """With `seems` in place of the `reason` of a turn."""
    return {name: value for name, value in row.items() if name != "reason"} | {
        "seems": row["reason"] == SEEMS
    }


def _one(connection: Connection, sample_id: int, message_id: str) -> SampledRow:
    own = (StoredLabel.sample_id == sample_id, StoredLabel.message_id == message_id)
    row = connection.execute(_sampled(*own)).mappings().one_or_none()
    if row is None:
        raise NotFoundError(NO_QUESTION)
    return SampledRow(**plain(_with_seems(row)))


def _now() -> datetime:
    return datetime.now(UTC)
