"""The trace page in a real browser, over the small college: what became of a page, and asking again."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import expect

from server.app import web_options
from server.parts import answering
from server.records import Question
from server.settings import PROJECT, Settings
from server.web.application import web_app
from tests import small_site
from tests.e2e.conftest import NewPage
from tests.small_site import SITE
from tests.web.scripted import serving

TUITION = Question("How much is tuition for residents of the state?", "c1", "m1", "t1", strategy="hybrid")
READY_TIMEOUT_S = 60


@pytest.fixture
def console(small_home: Settings, tmp_path: Path) -> Iterator[str]:
    """The address of a console with a developer's token, beside a server that has answered one question."""
    settings = replace(small_site.settings_for(tmp_path / "home"), reranker="")
    settings.snapshots_dir.symlink_to(small_home.snapshots_dir)
    parts = answering.build_serving(settings)
    assert list(parts.asker.ask(TUITION))
    token = parts.records.create_token("dev", "developer", 1)
    with serving(web_app(web_options(settings), parts)) as url:
        yield from _streamlit({"LODGE_API_URL": url, "LODGE_ADMIN_TOKEN": token})


def _streamlit(environ: dict[str, str]) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    page = str(PROJECT / "admin" / "console.py")
    command = [sys.executable, "-m", "streamlit", "run", page, f"--server.port={port}"]
    process = subprocess.Popen(
        [*command, "--server.address=127.0.0.1"], cwd=PROJECT / "admin", text=True,
        env={**os.environ, "PYTHONPATH": str(PROJECT), **environ}, stdout=subprocess.PIPE,
    )  # fmt: skip
    watchdog = threading.Timer(READY_TIMEOUT_S, process.kill)
    watchdog.start()
    assert process.stdout
    assert any("URL" in line for line in process.stdout), "the console did not start"
    watchdog.cancel()
    yield f"http://127.0.0.1:{port}"
    process.terminate()
    process.communicate(timeout=20)


def test_a_developer_sees_where_a_page_was_lost_and_asks_again(console: str, new_page: NewPage) -> None:
    page = new_page(viewport={"width": 1400, "height": 1000})
    page.goto(f"{console}/trace?id=t1")
    expect(page.get_by_role("heading", name="Passages, and where each fell")).to_be_visible()
    expect(page.get_by_text("▲ moved up")).to_be_visible()
    box = page.get_by_label("Its address")
    box.fill(SITE + "/archive/2019")
    box.press("Enter")
    expect(page.get_by_text("It was left out of the index (archive)")).to_be_visible()
    page.get_by_role("button", name="Ask again as it is now").click()
    expect(page.get_by_text("The same answer from the same places.")).to_be_visible()
    expect(page.get_by_text("Now, with the live settings")).to_be_visible()
