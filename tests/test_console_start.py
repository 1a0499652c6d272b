"""`lodge admin` as in a container, where it listens to everybody: it asks nobody for its address."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from server.settings import PROJECT

START_TIMEOUT_S = 60


class Proxy(ThreadingHTTPServer):
    """What is on the way to any other server: it knows nothing and remembers who was asked."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Refusal)
        self.asked: list[str] = []


class Refusal(BaseHTTPRequestHandler):
    """Notes the address and says 502."""

    server: Proxy

    def _refuse(self) -> None:
        self.server.asked.append(self.path)
        self.send_error(502)

    do_GET = do_CONNECT = do_POST = _refuse  # noqa: N815 - the names that http.server looks for

    def log_message(self, *_: object) -> None:
        """Nothing on standard error."""


@pytest.fixture
def proxy() -> Iterator[Proxy]:
    with Proxy() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def test_a_console_that_listens_to_everybody_asks_nobody_for_its_address(
    proxy: Proxy, tmp_path: Path
) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    way_out = f"http://127.0.0.1:{proxy.server_address[1]}"
    process = subprocess.Popen(
        [sys.executable, "-m", "server.cli", "admin"],
        cwd=PROJECT,
        env={name: value for name, value in os.environ.items() if name.lower() != "no_proxy"}
        | dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), way_out)
        | {"LODGE_HOME": str(tmp_path), "LODGE_HOST": "0.0.0.0", "LODGE_ADMIN_PORT": str(port)},
        stdout=subprocess.PIPE,
        text=True,
    )
    watchdog = threading.Timer(START_TIMEOUT_S, process.kill)
    watchdog.start()
    try:
        assert process.stdout
        assert any("URL" in line for line in process.stdout), "the console did not start"
        assert proxy.asked == []
    finally:
        watchdog.cancel()
        process.terminate()
        process.communicate(timeout=20)
