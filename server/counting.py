"""Rate limits: how often something has happened, or how much was used, in sliding windows.

The `limits` library counts, in this process's memory or, for several servers, in Redis or Valkey. A counter
belongs to one event loop, which nothing here blocks: limits that are asked together wait together.

An address is never kept: what is counted is a keyed hash of it, with another key every day.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import math
import re
import secrets
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

from limits import RateLimitItem, RateLimitItemPerMinute, parse_many
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import SlidingWindowCounterRateLimiter
from limits.errors import StorageError as CountingError
from limits.storage import storage_from_string

from server.circuit_breaker import CircuitBreaker
from server.errors import BadInputError, TooManyError

if TYPE_CHECKING:
    from redis.asyncio import ConnectionPool

logger = logging.getLogger("lodge.counting")

# A question waits a fifth of a second for a store of counts that is slow, or away. In pieces: where the event
# loop is late each is longer, for that is not the store's fault.
PIECES, PIECE_S = 5, 0.04
GIVEN_UP_S = 1.0  # work that was timed out and goes on
# One that has failed is not called for so long: if every question waited for its time-out, all would stand.
REST_S = 5.0
MAX_CONNECTIONS = 128  # to the store, of one process
LONGEST_S = 366 * 86_400  # that is counted over
_NO_TIME = re.compile(r"(?:/|per)\s*0+\s*[a-z]", re.IGNORECASE)  # "5/0 minutes"

Counted = tuple[RateLimitItem, str, str]  # a limit, the kind of thing that is counted, which one of them
T = TypeVar("T")


class StoreAwayError(Exception):
    """The shared store has failed, or its circuit breaker is open."""


async def soon(*work: Awaitable[T]) -> list[T]:
    """The results of all of these, awaited together; `TimeoutError` where the store takes too long.

    What is late goes on, so that a connection that was slow to make is there the next time.
    """
    together = asyncio.gather(*work)
    together.add_done_callback(lambda over: over.cancelled() or over.exception())
    for _ in range(PIECES):
        done, _ = await asyncio.wait((together,), timeout=PIECE_S)
        if done:
            return together.result()
    raise TimeoutError


class SharedStore:
    """The Redis or Valkey of several servers, behind a circuit breaker.

    After a failure it is not called for `REST_S`; then one call probes it, while the others still do
    without. Belongs to one event loop.
    """

    def __init__(self, url: str, steady: Callable[[], float] = time.monotonic) -> None:
        """`BadInputError` for a URL that is none of a store; `steady` gives seconds that nobody sets back."""
        self._breaker = CircuitBreaker(1, REST_S, steady)
        self._errors: tuple[type[Exception], ...] = (CountingError, TimeoutError)
        self.pool: ConnectionPool | None = None  # None: a store that counts and keeps nothing else
        options: dict[str, Any] = {"socket_timeout": GIVEN_UP_S, "socket_connect_timeout": GIVEN_UP_S}
        if is_plain := url.startswith(("redis:", "rediss:")):
            from redis import RedisError  # noqa: PLC0415 - one server alone does without

            self._errors = (CountingError, TimeoutError, RedisError)
        try:
            if is_plain:
                self.pool = _pool(url)
                options = {"connection_pool": self.pool}
            if url.startswith("redis"):
                options["implementation"] = "redispy"
            storage = storage_from_string(f"async+{url}", wrap_exceptions=True, **options)
        except Exception:
            raise BadInputError(
                "LODGE_LIMIT_URL takes the URL of a Redis or Valkey, such as redis://host:6379/0."
            ) from None
        self.windows = SlidingWindowCounterRateLimiter(storage)

    @property
    def rests(self) -> bool:
        """Whether its circuit breaker is open."""
        return self._breaker.state == "open"

    async def call(self, work: Callable[[], Awaitable[T]]) -> T:
        """The result of work on the store; `StoreAwayError` where it fails or the breaker is open."""
        permit = self._breaker.admit()
        if permit is None:
            raise StoreAwayError
        try:
            found = await work()
        except self._errors as error:
            if self._breaker.settle(permit, "failed"):
                logger.warning("LODGE_LIMIT_URL fails (%s); counting alone.", type(error).__name__)
            raise StoreAwayError from error
        except BaseException:
            self._breaker.settle(permit, "withdrawn")
            raise
        if self._breaker.settle(permit, "well"):
            logger.warning("LODGE_LIMIT_URL answers again; counting together.")
        return found

    async def open(self) -> None:
        """Load the scripts that count into the store before the first question needs them; it may be away."""
        a_minute = RateLimitItemPerMinute(1)
        with suppress(StoreAwayError):
            await self.call(
                lambda: asyncio.gather(
                    self.windows.test(a_minute, "opening"), self.windows.hit(a_minute, "opening", cost=0)
                )
            )

    async def close(self) -> None:
        """Let go of the connections."""
        if self.pool is not None:
            await self.pool.aclose()


class Counter:
    """Rate-limit counter; while the shared store fails this process counts alone. For one event loop."""

    def __init__(
        self,
        store: str = "",
        clock: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        """`store` is empty, or the URL of a Redis or Valkey; `clock` gives seconds since the epoch, `steady`
        those that nobody sets back."""
        self._clock = clock
        # Several servers must hash alike, so their key is the store's URL; that of a single one is random.
        self._secret = store.encode() or secrets.token_bytes(32)
        self._own = SlidingWindowCounterRateLimiter(MemoryStorage())
        self.shared = SharedStore(store, steady) if store else None

    async def require_room(self, wanted: Sequence[Counted], cost: int = 1) -> None:
        """A `TooManyError` where one of these has no room for `cost`, with the seconds to wait; nothing is
        counted."""

        async def work(windows: SlidingWindowCounterRateLimiter) -> float | None:
            has_room = await soon(*(windows.test(*one, cost=cost) for one in wanted))
            return await _room_again(windows, wanted, has_room)

        self._refuse(await self._with_store(work))

    async def count(self, wanted: Sequence[Counted]) -> None:
        """Count one of each, whether there is room or not."""
        await self._with_store(lambda windows: soon(*(windows.hit(*one) for one in wanted)))

    async def spend(self, wanted: Sequence[Counted], cost: int) -> None:
        """Count `cost` of each, or as much as there is room for."""

        async def work(windows: SlidingWindowCounterRateLimiter) -> None:
            for one in wanted:
                if not await windows.hit(*one, cost=cost):
                    await windows.hit(*one, cost=(await windows.get_window_stats(*one)).remaining)

        await self._with_store(work)

    async def admit(self, wanted: Sequence[Counted]) -> None:
        """Count one of each, or raise and count none, so that waiting helps."""

        async def work(windows: SlidingWindowCounterRateLimiter) -> float | None:
            hits = await soon(*(windows.hit(*one) for one in wanted))
            if not all(hits):  # what has counted is given back
                given_back = [one for one, hit in zip(wanted, hits, strict=True) if hit]
                await soon(*(windows.hit(*one, cost=-1) for one in given_back))
            return await _room_again(windows, wanted, hits)

        self._refuse(await self._with_store(work))

    def hashed(self, address: str) -> str:
        """The keyed hash that stands for an address today."""
        day = datetime.fromtimestamp(self._clock(), UTC).date().isoformat()
        return hmac.new(self._secret, f"{day}\0{address}".encode(), hashlib.sha256).hexdigest()[:32]

    async def open(self) -> None:
        """Make the shared store ready; without, the first to count does."""
        if self.shared is not None:
            await self.shared.open()

    async def close(self) -> None:
        """Let go of the shared store."""
        if self.shared is not None:
            await self.shared.close()

    async def _with_store(self, work: Callable[[SlidingWindowCounterRateLimiter], Awaitable[T]]) -> T:
        if (shared := self.shared) is not None:
            with suppress(StoreAwayError):
                return await shared.call(lambda: work(shared.windows))
        return await work(self._own)

    def _refuse(self, room_again: float | None) -> None:
        if room_again is not None:
            seconds = max(1, math.ceil(room_again - self._clock()))
            raise TooManyError(f"That was too much at once. Please try again in {seconds} seconds.", seconds)


async def _room_again(
    windows: SlidingWindowCounterRateLimiter, wanted: Sequence[Counted], has_room: Sequence[bool]
) -> float | None:
    """When there is room in all of them, in seconds since the epoch; None where there is now."""
    full = [one for one, has in zip(wanted, has_room, strict=True) if not has]
    stats = await soon(*(windows.get_window_stats(*one) for one in full))
    return max((one.reset_time for one in stats), default=None)


def parsed_limits(name: str, text: str) -> list[RateLimitItem]:
    """A list such as "30/minute;300/hour"; `BadInputError` with the setting's name where it is none.

    The library would take 0 minutes for one, and count for longer than clocks go.
    """
    try:
        found = parse_many(text) if text.strip() else []
    except ValueError:
        found = None
    if found is None or _NO_TIME.search(text) or any(one.get_expiry() > LONGEST_S for one in found):
        raise BadInputError(f"{name} is {text!r}; it takes limits such as 30/minute;300/hour.")
    return found


def _pool(url: str) -> ConnectionPool:
    """Connections that ask once: a failure is told at once, and the store is left alone.

    They do without a greeting, which a new connection would wait for once or twice.
    """
    from redis.asyncio import BlockingConnectionPool  # noqa: PLC0415 - one server alone does without

    return BlockingConnectionPool.from_url(
        url,
        max_connections=MAX_CONNECTIONS,
        timeout=GIVEN_UP_S,
        socket_timeout=GIVEN_UP_S,
        socket_connect_timeout=GIVEN_UP_S,
        protocol=2,
        driver_info=None,
    )
