from __future__ import annotations

import pytest

pytest.importorskip("torch", reason="training needs .venv-export")

from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from transformers import BertConfig, BertModel

from corpus.visitors.sets import read_page_questions
from scripts.research.reader.dequantised import dequantised
from scripts.research.reader.exporting import OUTPUTS
from scripts.research.reader.network import Graph, Reader
from scripts.torch_parts import mean_of
from server.inference.session import CrossEncoderCard, OnnxSession, read_card
from server.settings import Settings

LAYERS = 6


@pytest.fixture(scope="module")
def shipped() -> Path:
    settings = Settings()
    return settings.models_dir / settings.reranker


@pytest.fixture(scope="module")
def blank(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    """A reader of the shipped one's size that has learnt nothing."""
    folder = tmp_path_factory.mktemp("minilm")
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=30522,
        hidden_size=384,
        num_hidden_layers=LAYERS,
        num_attention_heads=12,
        intermediate_size=1536,
    )
    BertModel(config, add_pooling_layer=False).save_pretrained(folder)
    return Reader(str(folder), (LAYERS,), verdicts=True)


def read_pairs(shipped: Path) -> list[torch.Tensor]:
    """Ids, types and mask of visitors' questions beside what answers them, (pairs, tokens) each."""
    rows = [row for row in read_page_questions("castlebay") if row.quote][::16]
    tokenizer = Tokenizer.from_file(str(shipped / "tokenizer.json"))
    tokenizer.enable_padding()
    made = tokenizer.encode_batch([(row.question, row.quote) for row in rows])
    return [
        torch.tensor(part)
        for part in zip(*((m.ids, m.type_ids, m.attention_mask) for m in made), strict=True)
    ]


def test_the_shipped_readers_graph_gives_its_weights_back(shipped: Path, blank: Reader) -> None:
    blank.load_state_dict(dequantised(shipped), strict=True)
    ids, types, mask = read_pairs(shipped)
    with torch.no_grad():
        learnt = [one.numpy() for one in Graph(blank.eval(), LAYERS)(ids, mask, types)]
    given = {"input_ids": ids.numpy(), "attention_mask": mask.numpy(), "token_type_ids": types.numpy()}
    read = OnnxSession(read_card(shipped, CrossEncoderCard), threads=1).run(given)
    for name, ours, theirs in zip(OUTPUTS, learnt, read, strict=True):
        assert np.corrcoef(ours.ravel(), theirs.ravel())[0, 1] > 0.95, name


def test_a_cycle_may_begin_with_the_mean_of_the_ones_before() -> None:
    ends = [
        {"shared": torch.tensor([0.0, 2.0]), "new head": torch.tensor([9.0])},
        {"shared": torch.tensor([4.0, 4.0])},
    ]
    mean = mean_of(ends)
    assert list(mean) == ["shared"]
    assert mean["shared"].tolist() == [2.0, 3.0]
