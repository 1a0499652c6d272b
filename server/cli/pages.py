"""A page's way in: `lodge crawl`, `index`, `snapshots`, `publish`, `rollback`, `typesense`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from server.cli.options import json_option, pass_settings, preset_option
from server.settings import Settings
from server.terminal import print_json, print_report, print_rows, progress, warn

# ruff: noqa: PLC0415  (see server/cli/__init__.py)


INTERRUPTED = 130  # 128 + SIGINT, as shells have it

override_option = click.option(
    "--override", metavar="REASON", help="Publish though golden questions break; the audit log keeps why."
)
progress_option = click.option(
    "--progress-lines", is_flag=True, help="Say how far it is as JSON lines on standard error."
)


@click.command()
@click.argument("urls", nargs=-1, required=True, metavar="URL…")
@click.option("--max-pages", type=click.IntRange(1), help="End after this many responses.")
@click.option(
    "--delay", type=click.FloatRange(0), metavar="S", help="Mean seconds between two requests to a host."
)
@click.option("--prefix", "prefixes", multiple=True, metavar="URL", help="Stay below this URL (repeatable).")
@click.option(
    "--private-host",
    "private_hosts",
    multiple=True,
    metavar="HOST[:PORT]",
    help="This loopback or private host is the site (repeatable).",
)
@progress_option
@json_option
@pass_settings
def crawl(  # noqa: PLR0913, PLR0917  (click hands over an argument for each option)
    settings: Settings,
    urls: Sequence[str],
    max_pages: int | None,
    delay: float | None,
    prefixes: Sequence[str],
    private_hosts: Sequence[str],
    progress_lines: bool,
    as_json: bool,
) -> None:
    """Crawl sites politely into the crawl store; run again to update."""
    from server.wiring import indexing

    with progress("Crawling", ("pages", "queued", "errors"), as_lines=progress_lines) as show:
        report = indexing.run_crawl(
            settings,
            urls,
            max_pages=max_pages,
            delay_s=delay,
            prefixes=prefixes,
            private_hosts=private_hosts,
            on_progress=lambda p: show(p.fetched, p.fetched + p.queued, (p.fetched, p.queued, p.errors)),
        )
    print_report(report.as_json(), as_json, "Crawl")
    for site, sentence in report.troubles.items():
        warn(f"{site}: {sentence}")
    if report.ended == "interrupted":
        sys.exit(INTERRUPTED)


@click.command()
@click.option(
    "--pages", type=click.Path(path_type=Path), help="A pages file (.jsonl or .jsonl.gz), not the crawl."
)
@preset_option
@click.option("--no-publish", is_flag=True, help="Build and check it; visitors stay with the live one.")
@override_option
@progress_option
@json_option
@pass_settings
def index(  # noqa: PLR0913, PLR0917  (an option each)
    settings: Settings,
    pages: Path | None,
    preset: str | None,
    no_publish: bool,
    override: str | None,
    progress_lines: bool,
    as_json: bool,
) -> None:
    """Build, check and publish a snapshot, unless it breaks a golden question."""
    from server.wiring import indexing

    settings = indexing.cut_as(settings, preset)
    with progress("Indexing", ("pages", "kept", "chunks"), as_lines=progress_lines) as show:
        report = indexing.run_index(
            settings,
            pages,
            on_broken=lambda line, why: warn(f"line {line} of the pages file is left out: {why}"),
            on_progress=lambda p: show(p.pages, None, (p.pages, p.kept, p.chunks)),
            warn=warn,
            publish=not no_publish,
            override=override,
        )
    print_report(report.as_json(), as_json, "Snapshot")


@click.command()
@click.argument("name")
@override_option
@json_option
@pass_settings
def publish(settings: Settings, name: str, override: str | None, as_json: bool) -> None:
    """Make a finished snapshot the live one, unless it breaks a golden question."""
    from server.wiring.publishing import command_publisher

    with command_publisher(settings, warn) as publisher:
        published = publisher.publish(name, override=override)
    if as_json:
        print_json(published.as_json())
        return
    click.echo(f"{name} is live. {published.says}".rstrip())
    for one in published.still_wrong:
        click.echo(f"– {one['site']}/{one['id']}, wrong as before: {one['failure']}")


@click.command()
@json_option
@pass_settings
def snapshots(settings: Settings, as_json: bool) -> None:
    """List the snapshots, the newest first."""
    from server.wiring.snapshot_store import shelf

    names = ("name", "current", "created_at", "pages", "chunks", "megabytes")
    rows = [{name: getattr(entry, name) for name in names} for entry in shelf(settings).entries()]
    print_rows(rows, as_json, "No snapshot yet; run `lodge crawl` and `lodge index`.")


@click.command()
@click.argument("name")
@pass_settings
def rollback(settings: Settings, name: str) -> None:
    """Make an earlier snapshot the live one; a running server swaps to it."""
    from server.wiring.publishing import command_publisher

    with command_publisher(settings, warn, needs_records=False) as publisher:
        publisher.roll_back(name)
        click.echo(f"{name} is live.")
        publisher.ask_suggestions()


@click.group()
def typesense() -> None:
    """Look after the collections in Typesense."""


@typesense.command("sync")
@click.option("--rebuild", is_flag=True, help="Make the collection anew even if it is whole.")
@json_option
@pass_settings
def sync_typesense(settings: Settings, rebuild: bool, as_json: bool) -> None:
    """Bring the live snapshot and the synonyms to Typesense, whatever it has of them."""
    from server.wiring.typesense import run_sync

    with progress("Importing", ("documents",)) as show:
        report = run_sync(
            settings, rebuild=rebuild, warn=warn, on_progress=lambda done, of: show(done, of, (done,))
        )
    print_report(report.as_json(), as_json, "Typesense")
