"""A page of two chunks, a search over it, and models that say what they are told."""

from __future__ import annotations

from collections.abc import Sequence

from server.llm.wire import ChatMessage
from server.models import Passage
from server.training.asking import PageChunks
from server.training.keeping import Search

URL = "https://www.brackwater.example/library"
HOURS = Passage(0, URL, "Library", "Hours", "The library opens at nine on weekdays. It closes at ten.")
CARDS = Passage(1, URL, "Library", "Cards", "A library card is free for students. Others pay $20 a year.")
ELSEWHERE = Passage(2, "https://www.brackwater.example/fees", "Fees", "", "The parking fee is $20 a year.")
PAGE = PageChunks(URL, "Library", (HOURS, CARDS))


def words(text: str) -> int:
    """Words for tokens."""
    return len(text.split())


def finds(*passages: Passage) -> Search:
    """A search that always brings these."""
    return lambda _question: passages


class Scripted:
    """A model that gives these replies in turn, the last one for ever; it keeps what it was asked."""

    def __init__(self, *replies: str) -> None:
        self.asked: list[tuple[ChatMessage, ...]] = []
        self._replies = list(replies)

    def __call__(self, messages: Sequence[ChatMessage], _tokens: int) -> str:
        self.asked.append(tuple(messages))
        return self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
