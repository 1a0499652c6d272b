from __future__ import annotations

import json
import shutil
from dataclasses import fields, replace
from pathlib import Path

import pytest

from server.errors import BadInputError
from server.evaluate.runs import Run
from server.settings import Settings
from server.wiring import measuring as evaluating
from tests import small_site
from tests.wiring.question_files import write_questions


@pytest.fixture
def home(small_home: Settings, tmp_path: Path) -> Settings:
    """The small college's snapshots in a home of this test's own."""
    settings = replace(small_home, home=tmp_path / "home")
    shutil.copytree(small_home.snapshots_dir, settings.snapshots_dir, symlinks=True)
    return settings


def run_eval(settings: Settings, questions: Path, *strategies: str, pages: Path | None = None) -> Run:
    return evaluating.run_eval(
        settings,
        questions,
        pages,
        strategies or ["keyword"],
        warn=lambda _: None,
        note=lambda _: None,
        on_progress=lambda *_: None,
    )


def test_a_run_knows_everything_it_was_made_with(home: Settings, tmp_path: Path) -> None:
    questions = write_questions(tmp_path / "q.jsonl", "broken")
    made = run_eval(home, questions, "keyword").made_with
    assert (made.questions_file, made.broken_lines, made.pages_file) == ("q.jsonl", 1, None)
    assert made.warnings[-1] == "q.jsonl: 1 line left out, 13 questions kept."
    assert len(made.questions_sha256) == len(made.manifest_sha256) == 64
    manifest = json.loads((home.current_snapshot / "manifest.json").read_text(encoding="utf-8"))
    assert made.manifest == manifest
    assert made.models["embedder_sha256"] == manifest["embedder_sha256"]
    assert made.models["reranker"] == home.reranker
    assert made.settings["fusion_alpha"] == 0.35
    assert made.settings["home"] == str(home.home)


def test_a_run_can_be_kept_and_loaded_and_compared(home: Settings, tmp_path: Path) -> None:
    questions = write_questions(tmp_path / "q.jsonl")
    shelf = evaluating.runs_of(home)
    first = run_eval(home, questions, "hybrid")
    shelf.save(first)
    second = run_eval(
        replace(home, fusion_alpha=1.0, refusal_threshold=0.99, seems_threshold=0.99), questions, "hybrid"
    )
    shelf.save(second)
    assert shelf.load(first.name) == first
    comparison = evaluating.compare(home, first.name, second.name)
    assert comparison.differences.keys() == {
        "setting fusion_alpha",
        "setting refusal_threshold",
        "setting seems_threshold",
    }
    assert comparison.shared == 13
    assert {change.b.verdict for change in comparison.changes} >= {"wrongly_refused"}


def test_over_a_pages_file(home: Settings, tmp_path: Path) -> None:
    pages = small_site.write_pages(tmp_path / "p.jsonl", small_site.kept_pages()[:4])
    run = run_eval(home, write_questions(tmp_path / "q.jsonl"), pages=pages)
    assert run.made_with.pages_file == "p.jsonl"
    assert run.made_with.manifest["pages"] == 4
    assert run.evaluation.strategies[0].metrics["recall@10"].value == 1


def test_an_unknown_strategy_is_told_before_the_pages_are_indexed(home: Settings, tmp_path: Path) -> None:
    pages = small_site.write_pages(tmp_path / "p.jsonl", small_site.kept_pages()[:4])
    with pytest.raises(BadInputError, match=r"'magic'. There are: semantic"):
        run_eval(home, write_questions(tmp_path / "q.jsonl"), "hybrid", "magic", pages=pages)
    assert not (home.home / "eval").exists()


def test_secrets_are_not_kept(small_home: Settings) -> None:
    settings = replace(small_home, records_url="postgresql://lodge:hunter2@db/lodge", typesense_key="hunter2")
    kept = evaluating.kept_settings(settings)
    assert "hunter2" not in json.dumps(kept)
    left_out = {field.name for field in fields(settings)} - kept.keys()
    assert {field.name for field in fields(settings) if not field.repr} <= left_out
    assert {"records_url", "typesense_key"} <= left_out
    assert all(not evaluating.SECRET_WORDS.isdisjoint(name.split("_")) for name in left_out)
    assert {"home", "strategy", "fusion_alpha", "refusal_threshold"} <= kept.keys()


def test_the_report_is_written_whole(home: Settings, tmp_path: Path) -> None:
    run = run_eval(home, write_questions(tmp_path / "q.jsonl"), "keyword", "hybrid")
    (tmp_path / "report.html").write_text("old", encoding="utf-8")
    evaluating.write_report(home, run, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert page.rstrip().endswith("</html>")


def test_where_no_file_can_be_is_told_beforehand(tmp_path: Path) -> None:
    evaluating.require_folder(tmp_path / "new.html")
    for file in (tmp_path, tmp_path / "none" / "new.html"):
        with pytest.raises(BadInputError, match="cannot be written"):
            evaluating.require_folder(file)
