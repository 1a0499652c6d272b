from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from server.errors import BadInputError, LodgeError
from server.evaluate.bench import (
    BenchPlan,
    before_answer_ms,
    bench,
    measure_cold_start,
    measure_latency,
    measure_throughput,
    resident_mb,
)
from server.models import Event, Question
from tests.evaluate.small_asker import SmallAsker

PAGES = {"https://u.example/pool": "the pool opens in may"}
QUESTIONS = ("when opens the pool", "is there a gym", "pool hours")
PLAN = BenchPlan(
    questions=QUESTIONS,
    strategies=("best", "worst"),
    chunks=7,
    cold_start_command=(sys.executable, "-S", "-c", "pass"),
    asks=4,
    load_s=0.05,
)


class Slow(SmallAsker):
    """Takes 10 ms an answer, in which other threads can work."""

    def ask(self, question: Question) -> Iterator[Event]:
        time.sleep(0.01)
        return super().ask(question)


def test_the_report_is_the_contracts() -> None:
    told: list[str] = []
    report = bench(SmallAsker(PAGES), PLAN, told.append).as_json()
    assert report == json.loads(json.dumps(report, allow_nan=False))
    assert list(report) == [
        "chunks", "cold_start_s", "rss_mb", "latency_ms", "before_answer_ms", "throughput_per_s",
    ]  # fmt: skip
    assert report["chunks"] == 7
    for key in ("latency_ms", "before_answer_ms"):
        assert report[key].keys() == {"best", "worst"}
        assert report[key]["best"].keys() == {"p50", "p95", "p99"}
    assert report["throughput_per_s"].keys() == {"1", "4", "16"}
    assert all(rate > 0 for rate in report["throughput_per_s"].values())
    assert told[0] == "cold start"
    assert len(told) == 1 + 2 + 3


def test_latency_is_the_time_to_the_last_event_in_ascending_percentiles() -> None:
    latency, _ = measure_latency(Slow(PAGES), QUESTIONS, "best", asks=10)
    assert 10 <= latency.p50 <= latency.p95 <= latency.p99


def test_before_the_answer_are_the_steps_that_stand_before_it() -> None:
    timings = {"normalize": 1.0, "retrieve": 5.0, "retrieve.semantic": 2.0, "retrieve.keyword": 3.0}
    after = {"extract": 50.0, "extract.check": 20.0, "refuse": 7.0, "total": 99.0}
    assert before_answer_ms(timings | after) == 6.0
    assert before_answer_ms(timings | {"total": 99.0}) == 6.0
    assert before_answer_ms({}) == 0.0


def test_the_time_before_the_answer_is_the_flows_own() -> None:
    """The small asker's retrieving takes a millisecond for each character of the question."""
    _, before = measure_latency(SmallAsker(PAGES), QUESTIONS, "best", asks=3)
    assert before.p50 == len("is there a gym")


def test_questions_repeat_until_there_are_enough_asks() -> None:
    """Three asks to warm up, then four, or the whole set where it is larger."""
    asker = SmallAsker(PAGES)
    measure_latency(asker, QUESTIONS, "best", asks=4)
    assert asker.asked == 3 + 4
    measure_latency(asker, QUESTIONS, "best", asks=1)
    assert asker.asked == 3 + 4 + 3 + 3


def test_visitors_ask_at_the_same_time() -> None:
    at_once = 4
    meeting = threading.Barrier(at_once, timeout=10)

    class Meeting(SmallAsker):
        """Answers nobody until four are asking."""

        def ask(self, question: Question) -> Iterator[Event]:
            meeting.wait()
            return super().ask(question)

    assert measure_throughput(Meeting(PAGES), QUESTIONS, "best", at_once, load_s=0) > 0


def test_throughput_is_answers_over_time() -> None:
    rate = measure_throughput(Slow(PAGES), QUESTIONS, "best", visitors=1, load_s=0.2)
    assert 0 < rate <= 100


def test_an_error_under_load_is_not_swallowed() -> None:
    with pytest.raises(BadInputError):
        measure_throughput(SmallAsker(PAGES), QUESTIONS, "vague", visitors=4, load_s=0)


def test_cold_start_is_timed_to_the_commands_exit() -> None:
    assert measure_cold_start((sys.executable, "-S", "-c", "import time; time.sleep(0.1)")) >= 0.1


def test_a_cold_start_has_the_variables_it_is_given_and_those_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    script = "import os; raise SystemExit(os.environ['HERE'] + os.environ['GIVEN'])"
    monkeypatch.setenv("HERE", "one ")
    monkeypatch.setenv("GIVEN", "overridden")
    with pytest.raises(LodgeError, match="one two"):
        measure_cold_start((sys.executable, "-S", "-c", script), {"GIVEN": "two"})


def test_a_cold_start_that_fails_says_what_the_command_said() -> None:
    with pytest.raises(LodgeError, match="exit code 1: no snapshot yet"):
        measure_cold_start((sys.executable, "-S", "-c", "raise SystemExit('no snapshot yet')"))
    with pytest.raises(LodgeError, match="could not be measured"):
        measure_cold_start(("/nonexistent/lodge",))


def test_resident_memory_grows_with_what_is_held() -> None:
    before = resident_mb()
    held = bytearray(b"x" * 50_000_000)
    assert resident_mb() - before > 40
    assert len(held) == 50_000_000


def test_bad_input_is_named_before_the_work_begins() -> None:
    told: list[str] = []
    for plan, message in (
        (replace(PLAN, strategies=("best", "vague")), "known are best, worst"),
        (replace(PLAN, strategies=()), "strategies is empty"),
        (replace(PLAN, questions=()), "no question"),
    ):
        with pytest.raises(BadInputError, match=message):
            bench(SmallAsker(PAGES), plan, told.append)
    assert told == []
