"""A server and its visitors together: one run after another, each with its line in the table."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from scripts.research.load import arrivals
from scripts.research.load.arrivals import Outcome
from scripts.research.load.client import Client
from scripts.research.load.figures import COLUMNS, Figures, figures, is_sustained, row
from scripts.research.load.subject import Subject, Vital
from scripts.research.load.visitors import Visitors

SETTLE_S = 2.0
NEARER_THAN = 1.1  # the rate that holds and the one that does not, when the search ends
STEP = 1.5


@dataclass(slots=True)
class Trial:
    """Runs against one server. Each run's visitors are new to it, their questions go on where they were."""

    subject: Subject
    pool: list[str]
    seed: int
    mixed: bool
    say: Callable[[str], None]
    runs: list[Figures] = field(default_factory=list)
    _visitors: Visitors = field(init=False)

    def __post_init__(self) -> None:
        self._visitors = Visitors(self.pool, self.seed, repeats=self.mixed)

    def run(self, rate: float, seconds: float, name: str = "") -> Figures:
        """One run, its line printed."""
        time.sleep(SETTLE_S)
        before = self.subject.vital()
        run = asyncio.run(self._bring(rate, seconds, None))
        found = {"name": name, "mixed": self.mixed, **figures(run)}
        after = self.subject.vital()
        if before and after:
            found["server"] = spent(before, after)
        self.runs.append(found)
        self.say(_line([name, *row(found)]))
        return found

    def watch(self, rate: float, seconds: float, note: Callable[[Outcome], None]) -> None:
        """One long run whose outcomes are told as they come, and not kept."""
        asyncio.run(self._bring(rate, seconds, note))

    def capacity(self, begin: float, seconds: float, p95_ms: float) -> Figures:
        """The figures of the run at the highest rate that holds (`figures.is_sustained`).

        The rate grows in steps until it does not hold, then the two nearest are brought together.
        """
        self.say(_line(["", *COLUMNS]))
        self.run(begin, min(seconds, 8.0), "warm-up")
        rate, best, broken = begin, None, 0.0
        while not broken or best is None or broken / best["rate"] > NEARER_THAN:
            found = self.run(rate, seconds, "step" if not broken else "nearer")
            if is_sustained(found, p95_ms):
                best = found
            else:
                broken = rate
            if not broken:
                rate *= STEP
            elif best is None:
                rate /= STEP
                if rate < 0.05:
                    raise SystemExit("The server keeps up with no rate at all.")
            else:
                rate = (best["rate"] * broken) ** 0.5
        self.say(
            f"capacity: {best['answered_per_s']:.2f} answers/s "
            f"(rate {best['rate']:.2f} held, {broken:.2f} did not)"
        )
        return best

    async def _bring(
        self, rate: float, seconds: float, note: Callable[[Outcome], None] | None
    ) -> arrivals.Run:
        client = Client(self.subject.host, self.subject.port)
        self.seed += 1
        try:
            return await arrivals.bring(
                client,
                self._visitors,
                rate=rate,
                seconds=seconds,
                seed=self.seed,
                mixed=self.mixed,
                note=note,
            )
        finally:
            await client.close()


def spent(before: Vital, after: Vital) -> dict[str, float]:
    """What the server took between two moments."""
    return {
        "cpu_cores": round((after.cpu_s - before.cpu_s) / (after.at - before.at), 2),
        "rss_mb": round(after.rss_mb, 1),
        "private_mb": round(after.private_mb, 1),
        "threads": after.threads,
        "open_files": after.open_files,
    }


def heading() -> str:
    """The table's first line."""
    return _line(["", *COLUMNS])


def _line(cells: list[str]) -> str:
    return " ".join(f"{cell:>8}" for cell in cells)
