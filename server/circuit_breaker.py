"""Circuit breaker for a server that callers can do without.

The pattern is M. Nygard's (Release It!, 2007): closed while calls pass, open while they are rejected,
half-open while one call, the probe, finds out whether the server has recovered.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Literal

State = Literal["closed", "open", "half-open"]
Outcome = Literal["well", "failed", "withdrawn"]


class Permit:
    """Permission for one call, to be settled with its outcome."""

    __slots__ = ("era",)

    def __init__(self, era: int) -> None:
        self.era = era


class CircuitBreaker:
    """Circuit breaker: after `failures` in a row, reject calls for `rest_s` seconds, then allow one probe.

    Thread-safe. `clock` gives seconds that only grow. Whoever is admitted settles, however the call ends.
    """

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
        """`closed` (every call passes), `open` (none) or `half-open` (one)."""
        with self._lock:
            if self._opened_at is None:
                return "closed"
            return "open" if self._is_resting(self._opened_at) else "half-open"

    def admit(self) -> Permit | None:
        """Permission for one call; None while the breaker is open or a probe is under way."""
        with self._lock:
            if self._opened_at is None:
                return Permit(self._era)
            if self._probe is not None or self._is_resting(self._opened_at):
                return None
            self._probe = Permit(self._era)
            return self._probe

    def settle(self, permit: Permit, outcome: Outcome) -> bool:
        """Record how a call ended; True where that opened or closed the breaker.

        `withdrawn`, a call that was given up, says nothing about the server. A call from before the breaker
        opened counts no more.
        """
        with self._lock:
            was_closed = self._opened_at is None
            if permit is self._probe:
                self._probe = None
                self._settle_probe(outcome)
            elif self._opened_at is None and permit.era == self._era:
                self._settle_call(outcome)
            return was_closed != (self._opened_at is None)

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
