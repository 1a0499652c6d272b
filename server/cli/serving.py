"""A question's way: `lodge ask`, `serve`, `sites`, `admin`."""

from __future__ import annotations

import importlib.util
import math
import os
import socket
import sys
from typing import Any

import click

from server.cli.answer_lines import answer_lines
from server.cli.options import json_option, pass_settings
from server.settings import PROJECT, STRATEGIES_TOLD, Settings
from server.terminal import print_json, print_table, warn

# ruff: noqa: PLC0415  (see server/cli/__init__.py)


@click.command()
@click.argument("question")
@click.option("--strategy", help=f"{STRATEGIES_TOLD}.")
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
    from server.wiring.serving import ask_once

    answer = ask_once(settings, question, strategy, **filters)
    if as_json:
        print_json(answer.as_json())
        return
    for line in answer_lines(answer):
        click.echo(line)
    for citation in answer.citations:
        where = citation.href if citation.page else citation.url
        click.echo(f"  [{citation.n}] {citation.title} <{where}>")
    for page in answer.closest_pages:
        click.echo(f"   -  {page.title} <{page.url}>")
        for line in page.quote.splitlines():
            click.echo(f"      {line}")
    if answer.narrow:
        click.echo(f"  {answer.narrow.lead}")
        for choice in answer.narrow.choices:
            click.echo(f"   ›  {choice.label}: {choice.question}")


@click.command()
@pass_settings
def serve(settings: Settings) -> None:
    """Serve the chat page, the API and the widget."""
    from server.app import create_app
    from server.cli.http_server import patient, run_server, set_up_logs
    from server.wiring.serving import build_serving

    set_up_logs(settings.log)
    _require_free_port(settings)
    serving = build_serving(settings)
    for sentence in serving.missing():
        warn(sentence)
    app = create_app(settings, serving)
    serving.follow_schedules()
    click.echo(f"Lodge listens on http://{settings.host}:{settings.port}", err=True)
    run_server(
        app,
        settings.drain_s,
        host=settings.host,
        port=settings.port,
        http=patient(settings.request_s),
        log_config=None,
        log_level="warning",
        access_log=False,
        proxy_headers=False,  # http/middleware.py believes no more of them than LODGE_TRUSTED_HOPS says
        timeout_graceful_shutdown=math.ceil(settings.stop_wait_s),
    )


@click.command()
@json_option
@pass_settings
def sites(settings: Settings, as_json: bool) -> None:
    """Read the table of sites as the server would, and list them."""
    from server.wiring.opening import build_sites

    rows = [
        {"site": s.key, "name": s.name, "origins": list(s.origins), "languages": list(s.languages)}
        for s in build_sites(settings).all()
    ]
    if as_json:
        print_json(rows)
    else:
        print_table(
            list(rows[0]), [[v if isinstance(v, str) else " ".join(v) for v in row.values()] for row in rows]
        )


@click.command()
@pass_settings
def admin(settings: Settings) -> None:
    """Start the console."""
    if importlib.util.find_spec("streamlit") is None:
        raise ModuleNotFoundError(name="streamlit")
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        str(PROJECT / "admin" / "console.py"),
        f"--server.port={settings.admin_port}",
        f"--server.address={settings.host}",
        # Without one, Streamlit asks a server of others for this machine's address, to print it.
        f"--browser.serverAddress={settings.host}",
    ]
    environ = {"LODGE_API_URL": f"http://{settings.host}:{settings.port}", **os.environ}
    os.chdir(PROJECT / "admin")
    os.execve(sys.executable, command, environ)  # noqa: S606 - our own interpreter, no shell


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
