"""Several `lodge serve` processes that share what servers share, and their restart one after another."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from scripts.research.load import subject

GOES_WITHIN_S = 90.0


@dataclass(slots=True)
class Member:
    """One server of the fleet, started again on the same port."""

    port: int
    environ: Mapping[str, str]
    log: Path
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Begin to start it; `wait` for it."""
        environ = {**self.environ, "LODGE_PORT": str(self.port)}
        self.process = subject.start(environ, self.log)

    def wait(self) -> None:
        """Until it is ready."""
        if self.process is None:
            raise RuntimeError("It was not started.")
        subject.wait_until_ready(self.port, self.process, self.log)

    def stop(self) -> float:
        """Ask it to stop, and wait until it has; how many seconds that took."""
        if self.process is None:
            return 0.0
        began = time.monotonic()
        self.process.terminate()
        self.process.wait(timeout=GOES_WITHIN_S)
        self.process = None
        return time.monotonic() - began

    def kill(self) -> None:
        """At once."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


@dataclass(slots=True)
class Fleet:
    """Servers that are alike."""

    members: list[Member] = field(default_factory=list)

    @property
    def ports(self) -> list[int]:
        """Where they listen."""
        return [member.port for member in self.members]

    def restart(self, member: Member, is_seen: Callable[[], bool]) -> tuple[float, float]:
        """One of them: how many seconds it took to stop, and to be ready again.

        It ends when it `is_seen` by the proxy: were the next one stopped before, none would be left.
        """
        took = member.stop()
        began = time.monotonic()
        member.start()
        member.wait()
        seconds = time.monotonic() - began
        while not is_seen():
            time.sleep(0.05)
        return took, seconds


@contextmanager
def running(number: int, environ: Mapping[str, str], folder: Path) -> Iterator[Fleet]:
    """So many servers with these variables beside the caller's own; `folder` gets what they log."""
    fleet = Fleet()
    try:
        for name in range(number):
            member = Member(subject.free_port(), environ, folder / f"server-{name}.log")
            fleet.members.append(member)
            member.start()
        for member in fleet.members:
            member.wait()
        yield fleet
    finally:
        for member in fleet.members:
            member.kill()
