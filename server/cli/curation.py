"""The commands for editors: `lodge curated` and `lodge notice`."""

from __future__ import annotations

import json
import secrets
from contextlib import closing
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from server.cli.options import json_option, pass_settings
from server.models.curation import Notice
from server.settings import Settings
from server.terminal import print_json
from server.wiring.opening import build_records

# ruff: noqa: PLC0415  (see server/cli/__init__.py)


only_site = click.option("--site", metavar="NAME", help="Only those of this site.")
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
    with closing(build_records(settings)) as records:
        for answer in answers:
            records.curation.put_curated(answer)
    ids = [answer.id for answer in answers]
    if as_json:
        print_json({"imported": ids})
    else:
        click.echo(f"{len(ids)} curated answer{'' if len(ids) == 1 else 's'} imported.")


@curated.command("export")
@only_site
@json_option
@pass_settings
def export_answers(settings: Settings, site: str | None, as_json: bool) -> None:
    """Print all curated answers as JSON lines, as `lodge curated import` takes them."""
    answers = _answers(settings, site)
    if as_json:
        print_json(answers)
        return
    for answer in answers:
        click.echo(json.dumps(answer, ensure_ascii=False))


@curated.command("list")
@only_site
@json_option
@pass_settings
def list_answers(settings: Settings, site: str | None, as_json: bool) -> None:
    """List the curated answers."""
    answers = _answers(settings, site)
    if as_json:
        print_json(answers)
    elif answers:
        click.echo("\n".join(map(_answer_lines, answers)))
    else:
        click.echo("No curated answers yet; `lodge curated import FILE` brings some.")


@curated.command("remove")
@click.argument("answer_id", metavar="ID")
@json_option
@pass_settings
def remove_answer(settings: Settings, answer_id: str, as_json: bool) -> None:
    """Remove a curated answer."""
    with closing(build_records(settings)) as records:
        records.curation.remove_curated(answer_id)
    _say_removed(answer_id, as_json)


@click.group()
def notice() -> None:
    """Look after urgent notices, which stand above all answers."""


@notice.command("set")
@click.argument("text")
@click.option("--until", required=True, metavar="TIME", help="Shown until then, such as 2026-11-22T18:00Z.")
@click.option("--site", default="main", show_default=True, metavar="NAME", help="On this site.")
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
    with closing(build_records(settings)) as records:
        records.curation.put_notice(Notice(own, site, text, until, url))
        kept = next(one for one in records.curation.notices() if one.id == own)
    if as_json:
        print_json(asdict(kept))
    else:
        click.echo(f"{kept.id} is shown on {kept.site} until {kept.until}.")


@notice.command("list")
@only_site
@json_option
@pass_settings
def list_notices(settings: Settings, site: str | None, as_json: bool) -> None:
    """List the notices, those that are over too."""
    now = datetime.now(UTC)
    with closing(build_records(settings)) as records:
        rows = [
            asdict(one) | {"shown": now < datetime.fromisoformat(one.until)}
            for one in records.curation.notices(site)
        ]
    if as_json:
        print_json(rows)
    elif rows:
        click.echo("\n".join(map(_notice_lines, rows)))
    else:
        click.echo("No notices; `lodge notice set TEXT --until TIME` shows one.")


@notice.command("clear")
@click.argument("notice_id", metavar="ID")
@json_option
@pass_settings
def clear_notice(settings: Settings, notice_id: str, as_json: bool) -> None:
    """Remove a notice at once."""
    with closing(build_records(settings)) as records:
        records.curation.remove_notice(notice_id)
    _say_removed(notice_id, as_json)


def _answers(settings: Settings, site: str | None) -> list[dict[str, Any]]:
    from server.workbench.curation.files import line_of_answer

    with closing(build_records(settings)) as records:
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


def _say_removed(own: str, as_json: bool) -> None:
    if as_json:
        print_json({"removed": own})
    else:
        click.echo(f"{own} is removed.")
