"""A real `lodge serve` over the tests' small college, on a free port; it reaches this machine alone."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from time import sleep

from server.settings import PROJECT, Settings
from server.workbench.access.auth import ROLES
from server.workbench.records import open_records

NOWHERE = "http://127.0.0.1:9"  # a crawl that is started goes through this proxy, and so no further
UNLIMITED = "100000000/minute"
WAIT_S = 60


@dataclass(frozen=True, slots=True)
class Running:
    """A server: its port, its process, a token for each role, and where its log is."""

    port: int
    pid: int
    tokens: Mapping[str, str]
    log: Path

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    def figures(self) -> tuple[int, int, int]:
        """Open files, threads and resident megabytes."""
        own = Path(f"/proc/{self.pid}")
        kilobytes = next(
            line.split()[1] for line in (own / "status").read_text().splitlines() if "VmRSS" in line
        )
        return len(list((own / "fd").iterdir())), len(list((own / "task").iterdir())), int(kilobytes) // 1024

    def errors(self) -> list[str]:
        """The lines of its log that tell of something unforeseen."""
        return [
            line for line in self.log.read_text().splitlines() if '"ERROR"' in line or "Traceback" in line
        ]


@contextmanager
def running(home: Path, records_url: str = "") -> Iterator[Running]:
    """The server, until the end of the block."""
    from tests import small_site

    settings = small_site.settings_for(home)
    small_site.index_pages(settings, small_site.kept_pages())
    url = records_url or f"sqlite:///{home / 'records.sqlite'}"
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    settings = _unlimited(replace(settings, port=port, records_url=url, reranker="", log="json"))
    records = open_records(url)
    tokens: dict[str, str] = {role: records.tokens.create(f"fuzz-{role}-{port}", role, 1) for role in ROLES}
    records.close()
    environ = {**os.environ, **settings.as_environ(), "http_proxy": NOWHERE, "https_proxy": NOWHERE}
    environ["PYTHONPATH"] = str(PROJECT)
    log = home / "server.log"
    with log.open("w") as lines:
        process = subprocess.Popen(
            [sys.executable, "-m", "server.cli", "serve"], cwd=PROJECT, env=environ, stderr=lines
        )
    try:
        _wait(port, process)
        yield Running(port, process.pid, tokens, log)
    finally:
        process.terminate()
        process.wait(30)


def _unlimited(settings: Settings) -> Settings:
    """Thousands of requests from one address are what this is about."""
    return replace(
        settings,
        limit_address=UNLIMITED,
        limit_requests=UNLIMITED,
        limit_conversation=UNLIMITED,
        limit_site=UNLIMITED,
        limit_guesses=UNLIMITED,
    )


def _wait(port: int, process: subprocess.Popen[bytes]) -> None:
    for _ in range(WAIT_S * 5):
        if process.poll() is not None:
            raise SystemExit("The server did not start; see server.log.")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5):
                return
        except OSError:
            sleep(0.2)
    raise SystemExit("The server is not ready.")
