"""How often one may ask: per address, per conversation and per site; and how much an address may request."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from litestar.concurrency import sync_to_thread
from litestar.handlers.base import BaseRouteHandler
from litestar.types import Guard

from server.counting import Counter, parsed_limits
from server.http.proxies import Connection, caller_of, is_loopback, network_of


@dataclass(frozen=True, slots=True)
class LimitOptions:
    """Each of the first three is a list such as "30/minute;300/hour"; empty: no limit. `guesses` limits wrong
    admin tokens in the same way (`guessing.py`), `requests` all that an address requests of the pages and API
    for visitors.

    `trusted_hops` proxies stand before the server, each of which adds the address that it was called from to
    `X-Forwarded-For`; with none the header is not believed, and calls from this machine itself count
    for their site alone. `store` is empty, or the URL of a Redis or Valkey.
    """

    address: str = ""
    conversation: str = ""
    site: str = ""
    trusted_hops: int = 0
    store: str = ""
    guesses: str = ""
    requests: str = ""


UNCOUNTED = {"is_uncounted": True}  # for a handler's `opt`


def counting_requests(limiter: Limiter) -> Guard:
    """A guard: each request counts for its address, but for handlers that are `UNCOUNTED`."""

    async def count(connection: Connection, handler: BaseRouteHandler) -> None:
        address = limiter.address_of(connection)
        if address is not None and not handler.opt.get("is_uncounted"):
            await sync_to_thread(limiter.admit_request, address)

    return count


class Limiter:
    """Counts questions. Thread-safe; where the store of counts fails this process counts by itself."""

    def __init__(
        self,
        options: LimitOptions,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._options = options
        self._counter = Counter(options.store, clock)
        self._limits = {
            "address": parsed_limits("LODGE_LIMIT_ADDRESS", options.address),
            "conversation": parsed_limits("LODGE_LIMIT_CONVERSATION", options.conversation),
            "site": parsed_limits("LODGE_LIMIT_SITE", options.site),
            "requests": parsed_limits("LODGE_LIMIT_REQUESTS", options.requests),
        }

    def admit(self, address: str | None, site: str, conversation: str | None) -> None:
        """Count one question; a `TooManyError` says after how many seconds the next may be asked.

        One from this machine itself (`address` None) counts for its site alone. What is turned away counts
        for nothing, so that waiting helps.
        """
        keys = {"site": site}
        if address is not None:
            keys["address"] = self._counter.hashed(address)
            keys |= {"conversation": self._counter.hashed(conversation)} if conversation else {}
        wanted = [(limit, kind, key) for kind, key in keys.items() for limit in self._limits[kind]]
        if wanted:
            self._counter.admit(wanted)

    def admit_request(self, address: str) -> None:
        """Count one request of an address, whatever it asks for; a `TooManyError` as for a question."""
        wanted = [(limit, "requests", self._counter.hashed(address)) for limit in self._limits["requests"]]
        if wanted:
            self._counter.admit(wanted)

    def address_of(self, connection: Connection) -> str | None:
        """Whose question it is: an address, or the /64 of an IPv6 address, which one caller has all of.

        None for one from this machine, which is nobody's in particular.
        """
        hops = self._options.trusted_hops
        address = caller_of(connection, hops)
        return None if address is None or (not hops and is_loopback(address)) else network_of(address)
