"""The server that is measured: a child process of its own on loopback, and what /proc says of it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from server.settings import PROJECT

START_S = 120.0
_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100

# Each visitor has an address of their own, and one floods: that one is to meet its limit within seconds.
FOR_LOAD = {"LODGE_TRUSTED_HOPS": "1", "LODGE_LIMIT_ADDRESS": "20/minute", "LODGE_LIMIT_SITE": ""}


@dataclass(frozen=True, slots=True)
class Vital:
    """A server process at one moment; memory in MB, `private_mb` without what is mapped from files."""

    at: float
    rss_mb: float
    private_mb: float
    threads: int
    open_files: int
    cpu_s: float


@dataclass(frozen=True, slots=True)
class Subject:
    """A server: where it listens, and its process where it is ours."""

    host: str
    port: int
    pid: int | None = None

    def vital(self) -> Vital | None:
        """How it is; None where there is no /proc or the process is not ours."""
        folder = Path(f"/proc/{self.pid}")
        if self.pid is None or not folder.is_dir():
            return None
        lines = (line.partition(":") for line in (folder / "status").read_text().splitlines())
        status = {name: value.split() for name, _, value in lines}
        times = (folder / "stat").read_text().rpartition(")")[2].split()
        return Vital(
            time.time(),
            int(status["VmRSS"][0]) / 1024,
            int(status["RssAnon"][0]) / 1024,
            int(status["Threads"][0]),
            len(list((folder / "fd").iterdir())),
            (int(times[11]) + int(times[12])) / _TICKS,
        )


@contextmanager
def serving(environ: Mapping[str, str]) -> Iterator[Subject]:
    """`lodge serve` with these variables beside the caller's own, on a free port, until the block ends.

    Its records are in a folder that goes with it, unless `LODGE_RECORDS_URL` is among the variables.
    """
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="lodge-load-") as folder:
        records = {"LODGE_RECORDS_URL": f"sqlite:///{folder}/records.sqlite"}
        process = start({**records, **FOR_LOAD, **environ, "LODGE_PORT": str(port)}, Path(folder) / "log")
        try:
            wait_until_ready(port, process, Path(folder) / "log")
            yield Subject("127.0.0.1", port, process.pid)
        finally:
            stop(process)


def start(environ: Mapping[str, str], log: Path) -> subprocess.Popen[bytes]:
    """`lodge serve` as a child of this process; what it says goes to a file."""
    here = {**os.environ, **environ, "PYTHONPATH": str(PROJECT)}
    with log.open("ab") as said:
        return subprocess.Popen(
            [sys.executable, "-m", "server.cli", "serve"], cwd=PROJECT, env=here, stderr=said
        )


def wait_until_ready(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    """Until `/readyz` says 200; a `SystemExit` with the server's last words where it ends before."""
    deadline = time.monotonic() + START_S
    while not is_ready(port):
        if process.poll() is not None or time.monotonic() > deadline:
            raise SystemExit(f"The server does not get ready:\n{log.read_text()[-2_000:]}")
        time.sleep(0.1)


def is_ready(port: int) -> bool:
    """Whether `/readyz` says 200."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5):
            return True
    except (urllib.error.URLError, OSError):
        return False


def stop(process: subprocess.Popen[bytes]) -> None:
    """Ask it to stop; if it does not, kill it."""
    process.terminate()
    try:
        process.wait(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def free_port() -> int:
    """A port of loopback that nobody listens on at this moment."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port
