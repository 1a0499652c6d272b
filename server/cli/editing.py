"""The commands for editors: `lodge curated`, `lodge notice` and `lodge golden`."""

from __future__ import annotations

import json
import secrets
import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from server.cli.options import json_option, open_records, pass_settings
from server.models.curation import Notice
from server.models.sites import MAIN
from server.settings import Settings
from server.terminal import print_either, print_json, progress, warn

# ruff: noqa: PLC0415  (see server/cli/__init__.py)


only_site = click.option("--site", metavar="NAME", help="Only those of this site.")
of_site = click.option("--site", default=MAIN, show_default=True, metavar="NAME", help="Of this site.")
_BOUNDS = (("topic", "topic"), ("from", "valid_from"), ("until", "valid_until"))


@click.group()
def curated() -> None:
    """Look after answers in an editor's own words."""


@curated.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@json_option
@pass_settings
def import_answers(settings: Settings, file: Path, as_json: bool) -> None:
    """Keep the answers of a file of JSON lines, all or none; a known id is replaced."""
    from server.workbench.curation.files import read_answers

    answers = list(read_answers(file))
    with open_records(settings) as records:
        for answer in answers:
            records.curation.put_curated(answer)
    _say_imported([answer.id for answer in answers], as_json, "curated answer")


@curated.command("export")
@only_site
@json_option
@pass_settings
def export_answers(settings: Settings, site: str | None, as_json: bool) -> None:
    """Print all curated answers as JSON lines, as `lodge curated import` takes them."""
    _print_lines(_answers(settings, site), as_json)


@curated.command("list")
@only_site
@json_option
@pass_settings
def list_answers(settings: Settings, site: str | None, as_json: bool) -> None:
    """List the curated answers."""
    answers = _answers(settings, site)
    told = "\n".join(map(_answer_lines, answers))
    print_either(answers, as_json, told or "No curated answers yet; `lodge curated import FILE` brings some.")


@curated.command("remove")
@click.argument("answer_id", metavar="ID")
@json_option
@pass_settings
def remove_answer(settings: Settings, answer_id: str, as_json: bool) -> None:
    """Remove a curated answer."""
    with open_records(settings) as records:
        records.curation.remove_curated(answer_id)
    _say_removed(answer_id, as_json)


@click.group()
def notice() -> None:
    """Look after urgent notices, which stand above all answers."""


@notice.command("set")
@click.argument("text")
@click.option("--until", required=True, metavar="TIME", help="Shown until then, such as 2026-11-22T18:00Z.")
@click.option("--site", default=MAIN, show_default=True, metavar="NAME", help="On this site.")
@click.option("--url", default="", help="Where to read more.")
@click.option(
    "--id", "notice_id", default="", metavar="ID", help="Replace this notice, or name a new one so."
)
@json_option
@pass_settings
def set_notice(  # noqa: PLR0913, PLR0917  (an option each)
    settings: Settings, text: str, until: str, site: str, url: str, notice_id: str, as_json: bool
) -> None:
    """Show TEXT above all answers of a site, from now on; a TIME without a zone is in UTC."""
    own = notice_id or f"notice-{secrets.token_hex(4)}"
    with open_records(settings) as records:
        records.curation.put_notice(Notice(own, site, text, until, url))
        kept = next(one for one in records.curation.notices() if one.id == own)
    print_either(asdict(kept), as_json, f"{kept.id} is shown on {kept.site} until {kept.until}.")


@notice.command("list")
@only_site
@json_option
@pass_settings
def list_notices(settings: Settings, site: str | None, as_json: bool) -> None:
    """List the notices, those that are over too."""
    now = datetime.now(UTC)
    with open_records(settings) as records:
        rows = [
            asdict(one) | {"shown": now < datetime.fromisoformat(one.until)}
            for one in records.curation.notices(site)
        ]
    told = "\n".join(map(_notice_lines, rows))
    print_either(rows, as_json, told or "No notices; `lodge notice set TEXT --until TIME` shows one.")


@notice.command("clear")
@click.argument("notice_id", metavar="ID")
@json_option
@pass_settings
def clear_notice(settings: Settings, notice_id: str, as_json: bool) -> None:
    """Remove a notice at once."""
    with open_records(settings) as records:
        records.curation.remove_notice(notice_id)
    _say_removed(notice_id, as_json)


