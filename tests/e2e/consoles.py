"""The console in a browser, over a server that answers from the small college."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from playwright.sync_api import Page, expect

from server.app import web_options
from server.models import Answer, Final, Question
from server.settings import PROJECT, Settings
from server.wiring import serving as answering
from tests import small_site
from tests.scripted_app import serving, web_app

READY_TIMEOUT_S = 60


@dataclass(frozen=True)
class Console:
    """Where it is, the parts behind it, and a token for each role."""

    url: str
    parts: answering.Serving
    tokens: dict[str, str]

    def visit(self, page: Page, role: str, path: str = "") -> Page:
        """A page of it, signed in with that role."""
        page.goto(f"{self.url}/{path}")
        page.get_by_label("Admin token").fill(self.tokens[role])
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_text(f"Signed in as {role}")).to_be_visible()
        return page

    def ask(self, text: str, name: str, **more: str) -> Answer:
        """A visitor's question, recorded; its conversation, message and trace are named after `name`."""
        question = Question(text, f"c-{name}", f"m-{name}", f"t-{name}", **more)  # type: ignore[arg-type]
        *_, final = self.parts.asker.ask(question)
        assert isinstance(final, Final)
        return final.answer


def idle(page: Page) -> None:
    """Once the page is drawn: a click while it is drawn anew is lost."""
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")


@contextmanager
def open_console(small_home: Settings, folder: Path) -> Iterator[Console]:
    """One, running, over the small college's snapshot and records of its own in the folder."""
    settings = replace(small_site.settings_for(folder / "home"), reranker="")
    settings.snapshots_dir.symlink_to(small_home.snapshots_dir)
    parts = answering.build_serving(settings)
    roles = ("viewer", "editor", "developer")
    tokens = {role: parts.records.tokens.create(f"the {role}", role, 1) for role in roles}
    with serving(web_app(web_options(settings), parts)) as url, _streamlit(url) as console:
        yield Console(console, parts, tokens)


@contextmanager
def _streamlit(api_url: str) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    page = str(PROJECT / "admin" / "console.py")
    command = [sys.executable, "-m", "streamlit", "run", page, f"--server.port={port}"]
    environ = {name: value for name, value in os.environ.items() if name != "LODGE_ADMIN_TOKEN"}
    process = subprocess.Popen(
        [*command, "--server.address=127.0.0.1"], cwd=PROJECT / "admin", text=True,
        env={**environ, "PYTHONPATH": str(PROJECT), "LODGE_API_URL": api_url}, stdout=subprocess.PIPE,
    )  # fmt: skip
    watchdog = threading.Timer(READY_TIMEOUT_S, process.kill)
    watchdog.start()
    assert process.stdout
    assert any("URL" in line for line in process.stdout), "the console did not start"
    watchdog.cancel()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.communicate(timeout=20)
