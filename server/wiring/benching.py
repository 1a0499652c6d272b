"""The parts that bench: the flow on the live snapshot, and on larger ones made of copies of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from server.errors import BadInputError, LodgeError
from server.evaluate.bench import BenchPlan, BenchReport, bench
from server.evaluate.questions import read_questions
from server.settings import PROJECT, Settings
from server.wiring.flow import build_asker, build_embedder
from server.wiring.opened import build_live


@dataclass(frozen=True, slots=True)
class BenchOptions:
    """What to ask, at least how often a strategy, and for how long each number of visitors asks.

    `questions_file` None: the demo university's. Each of `growth` is how many times the snapshot to measure
    as well.
    """

    strategies: Sequence[str]
    questions_file: Path | None = None
    growth: Sequence[int] = ()
    asks: int = 200
    load_s: float = 3.0


def run_bench(
    settings: Settings, options: BenchOptions, on_progress: Callable[[str], None]
) -> dict[str, Any]:
    """The JSON object of the contract; with `growth` its own and, under that key, one for each multiple.

    Each size is measured by a process of its own, the live snapshot by this one before anything else, so that
    nobody's memory is another's. Nothing is recorded among the visitors' questions.
    """
    report = _bench_live(settings, options, on_progress).as_json()
    if options.growth:
        from server.wiring import growing  # noqa: PLC0415 - what builds would weigh on what is measured

        growing.remove_other_homes(settings, options.growth)
        report["growth"] = []
        for multiple in options.growth:
            home = growing.grown_home(settings, multiple, on_progress)
            on_progress(f"{multiple} times the snapshot:")
            larger = replace(settings, home=home, typesense_urls="")  # which has no copies
            report["growth"].append(_bench_in_process(larger, options))
    return report


def bench_questions(questions_file: Path | None) -> list[str]:
    """The questions to bench with: a file's, or the demo university's."""
    path = questions_file or PROJECT / "corpus" / "golden_questions.jsonl"
    return [question.question for question in read_questions(path, lambda line, why: None)]


def _bench_live(settings: Settings, options: BenchOptions, on_progress: Callable[[str], None]) -> BenchReport:
    questions = bench_questions(options.questions_file)
    if not questions:
        raise BadInputError("There is no question to bench with.")
    embedder = build_embedder(settings)
    live = build_live(settings, settings.current_snapshot, embedder)
    try:
        with live.lease() as index, tempfile.TemporaryDirectory() as folder:
            plan = BenchPlan(
                questions,
                options.strategies,
                index.snapshot.manifest.chunks,
                [sys.executable, "-m", "server.cli", "ask", "--json", questions[0]],
                replace(settings, records_url=f"sqlite:///{folder}/records.sqlite").as_environ(),
                options.asks,
                options.load_s,
            )
            return bench(build_asker(settings, live, embedder, None), plan, on_progress)
    finally:
        live.close()


def _bench_in_process(settings: Settings, options: BenchOptions) -> Any:
    """What a process of its own says of the live snapshot of these settings."""
    command = [
        *(sys.executable, "-m", "server.cli", "bench", "--json"),
        *("--strategies", ",".join(options.strategies)),
        *("--asks", str(options.asks), "--load", str(options.load_s)),
        *(("--questions", str(options.questions_file)) if options.questions_file else ()),
    ]
    done = subprocess.run(  # noqa: S603 - our own program; its progress goes where ours goes
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False,
        env={**os.environ, **settings.as_environ()},
    )  # fmt: skip
    if done.returncode != 0:
        raise LodgeError("The bench of a larger snapshot failed; what it said stands above.")
    return json.loads(done.stdout)
