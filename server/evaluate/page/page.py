"""The whole report as one HTML document, each plot with the sentence and the table that say the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Any

import altair as alt
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from server.evaluate.figures import Latency, MetricComparison, StrategyResult
from server.evaluate.retrieval_metrics import ANSWER_DEPTHS, RECALL_DEPTHS
from server.evaluate.risk_coverage import (
    ReliabilityBin,
    RiskPoint,
    calibration_error,
    reliability,
    risk_coverage,
)
from server.evaluate.runs import Run
from server.evaluate.significance import Interval

Results = Sequence[StrategyResult]

# How the series of a number looks: so many colours the page has; when they begin again, lines are dashed.
COLOURS = tuple(f"var(--series-{number})" for number in range(8))
MARKS = ("circle", "square", "diamond", "triangle-up", "cross", "triangle-down", "triangle-right", "wedge")
DASHES = 8 * ([1, 0],) + 8 * ([6, 3],) + 8 * ([2, 2],)
WIDTH = 480

# Colours are the page's: dark and light are its own affair. What assistive technology reads is there, too.
INK, MUTED = "currentColor", "var(--muted)"
STYLE: dict[str, Any] = {
    "aria": False,
    # The page's font may be wider than the one that was measured.
    "padding": {"left": 5, "top": 5, "right": 40, "bottom": 5},
    "background": "transparent",
    "view": {"stroke": "transparent"},
    "axis": {
        "labelColor": INK,
        "titleColor": INK,
        "domainColor": MUTED,
        "tickColor": MUTED,
        "gridColor": MUTED,
        "gridOpacity": 0.25,
        "labelFontSize": 12,
        "titleFontSize": 13,
        "titleFontWeight": "normal",
        "titlePadding": 12,
        "labelLimit": 0,
    },
    "legend": {"labelColor": INK, "labelFontSize": 12, "labelLimit": 0},
    "line": {"strokeWidth": 1.6},
    "rule": {"strokeWidth": 1.6},
    "point": {"size": 36, "filled": True, "opacity": 1},
}

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

    values = [
        _interval_row(result.strategy, str(k), result.metrics[name])
        for result in results
        for k, name in zip(depths, names, strict=True)
    ]
    x = alt.X("x:O", title="k", sort=[str(k) for k in depths], axis=alt.Axis(labelAngle=0))
    beside = alt.XOffset("strategy:N", sort=strategies(results)).scale(paddingOuter=1)
    drawn = _intervals(values, strategies(results), f"{metric}@k").encode(x=x, xOffset=beside)
    svg = _svg(drawn, height=220)
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

    values = [
        _latency_row(result.strategy, step, times)
        for result in results
        for step, times in result.latency_ms.items()
    ]
    drawn = alt.Chart(alt.InlineData(values=values)).encode(
        x=alt.X("p50:Q", title="milliseconds").scale(type="log").axis(format="~g", labelOverlap=True),
        y=alt.Y("step:N", title=None, sort=steps),
        yOffset=alt.YOffset("strategy:N", sort=strategies(results)).scale(paddingOuter=1),
        color=_colour(strategies(results)),
    )
    beyond = drawn.mark_rule().encode(x2="p95", strokeDash=_dash(strategies(results)))
    points = drawn.mark_point().encode(shape=_mark(strategies(results)))
    svg = _svg(alt.layer(beyond, points), height=40 + len(steps) * max(24, 10 * len(results)))
    rows = tuple((step, *(_latency_cell(result, step) for result in results)) for step in steps)
    return Plot(title, summary, svg, Table("p50 / p95 in milliseconds", ("step", *strategies(results)), rows))


def _latency_row(strategy: str, step: str, times: Latency) -> dict[str, Any]:
    """A logarithmic scale has no zero: what took less than a microsecond is drawn as one."""
    return {"strategy": strategy, "step": step, "p50": max(times.p50, 0.001), "p95": max(times.p95, 0.001)}


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

    values = [
        {"strategy": name, "coverage": point.coverage, "risk": point.risk}
        for name, curve in curves.items()
        for point in curve
    ]
    x = alt.X("coverage:Q", title="coverage: share of the judged questions answered").scale(domain=[0, 1])
    y = alt.Y("risk:Q", title="risk: share of wrong answers").scale(domain=[0, 1])
    lines = alt.Chart(alt.InlineData(values=values)).mark_line(interpolate="step-after")
    names = tuple(curves)
    svg = _svg(lines.encode(x=x, y=y, color=_colour(names), strokeDash=_dash(names)), height=220)
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

    values = [_interval_row(name, one.evidence, one.right) for name, bins in binned.items() for one in bins]
    x = alt.X("x:Q", title="evidence").scale(domain=[0, 1])
    intervals = _intervals(values, tuple(binned), "share of right answers").encode(x=x)
    ends = alt.InlineData(values=[{"x": 0, "value": 0}, {"x": 1, "value": 1}])
    diagonal = alt.Chart(ends).mark_line(color=MUTED, strokeDash=[2, 3]).encode(x=x, y="value:Q")
    svg = _svg(alt.layer(diagonal, intervals), height=260)
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


def _interval_row(strategy: str, x: str | float, interval: Interval) -> dict[str, Any]:
    return {"strategy": strategy, "x": x, "value": interval.value, "low": interval.low, "high": interval.high}


def _intervals(
    values: Sequence[dict[str, Any]], names: Sequence[str], title: str
) -> alt.LayerChart | alt.FacetChart:
    """Each series as a line, with a mark at each value and a rule over its interval; `x` is the caller's."""
    drawn = alt.Chart(alt.InlineData(values=values)).encode(color=_colour(names))
    y = alt.Y("value:Q", title=title).scale(domain=[0, 1])
    lines = drawn.mark_line().encode(y=y, strokeDash=_dash(names))
    rules = drawn.mark_rule().encode(y=alt.Y("low:Q", title=title), y2="high")
    points = drawn.mark_point().encode(y=y, shape=_mark(names))
    return alt.layer(lines, rules, points)


