"""A circuit breaker: after failures in a row, a server is left in peace for a while, then tried by one call.

The pattern is M. Nygard's (Release It!, 2007): closed while all is well, open while it rests, half-open while
one call, the probe, finds out whether it is well again.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Literal

from server.counting import Counter, parsed_limits
from server.errors import LlmUnavailableError, TooManyError

State = Literal["closed", "open", "half-open"]
Outcome = Literal["well", "failed", "withdrawn"]


class Permit:
    """Leave for one call, to be handed back with its outcome."""

    __slots__ = ("era",)

    def __init__(self, era: int) -> None:
        self.era = era


class CircuitBreaker:
    """Thread-safe. `clock` gives seconds that only grow."""

    def __init__(self, failures: int, rest_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = failures
        self._rest_s = rest_s
        self._clock = clock
        self._lock = threading.Lock()
        self._failures = 0
        self._era = 0  # grows each time the breaker opens
        self._opened_at: float | None = None
        self._probe: Permit | None = None

    @property
    def state(self) -> State:
        """What it lets through: every call, none, or one."""
        with self._lock:
            if self._opened_at is None:
                return "closed"
            return "open" if self._is_resting(self._opened_at) else "half-open"

    def admit(self) -> Permit | None:
        """Leave for one call, or None while it rests and while a probe is under way."""
        with self._lock:
            if self._opened_at is None:
                return Permit(self._era)
            if self._probe is not None or self._is_resting(self._opened_at):
                return None
            self._probe = Permit(self._era)
            return self._probe

    def settle(self, permit: Permit, outcome: Outcome) -> None:
        """How a call ended. `withdrawn`, a call that was given up, says nothing about the server.

        A call from before the breaker opened counts no more.
        """
        with self._lock:
            if permit is self._probe:
                self._probe = None
                self._settle_probe(outcome)
            elif self._opened_at is None and permit.era == self._era:
                self._settle_call(outcome)

    def _settle_probe(self, outcome: Outcome) -> None:
        if outcome == "well":
            self._opened_at, self._failures = None, 0
        elif outcome == "failed":
            self._open()

    def _settle_call(self, outcome: Outcome) -> None:
        if outcome == "well":
            self._failures = 0
        elif outcome == "failed":
            self._failures += 1
            if self._failures >= self._limit:
                self._open()

    def _open(self) -> None:
        self._opened_at = self._clock()
        self._era += 1

    def _is_resting(self, opened_at: float) -> bool:
        return self._clock() - opened_at < self._rest_s


ALL = ("tokens", "llm")  # one budget, whoever asks


class TokenBudget:
    """Tokens of prompts and answers, in sliding windows; several servers share one by Redis.

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


class ConcurrencyLimit:
    """Belongs to one event loop. First come, first served."""

    def __init__(self, places: int, queue: int) -> None:
        self._semaphore = asyncio.Semaphore(places)
        self._queue = queue
        self._waiting = 0

    @asynccontextmanager
    async def taken(self, wait_s: float) -> AsyncIterator[None]:
        """A place for the length of a `with`; `LlmUnavailableError` (`full`) when none comes free in time."""
        await self._acquire(wait_s)
        try:
            yield
        finally:
            self._semaphore.release()

    async def _acquire(self, wait_s: float) -> None:
        if self._semaphore.locked() and self._waiting >= self._queue:
            raise _full()
        self._waiting += 1
        try:
            async with asyncio.timeout(wait_s):
                await self._semaphore.acquire()
        except TimeoutError:
            raise _full() from None
        finally:
            self._waiting -= 1


def _full() -> LlmUnavailableError:
    return LlmUnavailableError("The language model has more questions than it can take.", "full")
