from __future__ import annotations

import sys
from pathlib import Path

import pytest

from server.errors import BadInputError
from server.settings import Settings
from server.wiring.writer_training import WriterOptions, require_environment, run_writer


def test_a_missing_environment_names_the_requirements(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"No such file.*scripts/train-requirements\.txt"):
        require_environment(tmp_path / "python")


def test_an_environment_without_pytorch_says_what_it_lacks() -> None:
    """The tests' own has none."""
    with pytest.raises(BadInputError, match=r"No module named 'torch'.*pip install -r"):
        require_environment(Path(sys.executable))


def test_nothing_is_begun_without_it(small_home: Settings, tmp_path: Path) -> None:
    options = WriterOptions((), None, tmp_path, tmp_path / "out", "lora", tmp_path / "python")
    with pytest.raises(BadInputError, match="environment"):
        run_writer(small_home, options, lambda _: None, lambda _: None)
    assert not (tmp_path / "out").exists()
