"""The report's plots, each with the sentence and the table that say the same without seeing it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from server.evaluate.page.svg import INK, MUTED, drawing, inline_svg, series_colour
from server.evaluate.reliability import ReliabilityBin, calibration_error, reliability
from server.evaluate.report import StrategyResult
from server.evaluate.retrieval_metrics import ANSWER_DEPTHS, RECALL_DEPTHS
from server.evaluate.risk_coverage import RiskPoint, risk_coverage
from server.evaluate.significance import Interval

Results = Sequence[StrategyResult]

MARKERS = "osD^vP*X"
TABLE_COVERAGES = tuple(tenth / 10 for tenth in range(1, 11))


@dataclass(frozen=True, slots=True)
class Table:
    """A table whose first column names its rows."""

    caption: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot, its text alternative (`summary`), and its numbers. `svg` is markup, the rest is text."""

    title: str
    summary: str
    svg: str
    table: Table


def plots_of(results: Results) -> tuple[Plot, ...]:
    """Every plot that these results have figures for."""
    drawn = (by_depth(results), latency(results), risk(results), calibration(results))
    return tuple(plot for plot in drawn if plot is not None)


# --- recall by k -------------------------------------------------------------------------------


def by_depth(results: Results) -> Plot | None:
    """Recall by k; where no gold is named, the answer's string in the first k passages."""
    for metric, depths in (("recall", RECALL_DEPTHS), ("answer", ANSWER_DEPTHS)):
        having = [result for result in results if f"{metric}@{depths[0]}" in result.metrics]
        if having:
            return _by_depth(having, metric, depths)
    return None


def _by_depth(results: Results, metric: str, depths: Sequence[int]) -> Plot:
    title = {"recall": "Recall by k", "answer": "Answer in the first k passages, by k"}[metric]
    names = [f"{metric}@{k}" for k in depths]
    best = max(results, key=lambda result: result.metrics[names[0]].value)
    summary = (
        f"{metric}@k of each strategy with its 95 % interval. {best.strategy} begins highest, at "
        f"{best.metrics[names[0]].value:.3f}."
    )

    def draw(axes: Axes) -> None:
        for number, result in enumerate(results):
            places = [place + _aside(number, len(results)) for place in range(len(depths))]
            _draw_intervals(axes, number, result.strategy, places, [result.metrics[name] for name in names])
        axes.set_xticks(range(len(depths)), [str(k) for k in depths])
        _label(axes, "k", f"{metric}@k")
        axes.set_ylim(0, 1.02)

    svg = _drawn((7, 3.6), "depth", title, summary, draw)
    rows = tuple((name, *(with_interval(result.metrics[name]) for result in results)) for name in names)
    return Plot(title, summary, svg, Table(title, ("metric", *strategies(results)), rows))


# --- latency by step ---------------------------------------------------------------------------


def latency(results: Results) -> Plot | None:
    """Each step's median and 95th percentile."""
    steps = _steps(results)
    if not steps:
        return None
    slowest = max(results, key=_slowest_ms)
    title = "Latency by step"
    summary = (
        "A mark at the median (p50) of each step and a line to its 95th percentile, in milliseconds, on a "
        f"logarithmic scale. {slowest.strategy} takes longest."
    )

    def draw(axes: Axes) -> None:
        for number, result in enumerate(results):
            _draw_latency(axes, number, len(results), result, steps)
        axes.set_yticks(range(len(steps)), steps)
        axes.invert_yaxis()
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(FuncFormatter(lambda ms, _: f"{ms:g}"))
        _label(axes, "milliseconds", "")

    height = 1 + len(steps) * max(0.3, 0.12 * len(results))
    svg = _drawn((7, height), "latency", title, summary, draw)
    rows = tuple((step, *(_latency_cell(result, step) for result in results)) for step in steps)
    return Plot(title, summary, svg, Table("p50 / p95 in milliseconds", ("step", *strategies(results)), rows))


def _draw_latency(axes: Axes, number: int, of: int, result: StrategyResult, steps: Sequence[str]) -> None:
    """A logarithmic scale has no zero: what took less than a microsecond is drawn as one."""
    places = [place for place, step in enumerate(steps) if step in result.latency_ms]
    times = [result.latency_ms[steps[place]] for place in places]
    p50 = [max(one.p50, 0.001) for one in times]
    beyond = [max(one.p95, 0.001) - low for one, low in zip(times, p50, strict=True)]
    beside = [place + 3 * _aside(number, of) for place in places]
    style = _series(number, result.strategy) | {"linestyle": "none"}
    axes.errorbar(p50, beside, xerr=([0.0] * len(p50), beyond), capsize=2, **style)


def _steps(results: Results) -> list[str]:
    """Every step, in the order of the strategy that has most of them, and the total last."""
    longest_first = sorted(results, key=lambda result: -len(result.latency_ms))
    steps = dict.fromkeys(step for result in longest_first for step in result.latency_ms)
    return sorted(steps, key=lambda step: step == "total")


def _slowest_ms(result: StrategyResult) -> float:
    return max((times.p95 for times in result.latency_ms.values()), default=0.0)


