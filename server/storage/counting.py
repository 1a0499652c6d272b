"""Counts answers: by day, site and topic, and how long they took. The database does it, over one index."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC
from typing import Any

from sqlalchemy import ColumnElement, Connection, Integer, case, cast, func, select

from server.models import TurnFilter
from server.storage.engine import parse_time
from server.storage.tables import CitedPage, Turn

# An expression, since SQLite would go through the index of a bare column, and read every row for the rest.
SLICES: Mapping[str, ColumnElement[str]] = {
    "days": func.coalesce(Turn.day, ""),
    "sites": func.coalesce(Turn.site, ""),
    "topics": func.coalesce(Turn.topic, ""),
}
COUNTS = ("questions", "answered", "refused", "degraded", "helpful", "unhelpful")
Times = Counter[int]  # how many took about so many ms


def counted(wanted: TurnFilter) -> Iterator[ColumnElement[bool]]:
    """What a row of `turns` has to fulfil."""
    if wanted.since is not None:
        yield Turn.day >= day_of(wanted.since)
    if wanted.until is not None:
        yield Turn.day <= day_of(wanted.until)
    if wanted.site is not None:
        yield SLICES["sites"] == wanted.site
    if wanted.topic is not None:
        yield SLICES["topics"] == wanted.topic


def day_of(text: str) -> str:
    """The ISO 8601 day (UTC) of a day or time; `BadInputError`."""
    return parse_time(text).astimezone(UTC).date().isoformat()


def how_many(condition: ColumnElement[bool]) -> ColumnElement[int]:
    """How many rows of a group are like that."""
    return func.coalesce(func.sum(case((condition, 1), else_=0)), 0)


def read_overview(connection: Connection, wanted: TurnFilter) -> dict[str, Any]:
    """`total`, and a row for each of the `days`, `sites` and `topics`, in the order of their names."""
    counts = connection.execute(_counts(wanted)).mappings().all()
    times = {slice_: _times(connection, column, wanted) for slice_, column in SLICES.items()}
    found: dict[str, Any] = {}
    for slice_ in SLICES:
        sums: dict[str, Counter[str]] = defaultdict(Counter)
        for row in counts:
            sums[row[slice_]].update({name: row[name] for name in COUNTS})
        found[slice_] = [_row(name, sums[name], times[slice_][name]) for name in sorted(sums)]
    everything = Counter({name: sum(row[name] for row in counts) for name in COUNTS})
    return found | {"total": _row("all", everything, _added(times["sites"].values()))}


def read_topics_asked(connection: Connection, wanted: TurnFilter) -> list[dict[str, Any]]:
    """How many questions there were about each topic, and how many of them were refused."""
    asked = select(
        Turn.topic, func.count().label("questions"), how_many(Turn.refused.is_(True)).label("refused")
    )
    rows = connection.execute(asked.where(*counted(wanted)).group_by(Turn.topic))
    return [dict(row) for row in rows.mappings()]


def read_cited(connection: Connection, wanted: TurnFilter) -> list[dict[str, Any]]:
    """Every page that was cited: `url`, `times`, `helpful`, `unhelpful`."""
    cited = (
        select(
            CitedPage.url,
            func.count().label("times"),
            how_many(Turn.helpful.is_(True)).label("helpful"),
            how_many(Turn.helpful.is_(False)).label("unhelpful"),
        )
        .join(Turn, Turn.number == CitedPage.number)
        .where(*counted(wanted))
        .group_by(CitedPage.url)
    )
    return [dict(row) for row in connection.execute(cited).mappings()]


def _counts(wanted: TurnFilter) -> Any:
    return (
        select(
            *(column.label(slice_) for slice_, column in SLICES.items()),
            func.count().label("questions"),
            how_many(Turn.refused.is_(False)).label("answered"),
            how_many(Turn.refused.is_(True)).label("refused"),
            how_many(Turn.degraded.is_not(None)).label("degraded"),
            how_many(Turn.helpful.is_(True)).label("helpful"),
            how_many(Turn.helpful.is_(False)).label("unhelpful"),
        )
        .select_from(Turn)
        .where(*counted(wanted))
        .group_by(*SLICES)
    )


def _times(connection: Connection, column: Any, wanted: TurnFilter) -> Mapping[str, Times]:
    """How many answers took how long, for each value: to 1 ms up to 200, to 10 up to 2 s, to 100 above."""
    ms = Turn.total_ms
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


def _row(name: str, counts: Mapping[str, int], times: Times) -> dict[str, Any]:
    numbers = {key: int(counts.get(key, 0)) for key in COUNTS}
    return {"name": name, **numbers, "p50_ms": _percentile(times, 50), "p95_ms": _percentile(times, 95)}


def _percentile(times: Times, share: int) -> float | None:
    """The nearest rank: the least time that so many in a hundred did not take longer than."""
    left = sum(times.values()) * share
    for about in sorted(times):
        left -= times[about] * 100
        if left <= 0:
            return float(about)
    return None
