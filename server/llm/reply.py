"""An answer as it comes in, and what is known of it at its end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from server.errors import LlmUnavailableError
from server.llm.wire import read_piece


@dataclass(frozen=True, slots=True)
class Finish:
    """How an answer came about. `reason` is the server's word: `stop`, or `length` where the tokens ran out.

    Milliseconds count from the call, waiting for a place included; the counts of tokens are the server's own.
    """

    reason: str
    attempts: int
    first_token_ms: float
    total_ms: float
    prompt_tokens: int | None
    answer_tokens: int | None


class Reply:
    """An answer as it comes in."""

    def __init__(self, put: Callable[[str], None]) -> None:
        self._put = put
        self.on_text: Callable[[], None] = lambda: None
        self.finish: str | None = None
        self._first_at: float | None = None
        self._prompt_tokens: int | None = None
        self._answer_tokens: int | None = None

    @property
    def has_begun(self) -> bool:
        """Whether the visitor may have seen some of it."""
        return self._first_at is not None

    def take(self, data: str) -> None:
        """One event of the stream."""
        piece = read_piece(data)
        self.finish = piece.finish or self.finish
        self._prompt_tokens = piece.prompt_tokens or self._prompt_tokens
        self._answer_tokens = piece.answer_tokens or self._answer_tokens
        if piece.text:
            self._first_at = self._first_at or asyncio.get_running_loop().time()
            self.on_text()
            self._put(piece.text)

    def check(self) -> None:
        """An end without a word before it is no answer."""
        if not self.has_begun:
            raise LlmUnavailableError("The language model said nothing.", "broken")

    def finished(self, began: float, attempts: int) -> Finish:
        """All that is known of it at its end."""
        now = asyncio.get_running_loop().time()
        return Finish(
            reason=self.finish or "stop",
            attempts=max(1, attempts),
            first_token_ms=round(((self._first_at or now) - began) * 1000, 3),
            total_ms=round((now - began) * 1000, 3),
            prompt_tokens=self._prompt_tokens,
            answer_tokens=self._answer_tokens,
        )
