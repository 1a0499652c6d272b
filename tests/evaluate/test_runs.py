from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from server.errors import BadInputError, LodgeError, NotFoundError, StorageError
from server.evaluate.runs import RunStore
from tests.evaluate.kept_runs import small_run

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def shelf_with(tmp_path: Path, names: Sequence[str]) -> RunStore:
    """A shelf of small runs, kept a second apart."""
    shelf, run = RunStore(tmp_path / "runs"), small_run(strategies=["best"])
    for second, name in enumerate(names):
        shelf.save(replace(run, name=name))
        os.utime(shelf.folder / name, (second, second))
    return shelf


def test_a_run_comes_back_as_it_was_kept(tmp_path: Path) -> None:
    shelf = RunStore(tmp_path / "runs")
    run = small_run(warnings=("line 3: not JSON",))
    shelf.save(run)
    assert shelf.load("one") == run


def test_the_document_has_every_question_by_strategy_with_its_best_passages(tmp_path: Path) -> None:
    shelf = shelf_with(tmp_path, ["one"])
    document = json.loads((shelf.folder / "one" / "run.json").read_text(encoding="utf-8"))
    [best] = document["evaluation"]["strategies"]
    first = best["outcomes"][0]
    assert (first["question"]["id"], first["refused"], first["gold_rank"]) == ("library", False, 1)
    assert first["passages"][0] == {"chunk_id": 1, "score": 0.25, "gold": True}
    assert document["evaluation"]["passages"]["1"]["url"] == "https://u.example/library"
    assert document["made_with"]["questions_sha256"] == "aa"


def test_runs_are_named_by_the_time_and_no_name_is_given_twice(tmp_path: Path) -> None:
    shelf = shelf_with(tmp_path, ["20260102-030405"])
    assert shelf.new_name(now=NOW) == "20260102-030405-2"
    assert RunStore(tmp_path / "none").new_name(now=NOW) == "20260102-030405"


@pytest.mark.parametrize("name", ["latest", "", "../up", ".hidden", "a b", "a/b", "x" * 101])
def test_a_name_that_could_not_be_a_folder_or_told_apart_is_bad_input(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInputError, match="is no name for a run"):
        RunStore(tmp_path).new_name(name)


def test_a_name_that_is_taken_is_bad_input_and_if_it_was_meanwhile_nothing_is_overwritten(
    tmp_path: Path,
) -> None:
    shelf = shelf_with(tmp_path, ["baseline"])
    before = (shelf.folder / "baseline" / "run.json").read_bytes()
    with pytest.raises(BadInputError, match="a run 'baseline' already"):
        shelf.new_name("baseline")
    assert shelf.save(small_run("baseline")).name == "baseline-2"
    assert shelf.load("baseline-2").name == "baseline-2"
    assert (shelf.folder / "baseline" / "run.json").read_bytes() == before


def test_a_run_is_found_by_its_name_its_beginning_or_as_the_latest(tmp_path: Path) -> None:
    shelf = shelf_with(tmp_path, ["base", "base-2", "other"])
    assert (shelf.find("base"), shelf.find("oth"), shelf.find("latest")) == ("base", "other", "other")
    with pytest.raises(BadInputError, match=r"'bas' begins more than one run: base, base-2\."):
        shelf.find("bas")
    with pytest.raises(NotFoundError, match=r"no run 'zzz'. There are: base, base-2, other\."):
        shelf.find("zzz")


@pytest.mark.parametrize("text", ["latest", "one"])
def test_without_any_run_none_is_found(tmp_path: Path, text: str) -> None:
    with pytest.raises(NotFoundError, match="There are: none"):
        RunStore(tmp_path / "runs").find(text)


def test_runs_are_listed_the_newest_first_without_broken_ones(tmp_path: Path) -> None:
    shelf = shelf_with(tmp_path, ["one", "two", "three"])
    (shelf.folder / "two" / "run.json").write_text("{", encoding="utf-8")
    assert [entry.name for entry in shelf.entries()] == ["three", "one"]
    entry = shelf.entries()[0]
    assert (entry.snapshot, entry.questions, entry.strategies) == ("small-1", 10, ("best",))
    assert RunStore(tmp_path / "none").entries() == []


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("{", "one cannot be read"), ('{"name": 5}', "one cannot be read"), (None, "has format 99")],
)
def test_a_run_that_is_not_ours_is_a_sentence(tmp_path: Path, text: str | None, sentence: str) -> None:
    shelf = shelf_with(tmp_path, ["one"])
    file = shelf.folder / "one" / "run.json"
    other = file.read_text(encoding="utf-8").replace('"format": 1', '"format": 99')
    file.write_text(text or other, encoding="utf-8")
    with pytest.raises(LodgeError, match=sentence):
        shelf.load("one")


def test_what_a_killed_run_left_is_no_run_and_is_removed_when_it_is_old(tmp_path: Path) -> None:
    shelf = shelf_with(tmp_path, ["one"])
    for name in (".writing-old", ".writing-new"):
        (shelf.folder / name).mkdir()
        (shelf.folder / name / "run.json").write_text("{", encoding="utf-8")
    os.utime(shelf.folder / ".writing-old", (0, 0))
    assert shelf.names() == ["one"]
    shelf.save(small_run("two"))
    assert sorted(path.name for path in shelf.folder.iterdir()) == [".writing-new", "one", "two"]


def test_a_folder_that_cannot_be_made_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    with pytest.raises(StorageError, match="could not be kept"):
        RunStore(tmp_path / "file" / "runs").save(small_run())
