from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from server.errors import LlmTrouble, LlmUnavailableError
from server.llm.tokens import PROBE, REST_S, TokenCounter, upper_estimate
from tests.clock import Clock

LLAMA_SERVER = {"content": "three small words"}
VLLM = {"model": "qwen", "prompt": "three small words", "add_special_tokens": False}
LLAMA_CPP_PYTHON = {"input": "three small words"}


class Server:
    """Answers one kind of question, by counting words; others get its `no`."""

    def __init__(self, path: str, key: str, answer: str, no: LlmTrouble = "refused") -> None:
        self.path, self.key, self.answer, self.no = path, key, answer, no
        self.asked: list[tuple[str, Mapping[str, Any]]] = []
        self.well = True

    def __call__(self, path: str, body: Mapping[str, Any]) -> Any:
        self.asked.append((path, body))
        if not self.well:
            raise LlmUnavailableError("It is down.", "down")
        if path != self.path or self.key not in body:
            raise LlmUnavailableError("It does not know this.", self.no)
        words = body[self.key].split()
        return {self.answer: words if self.answer == "tokens" else len(words)}


SERVERS = [
    ("/tokenize", "content", "tokens", LLAMA_SERVER),
    ("/tokenize", "prompt", "count", VLLM),
    ("/extras/tokenize/count", "input", "count", LLAMA_CPP_PYTHON),
]


@pytest.mark.parametrize(("path", "key", "answer", "body"), SERVERS)
def test_each_kind_of_server_counts_and_is_found_once(
    path: str, key: str, answer: str, body: dict[str, Any]
) -> None:
    server = Server(path, key, answer)
    counter = TokenCounter(server, "qwen")
    assert counter.count("three small words") == 3
    assert server.asked[-1] == (path, body)
    asked = len(server.asked)
    assert counter.count("two words") == 2
    assert len(server.asked) == asked + 1


def test_a_text_is_counted_once() -> None:
    server = Server("/tokenize", "content", "tokens")
    counter = TokenCounter(server)
    assert [counter.count("three small words") for _ in range(3)] == [3, 3, 3]
    assert len(server.asked) == 2  # the probe and the text
    assert server.asked[0] == ("/tokenize", {"content": PROBE})


def test_nothing_has_no_tokens_and_asks_nobody() -> None:
    server = Server("/tokenize", "content", "tokens")
    assert TokenCounter(server).count("") == 0
    assert server.asked == []


def test_a_server_without_a_tokenizer_is_asked_once_in_a_while() -> None:
    server, clock = Server("/nowhere", "content", "tokens"), Clock(100.0)
    counter = TokenCounter(server, clock=clock)
    assert counter.count("three small words") == upper_estimate("three small words")
    assert len(server.asked) == 3
    counter.count("other words")
    assert len(server.asked) == 3
    clock.now += REST_S
    counter.count("other words")
    assert len(server.asked) == 6


def test_a_server_that_is_down_is_not_asked_in_other_ways_and_found_later() -> None:
    server, clock = Server("/tokenize", "content", "tokens"), Clock(100.0)
    server.well = False
    counter = TokenCounter(server, clock=clock)
    assert counter.count("three small words") == upper_estimate("three small words")
    assert len(server.asked) == 1
    server.well = True
    clock.now += REST_S
    assert counter.count("three small words") == 3


def test_a_server_that_fails_later_leaves_the_estimate() -> None:
    server = Server("/tokenize", "content", "tokens")
    counter = TokenCounter(server)
    assert counter.count("three small words") == 3
    server.well = False
    assert counter.count("two words") == upper_estimate("two words")
    assert counter.count("three small words") == 3  # known from before


def test_a_slow_server_is_believed_once_and_then_left_in_peace() -> None:
    """Counting happens while a visitor waits, and a prompt has many parts."""
    server, clock = Server("/tokenize", "content", "tokens"), Clock(100.0)

    def slowly(path: str, body: Mapping[str, Any]) -> Any:
        clock.now += 0.1
        return server(path, body)

    counter = TokenCounter(slowly, slow_s=0.15, clock=clock)
    assert counter.count("three small words") == 3  # with the probe, 0.2 seconds
    assert counter.count("two words") == upper_estimate("two words")
    clock.now += REST_S
    assert counter.count("two words") == 2  # 0.1 seconds
    assert counter.count("one") == 1


@pytest.mark.parametrize(
    "answer",
    [
        None,
        [],
        {},
        {"tokens": 5},
        {"tokens": []},
        {"count": -1},
        {"count": "many"},
        {"count": 10**9},
        "tokens",
    ],
)
def test_an_answer_that_is_no_count_is_not_believed(answer: Any) -> None:
    assert TokenCounter(lambda path, body: answer).count("some words") == upper_estimate("some words")


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 1),
        ("abc", 2),
        ("abcd", 3),
        ("the library", 5),
        ("NASA", 3),
        ("Room 12", 6),
        ("  ", 3),
        ("é", 3),
        ("图书馆", 10),
        ("\ud800", 2),
    ],
)
def test_the_estimate_is_so_many_letters_a_token_and_a_token_for_any_other_byte(
    text: str, tokens: int
) -> None:
    assert upper_estimate(text) == tokens
