"""How often one may ask: per address, per conversation and per site.

Counting is the `limits` library's: a sliding window, in this process's memory or, for several servers, in
Redis or Valkey. An address is never kept: what is counted is a keyed hash of it, with another key every day.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import logging
import math
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from limits import RateLimitItem, parse_many
from limits.errors import StorageError as CountingError
from limits.storage import MemoryStorage, Storage, storage_from_string
from limits.strategies import SlidingWindowCounterRateLimiter
from litestar.connection import ASGIConnection

from server.errors import BadInputError, TooManyError

logger = logging.getLogger("lodge.web")

# A question does not wait for a store of counts that is slow, or away.
SOON = {"socket_timeout": 0.2, "socket_connect_timeout": 0.2}

Connection = ASGIConnection[Any, Any, Any, Any]


@dataclass(frozen=True, slots=True)
class LimitOptions:
    """Each of the three is a list such as "30/minute;300/hour"; empty: no limit.

    `trusted_hops` proxies stand before the server, each of which adds the address that it was called from to
    `X-Forwarded-For`; with none the header is not believed, and calls from this machine itself count
    for their site alone. `store` is empty, or the URL of a Redis or Valkey.
    """

    address: str = ""
    conversation: str = ""
    site: str = ""
    trusted_hops: int = 0
    store: str = ""


class Limiter:
    """Counts questions. Thread-safe; where the store of counts fails this process counts by itself."""

    def __init__(self, options: LimitOptions, clock: Callable[[], float] = time.time) -> None:
        self._options = options
        self._clock = clock
        self._limits = {
            "address": _parsed("LODGE_LIMIT_ADDRESS", options.address),
            "conversation": _parsed("LODGE_LIMIT_CONVERSATION", options.conversation),
            "site": _parsed("LODGE_LIMIT_SITE", options.site),
        }
        # Several servers must hash alike, so what they share is the key's origin; alone, chance is.
        self._secret = options.store.encode() or secrets.token_bytes(32)
        self._own = SlidingWindowCounterRateLimiter(MemoryStorage())
        self._shared = SlidingWindowCounterRateLimiter(_storage(options.store)) if options.store else None

    def admit(self, address: str | None, site: str, conversation: str | None) -> None:
        """Count one question; a `TooManyError` says after how many seconds the next may be asked.

        One from this machine itself (`address` None) counts for its site alone. What is turned away counts
        for nothing, so that waiting helps.
        """
        keys = {"site": site}
        if address is not None:
            keys["address"] = self._hashed(address)
            keys |= {"conversation": conversation} if conversation else {}
        wanted = [(limit, kind, key) for kind, key in keys.items() for limit in self._limits[kind]]
        if not wanted:
            return
        if self._shared is not None:
            try:
                self._count(self._shared, wanted)
                return
            except CountingError as error:
                logger.warning("LODGE_LIMIT_STORE fails (%s); counting alone.", type(error).__name__)
        self._count(self._own, wanted)

    def address_of(self, connection: Connection) -> str | None:
        """Whose question it is; None for one from this machine, which is nobody's in particular."""
        hops = self._options.trusted_hops
        client = connection.client.host if connection.client else None
        if hops:
            told = connection.headers.get("x-forwarded-for", "")
            named = [one.strip() for one in told.split(",") if one.strip()]
            return named[-hops] if len(named) >= hops else client
        return None if client is None or _is_loopback(client) else client

    def _count(
        self,
        counter: SlidingWindowCounterRateLimiter,
        wanted: Sequence[tuple[RateLimitItem, str, str]],
    ) -> None:
        full = [one for one in wanted if not counter.test(*one)]
        if full:
            waits = [counter.get_window_stats(*one).reset_time - self._clock() for one in full]
            seconds = max(1, math.ceil(max(waits)))
            raise TooManyError(f"That was too much at once. Please try again in {seconds} seconds.", seconds)
        for one in wanted:
            counter.hit(*one)

    def _hashed(self, address: str) -> str:
        day = datetime.fromtimestamp(self._clock(), UTC).date().isoformat()
        return hmac.new(self._secret, f"{day}\0{address}".encode(), hashlib.sha256).hexdigest()[:32]


def _parsed(name: str, text: str) -> list[RateLimitItem]:
    try:
        return parse_many(text) if text.strip() else []
    except ValueError:
        raise BadInputError(f"{name} is {text!r}; it takes limits such as 30/minute;300/hour.") from None


def _storage(url: str) -> Storage:
    try:
        storage = storage_from_string(url, wrap_exceptions=True, **SOON)
    except Exception:
        raise BadInputError(
            "LODGE_LIMIT_STORE takes the URL of a Redis or Valkey, such as redis://host:6379/0."
        ) from None
    return storage  # type: ignore[return-value]  # the asynchronous ones have a name of their own


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
