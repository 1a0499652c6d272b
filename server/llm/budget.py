"""How many tokens the language model may read and write in a time: a GPU box is shared, or paid for."""

from __future__ import annotations

import time
from collections.abc import Callable

from server.counting import Counter, parsed_limits
from server.errors import LlmUnavailableError, TooManyError

ALL = ("tokens", "llm")  # one budget, whoever asks


class TokenBudget:
    """Thread-safe. Tokens of prompts and answers, in sliding windows; several servers share one by Redis.

    It is asked before a request and told after it, so what is under way at the same time may exceed it by a
    little.
    """

    def __init__(self, limits: str = "", store: str = "", clock: Callable[[], float] = time.time) -> None:
        """`limits` such as "200000/hour;2000000/day", empty: none; `store` as `Counter` takes it."""
        self._limits = [(limit, *ALL) for limit in parsed_limits("LODGE_LLM_TOKENS", limits)]
        self._counter = Counter(store if self._limits else "", clock)

    def require(self, tokens: int) -> None:
        """`LlmUnavailableError` (`spent`) where so many more are too many; nothing is counted."""
        try:
            if self._limits:
                self._counter.require_room(self._limits, tokens)
        except TooManyError:
            raise LlmUnavailableError("The language model's tokens are spent for now.", "spent") from None

    def spend(self, tokens: int) -> None:
        """Count so many; what is more than there was left uses it up."""
        if self._limits and tokens > 0:
            self._counter.spend(self._limits, tokens)
