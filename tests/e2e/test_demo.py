"""`make run` as a newcomer meets it: it crawls, indexes, serves and answers, and Ctrl-C ends all of it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from server.settings import PROJECT
from tests.e2e.conftest import NewPage
from tests.e2e.visitor import open_panel

pytestmark = [pytest.mark.browser, pytest.mark.long]
READY_TIMEOUT_S = 240
LODGE = [sys.executable, "-m", "server.cli"]


@dataclass
class Demo:
    """A running `make run`: its output so far, its ports, its process."""

    process: subprocess.Popen[str]
    output: str
    home: Path
    server: str
    site: str
    console: str

    @property
    def token(self) -> str:
        """The console's token, as printed."""
        return self.output.split("its token")[1].split()[0]


def free_ports(n: int) -> list[int]:
    """Ports that nobody listens on now."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(n)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def start(home: Path, ports: list[int]) -> Demo:
    """Start it and wait until it says that it is ready."""
    names = ("LODGE_PORT", "LODGE_DEMO_PORT", "LODGE_ADMIN_PORT")
    environ = {**os.environ, "LODGE_HOME": str(home), **dict(zip(names, map(str, ports), strict=True))}
    process = subprocess.Popen(
        [sys.executable, "-m", "scripts.run_demo"], cwd=PROJECT, env=environ, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
    )  # fmt: skip
    assert process.stdout
    watchdog = threading.Timer(READY_TIMEOUT_S, process.terminate)
    watchdog.start()
    output = ""
    for line in process.stdout:
        output += line
        if "its token" in line:
            break
    watchdog.cancel()
    server, site, console = (f"http://127.0.0.1:{port}" for port in ports)
    return Demo(process, output, home, server, site, console)


def stop(demo: Demo) -> int:
    """Ctrl-C, and its exit status."""
    demo.process.send_signal(signal.SIGINT)
    demo.process.communicate(timeout=60)
    return demo.process.returncode


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    """One run for the tests here."""
    running = start(tmp_path_factory.mktemp("demo"), free_ports(3))
    yield running
    if running.process.poll() is None:
        stop(running)


def test_it_prints_the_addresses_and_a_token(demo: Demo) -> None:
    for address in (demo.server, demo.site, demo.console, demo.token):
        assert address in demo.output
    assert httpx.get(f"{demo.server}/readyz").json()["ready"] is True


def test_a_visitor_asks_on_the_universitys_own_page(demo: Demo, new_page: NewPage) -> None:
    page = new_page()
    page.goto(f"{demo.site}/library/hours/")
    frame = open_panel(page)
    frame.locator("#question").fill("wen does add/drop end this fall")
    frame.locator("#question").press("Enter")
    expect(frame.locator("#turns")).to_contain_text("September 11")
    expect(frame.locator(f"a[href^='{demo.site}/academics/']").first).to_be_visible()
    assert page.context.cookies() == []


def test_a_question_it_cannot_answer_gets_the_closest_pages(demo: Demo) -> None:
    answer = httpx.post(
        f"{demo.server}/api/ask", json={"question": "best pizza recipe with anchovies"}
    ).json()
    assert answer["refused"] is True
    assert answer["refusal_reason"] == "off_topic"
    assert len(answer["closest_pages"]) == 3
    assert [contact["label"] for contact in answer["contacts"]] == ["Switchboard"]


def test_the_console_shows_the_answers_trace(demo: Demo, new_page: NewPage) -> None:
    httpx.post(f"{demo.server}/api/ask", json={"question": "how much is a parking permit"})
    page = new_page(complaints_expected=True)
    page.goto(f"{demo.console}/conversations")
    page.locator("input[type=password]").fill(demo.token)
    page.locator("input[type=password]").press("Enter")
    page.get_by_text("how much is a parking permit").first.click()
    page.get_by_role("link", name="See how this answer came about").click()
    expect(page.get_by_role("heading", name="Trace").first).to_be_visible(timeout=20_000)
    expect(page.get_by_text("how much is a parking permit").first).to_be_visible(timeout=20_000)
    expect(page.get_by_test_id("stDataFrame").first).to_be_visible(timeout=20_000)


def test_the_golden_questions_do_as_well_as_when_they_were_last_measured(demo: Demo, tmp_path: Path) -> None:
    """Floors a little under the measured figures, so that a change that loses answers is seen."""
    golden = (PROJECT / "corpus" / "golden_questions.jsonl").read_text(encoding="utf-8")
    questions = tmp_path / "golden.jsonl"
    questions.write_text(golden.replace("http://127.0.0.1:8090", demo.site), encoding="utf-8")
    done = subprocess.run(
        [*LODGE, "eval", "--json", "--strategies=hybrid", "--questions", questions],
        cwd=PROJECT, env={**os.environ, "LODGE_HOME": str(demo.home)}, check=True, capture_output=True,
    )  # fmt: skip
    metrics = {name: m["value"] for name, m in json.loads(done.stdout)["strategies"][0]["metrics"].items()}
    floors = {
        "recall@5": 0.83,
        "mrr": 0.78,
        "answer@5": 0.86,
        "answer_contains": 0.7,
        "rightly_refused": 0.36,
    }
    assert {name: metrics[name] for name in floors if metrics[name] < floors[name]} == {}
    assert metrics["wrongly_answered"] < 0.38


def test_ctrl_c_ends_everything_and_a_second_run_indexes_nothing(demo: Demo) -> None:
    assert stop(demo) == 0
    for address in (demo.server, demo.site, demo.console):
        with pytest.raises(httpx.ConnectError):
            httpx.get(address)
    ports = [int(address.rpartition(":")[2]) for address in (demo.server, demo.site, demo.console)]
    again = start(demo.home, ports)
    assert stop(again) == 0
    assert "Indexing" not in again.output
