from __future__ import annotations

from pathlib import Path

import pytest

from scripts.exporting.source import find_folder, source_name
from server.errors import ModelError
from tests.scripts.model_folders import BERT, model_folder


def test_a_local_folder_is_taken_as_it_is(tmp_path: Path) -> None:
    folder = model_folder(tmp_path / "bge", BERT)
    assert find_folder(str(folder)) == folder


def test_a_card_names_a_folder_without_the_machines_path(tmp_path: Path) -> None:
    folder = model_folder(tmp_path / "bge", BERT)
    assert source_name(f"{folder}/") == "bge"
    assert source_name("BAAI/bge-large-en-v1.5") == "BAAI/bge-large-en-v1.5"


@pytest.mark.parametrize("weights", ["model-00001-of-00002.safetensors", "pytorch_model.bin"])
def test_weights_have_several_names(tmp_path: Path, weights: str) -> None:
    folder = model_folder(tmp_path, BERT)
    (folder / "model.safetensors").rename(folder / weights)
    assert find_folder(str(folder)) == folder


@pytest.mark.parametrize(
    ("lost", "sentence"),
    [
        ("config.json", "no config.json"),
        ("model.safetensors", "no weights"),
        ("tokenizer.json", "no tokenizer"),
    ],
)
def test_what_a_folder_lacks_is_named(tmp_path: Path, lost: str, sentence: str) -> None:
    folder = model_folder(tmp_path, BERT)
    (folder / lost).unlink()
    with pytest.raises(ModelError, match=sentence):
        find_folder(str(folder))


@pytest.mark.parametrize("model", ["/no/such/folder", "./nowhere", "~/nowhere/at/all", "a b", "", "a/b/c"])
def test_what_is_neither_a_folder_nor_a_hub_name_is_refused(model: str) -> None:
    with pytest.raises(ModelError, match="no folder"):
        find_folder(model)


@pytest.mark.parametrize("package", ["no_such_package", "", "../x", "a-b"])
def test_a_package_that_is_not_installed_is_named(package: str) -> None:
    with pytest.raises(ModelError, match="not installed"):
        find_folder(f"package:{package}")


def test_a_package_without_a_model_has_no_config() -> None:
    with pytest.raises(ModelError, match=r"no config\.json"):
        find_folder("package:json")
