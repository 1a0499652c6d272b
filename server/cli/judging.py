"""Judging: `lodge eval judge` and `lodge eval head-to-head`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from server.cli.options import json_option, pass_settings
from server.settings import Settings
from server.terminal import note, print_json, print_rows, print_table, progress, warn

# ruff: noqa: PLC0415  (see server/cli/__init__.py)

file_path = click.Path(path_type=Path)
labels_option = click.option(
    "--labels",
    required=True,
    type=file_path,
    help="Answers that a person has labelled: the audit.",
)
repeats_option = click.option(
    "--repeats", default=3, show_default=True, type=click.IntRange(1), help="Each grading is asked so often."
)


@click.command("judge")
@click.option("--questions", required=True, type=file_path, help="A questions file.")
@click.option("--pages", type=file_path, help="Over a snapshot of this pages file.")
@labels_option
@click.option(
    "--criteria", default="correctness,faithfulness,relevancy", show_default=True, help="Separated by commas."
)
@repeats_option
@click.option("--strategy", help="Default: LODGE_STRATEGY.")
@json_option
@pass_settings
def judge_answers(  # noqa: PLR0913, PLR0917  (an option each)
    settings: Settings,
    questions: Path,
    pages: Path | None,
    labels: Path,
    criteria: str,
    repeats: int,
    strategy: str | None,
    as_json: bool,
) -> None:
    """Have a language model judge the answers, once it has been audited against hand labels."""
    from server.wiring import judging

    plan = judging.JudgePlan(labels, judging.criteria_of(criteria), repeats)
    with progress("Judging", ("judged",)) as show:
        report = judging.run_judge(
            settings,
            questions,
            pages,
            plan,
            strategy=strategy,
            warn=warn,
            note=note,
            on_progress=lambda done, total: show(done, total, (done,)),
        )
    if as_json:
        print_json(report)
        return
    click.echo(f"{_judge_of(report)}; {report['answers']} answers, {report['refused']} refused")
    print_table(
        ["criterion", "n", "mean", "passes", "audit κ", "audit accuracy", "labels"],
        [
            [
                *(one["criterion"], str(one["n"]), _interval(one["mean"]), _interval(one["passes"])),
                *(f"{one['audit']['kappa']:.2f}", f"{one['audit']['accuracy']:.2f}", str(one["audit"]["n"])),
            ]
            for one in report["figures"]
        ],
    )


@click.command("head-to-head")
@click.argument("a")
@click.argument("b")
@labels_option
@repeats_option
@json_option
@pass_settings
def head_to_head(  # noqa: PLR0913, PLR0917  (an argument each)
    settings: Settings, a: str, b: str, labels: Path, repeats: int, as_json: bool
) -> None:
    """Whose answers are better, run A's or run B's: a judge reads both, in both orders."""
    from server.wiring import judging

    with progress("Judging", ("judged",)) as show:
        report = judging.run_head_to_head(
            settings,
            a,
            b,
            judging.JudgePlan(labels, repeats=repeats),
            on_progress=lambda done, total: show(done, total, (done,)),
        )
    if as_json:
        print_json(report)
        return
    click.echo(
        f"{_judge_of(report)}; {report['pairs']} pairs, {report['refused']} taken out for a refusal, "
        f"{report['turned']} judged otherwise in the other order"
    )
    names = {"a_wins": report["a"], "b_wins": report["b"], "neither": "neither", "win_rate": "win rate of B"}
    print_table(["better", "share"], [[told, _interval(report[key])] for key, told in names.items()])
    for one in report["audit"]:
        told = f"κ {one['kappa']:.2f}, accuracy {one['accuracy']:.2f}, {one['n']} labels"
        click.echo(f"Audit of {one['criterion']}: {told}")


@click.command("sheet")
@click.argument("file", type=file_path)
@click.option("--questions", required=True, type=file_path, help="A questions file.")
@click.option("--pages", type=file_path, help="Over a snapshot of this pages file.")
@click.option("--answers", default=200, show_default=True, type=click.IntRange(1), help="At most so many.")
@click.option("--strategy", help="Default: LODGE_STRATEGY.")
@pass_settings
def expert_sheet(  # noqa: PLR0913, PLR0917  (an option each)
    settings: Settings, file: Path, questions: Path, pages: Path | None, answers: int, strategy: str | None
) -> None:
    """Write answers to FILE (CSV), a sentence a row, for an expert to score by hand."""
    from server.wiring import judging
    from server.wiring.measuring import require_folder

    require_folder(file)
    text, count = judging.run_sheet(
        settings, questions, pages, answers, strategy=strategy, warn=warn, note=note
    )
    judging.write_file(file, text)
    note(f"{count} answers are in {file}; `lodge eval scored` reads it when its scores are filled in.")


@click.command("scored")
@click.argument("file", type=file_path)
@click.option(
    "--golden", type=file_path, metavar="OUT", help="Write the questions with a right page, to import."
)
@json_option
@pass_settings
def scored_sheet(settings: Settings, file: Path, golden: Path | None, as_json: bool) -> None:
    """What an expert's scores in FILE come to, by topic."""
    from server.wiring import judging
    from server.wiring.measuring import require_folder

    answers = judging.read_scored(file)
    rows = judging.scored_report(answers)
    print_rows(rows, as_json, "No answer is scored whole yet.")
    if golden is not None:
        require_folder(golden)
        judging.write_file(golden, judging.golden_lines(answers))
        note(f"`lodge golden import {golden}` keeps them.")


def _judge_of(report: Mapping[str, Any]) -> str:
    return f"Judge {report['judge']}, prompts {report['prompts']}, each asked {report['repeats']} times"


def _interval(one: Mapping[str, float]) -> str:
    return f"{one['value']:.3f} ({one['low']:.3f}–{one['high']:.3f})"
