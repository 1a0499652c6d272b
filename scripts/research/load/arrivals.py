"""An open loop: visitors arrive when they arrive, whether or not earlier ones have been answered.

The times between arrivals are exponential (a Poisson process). A latency is counted from when the visitor was
due, not from when the request could be sent: a generator that waits for a slow server would leave out
just the visitors who suffer ("coordinated omission").
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from scripts.research.load import asking
from scripts.research.load.asking import Verdict
from scripts.research.load.client import Client
from scripts.research.load.visitors import ARRIVALS_PER_ASK, Kind, Visit, Visitors, Way

TIMEOUT_S = 40.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one request. `due` is in seconds since the run began; `late_s` is how late it was sent,
    the generator's own fault; `seconds` runs from `due` to the last byte. Status 0: no response, and `why`.
    """

    kind: Kind
    way: Way
    due: float
    late_s: float
    seconds: float
    status: int
    verdict: Verdict
    why: str = ""


@dataclass(slots=True)
class Run:
    """One run: `rate` questions a second for `seconds`; `generator_cpu` is what it took of one core."""

    rate: float
    seconds: float
    outcomes: list[Outcome] = field(default_factory=list)
    generator_cpu: float = 0.0
    ended_after_s: float = 0.0


async def bring(  # noqa: PLR0913  (each by its name)
    client: Client,
    visitors: Visitors,
    *,
    rate: float,
    seconds: float,
    seed: int,
    mixed: bool = True,
    note: Callable[[Outcome], None] | None = None,
) -> Run:
    """Bring `rate` questions a second (and, `mixed`, what else comes with them) and wait for the last answer.

    `note` is told of each outcome as it comes; the run then keeps none.
    """
    run = Run(rate, seconds)
    keep = note or run.outcomes.append
    chance = random.Random(seed)
    arrivals_a_second = rate * (ARRIVALS_PER_ASK if mixed else 1.0)
    under_way: set[asyncio.Task[None]] = set()
    began, spent = time.perf_counter(), time.process_time()
    due = chance.expovariate(arrivals_a_second)
    while due < seconds:
        await asyncio.sleep(max(0.0, due - (time.perf_counter() - began)))
        visit = visitors.one()
        task = asyncio.create_task(_visit(client, visitors, visit, began, due, keep))
        under_way.add(task)
        task.add_done_callback(under_way.discard)
        due += chance.expovariate(arrivals_a_second)
    if under_way:
        await asyncio.wait(under_way)
    run.ended_after_s = time.perf_counter() - began
    run.generator_cpu = (time.process_time() - spent) / run.ended_after_s
    return run


async def _visit(  # noqa: PLR0913, PLR0917  (a visit and its run)
    client: Client,
    visitors: Visitors,
    visit: Visit,
    began: float,
    due: float,
    keep: Callable[[Outcome], None],
) -> None:
    late = time.perf_counter() - began - due
    why = ""
    try:
        came = await asyncio.wait_for(asking.make(client, visit), TIMEOUT_S)
    except (OSError, EOFError, asyncio.LimitOverrunError, ValueError, KeyError) as error:
        came, why = [("failed", 0, "")], type(error).__name__
    seconds = time.perf_counter() - began - due
    for verdict, status, message_id in came:
        keep(Outcome(visit.kind, visit.way, due, late, seconds, status, verdict, why))
        if verdict in ("answered", "degraded"):
            visitors.answered(visit, message_id)
