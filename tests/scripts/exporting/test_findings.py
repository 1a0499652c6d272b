from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from scripts.exporting.findings import Given, find
from server.errors import ModelError
from tests.scripts.model_folders import BERT, MODULES, XLM_ROBERTA, model_folder, write, write_modules

BGE = ["BAAI/bge-large-en-v1.5"]
ENGLISH = "Represent this sentence for searching relevant passages: "


def test_a_bge_folder_with_modules_says_everything_itself(tmp_path: Path) -> None:
    folder = model_folder(tmp_path, BERT)
    write_modules(folder, MODULES, {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False})
    found = find(folder, BGE, Given())
    assert (found.kind, found.dims, found.heads) == ("embedder", 384, 12)
    assert (found.pooling, found.normalize, found.licence) == ("cls", True, "MIT")
    assert (found.query_prefix, found.passage_prefix) == (ENGLISH, "")


def test_a_bge_folder_without_modules_pools_the_first_token(tmp_path: Path) -> None:
    found = find(model_folder(tmp_path, BERT), BGE, Given())
    assert (found.pooling, found.normalize, found.has_modules) == ("cls", True, False)


def test_a_reranker_is_a_cross_encoder_without_a_prefix(tmp_path: Path) -> None:
    found = find(model_folder(tmp_path, XLM_ROBERTA), ["BAAI/bge-reranker-large"], Given())
    assert (found.kind, found.max_tokens, found.query_prefix) == ("cross-encoder", 512, "")


@pytest.mark.parametrize(
    ("pooling", "name"),
    [
        ({"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False}, "mean"),
        ({"pooling_mode": "cls"}, "cls"),
        ({"pooling_mode": ["mean"]}, "mean"),
    ],
)
def test_pooling_is_read_in_the_old_way_and_the_new(
    tmp_path: Path, pooling: dict[str, Any], name: str
) -> None:
    folder = model_folder(tmp_path, BERT)
    write_modules(folder, MODULES[:2], pooling)
    found = find(folder, ["some-model"], Given())
    assert (found.pooling, found.normalize) == (name, False)


def test_prompts_of_the_folder_come_before_the_familys(tmp_path: Path) -> None:
    folder = model_folder(tmp_path, BERT)
    write(folder, "config_sentence_transformers.json", {"prompts": {"query": "q: ", "document": "d: "}})
    found = find(folder, BGE, Given())
    assert (found.query_prefix, found.passage_prefix) == ("q: ", "d: ")


def test_empty_prompts_are_none(tmp_path: Path) -> None:
    """sentence-transformers writes them so for models that never heard of prompts."""
    folder = model_folder(tmp_path, BERT)
    write(folder, "config_sentence_transformers.json", {"prompts": {"query": "", "document": ""}})
    assert find(folder, BGE, Given()).query_prefix == ENGLISH


@pytest.mark.parametrize(
    ("name", "start"),
    [("bge-small-en", ENGLISH), ("BGE-Small-EN-v1.5", ENGLISH), ("bge-base-zh-v1.5", "为"), ("bge-m3", "")],
)
def test_a_prefix_goes_by_the_familys_name(tmp_path: Path, name: str, start: str) -> None:
    prefix = find(model_folder(tmp_path, BERT), [f"BAAI/{name}"], Given()).query_prefix
    assert prefix.startswith(start)
    assert bool(prefix) is bool(start)


@pytest.mark.parametrize(
    ("positions", "sentences", "tokenizer", "least"),
    [(512, 256, 512, 256), (512, None, 128, 128), (512, 8192, int(1e30), 512), (512, None, None, 512)],
)
def test_the_least_of_three_lengths_counts(
    tmp_path: Path, positions: int, sentences: int | None, tokenizer: int | None, least: int
) -> None:
    folder = model_folder(tmp_path, BERT | {"max_position_embeddings": positions})
    write(folder, "sentence_bert_config.json", {"max_seq_length": sentences})
    write(folder, "tokenizer_config.json", {"model_max_length": tokenizer})
    assert find(folder, BGE, Given()).max_tokens == least


def test_robertas_places_are_counted_from_the_padding_id(tmp_path: Path) -> None:
    config = XLM_ROBERTA | {"max_position_embeddings": 8194}
    assert find(model_folder(tmp_path, config), ["bge-reranker-v2-m3"], Given()).max_tokens == 8192


def test_what_is_given_overrules_what_is_found(tmp_path: Path) -> None:
    folder = model_folder(tmp_path, BERT)
    given = Given(
        "Apache-2.0", pooling="mean", normalize=False, max_tokens=100, query_prefix="", passage_prefix="p"
    )
    found = find(folder, BGE, given)
    assert (found.licence, found.pooling, found.normalize) == ("Apache-2.0", "mean", False)
    assert (found.max_tokens, found.query_prefix, found.passage_prefix) == (100, "", "p")


@pytest.mark.parametrize(
    ("said", "spdx"), [("apache-2.0", "Apache-2.0"), ("'mit'", "MIT"), ("gpl-3.0", "gpl-3.0")]
)
def test_the_licence_is_the_readmes(tmp_path: Path, said: str, spdx: str) -> None:
    assert find(model_folder(tmp_path, BERT, licence=said), BGE, Given()).licence == spdx


@pytest.mark.parametrize("licence", [None, "other"])
def test_without_a_licence_one_must_be_given(tmp_path: Path, licence: str | None) -> None:
    folder = model_folder(tmp_path, BERT, licence=licence)
    with pytest.raises(ModelError, match="--licence"):
        find(folder, BGE, Given())
    assert find(folder, BGE, Given(licence="MIT")).licence == "MIT"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"model_type": "gpt2"}, "'gpt2' is not supported; bert and xlm-roberta are"),
        ({"model_type": None}, "None is not supported"),
        ({"architectures": ["BertForMaskedLM"]}, "BertForMaskedLM is neither"),
        ({"architectures": None}, "None is neither"),
        ({"architectures": ["BertForSequenceClassification"]}, "2 classes"),
        ({"hidden_size": "wide"}, "does not give hidden_size"),
    ],
)
def test_what_cannot_be_exported_is_named(tmp_path: Path, change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ModelError, match=sentence):
        find(model_folder(tmp_path, BERT | change), BGE, Given())


