"""Rate limits: questions by address, conversation and site, requests by address, wrong tokens by address.

A token of 256 random bits cannot be guessed; the limit on wrong ones keeps attempts slow, cheap to reject,
and visible in the log and the metrics.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

from litestar.handlers.base import BaseRouteHandler
from litestar.types import Guard

from server.counting import Counted, Counter, parsed_limits
from server.errors import TooManyError
from server.http.middleware import Connection, caller_of, is_loopback, network_of

logger = logging.getLogger("lodge.web")


@dataclass(frozen=True, slots=True)
class LimitOptions:
    """Each of the first three is a list such as "30/minute;300/hour"; empty: no limit. `guesses` limits wrong
    tokens in the same way (`AuthThrottle`), `requests` all that an address requests of the pages and API for
    visitors.

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
            await limiter.admit_request(address)

    return count


class Limiter:
    """Rate limiter of visitors' questions and requests."""

    def __init__(self, options: LimitOptions, counter: Counter | None = None) -> None:
        """Without a `counter` it makes one of its own."""
        self._options = options
        self._counter = counter or Counter(options.store)
        self._limits = {
            "address": parsed_limits("LODGE_LIMIT_ADDRESS", options.address),
            "conversation": parsed_limits("LODGE_LIMIT_CONVERSATION", options.conversation),
            "site": parsed_limits("LODGE_LIMIT_SITE", options.site),
            "requests": parsed_limits("LODGE_LIMIT_REQUESTS", options.requests),
        }

    async def admit(self, address: str | None, site: str, conversation: str | None) -> None:
        """Count one question; a `TooManyError` says after how many seconds the next may be asked.

        One from this machine itself (`address` None) counts for its site alone. A rejected question is not
        counted, so that waiting helps.
        """
        keys = {"site": site}
        if address is not None:
            keys["address"] = self._counter.hashed(address)
            keys |= {"conversation": self._counter.hashed(conversation)} if conversation else {}
        wanted = [(limit, kind, key) for kind, key in keys.items() for limit in self._limits[kind]]
        if wanted:
            await self._counter.admit(wanted)

    async def admit_request(self, address: str) -> None:
        """Count one request of an address, whatever it asks for; a `TooManyError` as for a question."""
        wanted = [(limit, "requests", self._counter.hashed(address)) for limit in self._limits["requests"]]
        if wanted:
            await self._counter.admit(wanted)

    def address_of(self, connection: Connection) -> str | None:
        """The address that a question counts for; of an IPv6 address its /64, all of which one caller has.

        None for a call from this machine, behind which there may be anybody.
        """
        hops = self._options.trusted_hops
        address = caller_of(connection, hops)
        return None if address is None or (not hops and is_loopback(address)) else network_of(address)


class AuthThrottle:
    """Auth throttle: rejects an address after too many wrong tokens, this machine's own too."""

    def __init__(
        self,
        options: LimitOptions,
        counter: Counter | None = None,
        *,
        at: str = "the admin API",
    ) -> None:
        """Uses `guesses` and `trusted_hops` of the options; without a counter it has one of its own.

        `at` names what the tokens are for. Each is counted apart: a scraper with a wrong token locks no
        console out.
        """
        self._at = at
        self._hops = options.trusted_hops
        self._limits = parsed_limits("LODGE_LIMIT_GUESSES", options.guesses)
        self._counter = counter or Counter(options.store)

    def address_of(self, connection: Connection) -> str:
        """The address that wrong tokens count for; of an IPv6 address its /64."""
        return network_of(caller_of(connection, self._hops) or "unknown")

    async def require_open(self, address: str) -> None:
        """Raises `TooManyError` while the address is locked out."""
        try:
            await self._counter.require_room(self._wanted(address))
        except TooManyError as full:
            seconds = full.retry_after_s
            sentence = f"Too many wrong tokens came from your address. Please try again in {seconds} seconds."
            raise TooManyError(sentence, seconds) from None

    async def note_wrong(self, address: str) -> None:
        """Count a wrong token."""
        await self._counter.count(self._wanted(address))
        try:
            await self.require_open(address)
        except TooManyError as full:
            logger.warning(
                "an address is shut out of %s for %d s: wrong tokens", self._at, full.retry_after_s
            )

    def _wanted(self, address: str) -> list[Counted]:
        return [(limit, f"guesses at {self._at}", self._counter.hashed(address)) for limit in self._limits]


def bearer_token(header: str) -> str:
    """The token of an Authorization header; empty when it holds none."""
    scheme, _, token = header.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""
