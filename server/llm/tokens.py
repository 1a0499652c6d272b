"""Token counts, by the server's own tokenizer where it has an address for that; and the budget of tokens.

llama-server, vLLM and llama-cpp-python's server each have one, Ollama has none. Which it is, is found out
with a short text; where nothing is found, or it does not answer, an upper estimate takes its place.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from server.counting import Counter, parsed_limits
from server.errors import LlmUnavailableError, TooManyError

PROBE = "When does the library open?"
REST_S = 60.0
KNOWN_TEXTS = 4096

# Sends a JSON body to a path below the server's root and returns the JSON of a good answer; anything else is
# an `LlmUnavailableError`.
Post = Callable[[str, Mapping[str, Any]], Any]


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """A server's tokenizer endpoint: where to send what, and where the count stands in its answer."""

    path: str
    body: Callable[[str, str], Mapping[str, Any]]  # of the model's name and the text
    count: Callable[[Any], int]


# llama-server is asked first: vLLM turns its question down, but llama-server would count nothing in vLLM's.
TOKENIZERS = (
    Tokenizer("/tokenize", lambda _, text: {"content": text}, lambda answer: len(answer["tokens"])),
    Tokenizer(
        "/tokenize",
        lambda model, text: {"model": model, "prompt": text, "add_special_tokens": False},
        lambda answer: int(answer["count"]),
    ),
    Tokenizer("/extras/tokenize/count", lambda _, text: {"input": text}, lambda answer: int(answer["count"])),
)


class TokenCounter:
    """Counter of a text's tokens, by the server or by an upper estimate; it never fails. Thread-safe.

    A server that takes longer than `slow_s` for a count is not asked for more of them, so that many counts
    together do not take long either.
    """

    def __init__(
        self,
        post: Post,
        model: str = "",
        slow_s: float = math.inf,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._post = post
        self._model = model
        self._slow_s = slow_s
        self._clock = clock
        self._tokenizer: Tokenizer | None = None
        self._rests_until = clock()
        self._counted = lru_cache(KNOWN_TEXTS)(self._count)

    def count(self, text: str) -> int:
        """Tokens of a text; after a failure or a slow count the server is not asked again for a minute."""
        if not text:
            return 0
        try:
            return self._counted(text)
        except LlmUnavailableError:
            return upper_estimate(text)

    def _count(self, text: str) -> int:
        began = self._clock()
        if began < self._rests_until:
            raise LlmUnavailableError("No tokenizer, for now.", "down")
        try:
            self._tokenizer = self._tokenizer or self._find()
            count = self._ask(self._tokenizer, text)
        except LlmUnavailableError:
            self._tokenizer, self._rests_until = None, self._clock() + REST_S
            raise
        if self._clock() - began > self._slow_s:
            self._rests_until = self._clock() + REST_S
        return count

    def _find(self) -> Tokenizer:
        for tokenizer in TOKENIZERS:
            try:
                self._ask(tokenizer, PROBE)
            except LlmUnavailableError as error:
                if error.trouble in ("down", "slow"):  # nobody is there to be asked in another way
                    raise
            else:
                return tokenizer
        raise LlmUnavailableError("The language model's server tells no tokens.", "refused")

    def _ask(self, tokenizer: Tokenizer, text: str) -> int:
        answer = self._post(tokenizer.path, tokenizer.body(self._model, text))
        try:
            count = tokenizer.count(answer)
        except (TypeError, KeyError, ValueError):
            count = 0
        most = len(text.encode(errors="replace")) + 2  # a token has a byte at least; two may be special
        if not 1 <= count <= most:
            raise LlmUnavailableError("The language model's server counts no tokens.", "broken")
        return count


# A space that a word follows belongs to the word's first token.
_PART = re.compile(r" ?([a-z]+)| ?([A-Z]+)|(.)", re.DOTALL)


def upper_estimate(text: str) -> int:
    """More tokens than the usual tokenizers make of a text: a token for three small letters of a word or two
    capitals, and one for each byte of anything else.

    docs/llm.md has how it compares with ten of them. Only strings of random letters have had more.
    """
    return 1 + sum(_estimate(*part) for part in _PART.findall(text))


def _estimate(small: str, capitals: str, other: str) -> int:
    return -(-len(small) // 3) - (-len(capitals) // 2) + len(other.encode(errors="replace"))


ALL = ("tokens", "llm")  # one budget, whoever asks


class TokenBudget:
    """Budget of tokens of prompts and answers, in sliding windows; several servers share one by Redis.

    Belongs to one event loop.

    It is asked before a request and told after it, so what is under way at the same time may exceed it by a
    little.
    """

    def __init__(self, limits: str = "", store: str = "", clock: Callable[[], float] = time.time) -> None:
        """`limits` such as "200000/hour;2000000/day", empty: none; `store` as `Counter` takes it."""
        self._limits = [(limit, *ALL) for limit in parsed_limits("LODGE_LLM_TOKENS", limits)]
        self._counter = Counter(store if self._limits else "", clock)

    async def require(self, tokens: int) -> None:
        """`LlmUnavailableError` (`spent`) where so many more are too many; nothing is counted."""
        try:
            if self._limits:
                await self._counter.require_room(self._limits, tokens)
        except TooManyError:
            raise LlmUnavailableError("The language model's tokens are spent for now.", "spent") from None

    async def spend(self, tokens: int) -> None:
        """Count so many; what is more than there was left uses it up."""
        if self._limits and tokens > 0:
            await self._counter.spend(self._limits, tokens)

    async def close(self) -> None:
        """Let go of where it is counted."""
        await self._counter.close()
