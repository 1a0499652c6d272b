"""The embedder's lessons: a right passage is to be nearest, and no right one counts as a wrong one."""

import json
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs .venv-export")
pytest.importorskip("transformers", reason="training needs .venv-export")

import torch
from tokenizers import Tokenizer
from torch import Tensor

from scripts.research.embedder.train_embedder import TOLD, WEIGHTS, Asked, cycles_before, loss_of, read
from scripts.research.reader.together.rows import Packed
from server.settings import PROJECT

# A text is one token; these are its vectors.
PLACES = {1: (1.0, 0.0), 2: (0.0, 1.0), 3: (0.8, 0.6), 4: (-1.0, 0.0)}


def vectors(texts: Sequence[list[int]]) -> Tensor:
    return torch.tensor([PLACES[ids[0]] for ids in texts])


@pytest.mark.parametrize(
    ("right", "wrong", "least", "most"),
    [
        pytest.param([0], [2], 0.0, 0.01, id="nearest"),
        pytest.param([1], [0], 5.0, 30.0, id="farther than a wrong one"),
    ],
)
def test_a_right_passage_is_to_be_nearest(
    right: list[int], wrong: list[int], least: float, most: float
) -> None:
    some = [Asked([1], right, wrong)]
    assert least <= loss_of(vectors, some, [[1], [2], [4]], random.Random(1)) <= most


def test_another_right_passage_is_no_wrong_one() -> None:
    texts = [[3], [1], [4]]
    some = [Asked([1], [0, 1], [2]), Asked([1], [1], [2])]
    for seed in range(6):
        # Both questions lie at the second passage; the first may be given the farther one of its two.
        assert loss_of(vectors, some, texts, random.Random(seed)) < 0.05


def test_a_question_without_both_kinds_of_passages_teaches_nothing() -> None:
    tokenizer = Tokenizer.from_file(str(PROJECT / "onnx_models/minilm-l6-int8/tokenizer.json"))
    tokenizer.no_padding()
    row = {"source": "quennell", "question": "where is the gym", "positives": [[0, 0, 3]], "negatives": [1]}
    texts = [{"lead": "Gym", "body": "It is in the hall."}, {"lead": "Pool", "body": "It is closed."}]
    packed = Packed(texts, [row, row | {"positives": []}, row | {"negatives": []}], [], [])
    order, tokens = read(packed, tokenizer)
    assert order == [Asked(tokenizer.encode("where is the gym").ids, [0], [1])]
    assert tokens[1] == tokenizer.encode("Pool\nIt is closed.").ids


def test_weights_know_which_cycles_led_to_them(tmp_path: Path) -> None:
    weights = tmp_path / WEIGHTS
    weights.mkdir()
    assert cycles_before(weights) == []
    (tmp_path / TOLD).write_text(json.dumps({"cycles": [{"steps": 244}]}), encoding="utf-8")
    assert cycles_before(weights) == [{"steps": 244}]
