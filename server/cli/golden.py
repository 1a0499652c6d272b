"""The commands for golden questions: `lodge golden`."""

from __future__ import annotations

import json
import sys
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from server.cli.options import json_option, pass_settings
from server.settings import Settings
from server.terminal import print_json, progress, warn
from server.wiring.opening import build_records

# ruff: noqa: PLC0415  (see server/cli/__init__.py)


only_site = click.option("--site", metavar="NAME", help="Only those of this site.")
of_site = click.option("--site", default="main", show_default=True, metavar="NAME", help="Of this site.")


@click.group()
def golden() -> None:
    """Look after the questions that must stay answered rightly."""


@golden.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@of_site
@json_option
@pass_settings
def import_golden(settings: Settings, file: Path, site: str, as_json: bool) -> None:
    """Keep the questions of a questions file; a known id is replaced, what cannot be kept is named."""
    from server.wiring.measuring import read_question_set
    from server.workbench.golden.service import golden_questions

    kept = golden_questions(read_question_set(file, warn).questions, file, site, warn)
    with closing(build_records(settings)) as records:
        for one in kept:
            records.golden.put(one)
    ids = [one.id for one in kept]
    if as_json:
        print_json({"imported": ids})
    else:
        click.echo(f"{len(ids)} golden question{'' if len(ids) == 1 else 's'} imported.")


@golden.command("export")
@only_site
@json_option
@pass_settings
def export_golden(settings: Settings, site: str | None, as_json: bool) -> None:
    """Print the golden questions as a questions file, for `lodge eval --questions`."""
    with closing(build_records(settings)) as records:
        lines = [one.as_question() for one in records.golden.all(site)]
    if as_json:
        print_json(lines)
        return
    for line in lines:
        click.echo(json.dumps(line, ensure_ascii=False))


@golden.command("list")
@only_site
@json_option
@pass_settings
def list_golden(settings: Settings, site: str | None, as_json: bool) -> None:
    """List the golden questions, each with what became of it when it was last asked."""
    with closing(build_records(settings)) as records:
        known = {own: asdict(record) for own, record in records.golden.record_of().items()}
        rows = [
            one.as_question() | {"site": one.site, "record": known.get(one.id)}
            for one in records.golden.all(site)
        ]
    if as_json:
        print_json(rows)
    elif rows:
        click.echo("\n".join(map(_lines, rows)))
    else:
        click.echo("No golden questions yet; `lodge golden import FILE` brings some.")


@golden.command("run")
@of_site
@click.option("--strategy", help="Ask by this one; default: the site's own, else LODGE_STRATEGY.")
@json_option
@pass_settings
def run_golden(settings: Settings, site: str, strategy: str | None, as_json: bool) -> None:
    """Ask them all over the live snapshot, and keep the run; exit status 1 when one fails."""
    from server.wiring.serving import run_golden as asked_all

    with progress("Asking", ("asked",)) as show:
        run, outcomes = asked_all(settings, site, strategy, lambda done, total: show(done, total, (done,)))
    failed = [outcome for outcome in outcomes if not outcome.passed]
    if as_json:
        print_json(asdict(run) | {"failures": [asdict(outcome) for outcome in failed]})
    else:
        for outcome in failed:
            click.echo(f"✕ {outcome.golden_id}: {outcome.failure}")
        click.echo(f"Run {run.number}: {run.passed} passed, {run.failed} failed.")
    if failed:
        sys.exit(1)


def _lines(row: dict[str, Any]) -> str:
    return f"{row['id']}  {row['site']}, {_became(row['record'])}\n    {row['question']}"


def _became(record: dict[str, Any] | None) -> str:
    if record is None:
        return "not asked yet"
    return f"✕ {record['failure']}" if record["failure"] else "✓ passed"
