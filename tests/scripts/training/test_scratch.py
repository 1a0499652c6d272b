"""The transformer from nothing, in a very small size. It needs the training environment (test_run.py)."""

from __future__ import annotations

import pytest

pytest.importorskip("peft", reason="training needs .venv-train")

import json
from pathlib import Path

import torch

from scripts.training.train_scratch import Pair, Scratch, Sizes, held_out, learn, loss_of, main, written
from scripts.training.word_vocabulary import BEGIN, END, PADDING

SMALL = Sizes(
    words=20,
    width=16,
    heads=2,
    layers=1,
    inner=32,
    dropout=0.0,
    most_tokens=8,
    epochs=60,
    learning_rate=1e-2,
    warmup_steps=5,
    patience=99,
)
PAIRS = [Pair([BEGIN, 5 + n, END], [BEGIN, 10 + n, 10 + n, END]) for n in range(4)]


def small(sizes: Sizes = SMALL) -> Scratch:
    torch.set_num_threads(1)
    torch.manual_seed(1)
    return Scratch(sizes)


def test_a_word_is_told_by_those_before_it_alone() -> None:
    model = small().eval()
    question = torch.tensor([[BEGIN, 5, END]])
    one, other = (model(question, torch.tensor([[BEGIN, 10, last]])) for last in (11, 12))
    assert torch.allclose(one[:, :2], other[:, :2], atol=1e-6)
    assert not torch.allclose(one[:, 2], other[:, 2])


def test_padding_changes_no_loss() -> None:
    model = small().eval()
    alone = [
        float(loss_of(model, [pair]).detach())
        for pair in (PAIRS[0], Pair([BEGIN, 6, 7, 8, END], [BEGIN, 11, END]))
    ]
    both = held_out(model, [PAIRS[0], Pair([BEGIN, 6, 7, 8, END], [BEGIN, 11, END])], 2)
    assert both == pytest.approx((3 * alone[0] + 2 * alone[1]) / 5, rel=1e-4)


def test_it_learns_pairs_by_heart() -> None:
    model = small()
    progress = learn(model, PAIRS, PAIRS, SMALL)
    assert progress.best < 0.1 < progress.validations[0][1]
    assert [written(model, pair.question, 8) for pair in PAIRS] == [pair.answer for pair in PAIRS]


def test_the_command_writes_its_card_and_answers(tmp_path: Path) -> None:
    rows = [
        {
            "messages": [{"role": "user", "content": f"<question>\nwhat is {n}\n</question>"}],
            "target": f"It is {n}. [1]",
        }
        for n in range(3)
    ]
    for name in ("train", "aside"):
        (tmp_path / f"{name}.jsonl").write_text(
            "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8"
        )
    main(["--data", str(tmp_path), "--out", str(tmp_path / "out"), "--epochs", "2"])
    card = json.loads((tmp_path / "out" / "card.json").read_text(encoding="utf-8"))
    assert (card["examples"], card["epochs"], card["right"]["of"]) == (3, 2, 3)
    assert len((tmp_path / "out" / "answers.jsonl").read_text(encoding="utf-8").splitlines()) == 3
    assert PADDING == 0
