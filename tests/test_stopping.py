"""What a real server does besides answering: it opens no connection, and it stops only after its answers."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from litestar.testing import TestClient

from server.app import create_app
from server.settings import PROJECT, Settings
from server.wiring.serving import build_serving
from server.workbench.records import open_records
from tests.llm import scripted

QUESTION = "How often can a library book be renewed?"


def post(url: str, body: dict[str, Any]) -> dict[str, Any]:
    request = urllib.request.Request(
        url, json.dumps(body).encode(), headers={"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=60) as response:
        answer: dict[str, Any] = json.load(response)
    return answer


def wait_until_closed(port: int, process: subprocess.Popen[str]) -> None:
    """Until nobody listens on the port any more, while the process still runs."""
    pause = threading.Event()
    while process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            return
        pause.wait(0.02)


def test_an_answer_under_way_is_finished_recorded_and_logged(small_home: Settings, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    gate = threading.Event()
    script = scripted.waits_for(gate, scripted.says("A book can be renewed three times. [1]"))
    records_url = f"sqlite:///{tmp_path / 'records.sqlite'}"
    with scripted.serving(script) as llm:
        settings = replace(small_home, port=port, records_url=records_url, llm_url=llm.url, log="json")
        settings = replace(settings, llm_first_token_s=60.0, llm_stall_s=60.0, llm_total_s=60.0)
        process = subprocess.Popen(
            [sys.executable, "-m", "server.cli", "serve"],
            cwd=PROJECT,
            env={**os.environ, **settings.as_environ()},
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stderr
        lines = [process.stderr.readline()]
        assert "listens on" in lines[0]
        try:
            with ThreadPoolExecutor(1) as visitor:
                asked = visitor.submit(_ask_when_up, port)
                while not llm.chats:
                    assert not asked.done(), asked.exception()
                    gate.wait(0.02)
                process.send_signal(signal.SIGTERM)
                wait_until_closed(port, process)
                assert not asked.done()
                gate.set()
                answer = asked.result(60)
            _, logged = process.communicate(timeout=60)
        finally:
            gate.set()
            process.kill()
    assert answer["answer"]
    assert process.returncode in (0, -signal.SIGTERM)
    records = open_records(records_url)
    assert records.conversations.trace(answer["trace_id"])["question"] == QUESTION
    records.close()
    [line] = [json.loads(one) for one in logged.splitlines() if "lodge.access" in one]
    assert line["trace_id"] == answer["trace_id"]
    assert "library" not in logged


def test_an_answer_opens_no_connection(small_home: Settings, tmp_path: Path) -> None:
    """No language model, no Typesense: no outgoing network. Python's own audit tells of every attempt."""
    tried: list[tuple[str, Any]] = []
    watching = threading.Event()

    def note(name: str, given: tuple[Any, ...]) -> None:
        if watching.is_set() and name in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
            tried.append((name, given[1:]))

    settings = replace(small_home, records_url=f"sqlite:///{tmp_path / 'records.sqlite'}")
    sys.addaudithook(note)
    watching.set()
    try:
        with TestClient(create_app(settings, build_serving(settings))) as client:
            assert client.post("/api/ask", json={"question": QUESTION}).status_code == 200
            assert client.get("/readyz").json()["ready"]
            assert tried == []
            with socket.socket() as probe:
                probe.connect_ex(("127.0.0.1", 9))
            assert [name for name, _ in tried] == ["socket.connect"]  # it would have been seen
    finally:
        watching.clear()


def _ask_when_up(port: int) -> dict[str, Any]:
    url = f"http://127.0.0.1:{port}"
    pause = threading.Event()
    while True:
        try:
            urllib.request.urlopen(f"{url}/healthz", timeout=5).close()
            break
        except OSError:
            pause.wait(0.05)
    return post(f"{url}/api/ask", {"question": QUESTION})
