"""Answers counted by day, site and topic, and the pages they cite. The database does it, over one index."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Integer, and_, case, cast, func, select

from server.models import ALL_TURNS, TurnFilter
from server.storage.engine import RecordStore
from server.storage.tables.visitors import SEEMS, CitedPage, Conversation, TurnRow
from server.storage.turns import SLICES, counted, how_many

COUNTS = ("questions", "answered", "seems", "refused", "degraded", "helpful", "unhelpful")
SOME = 500  # addresses in one query
Times = Counter[int]  # how many took about so many ms


@dataclass(frozen=True, slots=True)
class TurnCounts:
    """What became of some questions. `name` is a day, a site or a topic (empty: none); times are exact.

    They are null where nothing was timed. `seems`: passages were shown as what seems to answer.
    """

    name: str
    questions: int
    answered: int
    seems: int
    refused: int
    degraded: int
    helpful: int
    unhelpful: int
    p50_ms: float | None
    p95_ms: float | None


@dataclass(frozen=True, slots=True)
class Overview:
    """All questions that are counted, and the same by day, site and topic, in the order of their names.

    `help_lines` is how many lines of visitors got help lines, alone or above an answer, and `help_missed` how
    many got none and may have called for them.
    """

    total: TurnCounts
    days: list[TurnCounts]
    sites: list[TurnCounts]
    topics: list[TurnCounts]
    help_lines: int = 0
    help_missed: int = 0


class CoverageStore(RecordStore):
    """What is counted of answers. Every method is one transaction.

    A day that is none is a `BadInputError`.
    """

    def overview(self, wanted: TurnFilter = ALL_TURNS) -> Overview:
        """Questions, answers, refusals, ratings and times."""
        with self._transactions.reading() as connection:
            counts = connection.execute(_counts(wanted)).mappings().all()
            times = {slice_: _times(connection, column, wanted) for slice_, column in SLICES.items()}
            helped = select(TurnRow.help, func.count()).where(TurnRow.help.is_not(None), *counted(wanted))
            told = {row[0]: row[1] for row in connection.execute(helped.group_by(TurnRow.help))}
        found: dict[str, list[TurnCounts]] = {}
        for slice_ in SLICES:
            sums: dict[str, Counter[str]] = defaultdict(Counter)
            for row in counts:
                sums[row[slice_]].update({name: row[name] for name in COUNTS})
            found[slice_] = [_row(name, sums[name], times[slice_][name]) for name in sorted(sums)]
        everything = Counter({name: sum(row[name] for row in counts) for name in COUNTS})
        total = _row("all", everything, _added(times["sites"].values()))
        return Overview(total, **found, help_lines=told.get("shown", 0), help_missed=told.get("missed", 0))

    def topics_asked(self, wanted: TurnFilter = ALL_TURNS) -> list[dict[str, Any]]:
        """A row for each topic (None: for questions without): topic, questions, refused."""
        refused = how_many(TurnRow.refused.is_(True)).label("refused")
        asked = select(TurnRow.topic, func.count().label("questions"), refused)
        with self._transactions.reading() as connection:
            rows = connection.execute(asked.where(*counted(wanted)).group_by(TurnRow.topic))
            return [dict(row) for row in rows.mappings()]

    def cited(self, wanted: TurnFilter = ALL_TURNS) -> list[dict[str, Any]]:
        """A row for each page that was cited: url, times, helpful, unhelpful."""
        cited = (
            select(
                CitedPage.url,
                func.count().label("times"),
                how_many(TurnRow.helpful.is_(True)).label("helpful"),
                how_many(TurnRow.helpful.is_(False)).label("unhelpful"),
            )
            .join(TurnRow, TurnRow.number == CitedPage.number)
            .where(*counted(wanted))
            .group_by(CitedPage.url)
        )
        with self._transactions.reading() as connection:
            return [dict(row) for row in connection.execute(cited).mappings()]

    def citations(self, site: str, urls: Sequence[str]) -> dict[str, int]:
        """How many answers of a site cite each of these pages; a page that none cites is left out."""
        found: dict[str, int] = {}
        with self._transactions.reading() as connection:
            for begin in range(0, len(urls), SOME):
                query = (
                    select(CitedPage.url, func.count().label("number"))
                    .join(TurnRow, TurnRow.number == CitedPage.number)
                    .join(Conversation, Conversation.id == TurnRow.conversation_id)
                    .where(Conversation.site == site, CitedPage.url.in_(urls[begin : begin + SOME]))
                    .group_by(CitedPage.url)
                )
                found |= {row.url: row.number for row in connection.execute(query)}
        return found


def _counts(wanted: TurnFilter) -> Any:
    return (
        select(
            *(column.label(slice_) for slice_, column in SLICES.items()),
            func.count().label("questions"),
            how_many(and_(TurnRow.refused.is_(False), TurnRow.reason.is_(None))).label("answered"),
            how_many(TurnRow.reason == SEEMS).label("seems"),
            how_many(TurnRow.refused.is_(True)).label("refused"),
            how_many(TurnRow.degraded.is_not(None)).label("degraded"),
            how_many(TurnRow.helpful.is_(True)).label("helpful"),
            how_many(TurnRow.helpful.is_(False)).label("unhelpful"),
        )
        .select_from(TurnRow)
        .where(*counted(wanted))
        .group_by(*SLICES)
    )


def _times(connection: Connection, column: Any, wanted: TurnFilter) -> Mapping[str, Times]:
    """How many answers took how long, for each value: to 1 ms up to 200, to 10 up to 2 s, to 100 above."""
    ms = TurnRow.total_ms
    took = case(
        (ms < 200, cast(ms, Integer)),
        (ms < 2000, cast(ms / 10, Integer) * 10),
        else_=cast(ms / 100, Integer) * 100,
    ).label("took")
    named = column.label("name")
    query = (
        select(named, took, func.count()).where(ms.is_not(None), *counted(wanted)).group_by("name", "took")
    )
    times: dict[str, Times] = defaultdict(Counter)
    for value, about, count in connection.execute(query):
        times[value][about] += count
    return times


def _added(times: Iterable[Times]) -> Times:
    total: Times = Counter()
    for one in times:
        total.update(one)
    return total


def _row(name: str, counts: Mapping[str, int], times: Times) -> TurnCounts:
    numbers = {key: int(counts.get(key, 0)) for key in COUNTS}
    return TurnCounts(name, **numbers, p50_ms=_percentile(times, 50), p95_ms=_percentile(times, 95))


def _percentile(times: Times, share: int) -> float | None:
    """The nearest rank: the least time that so many in a hundred did not take longer than."""
    left = sum(times.values()) * share
    for about in sorted(times):
        left -= times[about] * 100
        if left <= 0:
            return float(about)
    return None
