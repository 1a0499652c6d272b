"""The command line: `lodge crawl`, `index`, `ask`, `serve` and the rest.

Results go to standard output, progress and warnings to standard error; `--json` prints one JSON document.
What a command alone needs is imported by it: `lodge --help` and `lodge ask` should not wait for the rest.
"""
# ruff: noqa: PLC0415  (see above)

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from server.parts import LodgeError
from server.parts.answering import ask_once, build_records, build_serving, build_sites
from server.settings import PROJECT, SettingError, Settings
from server.terminal import (
    note,
    print_bench,
    print_calibration,
    print_evaluation,
    print_json,
    print_report,
    print_run_comparison,
    print_table,
    progress,
    warn,
)

INTERRUPTED = 130  # 128 + SIGINT, as shells have it


class LodgeGroup(click.Group):
    """Turns what we raise on purpose into a sentence and exit status 1."""

    def invoke(self, context: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(context)
        except (LodgeError, SettingError) as error:
            raise click.ClickException(str(error)) from error
        except OSError as error:
            raise click.ClickException(
                f"{error.filename or 'The system'}: {error.strerror or error}."
            ) from error
        except KeyboardInterrupt:
            raise click.ClickException("Stopped.") from None


@click.group(cls=LodgeGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="lodge")
@click.pass_context
def main(context: click.Context) -> None:
    """Answers a university's visitors from the university's own pages."""
    context.obj = Settings.read(os.environ)


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
pass_settings = click.pass_obj


preset_option = click.option("--preset", metavar="NAME", help="Cut pages as brockport, cmu or princeton did.")


# --- a page's way in ---------------------------------------------------------------------------


@main.command()
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
@json_option
@pass_settings
def crawl(  # noqa: PLR0913, PLR0917  (click hands over an argument for each option)
    settings: Settings,
    urls: Sequence[str],
    max_pages: int | None,
    delay: float | None,
    prefixes: Sequence[str],
    private_hosts: Sequence[str],
    as_json: bool,
) -> None:
    """Crawl sites politely into the crawl store; run again to update."""
    from server.parts import indexing

    with progress("Crawling", ("pages", "queued", "errors")) as show:
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


@main.command()
@click.option(
    "--pages", type=click.Path(path_type=Path), help="A pages file (.jsonl or .jsonl.gz), not the crawl."
)
@preset_option
@json_option
@pass_settings
def index(settings: Settings, pages: Path | None, preset: str | None, as_json: bool) -> None:
    """Build, check and publish a snapshot."""
    from server.parts import indexing

    settings = indexing.cut_as(settings, preset)
    with progress("Indexing", ("pages", "kept", "chunks")) as show:
        report = indexing.run_index(
            settings,
            pages,
            on_broken=lambda line, why: warn(f"line {line} of the pages file is left out: {why}"),
            on_progress=lambda p: show(p.pages, None, (p.pages, p.kept, p.chunks)),
            warn=warn,
        )
    print_report(report.as_json(), as_json, "Snapshot")


@main.command()
@json_option
@pass_settings
def snapshots(settings: Settings, as_json: bool) -> None:
    """List the snapshots, the newest first."""
    from server.parts import indexing

    entries = indexing.shelf(settings).entries()
    rows = [
        {
            "name": e.name,
            "current": e.current,
            "created_at": e.created_at,
            "pages": e.pages,
            "chunks": e.chunks,
            "megabytes": e.megabytes,
        }
        for e in entries
    ]
    if as_json:
        print_json(rows)
    elif rows:
        print_table(list(rows[0]), [[str(value) for value in row.values()] for row in rows])
    else:
        click.echo("No snapshot yet; run `lodge crawl` and `lodge index`.")


@main.command()
@click.argument("name")
@pass_settings
def rollback(settings: Settings, name: str) -> None:
    """Make an earlier snapshot the live one; a running server swaps to it."""
    from server.parts import indexing

    indexing.shelf(settings, warn).publish(name)
    click.echo(f"{name} is live.")


@main.group()
def typesense() -> None:
    """Look after the collections in Typesense."""


@typesense.command("sync")
@click.option("--rebuild", is_flag=True, help="Make the collection anew even if it is whole.")
@json_option
@pass_settings
def sync_typesense(settings: Settings, rebuild: bool, as_json: bool) -> None:
    """Bring the live snapshot and the synonyms to Typesense, whatever it has of them."""
    from server.parts.typesense import run_sync

    with progress("Importing", ("documents",)) as show:
        report = run_sync(
            settings,
            rebuild=rebuild,
            warn=warn,
            on_progress=lambda done, of: show(done, of, (done,)),
        )
    print_report(report.as_json(), as_json, "Typesense")


# --- a question's way --------------------------------------------------------------------------


@main.command()
@click.argument("question")
@click.option(
    "--strategy", help="semantic, keyword or hybrid, each with optional +rerank and +topics; or a preset."
)
@click.option("--topic", "topics", multiple=True, help="Search this topic or topic/subtopic (repeatable).")
@click.option("--host", "hosts", multiple=True, help="Search this host's pages (repeatable).")
@click.option("--prefix", metavar="URL", help="Search pages whose address begins so.")
@click.option("--lang", help="Search pages in this language, such as en.")
@click.option("--since", metavar="DAY", help="Search pages changed on this day or later.")
@click.option("--until", metavar="DAY", help="Search pages changed on this day or earlier.")
@click.option("--archived/--no-archived", default=True, help="Search what the site has put away, too.")
@json_option
@pass_settings
def ask(settings: Settings, /, question: str, strategy: str | None, as_json: bool, **filters: Any) -> None:
    """Ask one question."""
    answer = ask_once(settings, question, strategy, **filters)
    if as_json:
        print_json(answer.as_json())
        return
    click.echo(answer.answer)
    for citation in answer.citations:
        click.echo(f"  [{citation.n}] {citation.title} <{citation.url}>")
    for page in answer.closest_pages:
        click.echo(f"   -  {page.title} <{page.url}>")


@main.command()
@pass_settings
def serve(settings: Settings) -> None:
    """Serve the chat page, the API and the widget."""
    import uvicorn

    from server.app import create_app

    _require_free_port(settings)
    serving = build_serving(settings)
    for sentence in serving.missing():
        warn(sentence)
    app = create_app(settings, serving)
    click.echo(f"Lodge listens on http://{settings.host}:{settings.port}", err=True)
    uvicorn.run(
        app, host=settings.host, port=settings.port, log_level="warning", timeout_graceful_shutdown=10
    )


@main.command()
@json_option
@pass_settings
def sites(settings: Settings, as_json: bool) -> None:
    """Read the table of sites as the server would, and list them."""
    rows = [
        {"site": s.key, "name": s.name, "origins": list(s.origins), "languages": list(s.languages)}
        for s in build_sites(settings).all()
    ]
    if as_json:
        print_json(rows)
    else:
        print_table(
            list(rows[0]),
            [[v if isinstance(v, str) else " ".join(v) for v in row.values()] for row in rows],
        )


@main.command()
@pass_settings
def admin(settings: Settings) -> None:
    """Start the console."""
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        str(PROJECT / "admin" / "console.py"),
        f"--server.port={settings.admin_port}",
        f"--server.address={settings.host}",
    ]
    environ = {"LODGE_API_URL": f"http://{settings.host}:{settings.port}", **os.environ}
    os.chdir(PROJECT / "admin")
    os.execve(sys.executable, command, environ)  # noqa: S606 - our own interpreter, no shell