def _answers(settings: Settings, site: str | None) -> list[dict[str, Any]]:
    from server.workbench.curation.files import line_of_answer

    with open_records(settings) as records:
        return [line_of_answer(answer) for answer in records.curation.curated(site)]


def _answer_lines(answer: dict[str, Any]) -> str:
    """The id stands whole, for `lodge curated remove`."""
    bounds = [f"{word} {answer[key]}" for word, key in _BOUNDS if answer[key]]
    first, *others = answer["phrasings"]
    more = f" (and {len(others)} more)" if others else ""
    return f"{answer['id']}  {', '.join([answer['site'], *bounds])}\n    {first}{more}"


def _notice_lines(notice: dict[str, Any]) -> str:
    shown = "until" if notice["shown"] else "was shown until"
    line = f"{notice['id']}  {notice['site']}, {shown} {notice['until']}\n    {notice['text']}"
    return f"{line} <{notice['url']}>" if notice["url"] else line


def _print_lines(rows: Sequence[Any], as_json: bool) -> None:
    """One JSON document, or one a line."""
    if as_json:
        print_json(rows)
        return
    for row in rows:
        click.echo(json.dumps(row, ensure_ascii=False))


def _say_imported(ids: Sequence[str], as_json: bool, noun: str) -> None:
    print_either({"imported": ids}, as_json, f"{len(ids)} {noun}{'' if len(ids) == 1 else 's'} imported.")


def _say_removed(own: str, as_json: bool) -> None:
    print_either({"removed": own}, as_json, f"{own} is removed.")


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
    with open_records(settings) as records:
        for one in kept:
            records.golden.put(one)
    _say_imported([one.id for one in kept], as_json, "golden question")


@golden.command("export")
@only_site
@json_option
@pass_settings
def export_golden(settings: Settings, site: str | None, as_json: bool) -> None:
    """Print the golden questions as a questions file, for `lodge eval --questions`."""
    with open_records(settings) as records:
        lines = [one.as_question() for one in records.golden.all(site)]
    _print_lines(lines, as_json)


@golden.command("list")
@only_site
@json_option
@pass_settings
def list_golden(settings: Settings, site: str | None, as_json: bool) -> None:
    """List the golden questions, each with what became of it when it was last asked."""
    with open_records(settings) as records:
        known = {own: asdict(record) for own, record in records.golden.record_of().items()}
        rows = [
            one.as_question() | {"site": one.site, "record": known.get(one.id)}
            for one in records.golden.all(site)
        ]
    told = "\n".join(map(_lines, rows)) or "No golden questions yet; `lodge golden import FILE` brings some."
    print_either(rows, as_json, told)


@golden.command("run")
@of_site
@click.option("--strategy", help="Ask by this one; default: the site's own, else LODGE_STRATEGY.")
@json_option
@pass_settings
def run_golden(settings: Settings, site: str, strategy: str | None, as_json: bool) -> None:
    """Ask them all over the live snapshot, and keep the run; exit status 1 when one fails; known gaps may."""
    from server.wiring.serving import run_golden as asked_all

    with progress("Asking", ("asked",)) as show:
        run, outcomes = asked_all(settings, site, strategy, lambda done, total: show(done, total, (done,)))
    failed = [outcome for outcome in outcomes if not outcome.passed and not outcome.known_gap]
    if as_json:
        print_json(asdict(run) | {"failures": [asdict(outcome) for outcome in failed]})
    else:
        for outcome in failed:
            click.echo(f"✕ {outcome.golden_id}: {outcome.failure}")
        gaps = f", {run.known_gaps} known gaps" if run.known_gaps else ""
        click.echo(f"Run {run.number}: {run.passed} passed, {run.failed} failed{gaps}.")
    if failed:
        sys.exit(1)


def _lines(row: dict[str, Any]) -> str:
    return f"{row['id']}  {row['site']}, {_became(row['record'])}\n    {row['question']}"


def _became(record: dict[str, Any] | None) -> str:
    if record is None:
        return "not asked yet"
    return f"✕ {record['failure']}" if record["failure"] else "✓ passed"
