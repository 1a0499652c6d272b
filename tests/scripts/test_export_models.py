"""The command: what it prints, and how it fails."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from scripts.exporting.command import main
from scripts.make_small_models import EMBEDDER, make_embedder
from server.settings import PROJECT
from tests.scripts.exporting.exporting_needs import MISSING, needs_exporting
from tests.scripts.model_folders import BERT, model_folder


def run(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """The script as a file, started from anywhere."""
    command = [sys.executable, str(PROJECT / "scripts" / "export_models.py"), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_it_runs_from_any_folder_and_explains_itself(tmp_path: Path) -> None:
    done = run(["--help"], tmp_path)
    assert done.returncode == 0
    assert "--model BAAI/bge-reranker-large" in done.stdout


def test_a_failure_is_one_sentence_and_exit_1(tmp_path: Path) -> None:
    done = run(["--model", "./nowhere"], tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "There is no folder './nowhere', and it is no hub name either.\n"


@pytest.mark.parametrize("name", ["../up", "a/b", "/abs", ".hidden"])
def test_a_name_that_is_no_folders_is_refused(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = model_folder(tmp_path / "bge-small-en", BERT)
    assert main(["--model", str(folder), "--output", str(tmp_path), "--name", name]) == 1
    assert "cannot be a folder's name" in capsys.readouterr().err


def test_a_bad_folder_leaves_a_finished_model_as_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    finished = tmp_path / "bge-small-en-int8"
    finished.mkdir()
    (finished / "model.onnx").write_bytes(b"finished")
    folder = model_folder(tmp_path / "bge-small-en", BERT | {"model_type": "gpt2"})
    assert main(["--model", str(folder), "--output", str(tmp_path)]) == 1
    assert capsys.readouterr().err.count("\n") == 1
    assert (finished / "model.onnx").read_bytes() == b"finished"


@pytest.mark.skipif(not MISSING, reason="the libraries are here")
def test_without_the_libraries_it_says_what_to_install(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = model_folder(tmp_path / "bge-small-en", BERT)
    assert main(["--model", str(folder), "--output", str(tmp_path / "models")]) == 1
    assert "torch" in capsys.readouterr().err
    assert not (tmp_path / "models").exists()


@needs_exporting
@pytest.mark.filterwarnings("default")
def test_flags_reach_the_card_and_the_end_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = make_embedder(tmp_path / EMBEDDER)
    flags = ["--precision", "fp32", "--pooling", "mean", "--no-normalize", "--max-tokens", "32"]
    named = ["--name", "mine", "--source", "somewhere/model", "--licence", "CC0-1.0", "--query-prefix", "q: "]
    assert main(["--model", str(folder), "--output", str(tmp_path), *flags, *named]) == 0
    assert capsys.readouterr().out.endswith("Cosine to PyTorch's vectors of 8 texts: at least 1.00000.\n")
    card = (tmp_path / "mine" / "model.toml").read_text(encoding="utf-8")
    for row in ('source = "somewhere/model"', 'pooling = "mean"', "normalize = false", "max_tokens = 32"):
        assert f"{row}\n" in card
