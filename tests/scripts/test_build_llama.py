"""What building llama.cpp says where it cannot be done; that it can, tests/llm/test_llama_server.py shows."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import build_llama
from server.settings import PROJECT


@pytest.fixture
def nothing_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No environment yet, and a place of its own for one."""
    for name, path in (("FOLDER", tmp_path), ("READY", tmp_path / ".ready"), ("PYTHON", tmp_path / "python")):
        monkeypatch.setattr(build_llama, name, path)
    return tmp_path


def test_without_a_compiler_nothing_is_built_and_that_is_no_error(
    nothing_built: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(nothing_built))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.delenv("CXX", raising=False)
    assert build_llama.main() == 0
    assert capsys.readouterr().out.startswith("No C++ compiler here")
    assert not build_llama.is_ready()


@pytest.mark.parametrize(("ci", "status"), [("", 0), ("true", 1)])
def test_a_build_that_fails_is_an_error_for_ci_alone(
    nothing_built: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    ci: str,
    status: int,
) -> None:
    """It fails at once, as there is a file where its folder should be."""
    (nothing_built / "file").touch()
    monkeypatch.setattr(build_llama, "FOLDER", nothing_built / "file" / "venv")
    monkeypatch.setenv("CXX", "c++")
    monkeypatch.setenv("CC", "cc")
    monkeypatch.setenv("CI", ci)
    assert build_llama.main() == status
    assert "could not be built" in capsys.readouterr().out
    assert not build_llama.is_ready()


def test_what_was_built_from_other_requirements_is_built_anew(nothing_built: Path) -> None:
    build_llama.READY.write_text(build_llama.wanted())
    assert build_llama.is_ready()
    build_llama.READY.write_text("older requirements")
    assert not build_llama.is_ready()


def test_it_runs_as_a_module_and_is_done_at_once_when_all_is_there() -> None:
    if not build_llama.is_ready():
        pytest.skip("llama.cpp is not built here: `make test` does it, where there is a C++ compiler")
    done = subprocess.run(
        [sys.executable, "-m", "scripts.build_llama"],
        cwd=PROJECT,
        env=os.environ,
        check=False,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (0, "")
