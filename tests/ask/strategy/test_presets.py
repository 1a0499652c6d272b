from __future__ import annotations

import pytest

from server.ask.context import RerankOptions, RetrievalConfig, RetrieveOptions, Strategy
from server.ask.strategy.presets import PRESETS, config_for, reranks
from server.errors import BadInputError

STEPS = ("rerank", "topics")
USUAL = RetrievalConfig(Strategy("hybrid"), RetrieveOptions(30, "rrf", 0.4), RerankOptions(7), passages=2)


def test_a_strategy_has_the_usual_numbers() -> None:
    way = config_for("keyword+rerank", USUAL, STEPS)
    assert way.strategy == Strategy("keyword", ("rerank",))
    assert (way.retrieve, way.rerank, way.passages) == (USUAL.retrieve, USUAL.rerank, 2)
    assert way.name == "keyword+rerank"


@pytest.mark.parametrize(
    ("name", "brought", "read", "passages", "chunk"),
    [
        ("brockport", (50, 50), 50, 5, (350, 25)),
        ("cmu", (100, 100), 100, 3, (512, 100)),
        ("princeton", (12, 4), 16, 4, (4096, 0)),
    ],
)
def test_a_preset_has_its_own(
    name: str, brought: tuple[int, int], read: int, passages: int, chunk: tuple[int, int]
) -> None:
    way = config_for(name, USUAL, STEPS)
    assert (way.retrieve.candidates, way.retrieve.by_words) == brought
    assert (way.rerank.candidates, way.rerank.stop) == (read, 0.0)
    assert (way.passages, way.name, way.strategy.steps) == (passages, name, ("rerank",))
    assert (PRESETS[name].chunk_chars, PRESETS[name].chunk_overlap_chars) == chunk


def test_it_is_known_by_its_name_whether_a_way_reranks() -> None:
    assert all(reranks(name) for name in ("hybrid+rerank", "keyword+rerank+topics", "cmu", "princeton-hyde"))
    assert not any(reranks(name) for name in ("hybrid", "semantic+topics", "hybrid+llmrerank", "salerno"))


def test_an_unknown_name_is_told_with_those_that_can_be_asked_for() -> None:
    with pytest.raises(BadInputError, match=r"There are: semantic, .*, brockport, cmu, princeton") as caught:
        config_for("yale", USUAL, STEPS)
    assert caught.value.code == "unknown_strategy"


def test_without_a_cross_encoder_there_is_no_preset_that_reranks() -> None:
    with pytest.raises(BadInputError, match=r"There are: semantic, .*hybrid\+topics\.$"):
        config_for("brockport", USUAL, ("topics",))


@pytest.mark.parametrize(
    ("name", "of", "strategy"),
    [
        ("cmu-multiquery", "cmu", "hybrid+rerank+multiquery"),
        ("princeton-hyde", "princeton", "hybrid+rerank+hyde"),
        ("princeton-llmrerank", "princeton", "hybrid+llmrerank"),
    ],
)
def test_a_variant_has_its_systems_numbers(name: str, of: str, strategy: str) -> None:
    own, usual = PRESETS[name], PRESETS[of]
    assert own.config.strategy.name == strategy
    assert (own.config.retrieve, own.config.passages) == (usual.config.retrieve, usual.config.passages)
    assert (own.chunk_chars, own.chunk_overlap_chars) == (usual.chunk_chars, usual.chunk_overlap_chars)
    assert own.config.expand.wordings == 3


def test_every_preset_is_known_by_its_name() -> None:
    assert [preset.config.name for preset in PRESETS.values()] == list(PRESETS)
    assert PRESETS["salerno"].config.questions.share == 0.3