def _latency_cell(result: StrategyResult, step: str) -> str:
    times = result.latency_ms.get(step)
    return f"{times.p50:.1f} / {times.p95:.1f}" if times else "–"


# --- risk by coverage --------------------------------------------------------------------------


def risk(results: Results) -> Plot | None:
    """The risk–coverage curves."""
    curves = {result.strategy: curve for result in results if (curve := risk_coverage(result.outcomes))}
    if not curves:
        return None
    title = "Risk by coverage"
    ends = (f"{name} {curve[-1].risk:.3f} at {curve[-1].coverage:.0%}" for name, curve in curves.items())
    summary = (
        "The share of wrong answers among those given, as more questions are answered, the surest first. "
        f"Each curve ends at the threshold the strategy ran with: {', '.join(ends)}."
    )

    def draw(axes: Axes) -> None:
        for number, (name, curve) in enumerate(curves.items()):
            style = _series(number, name) | {"marker": "none"}
            coverages, risks = [point.coverage for point in curve], [point.risk for point in curve]
            axes.plot(coverages, risks, drawstyle="steps-post", **style)
        _label(axes, "coverage: share of the judged questions answered", "risk: share of wrong answers")
        axes.set(xlim=(0, 1), ylim=(0, 1.02))

    svg = _drawn((7, 3.6), "risk", title, summary, draw)
    rows = tuple(
        (f"{coverage:.0%}", *(_risk_at(curve, coverage) for curve in curves.values()))
        for coverage in TABLE_COVERAGES
    )
    return Plot(title, summary, svg, Table("Risk at a coverage; –: not reached", ("coverage", *curves), rows))


def _risk_at(curve: Sequence[RiskPoint], coverage: float) -> str:
    """The risk once at least so much is covered."""
    reached = next((point for point in curve if point.coverage >= coverage - 1e-9), None)
    return f"{reached.risk:.3f}" if reached else "–"


# --- calibration -------------------------------------------------------------------------------


def calibration(results: Results) -> Plot | None:
    """Reliability: evidence against the share that is right."""
    binned = {result.strategy: bins for result in results if (bins := reliability(result.outcomes))}
    if not binned:
        return None
    title = "Calibration of evidence"
    errors = ", ".join(f"{name} {calibration_error(bins):.3f}" for name, bins in binned.items())
    summary = (
        "The share of right answers by their evidence, with 95 % intervals. On the diagonal, evidence is the "
        f"probability of being right. Expected calibration error: {errors}."
    )

    def draw(axes: Axes) -> None:
        axes.plot([0, 1], [0, 1], color=MUTED, linestyle=":")
        for number, (name, bins) in enumerate(binned.items()):
            _draw_intervals(axes, number, name, [one.evidence for one in bins], [one.right for one in bins])
        _label(axes, "evidence", "share of right answers")
        axes.set(xlim=(0, 1.02), ylim=(0, 1.02))

    svg = _drawn((7, 4.2), "calibration", title, summary, draw)
    rows = tuple(_bin_row(name, one) for name, bins in binned.items() for one in bins)
    headers = ("strategy", "bin", "answers", "mean evidence", "share right")
    return Plot(title, summary, svg, Table(title, headers, rows))


def _bin_row(name: str, one: ReliabilityBin) -> tuple[str, ...]:
    width = f"{one.low:.1f}–{one.high:.1f}"
    return name, width, str(one.answers), f"{one.evidence:.3f}", with_interval(one.right)


# --- what they share ---------------------------------------------------------------------------


def with_interval(interval: Interval) -> str:
    """`0.705 (0.640–0.765)`."""
    return f"{interval.value:.3f} ({interval.low:.3f}–{interval.high:.3f})"


def strategies(results: Results) -> tuple[str, ...]:
    """The strategies' names, for a table's head."""
    return tuple(result.strategy for result in results)


def _drawn(
    size: tuple[float, float], name: str, title: str, summary: str, draw: Callable[[Axes], None]
) -> str:
    with drawing(*size) as figure:
        draw(figure.add_subplot())
        return inline_svg(figure, name, title, summary)


def _draw_intervals(
    axes: Axes, number: int, name: str, places: Sequence[float], intervals: Sequence[Interval]
) -> None:
    values = [one.value for one in intervals]
    below = [max(0.0, one.value - one.low) for one in intervals]
    above = [max(0.0, one.high - one.value) for one in intervals]
    axes.errorbar(places, values, yerr=(below, above), capsize=2, **_series(number, name))


def _series(number: int, name: str) -> dict[str, Any]:
    """How the series of this number looks: by colour, mark and, when those have all been used, dashes."""
    return {
        "label": name,
        "color": series_colour(number),
        "marker": MARKERS[number % len(MARKERS)],
        "linestyle": ("-", "--", ":")[number // len(MARKERS) % 3],
        "linewidth": 1.6,
        "markersize": 5,
    }


def _aside(number: int, of: int) -> float:
    """A little to the side of the place, so that intervals do not hide each other."""
    return (number - (of - 1) / 2) * min(0.08, 0.25 / of)


def _label(axes: Axes, x: str, y: str) -> None:
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), labelcolor=INK)
