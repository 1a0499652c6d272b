"""The training road: `lodge train questions`, `lodge train writer`."""

from __future__ import annotations

from pathlib import Path

import click

from server.cli.options import json_option, pass_settings
from server.settings import Settings
from server.terminal import note, print_report, progress, warn

# ruff: noqa: PLC0415  (see server/cli/__init__.py)


@click.group()
def train() -> None:
    """Make questions from pages, and train a model to answer from them."""


@train.command("questions")
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="The questions file; run again to go on."
)
@click.option(
    "--pages", type=click.Path(path_type=Path), help="On this pages file, instead of the live snapshot."
)
@click.option(
    "--per-page",
    default=5,
    show_default=True,
    type=click.IntRange(1, 20),
    help="Ask for so many of each page.",
)
@click.option("--max-pages", type=click.IntRange(1), help="Ask about the first so many.")
@click.option("--budget", default=0, type=click.IntRange(0), help="End after so many tokens; 0: no limit.")
@json_option
@pass_settings
def questions(  # noqa: PLR0913, PLR0917  (an option each)
    settings: Settings,
    out: Path,
    pages: Path | None,
    per_page: int,
    max_pages: int | None,
    budget: int,
    as_json: bool,
) -> None:
    """Questions that the model of LODGE_LLM_URL writes on each page, kept if they find their answer again."""
    from server.wiring import training

    with progress("Asking the model", ("kept", "dropped", "tokens")) as show:
        report = training.run_questions(
            settings,
            out,
            pages,
            training.WritingOptions(per_page, budget),
            most_pages=max_pages,
            warn=warn,
            note=note,
            on_progress=lambda done, total, *counts: show(done, total, counts),
        )
    print_report(report.as_json(), as_json, "Questions")
    note(f"The questions are in {out}; what was dropped, and why, is in {out}.journal.")


@train.command("writer")
@click.option(
    "--data",
    required=True,
    multiple=True,
    type=click.Path(path_type=Path),
    help="A questions file over the site, or writer's examples (repeatable).",
)
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The folder of all it makes.")
@click.option(
    "--base", required=True, type=click.Path(path_type=Path), help="The model: a GGUF file, or a folder."
)
@click.option(
    "--pages", type=click.Path(path_type=Path), help="Search this pages file, instead of the live snapshot."
)
@click.option(
    "--method",
    default="lora",
    show_default=True,
    type=click.Choice(["lora", "qlora", "full"]),
    help="Adapters, adapters on 4-bit weights (needs a GPU), or all weights.",
)
@click.option(
    "--python",
    default=Path(".venv-train/bin/python"),
    show_default=True,
    type=click.Path(path_type=Path),
    help="The training environment's Python.",
)
@click.option("--only-data", is_flag=True, help="Build the examples and end.")
@click.argument("more", nargs=-1, metavar="[-- TRAINER'S OPTIONS]")
@json_option
@pass_settings
def writer(  # noqa: PLR0913, PLR0917  (an option each)
    settings: Settings,
    data: tuple[Path, ...],
    out: Path,
    base: Path,
    pages: Path | None,
    method: str,
    python: Path,
    only_data: bool,
    more: tuple[str, ...],
    as_json: bool,
) -> None:
    """Train a model to answer from a site's passages, and export it; run again to go on.

    What stands after `--` goes to the trainer; `scripts/training/train_writer.py --help` names it all.
    """
    from server.wiring.writer_training import WriterOptions, run_writer

    options = WriterOptions(data, pages, base, out, method, python, more, only_data)
    print_report(run_writer(settings, options, warn, note), as_json, "Writer")
