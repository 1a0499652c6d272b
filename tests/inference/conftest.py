from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from server.settings import Settings


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model folder whose model is no model."""
    made = tmp_path / "small"
    made.mkdir()
    (made / "model.onnx").write_bytes(b"not a model")
    shutil.copy(Settings().models_dir / "minilm-l6-int8" / "model.toml", made)
    (made / "tokenizer.json").write_text("{}")
    return made
