"""The figures of a run: how many, how fast, and what was turned away at what price."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, get_args

from scripts.research.load.arrivals import Outcome, Run
from scripts.research.load.asking import Verdict
from scripts.research.load.visitors import ASKING

Figures = dict[str, Any]
_WAYS = ("json", "events", "page")
_OTHERS = ("feedback", "hostile")


def percentile(values: Sequence[float], share: float) -> float:
    """The nearest-rank percentile; NaN of nothing."""
    ranked = sorted(values)
    return ranked[min(len(ranked) - 1, math.ceil(share * len(ranked)) - 1)] if ranked else math.nan


def latency_ms(outcomes: Iterable[Outcome]) -> dict[str, float | None]:
    """p50, p95, p99 and the longest, in milliseconds from when the visitor was due; None of nothing."""
    ms = [1_000 * one.seconds for one in outcomes]
    shares = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "max": 1.0}
    return {name: round(percentile(ms, share), 1) if ms else None for name, share in shares.items()}


def figures(run: Run) -> Figures:
    """Everything of a run that is printed or kept.

    Goodput is answers a second, simpler ones among them, of the time until the last one came.
    """
    asks = [one for one in run.outcomes if one.kind in ASKING]
    by: dict[str, list[Outcome]] = {verdict: [] for verdict in get_args(Verdict)}
    for one in asks:
        by[one.verdict].append(one)
    took = max(run.seconds, run.ended_after_s)
    late = [one.late_s for one in run.outcomes] or [0.0]
    cpu_ms = 1_000 * run.generator_cpu * run.ended_after_s
    return {
        "rate": round(run.rate, 3),
        "seconds": run.seconds,
        "asked": len(asks),
        **{verdict: len(found) for verdict, found in by.items()},
        "goodput_per_s": round(len(by["answered"] + by["degraded"]) / took, 3),
        "answered_per_s": round(len(by["answered"]) / took, 3),
        "latency_ms": {verdict: latency_ms(found) for verdict, found in by.items()},
        "by_way_ms": {verdict: _by_way(by[verdict]) for verdict in ("answered", "refused")},
        "statuses": dict(Counter(str(one.status) for one in asks)),
        "others": {kind: _of_kind(run, kind) for kind in _OTHERS},
        "generator": {
            "cpu_cores": round(run.generator_cpu, 3),
            "ms_a_request": round(cpu_ms / len(late), 2),
            "late_ms_p95": round(1_000 * percentile(late, 0.95), 1),
            "late_ms_max": round(1_000 * max(late), 1),
        },
        "drained_after_s": round(max(0.0, run.ended_after_s - run.seconds), 2),
    }


def _by_way(outcomes: Sequence[Outcome]) -> dict[str, dict[str, float | None]]:
    return {way: latency_ms(one for one in outcomes if one.way == way) for way in _WAYS}


def _of_kind(run: Run, kind: str) -> dict[str, Any]:
    found = [one for one in run.outcomes if one.kind == kind]
    return {
        **Counter(f"{one.way}: {one.verdict} {one.status}" for one in found),
        "latency_ms": latency_ms(found),
    }


def is_sustained(found: Figures, p95_ms: float) -> bool:
    """Whether whole answers keep up with the visitors: 99 in 100 get one, and p95 stays within bounds."""
    p95 = found["latency_ms"]["answered"]["p95"]
    return found["answered"] >= 0.99 * found["asked"] and p95 is not None and p95 <= p95_ms


COLUMNS = (
    *("rate", "asked", "answered", "degraded", "refused", "failed", "goodput"),
    *("p50", "p95", "p99", "deg.p50", "deg.p95", "ref.p50", "ref.p95", "ref.max"),
    *("late p95", "gen.CPU", "CPU", "RSS MB"),
)


def row(found: Figures) -> list[str]:
    """One line of the table of runs.

    `goodput` is answers a second; times are in ms: of whole answers, of simpler ones, of refusals; `late`
    is the generator's own delay; `CPU` is cores, of the generator and of the server.
    """
    whole, simple, refused = (found["latency_ms"][verdict] for verdict in ("answered", "degraded", "refused"))
    generator, server = found["generator"], found.get("server", {})
    counts = [found[name] for name in COLUMNS[:6]]
    times = [whole[name] for name in ("p50", "p95", "p99")]
    times += [simple["p50"], simple["p95"], refused["p50"], refused["p95"], refused["max"]]
    took = [generator["late_ms_p95"], generator["cpu_cores"], server.get("cpu_cores"), server.get("rss_mb")]
    cells = [*counts, found["goodput_per_s"], *times, *took]
    return ["" if cell is None else f"{cell:.5g}" for cell in cells]
