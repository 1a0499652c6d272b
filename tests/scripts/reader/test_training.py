from __future__ import annotations

import pytest

pytest.importorskip("torch", reason="training needs .venv-export")

from pathlib import Path

import torch
from tokenizers import Tokenizer
from transformers import BertConfig, BertModel

from scripts.research.reader.batches import Recipe
from scripts.research.reader.network import Graph, Reader
from scripts.research.reader.training import Run, Schedule, Weights
from server.settings import Settings
from tests.scripts.reader.test_batches import example

EXITS = (1, 2)


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder of a very small BERT."""
    folder = tmp_path_factory.mktemp("bert")
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=30522, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32
    )
    BertModel(config, add_pooling_layer=False).save_pretrained(folder)
    return str(folder)


def run(weights: str, folder: Path, questions: int = 12, schedule: Schedule | None = None) -> Run:
    settings = Settings()
    tokenizer = Tokenizer.from_file(str(settings.models_dir / settings.embedder / "tokenizer.json"))
    tokenizer.enable_truncation(64, strategy="only_second")
    torch.manual_seed(5)
    order = [example(i) for i in range(questions)]
    folder.mkdir(exist_ok=True)
    return Run(
        Reader(weights, EXITS),
        tokenizer,
        order,
        Recipe(examples=2),
        schedule or Schedule(),
        Weights(),
        5,
        folder,
        torch.device("cpu"),
        checkpoint_steps=2,
    )


def parameters(one: Run) -> list[torch.Tensor]:
    return [p.detach().clone() for p in one.reader.parameters()]


def test_a_run_that_was_ended_goes_on_to_the_same_weights(weights: str, tmp_path: Path) -> None:
    whole = run(weights, tmp_path / "whole")
    whole.train()
    ended = run(weights, tmp_path / "ended")
    ended.train(until=4)
    resumed = run(weights, tmp_path / "ended")
    resumed.train()
    assert all(torch.equal(a, b) for a, b in zip(parameters(whole), parameters(resumed), strict=True))
    assert any(not torch.equal(a, b) for a, b in zip(parameters(ended), parameters(resumed), strict=True))


def test_a_checkpoint_of_another_recipe_is_refused(weights: str, tmp_path: Path) -> None:
    run(weights, tmp_path).train(until=2)
    with pytest.raises(SystemExit, match="belongs to another recipe"):
        run(weights, tmp_path, schedule=Schedule(rate=1.0)).train()


def test_what_is_trained_learns(weights: str, tmp_path: Path) -> None:
    """The right passage is always the same here: a reader that learns at all finds it out."""
    trained = run(weights, tmp_path, questions=120, schedule=Schedule(rate=3e-3, head_rate=3e-3))
    first = trained.loss_of(0)
    trained.train()
    assert trained.loss_of(0) < 0.5 * first


def test_an_exit_alone_says_what_it_says_in_the_network(weights: str) -> None:
    reader = Reader(weights, EXITS).eval()
    ids = torch.randint(1000, 2000, (2, 7))
    mask, types = torch.ones_like(ids), torch.zeros_like(ids)
    both = reader(ids, mask, types)
    for which, exit_ in enumerate(EXITS):
        relevance, start, end = Graph(reader, exit_)(ids, mask, types)
        assert torch.allclose(relevance, both[which].relevance, atol=1e-5)
        assert torch.allclose(start, both[which].start, atol=1e-5)
        assert torch.allclose(end, both[which].end, atol=1e-5)
