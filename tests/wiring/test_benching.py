"""The bench over the small college, its larger sizes in processes of their own."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from server.errors import BadInputError, LodgeError
from server.settings import Settings
from server.wiring import benching
from server.wiring.benching import BenchOptions
from tests import small_site

pytestmark = pytest.mark.long

QUICK = BenchOptions(strategies=("keyword",), asks=1, load_s=0)


@pytest.fixture
def home(small_home: Settings, tmp_path: Path) -> Settings:
    """The small college's snapshots in a home of this test's own."""
    settings = small_site.settings_for(tmp_path / "home")
    shutil.copytree(small_home.snapshots_dir, settings.snapshots_dir, symlinks=True)
    return settings


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "questions.jsonl"
    lines = [
        {"id": str(i), "question": text} for i, text in enumerate(["How much is tuition?", "library hours"])
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_growth_adds_the_same_object_for_each_multiple_and_is_not_there_unasked(
    home: Settings, questions: Path
) -> None:
    told: list[str] = []
    options = replace(QUICK, questions_file=questions, growth=(2,))
    report = benching.run_bench(home, options, told.append)
    assert list(report) == [
        "chunks", "cold_start_s", "rss_mb", "latency_ms", "before_answer_ms", "throughput_per_s", "growth",
    ]  # fmt: skip
    assert [size["chunks"] for size in report["growth"]] == [2 * report["chunks"]]
    for size in report["growth"]:
        assert size.keys() == report.keys() - {"growth"}
        assert list(size["latency_ms"]) == ["keyword"]
        assert size["cold_start_s"] > 0
        assert size["before_answer_ms"]["keyword"]["p50"] < size["latency_ms"]["keyword"]["p50"]
    assert "2 times the snapshot:" in told


def test_nothing_is_recorded_among_the_visitors_questions(home: Settings, questions: Path) -> None:
    report = benching.run_bench(home, replace(QUICK, questions_file=questions), lambda _: None)
    assert "growth" not in report
    assert not list(home.home.glob("records*"))


def test_a_larger_size_that_fails_says_so(
    home: Settings, questions: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(LodgeError, match="larger snapshot failed"):
        benching._bench_in_process(
            replace(home, home=home.home / "nowhere"), replace(QUICK, questions_file=questions)
        )
    assert "No snapshot has been published yet" in capfd.readouterr().err


def test_without_a_file_the_demos_questions_are_asked(tmp_path: Path) -> None:
    assert "?" in benching.bench_questions(None)[0]
    with pytest.raises(BadInputError):
        benching.bench_questions(tmp_path / "nowhere.jsonl")
