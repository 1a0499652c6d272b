"""Gaps as they are read: counts, trend, typical questions, and the pages that came nearest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, func, select

from server.errors import NotFoundError
from server.records import GapFilter, GapKinds, GapStates
from server.records_db.counting import counted, how_many
from server.records_db.gaps import NO_GAP, gap_of_turn, kind_of_turn
from server.records_db.tables import Gap, Message, Turn

SAMPLES = 5
Row = dict[str, Any]
ByGap = Mapping[int, list[Any]]


def read_gaps(connection: Connection, wanted: GapFilter, limit: int, offset: int) -> list[Row]:
    """The gaps with most questions first. See `RecordsStore.gaps` for the keys."""
    conditions = (kind_of_turn().in_(wanted.kinds), *counted(wanted.asked))
    return _read(connection, conditions, Gap.state.in_(wanted.states), limit, offset)


def read_gap(connection: Connection, gap_id: int) -> Row:
    """One of them, with all its questions; `NotFoundError`."""
    conditions = (Turn.gap_id == gap_id, kind_of_turn().in_(GapKinds))
    for row in _read(connection, conditions, Gap.state.in_(GapStates), 1, 0):
        return row
    raise NotFoundError(NO_GAP)


def _read(
    connection: Connection,
    conditions: Sequence[ColumnElement[bool]],
    of_gap: ColumnElement[bool],
    limit: int,
    offset: int,
) -> list[Row]:
    kind = kind_of_turn()
    own_gap = gap_of_turn()
    numbers = (
        select(
            own_gap.label("gap_id"),
            func.count().label("questions"),
            *(how_many(kind == one).label(one) for one in GapKinds),
            func.min(Turn.day).label("first_day"),
            func.max(Turn.day).label("last_day"),
            func.max(Turn.number).label("latest"),
        )
        .where(own_gap != 0, *conditions)
        .group_by(own_gap)
        .subquery()
    )
    own = [column for column in Gap.__table__.columns if column.name not in ("middle", "last_number")]
    page = (
        select(*own, *(column for column in numbers.c if column.name != "gap_id"))
        .join(numbers, numbers.c.gap_id == Gap.id)
        .where(of_gap)
        .order_by(numbers.c.questions.desc(), Gap.id.desc())
        .limit(limit)
        .offset(offset)
    )
    rows = [dict(row) for row in connection.execute(page).mappings()]
    of_these = (Turn.gap_id.in_([row["id"] for row in rows]), *conditions)
    days, topics = _per(connection, Turn.day, of_these), _per(connection, Turn.topic, of_these)
    samples, nearest = _samples(connection, of_these), _nearest(connection, [row["latest"] for row in rows])
    return [
        _plain(row)
        | {
            "kinds": {one: row[one] for one in GapKinds},
            "question": samples[row["id"]][0]["question"],
            "topic": _commonest(topics[row["id"]]),
            "weeks": _weeks(days[row["id"]]),
            "samples": samples[row["id"]],
            "closest_pages": nearest.get(row["latest"], []),
        }
        for row in rows
    ]


def _per(connection: Connection, column: Any, conditions: Iterable[ColumnElement[bool]]) -> ByGap:
    """(value, questions) for each gap, in the order of the values."""
    found: dict[int, list[Any]] = defaultdict(list)
    counts = select(Turn.gap_id, column, func.count()).where(*conditions).group_by(Turn.gap_id, column)
    for gap_id, value, count in connection.execute(counts):
        found[gap_id].append((value, count))
    return found


def _samples(connection: Connection, conditions: Sequence[ColumnElement[bool]]) -> ByGap:
    """The commonest wordings of each gap; among equals, the nearest to its middle."""
    likeness = func.max(func.coalesce(Turn.likeness, 0.0))
    worded = (
        select(
            Turn.gap_id,
            func.max(Turn.number).label("number"),
            func.count().label("times"),
            likeness.label("like"),
        )
        .where(*conditions)
        .group_by(Turn.gap_id, Turn.asked)
    )
    wordings: dict[int, list[Any]] = defaultdict(list)
    for row in connection.execute(worded):
        wordings[row.gap_id].append((row.times, row.like, row.number))
    chosen = {gap_id: sorted(own, reverse=True)[:SAMPLES] for gap_id, own in wordings.items()}
    numbers = [number for own in chosen.values() for *_, number in own]
    shown = (
        select(
            Turn.number, Turn.question, Turn.day, kind_of_turn().label("kind"), Turn.conversation_id,
            Message.trace_id,
        )
        .join(Message, Message.number == Turn.number)
        .where(Turn.number.in_(numbers))
    )  # fmt: skip
    rows = {row["number"]: dict(row) for row in connection.execute(shown).mappings()}
    return {
        gap_id: [_without(rows[number], "number") | {"times": times} for times, _, number in own]
        for gap_id, own in chosen.items()
    }


def _nearest(connection: Connection, numbers: Sequence[int]) -> Mapping[int, list[Row]]:
    """The pages that the latest answer named as closest, or cited."""
    answers = connection.execute(select(Message.number, Message.answer).where(Message.number.in_(numbers)))
    found = {}
    for number, answer in answers:
        pages = (answer or {}).get("closest_pages") or (answer or {}).get("citations") or []
        unique = {page["url"]: {"url": page["url"], "title": page["title"]} for page in pages}
        found[number] = list(unique.values())
    return found


def _commonest(topics: Sequence[tuple[str | None, int]]) -> str | None:
    """The topic of most of the questions that have one."""
    named = [(count, topic) for topic, count in topics if topic]
    return max(named)[1] if named else None


def _weeks(days: Sequence[tuple[str, int]]) -> list[Row]:
    """Questions a week, by its Monday, oldest first; weeks between without any are there with 0."""
    counts: dict[date, int] = defaultdict(int)
    for day, count in days:
        at = date.fromisoformat(day)
        counts[at - timedelta(days=at.weekday())] += count
    weeks, week = [], min(counts)
    while week <= max(counts):
        weeks.append({"week": week.isoformat(), "questions": counts.get(week, 0)})
        week += timedelta(days=7)
    return weeks


def _plain(row: Row) -> Row:
    kept = _without(row, "latest", *GapKinds)
    return {key: value.isoformat() if isinstance(value, datetime) else value for key, value in kept.items()}


def _without(row: Row, *names: str) -> Row:
    return {key: value for key, value in row.items() if key not in names}
