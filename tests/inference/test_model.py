from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from server.errors import ModelError
from server.inference.encoders import Reranker
from server.inference.session import EmbedderCard, Model

SMALL = Path(__file__).parent / "small_models" / "bge-tiny-reranker-fp32"
PASSAGES = [("Dining", "The dining hall serves breakfast until ten."), ("", "The library was built in 1931.")]


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A model folder of this test's own."""
    return Path(shutil.copytree(SMALL, tmp_path / "tiny"))


def test_a_model_is_loaded_when_it_is_made(small: Path) -> None:
    reranker = Reranker(small)
    (small / "model.onnx").unlink()
    assert len(reranker.read("Until when is breakfast?", PASSAGES)) == 2


def test_a_late_one_is_loaded_at_its_first_use_and_tried_again_if_that_fails(small: Path) -> None:
    reranker = Reranker(small, late=True)
    (small / "model.onnx").rename(small / "away")
    with pytest.raises(ModelError, match="'tiny' cannot be loaded"):
        reranker.read("When?", PASSAGES)
    (small / "away").rename(small / "model.onnx")
    found = reranker.read("When?", PASSAGES)
    assert found == Reranker(small).read("When?", PASSAGES)
    (small / "model.onnx").unlink()
    assert reranker.read("When?", PASSAGES) == found


def test_a_late_one_that_is_broken_says_so_at_once(folder: Path) -> None:
    with pytest.raises(ModelError, match="'small' cannot be loaded"):
        Model(folder, EmbedderCard, 1, late=True)


def test_a_late_one_with_another_files_card_is_loaded_at_once(small: Path) -> None:
    card = (small / "model.toml").read_text(encoding="utf-8")
    (small / "model.toml").write_text(card.replace('sha256 = "', 'sha256 = "0'), encoding="utf-8")
    reranker = Reranker(small, late=True)
    (small / "model.onnx").unlink()
    assert len(reranker.read("When?", PASSAGES)) == 2


def test_threads_that_come_at_the_same_time_wait_for_one_loading(small: Path) -> None:
    reranker = Reranker(small, threads=1, late=True)
    with ThreadPoolExecutor(8) as pool:
        sessions = list(pool.map(lambda _: reranker._session(), range(32)))
    assert len(set(map(id, sessions))) == 1
