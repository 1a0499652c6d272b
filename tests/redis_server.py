"""A Valkey or Redis of the tests' own: on a free port of loopback, keeping nothing."""

from __future__ import annotations

import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import redis

from scripts.ensure_redis import find_store

NOT_THERE = "no Valkey or Redis server here (python -m scripts.ensure_redis)"
STARTS_WITHIN_S = 30.0


class RedisServer:
    """One server; it can be started, frozen and killed again and again on the same port."""

    def __init__(self, binary: str) -> None:
        self._binary = binary
        self._process: subprocess.Popen[bytes] | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="lodge-redis-")
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port: int = probe.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Starts it, and waits until it answers."""
        options = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        command = [self._binary, *options, "--dir", self._folder.name]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        client = redis.Redis(port=self.port)
        give_up_at = time.monotonic() + STARTS_WITHIN_S
        try:
            while True:
                try:
                    client.ping()
                    return
                except redis.RedisError:
                    if time.monotonic() > give_up_at:
                        raise
                    time.sleep(0.02)
        finally:
            client.close()

    def freeze(self) -> None:
        """It stays there, takes connections, and says nothing."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """It goes on."""
        self._signal(signal.SIGCONT)

    def kill(self) -> None:
        """It is gone, with all that it knew."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(timeout=STARTS_WITHIN_S)
            self._process = None

    def remove(self) -> None:
        """Kills it, and removes its folder."""
        self.kill()
        self._folder.cleanup()

    def _signal(self, which: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(which)


@contextmanager
def running_redis() -> Iterator[RedisServer]:
    """One that runs; a test without any on this machine is skipped."""
    binary = find_store()
    if binary is None:
        pytest.skip(NOT_THERE)
    server = RedisServer(binary)
    try:
        server.start()
        yield server
    finally:
        server.remove()
