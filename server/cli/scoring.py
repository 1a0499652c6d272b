"""Scoring: `lodge scorecard`."""

from __future__ import annotations

import shlex
from pathlib import Path

import click
from click.core import ParameterSource

from server.cli.options import json_option, pass_settings
from server.settings import Settings
from server.terminal import note, print_json, print_sheet, progress, warn

# ruff: noqa: PLC0415  (see server/cli/__init__.py)

file_path = click.Path(path_type=Path)


@click.command()
@click.option(
    "--questions",
    type=file_path,
    multiple=True,
    metavar="FILE",
    help="A questions file (repeatable); default: the site's golden questions.",
)
@click.option(
    "--off-topic",
    "off_scope",
    type=file_path,
    metavar="FILE",
    help="Questions that are no university's business; default: those that come with Lodge.",
)
@click.option("--pages", type=file_path, help="Over a snapshot of this pages file.")
@click.option("--site", default="main", show_default=True, help="Whose golden questions.")
@click.option("--half", help="Of a file that keeps a half aside, only this half of it.")
@click.option("--asks", type=click.IntRange(1), metavar="N", help="At most so many of each set.")
@click.option("--strategy", help="Default: LODGE_STRATEGY.")
@click.option("--html", type=file_path, metavar="FILE", help="Write the page to publish.")
@json_option
@pass_settings
def scorecard(  # noqa: PLR0913, PLR0917  (an option each)
    settings: Settings,
    questions: tuple[Path, ...],
    off_scope: Path | None,
    pages: Path | None,
    site: str,
    half: str | None,
    asks: int | None,
    strategy: str | None,
    html: Path | None,
    as_json: bool,
) -> None:
    """A site's published figures: right, refused, unsupported, slow, each with its interval."""
    from server.wiring import scoring
    from server.wiring.measuring import require_folder

    if html is not None:
        require_folder(html)
    plan = scoring.ScorecardPlan(
        _as_called(settings), questions, off_scope, pages, site, half, asks, strategy
    )
    with progress("Asking", ("asked",)) as show:
        card = scoring.run_scorecard(
            settings,
            plan,
            warn=warn,
            note=note,
            on_progress=lambda done, total: show(done, total, (done,)),
        )
    if as_json:
        print_json(card.as_json())
    else:
        print_sheet(*scoring.sheet_of(card))
    if html is not None:
        scoring.write_scorecard(card, html)
        note(f"The page is in {html}.")


def _as_called(settings: Settings) -> str:
    """The command as it was given, with the day it was told; where its result goes is left out."""
    context = click.get_current_context()
    given = (
        one
        for one in context.command.params
        if context.get_parameter_source(one.name or "") is ParameterSource.COMMANDLINE
        and one.name not in ("html", "as_json")
    )
    words = [
        word
        for one in given
        for value in _values(context.params[str(one.name)])
        for word in (one.opts[0], value)
    ]
    day = [f"LODGE_TODAY={settings.today}"] if settings.today else []
    return shlex.join([*day, "lodge", "scorecard", *words])


def _values(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, tuple) else [str(value)]
