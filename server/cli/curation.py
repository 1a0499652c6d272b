"""The commands for editors: `lodge curated` and `lodge notice`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from server.cli.options import json_option, pass_settings
from server.settings import Settings
from server.terminal import print_json

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
    from server.workbench.curation import commands as curating

    ids = curating.import_answers(settings, file)
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
    from server.workbench.curation import commands as curating

    answers = curating.list_answers(settings, site)
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
    from server.workbench.curation import commands as curating

    answers = curating.list_answers(settings, site)
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
    from server.workbench.curation import commands as curating

    curating.remove_answer(settings, answer_id)
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
    from server.workbench.curation import commands as curating

    fields = {"id": notice_id, "site": site, "text": text, "until": until, "url": url}
    kept = curating.set_notice(settings, fields)
    if as_json:
        print_json(kept)
    else:
        click.echo(f"{kept['id']} is shown on {kept['site']} until {kept['until']}.")


@notice.command("list")
@only_site
@json_option
@pass_settings
def list_notices(settings: Settings, site: str | None, as_json: bool) -> None:
    """List the notices, those that are over too."""
    from server.workbench.curation import commands as curating

    rows = curating.list_notices(settings, site)
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
    from server.workbench.curation import commands as curating

    curating.clear_notice(settings, notice_id)
    _say_removed(notice_id, as_json)


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
