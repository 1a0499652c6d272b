"""HAProxy before some servers on loopback: to each in turn that says at `/readyz` that it is ready."""

from __future__ import annotations

import csv
import io
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from scripts.ensure_redis import find_proxy
from scripts.research.load.subject import free_port, is_ready

STATES = "/behind-the-proxy"  # what it knows of its servers; not to be had from outside, for real
# `{forwarded}` is `if-none` where a generator of load says itself whose questions it brings; never for real.
CONFIGURATION = """
global
    maxconn 2000
defaults
    mode http
    timeout connect 2s
    timeout client 90s
    timeout server 90s
    timeout check 5s
    option forwardfor {forwarded}
    option redispatch
    retries 2
frontend front
    bind 127.0.0.1:{port}
    http-request deny if {{ path /metrics }}
    stats enable
    stats uri {states}
    default_backend lodge
backend lodge
    balance roundrobin
    option httpchk GET /readyz
    default-server inter {look_ms}ms fall 1 rise 1
{servers}
"""


def are_all_up(port: int) -> bool:
    """Whether the proxy on this port has seen all of its servers ready."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{STATES};csv", timeout=30) as response:
        rows = csv.DictReader(io.TextIOWrapper(response, encoding="utf-8"))
        return all(row["status"] == "UP" for row in rows if row["# pxname"] == "lodge")


@contextmanager
def proxying(ports: Sequence[int], *, look_ms: int = 200, trusting: bool = False) -> Iterator[int]:
    """A HAProxy until the block ends; its port. `trusting`: it passes on what callers say of themselves.

    `FileNotFoundError` where there is none on this machine.
    """
    binary = find_proxy()
    if binary is None:
        raise FileNotFoundError("There is no haproxy here (python -m scripts.ensure_redis).")
    port = free_port()
    servers = "\n".join(f"    server s{at} 127.0.0.1:{at} check" for at in ports)
    written = CONFIGURATION.format(
        port=port,
        servers=servers,
        states=STATES,
        look_ms=look_ms,
        forwarded="if-none" if trusting else "",
    )
    with tempfile.TemporaryDirectory(prefix="lodge-proxy-") as folder:
        file = Path(folder) / "haproxy.cfg"
        file.write_text(written, encoding="utf-8")
        process = subprocess.Popen([binary, "-db", "-q", "-f", file], stderr=subprocess.DEVNULL)
        try:
            while not is_ready(port) and process.poll() is None:
                time.sleep(0.02)
            yield port
        finally:
            process.kill()
            process.wait()