@main.group()
def token() -> None:
    """Create, list and revoke tokens of the admin API."""


@token.command("create")
@click.argument("name")
@click.option("--role", default="viewer", show_default=True, help="viewer, editor or developer.")
@click.option("--days", default=90, show_default=True, type=click.IntRange(1), help="Valid for so long.")
@pass_settings
def create_token(settings: Settings, name: str, role: str, days: int) -> None:
    """Make a token and print it, this once."""
    with closing(build_records(settings)) as records:
        click.echo(records.create_token(name, role, days))


@token.command("list")
@json_option
@pass_settings
def list_tokens(settings: Settings, as_json: bool) -> None:
    """List the tokens; what they are is not kept."""
    with closing(build_records(settings)) as records:
        rows = [
            {
                "name": t.name,
                "role": t.role,
                "expires_at": t.expires_at.isoformat(),
                "revoked_at": t.revoked_at and t.revoked_at.isoformat(),
                "last_used_at": t.last_used_at and t.last_used_at.isoformat(),
            }
            for t in records.tokens()
        ]
    if as_json:
        print_json(rows)
    elif rows:
        print_table(list(rows[0]), [[str(value or "") for value in row.values()] for row in rows])
    else:
        click.echo("No tokens yet; `lodge token create NAME` makes one.")


