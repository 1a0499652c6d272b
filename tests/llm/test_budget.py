from __future__ import annotations

import asyncio

import pytest

from server.errors import BadInputError, LlmUnavailableError
from server.llm.tokens import TokenBudget
from tests.llm.scripted import says, serving
from tests.llm.test_client import MESSAGES, client_of

NOON = 1_780_000_000.0


def left(budget: TokenBudget, *, most: int = 2000) -> int:
    """How many more tokens it would allow."""
    for tokens in range(most, 0, -1):
        try:
            asyncio.run(budget.require(tokens))
        except LlmUnavailableError:
            continue
        return tokens
    return 0


def test_without_limits_nothing_is_too_much() -> None:
    budget = TokenBudget()
    asyncio.run(budget.spend(10**12))
    assert left(budget, most=10**12) == 10**12


def test_what_is_spent_is_missing_until_its_time_is_over() -> None:
    now = [NOON]
    budget = TokenBudget("1000/hour;1500/day", clock=lambda: now[0])
    asyncio.run(budget.spend(600))
    assert left(budget) == 400
    with pytest.raises(LlmUnavailableError, match="spent for now") as error:
        asyncio.run(budget.require(401))
    assert error.value.trouble == "spent"


def test_an_answer_longer_than_what_was_left_uses_it_up() -> None:
    budget = TokenBudget("1000/hour")
    asyncio.run(budget.spend(900))
    asyncio.run(budget.spend(500))
    assert left(budget) == 0
    asyncio.run(budget.spend(500))
    assert left(budget) == 0


def test_a_wrong_limit_is_named() -> None:
    with pytest.raises(BadInputError, match="LODGE_LLM_TOKENS"):
        TokenBudget("many")


def test_the_client_counts_what_the_server_counted_and_asks_no_more_when_it_is_spent() -> None:
    with serving(says("Open ", "until ", "ten.")) as server, client_of(server, tokens="1000/hour") as client:
        assert client.complete(MESSAGES) == "Open until ten."
        assert left(client._budget) == 1000 - 11 - 3
        with pytest.raises(LlmUnavailableError) as error:
            client.complete(MESSAGES, answer_tokens=980)
        assert error.value.trouble == "spent"
        assert len(server.chats) == 1
        assert client.complete(MESSAGES, answer_tokens=50) == "Open until ten."


def test_a_visitor_who_leaves_has_used_what_was_said_and_the_prompt() -> None:
    with serving(says("Open ", "until ", "ten.")) as server, client_of(server, tokens="1000/hour") as client:
        pieces = client.stream(MESSAGES)
        next(pieces)
        pieces.close()
        assert 900 < left(client._budget) < 990
