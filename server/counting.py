"""Counting how often something happens, or how much is used, in a time.

The `limits` library does it: a sliding window, in this process's memory or, for several servers, in Redis or
Valkey.

An address is never kept: what is counted is a keyed hash of it, with another key every day.
"""

from __future__ import annotations

import hashlib
import hmac
import importlib
import logging
import math
import re
import secrets
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from limits import RateLimitItem, parse_many
from limits.errors import StorageError as CountingError
from limits.storage import MemoryStorage, Storage, storage_from_string
from limits.strategies import SlidingWindowCounterRateLimiter

from server.errors import BadInputError, TooManyError

logger = logging.getLogger("lodge.counting")

# A question does not wait for a store of counts that is slow, or away.
SOON = {"socket_timeout": 0.2, "socket_connect_timeout": 0.2}
# One that has failed is left alone for so long: where every question waited for its silence, all would stand.
REST_S = 5.0
LONGEST_S = 366 * 86_400  # that is counted over
_NO_TIME = re.compile(r"(?:/|per)\s*0+\s*[a-z]", re.IGNORECASE)  # "5/0 minutes"

Counted = tuple[RateLimitItem, str, str]  # a limit, the kind of thing that is counted, which one of them


class Rest:
    """What has failed is left alone for a while. Thread-safe."""

    def __init__(self, steady: Callable[[], float] = time.monotonic) -> None:
        """`steady` gives seconds that nobody sets back."""
        self._steady = steady
        self._until: float | None = None  # None: it has not failed since it last answered

    @property
    def is_on(self) -> bool:
        """Whether it is left alone now."""
        until = self._until
        return until is not None and self._steady() < until

    def begin(self) -> bool:
        """It has failed; whether that is news."""
        is_news, self._until = self._until is None, self._steady() + REST_S
        return is_news

    def end(self) -> bool:
        """It has answered; whether that is news."""
        is_news, self._until = self._until is not None, None
        return is_news


class Counter:
    """Thread-safe; where the shared store fails this process counts by itself, and asks it again later."""

    def __init__(
        self,
        store: str = "",
        clock: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        """`store` is empty, or the URL of a Redis or Valkey; `clock` gives seconds since the epoch, `steady`
        those that nobody sets back."""
        self._clock = clock
        self._rest = Rest(steady)
        # Several servers must hash alike, so what they share is the key's origin; alone, chance is.
        self._secret = store.encode() or secrets.token_bytes(32)
        self._own = SlidingWindowCounterRateLimiter(MemoryStorage())
        self._shared = SlidingWindowCounterRateLimiter(_storage(store)) if store else None

    def require_room(self, wanted: Sequence[Counted], cost: int = 1) -> None:
        """A `TooManyError` where one of these has no room for `cost`, with the seconds to wait; nothing is
        counted."""
        self._with_store(lambda counter: self._require_room(counter, wanted, cost))

    def count(self, wanted: Sequence[Counted]) -> None:
        """Count one of each, whether there is room or not."""
        self._with_store(lambda counter: [counter.hit(*one) for one in wanted])

    def spend(self, wanted: Sequence[Counted], cost: int) -> None:
        """Count `cost` of each, or as much as there is room for."""

        def work(counter: SlidingWindowCounterRateLimiter) -> None:
            for one in wanted:
                if not counter.hit(*one, cost=cost):
                    counter.hit(*one, cost=counter.get_window_stats(*one).remaining)

        self._with_store(work)

    def admit(self, wanted: Sequence[Counted]) -> None:
        """Count one of each, or raise and count none, so that waiting helps."""

        def work(counter: SlidingWindowCounterRateLimiter) -> None:
            self._require_room(counter, wanted)
            for one in wanted:
                if not counter.hit(*one):  # another server took the last place meanwhile
                    self._require_room(counter, [one])

        self._with_store(work)

    def hashed(self, address: str) -> str:
        """What stands for an address today."""
        day = datetime.fromtimestamp(self._clock(), UTC).date().isoformat()
        return hmac.new(self._secret, f"{day}\0{address}".encode(), hashlib.sha256).hexdigest()[:32]

    def _with_store(self, work: Callable[[SlidingWindowCounterRateLimiter], object]) -> None:
        if self._shared is not None and not self.rests:
            try:
                work(self._shared)
            except TooManyError:
                self._answers()
                raise
            except CountingError as error:
                self._fails(error)
            else:
                self._answers()
                return
        work(self._own)

    @property
    def rests(self) -> bool:
        """Whether the shared store has failed, and is left alone for now."""
        return self._rest.is_on

    def _fails(self, error: CountingError) -> None:
        if self._rest.begin():
            logger.warning("LODGE_LIMIT_URL fails (%s); counting alone.", type(error).__name__)

    def _answers(self) -> None:
        if self._rest.end():
            logger.warning("LODGE_LIMIT_URL answers again; counting together.")

    def _require_room(
        self, counter: SlidingWindowCounterRateLimiter, wanted: Sequence[Counted], cost: int = 1
    ) -> None:
        full = [one for one in wanted if not counter.test(*one, cost=cost)]
        if full:
            waits = [counter.get_window_stats(*one).reset_time - self._clock() for one in full]
            seconds = max(1, math.ceil(max(waits)))
            raise TooManyError(f"That was too much at once. Please try again in {seconds} seconds.", seconds)


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


def _storage(url: str) -> Storage:
    if url.startswith(("redis:", "rediss:")):
        importlib.import_module("redis")  # where it is not installed the URL is not to blame
    try:
        storage = storage_from_string(url, wrap_exceptions=True, **SOON)
    except Exception:
        raise BadInputError(
            "LODGE_LIMIT_URL takes the URL of a Redis or Valkey, such as redis://host:6379/0."
        ) from None
    return storage  # type: ignore[return-value]  # the asynchronous ones have a name of their own
