from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import numpy as np
import pytest

from server.errors import ModelError
from server.inference.session import ModelCard, OnnxSession, providers
from server.settings import Settings

SHIPPED = Settings().models_dir / "minilm-l6-int8"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model folder whose model is no model."""
    made = tmp_path / "small"
    made.mkdir()
    (made / "model.onnx").write_bytes(b"not a model")
    shutil.copy(SHIPPED / "model.toml", made)
    (made / "tokenizer.json").write_text("{}")
    return made


def test_the_shipped_card_is_that_of_the_shipped_file() -> None:
    card = ModelCard.read(SHIPPED)
    assert card.sha256 == hashlib.sha256((SHIPPED / "model.onnx").read_bytes()).hexdigest()
    assert (card.name, card.kind, card.dims, card.licence) == (
        "minilm-l6-int8",
        "embedder",
        384,
        "Apache-2.0",
    )


@pytest.mark.parametrize("missing", ["model.toml", "model.onnx", "tokenizer.json"])
def test_a_missing_file_is_named(folder: Path, missing: str) -> None:
    (folder / missing).unlink()
    with pytest.raises(ModelError, match=rf"'small' is incomplete: {missing} not found"):
        ModelCard.read(folder)


def test_a_missing_folder_names_all_three(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"model\.toml, model\.onnx, tokenizer\.json"):
        ModelCard.read(tmp_path / "nowhere")


@pytest.mark.parametrize("content", ["not toml", 'kind = "embedder"\n', "colour = 1\n"])
def test_a_card_that_cannot_be_used_is_an_error(folder: Path, content: str) -> None:
    (folder / "model.toml").write_text(content)
    with pytest.raises(ModelError, match=r"model\.toml of 'small' cannot be used"):
        ModelCard.read(folder)


def test_a_model_file_that_is_none_is_an_error(folder: Path) -> None:
    with pytest.raises(ModelError, match="'small' cannot be loaded"):
        OnnxSession(ModelCard.read(folder), threads=1)


def test_the_cpu_is_always_there_and_cuda_goes_before_it() -> None:
    assert providers() in (["CPUExecutionProvider"], ["CUDAExecutionProvider", "CPUExecutionProvider"])


def test_feeds_that_the_model_has_no_input_for_are_left_out() -> None:
    session = OnnxSession(ModelCard.read(SHIPPED), threads=1)
    ids = np.array([[101, 102]], dtype=np.int64)
    names = ("input_ids", "attention_mask", "token_type_ids", "something_else")
    [hidden, *_] = session.run(dict.fromkeys(names, ids))
    assert hidden.shape == (1, 2, 384)
