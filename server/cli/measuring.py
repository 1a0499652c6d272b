"""Measuring: `lodge eval`, `calibrate`, `bench`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from server.cli.options import json_option, pass_settings, preset_option, strategies_option
from server.settings import Settings
from server.terminal import (
    note,
    print_bench,
    print_calibration,
    print_evaluation,
    print_json,
    print_rows,
    print_run_comparison,
    progress,
    warn,
)

# ruff: noqa: PLC0415  (see server/cli/__init__.py)


@click.group("eval", invoke_without_command=True)
@click.option("--questions", type=click.Path(path_type=Path), help="A questions file.")
@click.option("--pages", type=click.Path(path_type=Path), help="Over a snapshot of this pages file.")
@strategies_option
@click.option("--failures", is_flag=True, help="List the questions that were not answered right.")
@click.option(
    "--html", type=click.Path(path_type=Path), metavar="FILE", help="Write a report to open in a browser."
)
@click.option("--name", help="Keep the run under this name; default: the time.")
@preset_option
@json_option
@click.pass_context
def evaluate(  # noqa: PLR0913, PLR0917  (an option each)
    context: click.Context,
    questions: Path | None,
    pages: Path | None,
    strategies: list[str],
    failures: bool,
    html: Path | None,
    name: str | None,
    preset: str | None,
    as_json: bool,
) -> None:
    """Score strategies on a question set, and keep the run; or list and compare kept runs."""
    from server.wiring import measuring as evaluating
    from server.wiring.indexing import cut_as

    if context.invoked_subcommand is not None:
        return
    if preset is not None and pages is None:
        raise click.UsageError("--preset cuts the pages of --pages; the live snapshot is cut already.")
    if questions is None:
        raise click.MissingParameter(param_type="option", param_hint="'--questions'")
    if html is not None:
        evaluating.require_folder(html)
    with progress("Asking", ("asked",)) as show:
        run = evaluating.run_eval(
            cut_as(context.obj, preset),
            questions,
            pages,
            strategies,
            name=name,
            warn=warn,
            note=note,
            on_progress=lambda done, total: show(done, total, (done,)),
        )
    if as_json:
        print_json(run.evaluation.as_json())
    else:
        print_evaluation(run, failures=failures)
    run = evaluating.runs_of(context.obj).save(run)
    note(f"Kept as run {run.name}; `lodge eval compare` sets it against another.")
    if html is not None:
        evaluating.write_report(context.obj, run, html)
        note(f"The report is in {html}.")


@evaluate.command("runs")
@json_option
@pass_settings
def list_runs(settings: Settings, as_json: bool) -> None:
    """List the kept runs, the newest first."""
    from server.wiring import measuring as evaluating

    rows = [asdict(entry) for entry in evaluating.runs_of(settings).entries()]
    if not as_json:
        for row in rows:
            del row["metrics"]
            row["strategies"] = ", ".join(row["strategies"])
    print_rows(rows, as_json, "No run yet; `lodge eval --questions FILE` makes one.")


@evaluate.command("compare")
@click.argument("a")
@click.argument("b")
@click.option(
    "--limit", default=20, show_default=True, type=click.IntRange(0), help="Show so many questions."
)
@json_option
@pass_settings
def compare_runs(settings: Settings, a: str, b: str, limit: int, as_json: bool) -> None:
    """What changed from run A to run B: a name, its beginning, or "latest"."""
    from server.wiring import measuring as evaluating

    comparison = evaluating.compare(settings, a, b)
    if as_json:
        print_json(comparison.as_json())
    else:
        print_run_comparison(comparison.as_json(), limit)


@click.command()
@click.option("--questions", required=True, type=click.Path(path_type=Path), help="A questions file.")
@click.option("--pages", type=click.Path(path_type=Path), help="Over a snapshot of this pages file.")
@click.option("--strategy", help="Set it for this strategy; default: LODGE_STRATEGY.")
@click.option(
    "--wrong-costs",
    default=1.0,
    show_default=True,
    type=click.FloatRange(0),
    help="How many right answers a wrong one outweighs.",
)
@click.option(
    "--write", type=click.Path(path_type=Path), metavar="FILE", help="Set them in this calibration file."
)
@click.option("--ratings", is_flag=True, help="Refit the confidence to visitors' ratings, too.")
@json_option
@pass_settings
def calibrate(  # noqa: PLR0913, PLR0917  (an option each)
    settings: Settings,
    questions: Path,
    pages: Path | None,
    strategy: str | None,
    wrong_costs: float,
    write: Path | None,
    ratings: bool,
    as_json: bool,
) -> None:
    """Choose α, the rerank depth, the confidence and the refusal threshold by cross-validation on a question
    set."""
    from server.wiring import measuring as evaluating

    if write is not None:
        evaluating.require_folder(write)
        evaluating.calibration_in(write)
    with progress("Asking", ("asked",)) as show:
        calibration = evaluating.run_calibrate(
            settings,
            questions,
            pages,
            strategy=strategy,
            wrong_costs=wrong_costs,
            warn=warn,
            note=note,
            on_progress=lambda done, total: show(done, total, (done,)),
            ratings=ratings,
        )
    values = evaluating.variables(calibration)
    report = {**calibration.as_json(), "set": values}
    if as_json:
        print_json(report)
    else:
        print_calibration(report)
    if write is not None:
        evaluating.write_calibration(write, calibration)
        note(f"Set in {write}, which LODGE_CALIBRATION may name.")


def _multiples(_context: click.Context, _parameter: click.Parameter, text: str) -> list[int]:
    """`"10, 40"` → `[10, 40]`; each is at least 2."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not all(part.isascii() and part.isdecimal() and int(part) >= 2 for part in parts):
        raise click.BadParameter(f"{text!r} is not a list of whole numbers from 2 on, such as 10,40.")
    return [int(part) for part in parts]


@click.command()
@click.option("--questions", type=click.Path(path_type=Path), help="Ask these; default: the demo's.")
@strategies_option
@click.option(
    "--growth",
    default="",
    metavar="N,…",
    callback=_multiples,
    help="Also on synthetic snapshots so many times as large; building them takes minutes.",
)
@click.option(
    "--asks",
    default=200,
    show_default=True,
    type=click.IntRange(1),
    help="A strategy is asked so often at least.",
)
@click.option(
    "--load",
    "load_s",
    default=3.0,
    show_default=True,
    metavar="S",
    type=click.FloatRange(0),
    help="So many seconds for each number of visitors.",
)
@json_option
@pass_settings
def bench(  # noqa: PLR0913, PLR0917  (an option each)
    settings: Settings,
    questions: Path | None,
    strategies: list[str],
    growth: list[int],
    asks: int,
    load_s: float,
    as_json: bool,
) -> None:
    """Measure latency, throughput, memory and cold start on the current snapshot."""
    from server.wiring import benching

    options = benching.BenchOptions(strategies, questions, growth, asks, load_s)
    report = benching.run_bench(settings, options, note)
    if as_json:
        print_json(report)
    else:
        print_bench(report)
