from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from server.errors import ModelError
from server.inference.session import CrossEncoderCard, EmbedderCard, hash_of, is_intact, read_card
from server.settings import Settings

SHIPPED = Settings().models_dir / "minilm-l6-int8"


def test_the_shipped_card_is_that_of_the_shipped_file() -> None:
    card = read_card(SHIPPED, EmbedderCard)
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
        read_card(folder, EmbedderCard)


def test_a_missing_folder_names_all_three(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"model\.toml, model\.onnx, tokenizer\.json"):
        read_card(tmp_path / "nowhere", EmbedderCard)


@pytest.mark.parametrize("content", ["not toml", 'kind = "embedder"\n', "colour = 1\n"])
def test_a_card_that_cannot_be_used_is_an_error(folder: Path, content: str) -> None:
    (folder / "model.toml").write_text(content)
    with pytest.raises(ModelError, match=r"model\.toml of 'small' cannot be used"):
        read_card(folder, EmbedderCard)


def test_a_model_of_another_kind_is_named(folder: Path) -> None:
    with pytest.raises(ModelError, match="'small' is of the kind 'embedder'; a cross-encoder is needed"):
        read_card(folder, CrossEncoderCard)


def test_what_a_card_says_of_the_training_is_for_people(folder: Path) -> None:
    assert "\n[training]\nseed = " in (folder / "model.toml").read_text(encoding="utf-8")
    assert read_card(folder, EmbedderCard).dims == 384


def test_the_hash_covers_weights_in_a_second_file(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"graph")
    assert hash_of(tmp_path) == hashlib.sha256(b"graph").hexdigest()
    (tmp_path / "model.onnx.data").write_bytes(b"weights")
    (tmp_path / "tokenizer.json").write_bytes(b"not of the model")
    assert hash_of(tmp_path) == hashlib.sha256(b"graphweights").hexdigest()


def test_a_file_that_is_not_the_cards_or_cannot_be_read_is_not_intact(folder: Path) -> None:
    assert is_intact(read_card(SHIPPED, EmbedderCard))
    card = read_card(folder, EmbedderCard)
    assert not is_intact(card)
    (folder / "model.onnx").unlink()
    (folder / "model.onnx").mkdir()
    assert not is_intact(card)
