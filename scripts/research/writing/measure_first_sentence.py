"""Measure the time from a question to the first sentence that a visitor sees, and what the check costs.

    .venv/bin/python -m scripts.research.writing.measure_first_sentence [--asks 20]

Over the live snapshot, which is to be the demo university's: the golden questions answered by quoting, with
each strategy; one of them while the model's server hangs; and one answered by a real llama.cpp server
(scripts/build_llama.py) whose tiny model, written by the tests, says a sentence that the site does say. Of
its time, `model` is that until its first word and `check` the time that holding its sentence against the
passages takes.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np

from scripts.build_llama import PYTHON, is_ready
from scripts.data_files import read_rows
from server.ask.pipeline import Asker
from server.models import Final, Question
from server.settings import PROJECT, Settings
from server.wiring.flow import build_asker, build_embedder
from server.wiring.opened import build_live

STRATEGIES = ("hybrid", "hybrid+rerank")
QUESTION = "When does add/drop end?"
SAYS = ("You may add and drop freely", " through the end of add/drop", ":", " Friday, September 11", " [1]")
START_S = 60.0


def first_sentence(asker: Asker, text: str, strategy: str) -> tuple[float, Final]:
    """Milliseconds until the first words are there, and how it ended."""
    began, first = time.perf_counter(), 0.0
    for event in asker.ask(Question(text, "c", "m", "t", strategy=strategy)):
        if event.kind == "token" and not first:
            first = (time.perf_counter() - began) * 1000
        if event.kind == "final":
            return first, event
    raise AssertionError("a flow ends with a final")


def row(name: str, times: Sequence[float]) -> None:
    """Print p50 and p95."""
    p50, p95 = np.percentile(times, [50, 95])
    print(f"| {name} | {len(times)} | {p50:.0f} | {p95:.0f} |", flush=True)


def measure_quoting(asker: Asker, questions: Sequence[str]) -> None:
    """A row a strategy."""
    for strategy in STRATEGIES:
        first_sentence(asker, questions[0], strategy)  # whatever is loaded at the first use
        row(f"quoting, {strategy}", [first_sentence(asker, text, strategy)[0] for text in questions])


def measure_model(asker: Asker, asks: int) -> None:
    """Rows for the tiny model: to the first sentence, to its first word, and the check alone."""
    times, words, checks, passed = [], [], [], 0
    for _ in range(asks):
        ms, final = first_sentence(asker, QUESTION, "hybrid+rerank")
        steps = {step.step: step.notes for step in final.trace.steps}
        times.append(ms)
        words.append(steps["generate"].get("first_token_ms", float("nan")))
        checks.append(sum(one["ms"] for one in steps["ground"]["sentences"]))
        passed += final.answer.answerer == "llm"
    row("tiny model, hybrid+rerank", times)
    row("of that, model", words)
    row("of that, check", checks)
    print(f"\nThe model's sentence passed the check {passed} times of {asks}.")


def measure_hanging(asker: Asker, asks: int) -> None:
    """A row for a server that takes the question and never answers: the quoting answer stands in."""
    answers = [first_sentence(asker, QUESTION, "hybrid+rerank") for _ in range(asks)]
    row("model hangs, quoting stands in", [ms for ms, _ in answers])
    troubles = sorted({str(final.answer.degraded) for _, final in answers})
    print(f"\nThese answers said degraded: {', '.join(troubles)}.")


@contextmanager
def deaf_server() -> Iterator[str]:
    """The address of a server that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"


@contextmanager
def tiny_model() -> Iterator[str]:
    """The address of a llama.cpp server with the tiny model."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "tiny.gguf"
        write = [str(PYTHON), str(PROJECT / "tests/llm/write_gguf.py"), str(model), *SAYS]
        subprocess.run(write, check=True)
        serve = [str(PYTHON), "-m", "llama_cpp.server", "--n_ctx", "8192", "--port", str(port)]
        quiet = subprocess.DEVNULL
        with subprocess.Popen([*serve, "--model", str(model)], stdout=quiet, stderr=quiet) as process:
            try:
                _wait(f"http://127.0.0.1:{port}/v1/models")
                yield f"http://127.0.0.1:{port}/v1"
            finally:
                process.terminate()


def _wait(url: str) -> None:
    until = time.monotonic() + START_S
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(url, timeout=1):  # noqa: S310 - our own server on loopback
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise SystemExit("The llama.cpp server did not start.")


def main(arguments: Sequence[str]) -> None:
    """Print the table."""
    asks = int(arguments[1]) if arguments[:1] == ["--asks"] else 20
    settings = Settings.read(os.environ)
    questions = [line["question"] for line in read_rows(PROJECT / "corpus/golden_questions.jsonl")]
    print("| answer | asks | p50 ms | p95 ms |\n|---|---|---|---|")
    with ExitStack() as opened:
        embedder = build_embedder(settings)
        live = opened.enter_context(closing(build_live(settings, settings.current_snapshot, embedder)))
        quoting = replace(settings, llm_url="")
        measure_quoting(build_asker(quoting, live, embedder, None), questions)
        deaf = replace(settings, llm_url=opened.enter_context(deaf_server()))
        asker = opened.enter_context(closing(build_asker(deaf, live, embedder, None)))
        measure_hanging(asker, min(asks, settings.llm_breaker_failures))
        if not is_ready():
            raise SystemExit("llama.cpp is not built: .venv/bin/python -m scripts.build_llama")
        url = opened.enter_context(tiny_model())
        patient = replace(settings, llm_url=url, llm_first_token_s=30.0, llm_context_tokens=8192)
        asker = opened.enter_context(closing(build_asker(patient, live, embedder, None)))
        measure_model(asker, asks)


if __name__ == "__main__":
    main(sys.argv[1:])
