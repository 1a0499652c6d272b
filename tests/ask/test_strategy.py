from __future__ import annotations

import pytest

from server.ask.context import STEPS_OF_STRATEGIES, Strategy, known_strategies, parse_strategy
from server.errors import BadInputError


@pytest.mark.parametrize("name", ["semantic", "keyword", "hybrid"])
def test_a_search_alone_is_a_strategy(name: str) -> None:
    assert parse_strategy(name) == Strategy(name)
    assert parse_strategy(name).name == name


@pytest.mark.parametrize("name", ["", "Hybrid", "hybrid+rerank", "hybrid+", "rerank", "keyword+semantic"])
def test_an_unknown_one_is_named_with_those_there_are(name: str) -> None:
    with pytest.raises(BadInputError, match="There are: semantic, keyword, hybrid") as caught:
        parse_strategy(name)
    assert repr(name) in caught.value.message
    assert caught.value.code == "unknown_strategy"


def test_optional_steps_follow_in_their_order() -> None:
    steps = ("rerank", "topics")
    assert known_strategies(steps)[-4:] == [
        "hybrid",
        "hybrid+rerank",
        "hybrid+topics",
        "hybrid+rerank+topics",
    ]
    assert parse_strategy("hybrid+rerank+topics", steps) == Strategy("hybrid", steps)
    with pytest.raises(BadInputError, match=r"hybrid\+rerank\+topics"):
        parse_strategy("hybrid+topics+rerank", steps)


def test_every_known_name_is_read_and_no_step_twice() -> None:
    for name in known_strategies():
        assert parse_strategy(name, STEPS_OF_STRATEGIES).name == name
    with pytest.raises(BadInputError):
        parse_strategy("hybrid+rerank+rerank", STEPS_OF_STRATEGIES)
