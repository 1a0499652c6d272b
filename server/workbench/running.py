"""A `lodge` command as a job: in a process of its own, so that visitors' answers do not wait for it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import IO, Any

from server.errors import LodgeError
from server.settings import PROJECT, Settings
from server.workbench.jobs import CancelledError, JobProgress

LOOK_EVERY_S = 0.25
PATIENCE_S = 30.0  # a crawl ends its requests first
INTERRUPTED = 130  # as the command line says it

# What the command says of itself (`--progress-lines`) → steps done, of how many (0: not known), in words.
Read = Callable[[Mapping[str, int]], tuple[int, int, str]]


def run_command(
    settings: Settings, arguments: Sequence[str], progress: JobProgress, read: Read, *, begins: str
) -> dict[str, Any]:
    """The JSON document that a command prints; its own sentence is the error where it fails.

    It runs by the same settings. A job that is cancelled, or a server that dies, has it end in its own way
    (SIGTERM): what a crawl has fetched stays, and the next goes on from there.
    """
    progress.at(0, 0, begins)
    name, *others = arguments
    command = [sys.executable, "-m", "server.workbench.attended", name, "--json", "--progress-lines", *others]
    environ = {**os.environ, **settings.as_environ()}
    with tempfile.TemporaryFile("w+") as printed:
        process = subprocess.Popen(  # noqa: S603 - our own interpreter, no shell
            command,
            cwd=PROJECT,
            env=environ,
            stdin=subprocess.PIPE,
            stdout=printed,
            stderr=subprocess.PIPE,
            text=True,
        )
        listener = _Listener(process.stderr)
        try:
            _watch(process, listener, progress, read)
        finally:
            _end(process)
            listener.join()
            if process.stdin is not None:
                process.stdin.close()
        printed.seek(0)
        return _outcome(process.returncode, printed.read(), listener.said)


def _watch(process: subprocess.Popen[str], listener: _Listener, progress: JobProgress, read: Read) -> None:
    while True:
        try:
            process.wait(LOOK_EVERY_S)
        except subprocess.TimeoutExpired:
            if progress.is_cancelled:
                return
            if listener.now is not None:
                progress.at(*read(listener.now))
        else:
            return


def _end(process: subprocess.Popen[str]) -> None:
    """It is asked to end, then made to."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _outcome(status: int, printed: str, said: Sequence[str]) -> dict[str, Any]:
    if status in (0, INTERRUPTED):
        document: dict[str, Any] = json.loads(printed)
        return document
    if status < 0:
        raise CancelledError("It was stopped before its end.")
    errors = [line.removeprefix("Error: ") for line in said if line.startswith("Error: ")]
    raise LodgeError(errors[-1] if errors else "The command failed without saying why.")


class _Listener:
    """Reads what a command says on standard error: `now` is its latest progress, `said` everything else."""

    def __init__(self, stream: IO[str] | None) -> None:
        self.now: Mapping[str, int] | None = None
        self.said: list[str] = []
        self._stream = stream
        self._thread = threading.Thread(target=self._read, name="lodge-command", daemon=True)
        self._thread.start()

    def join(self) -> None:
        """Until it has said everything."""
        self._thread.join()
        if self._stream is not None:
            self._stream.close()

    def _read(self) -> None:
        for line in self._stream or ():
            try:
                self.now = json.loads(line)
            except ValueError:
                self.said.append(line.strip())
