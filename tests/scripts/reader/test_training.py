from __future__ import annotations

import pytest

pytest.importorskip("torch", reason="training needs .venv-export")

from pathlib import Path

import torch
from tokenizers import Tokenizer
from transformers import BertConfig, BertModel

from scripts.research.reader.batches import Recipe
from scripts.research.reader.claims import Claim, Verdict
from scripts.research.reader.network import Graph, Reader
from scripts.research.reader.training import Run, Schedule, Weights, verdict_loss
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


CLAIMS = tuple(
    Claim("own", f"The hall holds {n} people.", f"The hall holds {n + wrong} people.", Verdict(wrong))
    for n in range(40, 60)
    for wrong in (0, 1)
)


def run(
    weights: str,
    folder: Path,
    questions: int = 12,
    schedule: Schedule | None = None,
    claims: tuple[Claim, ...] = (),
) -> Run:
    settings = Settings()
    tokenizer = Tokenizer.from_file(str(settings.models_dir / settings.embedder / "tokenizer.json"))
    tokenizer.enable_truncation(64, strategy="only_second")
    torch.manual_seed(5)
    order = [example(i) for i in range(questions)]
    folder.mkdir(exist_ok=True)
    return Run(
        Reader(weights, EXITS, verdicts=bool(claims)),
        tokenizer,
        order,
        Recipe(examples=2),
        schedule or Schedule(),
        Weights(),
        5,
        folder,
        torch.device("cpu"),
        checkpoint_steps=2,
        claims=claims,
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


def test_a_run_with_claims_goes_on_to_the_same_weights(weights: str, tmp_path: Path) -> None:
    whole = run(weights, tmp_path / "whole", claims=CLAIMS)
    whole.train()
    run(weights, tmp_path / "ended", claims=CLAIMS).train(until=4)
    resumed = run(weights, tmp_path / "ended", claims=CLAIMS)
    resumed.train()
    assert all(torch.equal(a, b) for a, b in zip(parameters(whole), parameters(resumed), strict=True))
    with pytest.raises(SystemExit, match="belongs to another recipe"):
        run(weights, tmp_path / "ended", claims=CLAIMS[:3]).train()


def test_the_verdict_is_learnt(weights: str, tmp_path: Path) -> None:
    """Of one claim alone: a reader that learns at all finds it out."""
    one = CLAIMS[1:2]
    trained = run(weights, tmp_path, 120, Schedule(rate=3e-3, head_rate=3e-3), one)
    before = verdict_loss(trained.reader, one, trained.tokenizer, 4, trained.device).item()
    trained.train()
    assert verdict_loss(trained.reader, one, trained.tokenizer, 4, trained.device).item() < 0.5 * before


def test_a_graph_of_a_reader_that_judges_has_the_verdict(weights: str) -> None:
    reader = Reader(weights, EXITS, verdicts=True).eval()
    ids = torch.randint(1000, 2000, (2, 7))
    found = Graph(reader, 2)(ids, torch.ones_like(ids), torch.zeros_like(ids))
    verdict = reader(ids, torch.ones_like(ids), torch.zeros_like(ids))[1].verdict
    assert verdict is not None
    assert torch.allclose(found[3], verdict, atol=1e-5)


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