@token.command("revoke")
@click.argument("name")
@pass_settings
def revoke_token(settings: Settings, name: str) -> None:
    """Make a token worthless at once."""
    with closing(build_records(settings)) as records:
        records.revoke(name)
    click.echo(f"{name} is revoked.")


# --- measuring ---------------------------------------------------------------------------------


def _split(_context: click.Context, _parameter: click.Parameter, text: str) -> list[str]:
    """`"semantic, hybrid"` → `["semantic", "hybrid"]`."""
    return [name.strip() for name in text.split(",") if name.strip()]


strategies_option = click.option(
    "--strategies",
    default="semantic,keyword,hybrid,hybrid+rerank",
    show_default=True,
    callback=_split,
    help="Separated by commas.",
)


@main.group("eval", invoke_without_command=True)
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
    from server.parts import evaluating

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
            evaluating.cut_as(context.obj, preset),
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
    from server.parts import evaluating

    rows = [asdict(entry) for entry in evaluating.runs_of(settings).entries()]
    if as_json:
        print_json(rows)
    elif rows:
        for row in rows:
            row["strategies"] = ", ".join(row["strategies"])
        print_table(list(rows[0]), [[str(value) for value in row.values()] for row in rows])
    else:
        click.echo("No run yet; `lodge eval --questions FILE` makes one.")


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
    from server.parts import evaluating

    comparison = evaluating.compare(settings, a, b)
    if as_json:
        print_json(comparison.as_json())
    else:
        print_run_comparison(comparison.as_json(), limit)


@main.command()
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
    "--write", type=click.Path(path_type=Path), metavar="FILE", help="Set the values in this env file."
)
@json_option
@pass_settings
def calibrate(  # noqa: PLR0913, PLR0917  (an option each)
    settings: Settings,
    questions: Path,
    pages: Path | None,
    strategy: str | None,
    wrong_costs: float,
    write: Path | None,
    as_json: bool,
) -> None:
    """Choose α, the rerank depth and the refusal threshold by cross-validation on a question set."""
    from server.parts import calibrating, evaluating

    if write is not None:
        evaluating.require_folder(write)
    with progress("Asking", ("asked",)) as show:
        calibration = calibrating.run_calibrate(
            settings,
            questions,
            pages,
            strategy=strategy,
            wrong_costs=wrong_costs,
            warn=warn,
            note=note,
            on_progress=lambda done, total: show(done, total, (done,)),
        )
    values = calibrating.variables(calibration)
    report = {**calibration.as_json(), "set": values}
    if as_json:
        print_json(report)
    else:
        print_calibration(report)
    if write is not None:
        calibrating.write_env(write, values)
        note(f"Set in {write}.")


def _multiples(_context: click.Context, _parameter: click.Parameter, text: str) -> list[int]:
    """`"10, 40"` → `[10, 40]`; each is at least 2."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not all(part.isascii() and part.isdecimal() and int(part) >= 2 for part in parts):
        raise click.BadParameter(f"{text!r} is not a list of whole numbers from 2 on, such as 10,40.")
    return [int(part) for part in parts]


@main.command()
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
    from server.parts import benching

    options = benching.BenchOptions(strategies, questions, growth, asks, load_s)
    report = benching.run_bench(settings, options, note)
    if as_json:
        print_json(report)
    else:
        print_bench(report)


# --- helpers -----------------------------------------------------------------------------------


def _require_free_port(settings: Settings) -> None:
    """uvicorn would tell only after the parts have been loaded, and in its own words."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except OSError as error:
            where = f"{settings.host}:{settings.port}"
            raise click.ClickException(
                f"{where} cannot be listened on: {error.strerror}. Set LODGE_PORT."
            ) from error


if __name__ == "__main__":
    main()
