"""Leaves a server that fails alone for a while, so that not every question waits for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class Circuit:
    """Open after a failure: no try for `rest_s` seconds, then one caller at a time until one succeeds.

    Known as a circuit breaker (Nygard 2007, "Release It!"). Thread-safe.
    """

    def __init__(self, rest_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rest_s = rest_s
        self._clock = clock
        self._lock = threading.Lock()
        self._why: str | None = None
        self._again_at = 0.0

    def refusal(self) -> str | None:
        """Why the caller should not try now; None: it may, and must say `worked` or `failed` afterwards.

        A caller who never comes back is replaced by the next one when another `rest_s` seconds have gone by.
        """
        with self._lock:
            if self._why is None:
                return None
            now = self._clock()
            if now < self._again_at:
                return self._why
            self._again_at = now + self._rest_s
            return None

    def failed(self, why: str) -> bool:
        """The server is in trouble; whether that is news."""
        with self._lock:
            news = self._why is None
            self._why = why
            self._again_at = self._clock() + self._rest_s
            return news

    def worked(self) -> bool:
        """The server answers; whether that is news."""
        with self._lock:
            news = self._why is not None
            self._why = None
            return news