def test_a_model_that_does_not_say_how_it_pools_needs_to_be_told(tmp_path: Path) -> None:
    folder = model_folder(tmp_path, BERT)
    with pytest.raises(ModelError, match=r"does not say how it pools.*--pooling"):
        find(folder, ["some-model"], Given())
    assert find(folder, ["some-model"], Given(pooling="mean")).pooling == "mean"


def test_a_pooling_that_the_server_does_not_know_is_named(tmp_path: Path) -> None:
    folder = model_folder(tmp_path, BERT)
    write_modules(folder, MODULES, {"pooling_mode_max_tokens": True, "pooling_mode_cls_token": True})
    with pytest.raises(ModelError, match="pools by 'max and cls'"):
        find(folder, BGE, Given())


def test_a_step_that_the_server_does_not_know_is_named(tmp_path: Path) -> None:
    folder = model_folder(tmp_path, BERT)
    write_modules(folder, [*MODULES, "Dense"], {"pooling_mode_cls_token": True})
    with pytest.raises(ModelError, match="Dense"):
        find(folder, BGE, Given())


@pytest.mark.parametrize("tokens", [0, -5, 513])
def test_a_length_beyond_the_models_places_is_refused(tmp_path: Path, tokens: int) -> None:
    with pytest.raises(ModelError, match=f"{tokens}; this model takes 8 to 512"):
        find(model_folder(tmp_path, BERT), BGE, Given(max_tokens=tokens))


@pytest.mark.parametrize("name", ["config.json", "modules.json", "tokenizer_config.json"])
@pytest.mark.parametrize("content", ['{"model_type": ', '"text"', "\x00"])
def test_a_broken_file_is_named(tmp_path: Path, name: str, content: str) -> None:
    folder = model_folder(tmp_path, BERT)
    (folder / name).write_text(content, encoding="utf-8")
    with pytest.raises(ModelError, match=name):
        find(folder, BGE, Given())
