"""Golden questions asked of the small college, over its live snapshot."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from server.errors import BadInputError, LodgeError, NotReadyError
from server.models.golden import GoldenQuestion
from server.settings import Settings
from server.wiring import serving as answering
from server.workbench.golden.service import GoldenRuns
from server.workbench.jobs import JobProgress
from tests import small_site
from tests.small_site import SITE

TUITION = GoldenQuestion(
    "tuition", "main", "How much is tuition for residents of the state?", (SITE + "/tuition",), ("$9,240",)
)
CHESS = GoldenQuestion("chess", "main", "Who won the chess world championship?", refuse=True)
WRONG = replace(TUITION, id="wrong", pages=(SITE + "/library",))


@pytest.fixture
def serving(small_home: Settings, tmp_path: Path) -> Iterator[answering.Serving]:
    settings = replace(small_site.settings_for(tmp_path / "home"), reranker="", refusal_threshold=0.2)
    shutil.copytree(small_home.snapshots_dir, settings.snapshots_dir, symlinks=True)
    (settings.home / "sites.toml").write_text('[sites.main]\nstrategy = "keyword"\n', encoding="utf-8")
    serving = answering.build_serving(replace(settings, sites_file=str(settings.home / "sites.toml")))
    yield serving
    serving.close()


@pytest.fixture
def runs(serving: answering.Serving) -> GoldenRuns:
    return serving.golden


def test_a_run_is_asked_as_visitors_ask_and_leaves_no_conversation(
    serving: answering.Serving, runs: GoldenRuns
) -> None:
    for golden in (TUITION, CHESS, WRONG):
        serving.records.golden.put(golden)
    told: list[int] = []
    progress = JobProgress(lambda **now: told.append(now["done"]))
    run = runs.run("main", None, "the editor", progress)
    assert told == [0, 1, 2]
    assert (run.passed, run.failed, run.strategy, run.by) == (2, 1, "keyword", "the editor")
    assert (run.snapshot, run.occasion) == (runs.answering().snapshot, "asked")
    failed = [one for one in serving.records.golden.outcomes(run.number) if one.failure]
    assert [(one.golden_id, one.failure) for one in failed] == [
        ("wrong", "None of its right pages is cited.")
    ]
    assert "$9,240" in failed[0].answer
    assert serving.records.search.conversations(limit=9) == []
    assert runs.run("main", "hybrid", "the editor").strategy == "hybrid"


def test_what_cannot_be_asked_is_said_before(serving: answering.Serving, runs: GoldenRuns) -> None:
    with pytest.raises(BadInputError, match="'main' has no golden questions yet"):
        runs.check("main")
    serving.records.golden.put(TUITION)
    runs.check("main")
    with pytest.raises(BadInputError, match="no strategy 'guess'"):
        runs.check("main", "guess")


def test_a_run_over_two_snapshots_is_not_kept(
    serving: answering.Serving, runs: GoldenRuns, tmp_path: Path
) -> None:
    serving.records.golden.put(TUITION)
    settings = small_site.settings_for(tmp_path / "home")

    def publish(**_: object) -> None:
        small_site.index_pages(settings, small_site.kept_pages()[:2])

    with pytest.raises(LodgeError, match=r"The snapshot changed from \S+ to \S+ meanwhile"):
        runs.run("main", None, "the editor", JobProgress(publish))
    kept = serving.records.golden.runs()  # publishing asks them too, and keeps that
    assert [run.occasion for run in kept] == ["publish"]


def test_without_a_model_nothing_is_asked(small_home: Settings, tmp_path: Path) -> None:
    settings = replace(small_site.settings_for(tmp_path / "home"), embedder="nowhere")
    serving = answering.build_serving(settings)
    serving.records.golden.put(TUITION)
    with pytest.raises(NotReadyError, match="nowhere"):
        serving.golden.check("main")
    serving.close()
