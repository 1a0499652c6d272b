"""The whole report as one HTML document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from server.evaluate.page.plots import Table, plots_of, strategies, with_interval
from server.evaluate.report import Comparison, StrategyResult
from server.evaluate.runs import Run


@dataclass(frozen=True, slots=True)
class Pair:
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


def _pairs(comparisons: Sequence[Comparison]) -> list[Pair]:
    pairs = dict.fromkeys((one.a, one.b) for one in comparisons)
    return [_pair(a, b, [one for one in comparisons if (one.a, one.b) == (a, b)]) for a, b in pairs]


def _pair(a: str, b: str, comparisons: Sequence[Comparison]) -> Pair:
    counts = Counter(one.verdict for one in comparisons)
    tally = ", ".join(f"{counts[verdict]} {verdict}" for verdict in ("better", "worse", "cannot tell"))
    rows = tuple(
        (one.metric, f"{one.delta.value:+.3f}", f"{one.delta.low:+.3f} to {one.delta.high:+.3f}", one.verdict)
        for one in comparisons
    )
    headers = ("metric", "difference", "95 % interval", "verdict")
    return Pair(a, b, tally, Table(f"{b} against {a}", headers, rows))


def _settings(run: Run) -> Table:
    values = run.made_with.settings.items()
    rows = tuple((name, "" if value is None else str(value)) for name, value in values)
    return Table("Settings, without secrets", ("setting", "value"), rows)
