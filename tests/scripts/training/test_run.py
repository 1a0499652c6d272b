"""The trainer with a very small Llama. It needs the training environment, with pytest in it:

.venv-train/bin/python -m pytest --confcutdir tests/scripts tests/scripts/training
"""

from __future__ import annotations

import pytest

pytest.importorskip("peft", reason="training needs .venv-train")

from pathlib import Path
from typing import Any

import torch
from transformers import LlamaConfig, LlamaForCausalLM

from scripts.training.batches import Tokens, batch_of, order
from scripts.training.network import answer_loss, trained, with_adapters
from scripts.training.recipe import Recipe
from scripts.training.run import Progress, Run

CPU = torch.device("cpu")
RECIPE = Recipe(rank=4, accumulate=2, learning_rate=1e-2, epochs=4, checkpoint_minutes=0.0)
ROWS = [Tokens((n, n + 1, n + 2, 9, 9 + n % 3), start=3) for n in range(8)]


def model(recipe: Recipe = RECIPE) -> Any:
    torch.manual_seed(1)
    config = LlamaConfig(
        vocab_size=32,
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=3,
        num_attention_heads=2,
        num_key_value_heads=1,
        tie_word_embeddings=True,
    )
    return with_adapters(LlamaForCausalLM(config), recipe)


def run(folder: Path, recipe: Recipe = RECIPE) -> Run:
    folder.mkdir(exist_ok=True)
    return Run(model(recipe), ROWS, ROWS[:3], recipe, folder, lambda _: None)


def test_the_loss_is_that_of_the_answers_tokens() -> None:
    """The same as transformers' own with the prompt masked, padded or not."""
    small = model()
    rows = [Tokens((1, 2, 3, 4, 5), start=3), Tokens((6, 7, 8), start=2)]
    labels = torch.tensor([[-100, -100, -100, 4, 5], [-100, -100, 8, -100, -100]])
    batch = batch_of(rows, CPU)
    expected = small(input_ids=batch.ids, attention_mask=batch.mask, labels=labels).loss
    assert answer_loss(small, batch).item() == pytest.approx(expected.item(), rel=1e-5)
    assert batch.tokens == 8


def test_adapters_are_in_the_upper_layers_alone() -> None:
    names = trained(model(Recipe(first_layer=2)))
    assert names
    assert all(".layers.2." in name and "lora_" in name for name in names)


def test_all_weights_are_learnt_where_that_is_asked_for() -> None:
    assert any("embed_tokens" in name for name in trained(model(Recipe(method="full"))))


def test_what_is_learnt_is_known_afterwards(tmp_path: Path) -> None:
    recipe = Recipe(method="full", accumulate=2, learning_rate=1e-2, epochs=8)
    progress = run(tmp_path, recipe).train()
    assert progress.best < 0.5 * progress.validations[0][1]
    assert progress.sequences == len(ROWS) * recipe.epochs


def test_a_run_that_was_ended_comes_to_the_same(tmp_path: Path) -> None:
    whole, parted = run(tmp_path / "whole"), run(tmp_path / "parted")
    whole.train()
    parted._validate()
    for at in (0, 2, 4):
        parted._step(parted.places[at : at + 2])
    parted._save()
    again = run(tmp_path / "parted")
    assert again.progress.sequences == 6
    again.train()
    losses = [[loss for _, loss in one.progress.losses] for one in (again, whole)]
    assert losses[0] == pytest.approx(losses[1])


def test_it_ends_where_nothing_gets_better() -> None:
    worse = Progress(validations=[(0, 2.0), (10, 1.0), (20, 1.1), (30, 1.2)])
    assert worse.stalled(2)
    assert not worse.stalled(3)
    assert worse.best == 1.0


def test_every_epoch_has_an_order_of_its_own() -> None:
    places = order(20, 2, seed=1)
    assert sorted(places[:20]) == sorted(places[20:]) == list(range(20))
    assert places[:20] != places[20:]
    assert places == order(20, 2, seed=1)
