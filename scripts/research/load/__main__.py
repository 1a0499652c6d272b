"""How many visitors one server carries, and what happens beyond that.

    .venv/bin/python -m scripts.research.load capacity             # the highest rate that holds
    .venv/bin/python -m scripts.research.load times --times 1,3    # latency and goodput at it, and at
        three times it
    .venv/bin/python -m scripts.research.load soak --minutes 30 --share .7

A server is started over the live snapshot of `--home` (or one `--grown` times as large), with records of its
own that are thrown away, and everything else as the environment says: `LODGE_ANSWER_QUEUE=32` is measured by
setting it. `--url` measures a server that runs already; it should trust one proxy (`LODGE_TRUSTED_HOPS=1`).

Visitors are an open loop (`arrivals.py`); `visitors.py` has the mix. The rate counts their questions;
feedback and ill intent come on top. With `--no-repeats` there is nothing but questions, all different.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from scripts.research.load import soak, subject
from scripts.research.load.questions import read_pool
from scripts.research.load.subject import Subject
from scripts.research.load.trial import Trial, heading
from server.settings import PROJECT, Settings
from server.wiring.growing import grown_home


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, keep."""
    options = _options(arguments)
    say = _say_aside if options.json else print
    found: dict[str, Any] = {"mode": options.mode, "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
    found |= {"machine": f"{platform.machine()}, {os.cpu_count()} cores", "load_before": os.getloadavg()}
    with _measured(options, say) as server:
        trial = Trial(server, read_pool(options.questions), options.seed, not options.no_repeats, say)
        capacity = options.capacity
        if options.mode == "capacity" or not capacity:
            best = trial.capacity(options.begin, options.seconds, options.p95_ms)
            capacity = best["answered_per_s"]
        found["capacity_per_s"] = capacity
        if options.mode == "times":
            found["times"] = _times(trial, capacity, options, say)
        if options.mode == "soak":
            found["soak"] = _soak(trial, capacity, options, say)
        found["runs"] = trial.runs
    found["load_after"] = os.getloadavg()
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        (options.out / f"load-{options.mode}.json").write_text(json.dumps(found, indent=1) + "\n")
        if options.mode == "soak":
            soak.chart(found["soak"], options.out / "soak.svg")
    if options.json:
        print(json.dumps(found))
    return 0


def _times(trial: Trial, capacity: float, options: argparse.Namespace, say: Any) -> list[dict[str, Any]]:
    say(heading())
    found = []
    for times in (float(one) for one in options.times.split(",")):
        run = trial.run(times * capacity, options.seconds, f"{times:g}x")
        run["times"], run["goodput_of_capacity"] = times, round(run["goodput_per_s"] / capacity, 3)
        found.append(run)
    for run in found:
        refused = run["latency_ms"]["refused"]["max"]
        slowest = f", the slowest refusal after {refused:.0f} ms" if refused is not None else ""
        say(f"{run['times']:g}x: goodput is {run['goodput_of_capacity']:.0%} of the capacity{slowest}")
    return found


def _soak(trial: Trial, capacity: float, options: argparse.Namespace, say: Any) -> dict[str, Any]:
    rate = options.share * capacity
    say(f"{options.minutes:g} minutes at {rate:.2f} questions a second")
    found = soak.soak(trial, rate, options.minutes, options.warm_up_minutes)
    columns = ("minute", "asked", "answered", "degraded", "refused", "errors", "p50", "p95", "p99", "max")
    say(" ".join(f"{column:>9}" for column in columns))
    for row in found["minutes"]:
        say(" ".join(f"{row.get(column) or 0:>9}" for column in columns))
    for name in ("what", "growth_mb_per_h", "first_and_last"):
        say(f"{name}: {json.dumps(found.get(name))}")
    return found


@contextmanager
def _measured(options: argparse.Namespace, say: Any) -> Iterator[Subject]:
    """The server that is named, or one of our own over the home's snapshot."""
    if options.url:
        parts = urlsplit(options.url)
        yield Subject(parts.hostname or "127.0.0.1", parts.port or 80, options.pid)
        return
    settings = Settings.read({**os.environ, "LODGE_HOME": str(options.home)})
    home = grown_home(settings, options.grown, say) if options.grown > 1 else settings.home
    with subject.serving({"LODGE_HOME": str(home)}) as ours:
        yield ours


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts.research.load",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("mode", choices=("capacity", "times", "soak"))
    add("--home", type=Path, default=PROJECT / "var", help="whose live snapshot is served")
    add("--grown", type=int, default=1, help="a snapshot so many times as large, built once")
    add("--url", help="a server that runs already, such as http://127.0.0.1:8000")
    add("--pid", type=int, help="its process, for memory and CPU")
    add("--questions", type=Path, default=PROJECT / "corpus" / "golden_questions.jsonl")
    add("--no-repeats", action="store_true", help="questions only, all different")
    add("--seed", type=int, default=8)
    add("--seconds", type=float, default=30.0, help="of one run")
    add("--begin", type=float, default=3.0, help="questions a second that the search begins with")
    add("--p95-ms", type=float, default=2_000.0, help="an answer that takes longer is too late")
    add("--capacity", type=float, help="answers a second, where it is known; else it is looked for first")
    add("--times", default="1,3", help="multiples of the capacity")
    add("--minutes", type=float, default=30.0, help="of a soak")
    add("--share", type=float, default=0.7, help="of the capacity, for a soak")
    add("--warm-up-minutes", type=float, default=5.0, help="left out of the growth")
    add("--out", type=Path, help="a folder for the figures as JSON, and the chart of a soak")
    add("--json", action="store_true", help="one JSON document on standard output")
    return parser.parse_args(arguments)


def _say_aside(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