def _colour(names: Sequence[str]) -> alt.Color:
    """The series by colour; together with `_mark` and `_dash`, 24 of them can be told apart."""
    return alt.Color("strategy:N", title=None, scale=_scale(names, COLOURS))


def _mark(names: Sequence[str]) -> alt.Shape:
    return alt.Shape("strategy:N", title=None, scale=_scale(names, MARKS))


def _dash(names: Sequence[str]) -> alt.StrokeDash:
    return alt.StrokeDash("strategy:N", title=None, scale=_scale(names, DASHES))


def _scale(names: Sequence[str], looks: Sequence[Any]) -> alt.Scale:
    return alt.Scale(domain=list(names), range=list(looks))


def _svg(chart: alt.Chart | alt.LayerChart | alt.FacetChart, height: int) -> str:
    """One `<svg>` element. It has no ids, so that several can stand on a page."""
    text = StringIO()
    chart.properties(width=WIDTH, height=height, config=alt.Config(**STYLE)).save(text, format="svg")
    return text.getvalue()


@dataclass(frozen=True, slots=True)
class StrategyPair:
    """Two strategies' comparisons, and how their verdicts are spread."""

    a: str
    b: str
    tally: str
    table: Table


def report_page(run: Run) -> str:
    """The page. It needs no script, no network and no file beside it; everything in it is escaped."""
    results = run.evaluation.strategies
    page = _templates().get_template("report.html")
    return page.render(
        run=run,
        facts=_facts(run),
        metrics=_metrics(results),
        pairs=_pairs(run.evaluation.comparisons),
        plots=plots_of(results),
        settings=_settings(run),
    )


def _templates() -> Environment:
    return Environment(
        loader=PackageLoader("server.evaluate.page", "."),
        autoescape=select_autoescape(default=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _facts(run: Run) -> list[tuple[str, str]]:
    made, evaluation = run.made_with, run.evaluation
    facts = [
        ("Run", run.name),
        ("Made", made.created_at),
        ("Lodge", made.lodge),
        ("Snapshot", evaluation.snapshot),
        ("Manifest, SHA-256", made.manifest_sha256),
        ("Questions", f"{evaluation.questions} from {made.questions_file}"),
        ("Lines left out", str(made.broken_lines)),
        ("Questions file, SHA-256", made.questions_sha256),
        ("Pages file", made.pages_file or "none: the live snapshot"),
    ]
    return facts + [(f"Model: {name}", value) for name, value in made.models.items()]


def _metrics(results: Sequence[StrategyResult]) -> Table:
    names = dict.fromkeys(name for result in results for name in result.metrics)
    rows = tuple((name, *(_cell(result, name) for result in results)) for name in names)
    caption = "Metrics with 95 % intervals; –: no gold to compute it"
    return Table(caption, ("metric", *strategies(results)), rows)


def _cell(result: StrategyResult, metric: str) -> str:
    return with_interval(result.metrics[metric]) if metric in result.metrics else "–"


def _pairs(comparisons: Sequence[MetricComparison]) -> list[StrategyPair]:
    pairs = dict.fromkeys((one.a, one.b) for one in comparisons)
    return [_pair(a, b, [one for one in comparisons if (one.a, one.b) == (a, b)]) for a, b in pairs]


def _pair(a: str, b: str, comparisons: Sequence[MetricComparison]) -> StrategyPair:
    counts = Counter(one.verdict for one in comparisons)
    tally = ", ".join(f"{counts[verdict]} {verdict}" for verdict in ("better", "worse", "cannot tell"))
    rows = tuple(
        (one.metric, f"{one.delta.value:+.3f}", f"{one.delta.low:+.3f} to {one.delta.high:+.3f}", one.verdict)
        for one in comparisons
    )
    headers = ("metric", "difference", "95 % interval", "verdict")
    return StrategyPair(a, b, tally, Table(f"{b} against {a}", headers, rows))


def _settings(run: Run) -> Table:
    values = run.made_with.settings.items()
    rows = tuple((name, "" if value is None else str(value)) for name, value in values)
    return Table("Settings, without secrets", ("setting", "value"), rows)
