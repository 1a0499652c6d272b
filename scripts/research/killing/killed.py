"""What came of one part's kills, and the processes that are killed."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from server.settings import PROJECT, Settings

PATIENCE_S = 120.0  # for whatever should take a second; beyond it, something hangs


@dataclass
class Kills:
    """`made` kills of a part; those that something was wrong after are in `troubles`, a sentence each."""

    part: str
    made: int = 0
    troubles: list[str] = field(default_factory=list)
    seen: dict[str, int] = field(default_factory=dict)

    @property
    def survived(self) -> int:
        """How many left nothing behind that a person would have to mend."""
        return self.made - len(self.troubles)

    def note(self, trouble: str | None) -> None:
        """One more kill, and what was wrong after it."""
        self.made += 1
        if trouble:
            self.troubles.append(f"kill {self.made}: {trouble}")

    def count(self, name: str, number: int = 1) -> None:
        """More of what the figures are told with."""
        self.seen[name] = self.seen.get(name, 0) + number

    def line(self) -> str:
        """The figures on one line."""
        seen = ", ".join(f"{number} {name}" for name, number in self.seen.items())
        return f"{self.part:<22} {self.made:>4} killed {self.survived:>4} survived   {seen}"


@dataclass(frozen=True)
class Plan:
    """How many kills, and the seed of their moments."""

    kills: int
    seed: int

    def moments(self) -> random.Random:
        """The same chances every time."""
        return random.Random(self.seed)


def lodge(settings: Settings, *arguments: str, log: Path) -> subprocess.Popen[bytes]:
    """A `lodge` command as a process of its own; what it says is added to a file."""
    environment = {**os.environ, **settings.as_environ(), "PYTHONPATH": str(PROJECT)}
    with log.open("ab") as file:
        return subprocess.Popen(
            [sys.executable, "-m", "server.cli", *arguments],
            cwd=PROJECT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
        )


def kill(process: subprocess.Popen[bytes]) -> None:
    """`kill -9`, and wait until it is gone."""
    process.kill()
    process.wait()


def finished(process: subprocess.Popen[bytes]) -> str | None:
    """Wait for a process that nobody kills; a sentence where it failed."""
    try:
        code = process.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        kill(process)
        return "the next run did not end"
    return f"the next run failed ({code})" if code else None


def wait_until(ready: Callable[[], bool], every_s: float = 0.01) -> bool:
    """Whether it came true in time."""
    give_up_at = time.monotonic() + PATIENCE_S
    while not ready():
        if time.monotonic() > give_up_at:
            return False
        time.sleep(every_s)
    return True
