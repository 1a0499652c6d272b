"""Whoever guesses at a token is shut out for a while, with a right token too.

Nobody can guess 256 random bits; but who tries should be slow, seen in the log and in the figures, and cost
little.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from server.counting import Counted, Counter, parsed_limits
from server.errors import TooManyError
from server.http.proxies import Connection, caller_of, network_of
from server.visitor.limits import LimitOptions

logger = logging.getLogger("lodge.web")


class AuthThrottle:
    """Counts wrong tokens by address; calls from this machine itself count like any other. Thread-safe."""

    def __init__(
        self,
        options: LimitOptions,
        clock: Callable[[], float] = time.time,
        *,
        at: str = "the admin API",
    ) -> None:
        """Uses `guesses`, `trusted_hops` and `store` of the options. Guesses at each place that is guessed
        `at` are counted by themselves: a scraper with a wrong token shuts no console out."""
        self._at = at
        self._hops = options.trusted_hops
        self._limits = parsed_limits("LODGE_LIMIT_GUESSES", options.guesses)
        self._counter = Counter(options.store, clock)

    def address_of(self, connection: Connection) -> str:
        """Whose guesses it counts among: an address, or the /64 network of an IPv6 address."""
        return network_of(caller_of(connection, self._hops) or "unknown")

    def require_open(self, address: str) -> None:
        """A `TooManyError` while this address is shut out."""
        try:
            self._counter.require_room(self._wanted(address))
        except TooManyError as full:
            seconds = full.retry_after_s
            sentence = f"Too many wrong tokens came from your address. Please try again in {seconds} seconds."
            raise TooManyError(sentence, seconds) from None

    def note_wrong(self, address: str) -> None:
        """Count a wrong token."""
        self._counter.count(self._wanted(address))
        try:
            self.require_open(address)
        except TooManyError as full:
            logger.warning(
                "an address is shut out of %s for %d s: wrong tokens", self._at, full.retry_after_s
            )

    def _wanted(self, address: str) -> list[Counted]:
        return [(limit, f"guesses at {self._at}", self._counter.hashed(address)) for limit in self._limits]
