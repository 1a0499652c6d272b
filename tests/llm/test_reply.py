from __future__ import annotations

import asyncio

import pytest

from server.errors import LlmUnavailableError
from server.llm.wire import StreamedReply
from tests.llm.scripted import event, usage


def data_of(line: str) -> str:
    return line.removeprefix("data: ").strip()


def test_it_passes_text_on_and_keeps_what_is_said_of_the_end() -> None:
    async def scene() -> None:
        said: list[str] = []
        reply = StreamedReply(said.append)
        assert reply.has_begun is False
        for line in (event(None), event("Nine"), event("."), event(None, "length"), usage(7, 2)):
            reply.take(data_of(line))
        finish = reply.finished(asyncio.get_running_loop().time(), 0)
        assert said == ["Nine", "."]
        assert (finish.reason, finish.prompt_tokens, finish.answer_tokens) == ("length", 7, 2)

    asyncio.run(scene())


def test_only_words_are_a_sign_of_life() -> None:
    async def scene() -> int:
        calls = []
        reply = StreamedReply(lambda _: None)
        reply.on_text = lambda: calls.append(1)
        for line in (event(None), event(""), event("Nine."), usage(7, 2)):
            reply.take(data_of(line))
        return len(calls)

    assert asyncio.run(scene()) == 1


def test_an_end_without_words_is_no_answer() -> None:
    with pytest.raises(LlmUnavailableError, match="said nothing"):
        StreamedReply(lambda _: None).check()
