"""`lodge bench`: how long a visitor waits, how many can be served, and what it takes."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import cycle, islice, takewhile
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from server.errors import BadInputError, LodgeError
from server.evaluate.evaluate import AnswerFlow, ask_once, strategy_names

VISITORS = (1, 4, 16)
COLD_STARTS = 3
COLD_START_TIMEOUT_S = 120.0


@dataclass(frozen=True, slots=True)
class BenchPlan:
    """What to measure with. `cold_start_command` answers one question and exits; it is started with this
    process's variables and those of `cold_start_environ`.

    `chunks` is the snapshot's count. Each strategy is asked at least `asks` questions, and each question at
    least once; each number of visitors keeps asking for `load_s` seconds.
    """

    questions: Sequence[str]
    strategies: Sequence[str]
    chunks: int
    cold_start_command: Sequence[str]
    cold_start_environ: Mapping[str, str] = field(default_factory=dict)
    asks: int = 200
    load_s: float = 3.0


@dataclass(frozen=True, slots=True)
class BenchLatency:
    """Milliseconds that half, 95 % and 99 % of the questions took at most."""

    p50: float
    p95: float
    p99: float

    @classmethod
    def of(cls, times_ms: Sequence[float]) -> BenchLatency:
        """The percentiles of some times; there must be one."""
        return cls(*(round(float(ms), 3) for ms in np.percentile(times_ms, (50, 95, 99))))


@dataclass(frozen=True, slots=True)
class BenchReport:
    """What one process did on one snapshot. `rss_mb` is in millions of bytes, after the load.

    `latency_ms` is by strategy, one question at a time, from the question to its last event;
    `before_answer_ms` is the same questions' steps before the one that answers. `throughput_per_s` is of the
    first strategy, by how many visitors ask at the same time, each again as soon as the last answer is there.
    """

    chunks: int
    cold_start_s: float
    rss_mb: float
    latency_ms: Mapping[str, BenchLatency]
    before_answer_ms: Mapping[str, BenchLatency]
    throughput_per_s: Mapping[int, float]

    def as_json(self) -> dict[str, Any]:
        """The JSON object of the contract."""
        plain: dict[str, Any] = msgspec.to_builtins(self, str_keys=True)
        return plain


def bench(asker: AnswerFlow, plan: BenchPlan, on_progress: Callable[[str], None]) -> BenchReport:
    """Measure everything once; `on_progress` hears what is measured next.

    No question, no strategy, or one that the asker does not know is a `BadInputError` before the work begins.
    """
    strategies = strategy_names(plan.strategies)
    if not plan.questions:
        raise BadInputError("There is no question to bench with.")
    for strategy in strategies:
        ask_once(asker, plan.questions[0], strategy)
    on_progress("cold start")
    cold_start_s = measure_cold_start(plan.cold_start_command, plan.cold_start_environ)
    latency_ms, before_answer_ms = {}, {}
    for strategy in strategies:
        on_progress(f"latency of {strategy}")
        latency_ms[strategy], before_answer_ms[strategy] = measure_latency(
            asker, plan.questions, strategy, plan.asks
        )
    throughput = {}
    for visitors in VISITORS:
        on_progress(f"throughput with {visitors} at the same time")
        throughput[visitors] = measure_throughput(asker, plan.questions, strategies[0], visitors, plan.load_s)
    return BenchReport(plan.chunks, cold_start_s, resident_mb(), latency_ms, before_answer_ms, throughput)


def measure_cold_start(command: Sequence[str], environ: Mapping[str, str] | None = None) -> float:
    """Seconds from starting the command to its exit, the median of three runs.

    The first may have to read models and snapshot from disk; the median is of a warm file cache. A command
    that cannot be started, fails or does not end is a `LodgeError`.
    """
    return round(statistics.median(_run_s(command, environ or {}) for _ in range(COLD_STARTS)), 3)


def measure_latency(
    asker: AnswerFlow, questions: Sequence[str], strategy: str, asks: int
) -> tuple[BenchLatency, BenchLatency]:
    """The whole latency, and that before the answering step.

    Asked one after the other, the set again and again until there are `asks`, after a short warm-up.
    """
    for text in questions[:3]:
        ask_once(asker, text, strategy)
    texts = islice(cycle(questions), max(asks, len(questions)))
    times = [_ask_ms(asker, text, strategy) for text in texts]
    return BenchLatency.of([whole for whole, _ in times]), BenchLatency.of([before for _, before in times])


def before_answer_ms(timings_ms: Mapping[str, float]) -> float:
    """The time of the steps before "extract", of an answer's timings, which stand in the steps' order.

    A dotted name is a part of the step before the dot. A flow that ended without answering counts whole.
    """
    steps = takewhile(lambda item: item[0] not in ("extract", "total"), timings_ms.items())
    return sum(ms for name, ms in steps if "." not in name)


def measure_throughput(
    asker: AnswerFlow, questions: Sequence[str], strategy: str, visitors: int, load_s: float
) -> float:
    """Answers a second while so many visitors ask, each starting at another place of the set."""
    start = time.perf_counter()
    deadline = start + load_s

    def visit(visitor: int) -> int:
        offset = visitor * len(questions) // visitors
        answers = 0
        for text in islice(cycle(questions), offset, None):
            ask_once(asker, text, strategy)
            answers += 1
            if time.perf_counter() >= deadline:
                break
        return answers

    with ThreadPoolExecutor(visitors) as pool:
        answers = sum(pool.map(visit, range(visitors)))
    # The last answers come in after the deadline, and their time counts as they do.
    return round(answers / (time.perf_counter() - start), 3)


def resident_mb() -> float:
    """This process's resident memory in millions of bytes; its peak, where the system tells only that."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS:"))
        return round(int(line.split()[1]) * 1024 / 1e6, 1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak * (1 if sys.platform == "darwin" else 1024) / 1e6, 1)


def _ask_ms(asker: AnswerFlow, text: str, strategy: str) -> tuple[float, float]:
    start = time.perf_counter()
    final = ask_once(asker, text, strategy)
    return (time.perf_counter() - start) * 1000, before_answer_ms(final.answer.timings_ms)


def _run_s(command: Sequence[str], environ: Mapping[str, str]) -> float:
    start = time.perf_counter()
    try:
        done = subprocess.run(  # noqa: S603 - the command is the program's own, put together by its caller
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
            timeout=COLD_START_TIMEOUT_S, env={**os.environ, **environ},
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LodgeError(f"The cold start could not be measured: {error}.") from error
    taken = time.perf_counter() - start
    if done.returncode != 0:
        said = done.stderr.strip().splitlines() or ["it said nothing"]
        raise LodgeError(f"The cold start failed with exit code {done.returncode}: {said[-1]}")
    return taken
