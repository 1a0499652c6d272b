"""Caches: a value that another process may change, read again when it has; and what was made, remembered."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

from server.errors import StorageError

T = TypeVar("T")
Key = TypeVar("Key")

LOOK_EVERY_S = 2.0  # another process's change is seen after so long at most


class PolledCache(Generic[T]):
    """Polled cache: reads its value again when the version has changed. Thread-safe.

    The version is asked for every `look_every_s` at most; what is known stays while the source fails with a
    `StorageError`. `read` is given what was known before.
    """

    def __init__(
        self,
        first: T,
        version: Callable[[], str],
        read: Callable[[T], T],
        *,
        look_every_s: float = LOOK_EVERY_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._value = first
        self._version_of = version
        self._read = read
        self._look_every_s = look_every_s
        self._clock = clock
        self._lock = threading.Lock()
        self._version: str | None = None
        self._look_at = -math.inf

    def now(self) -> T:
        """The current value; one thread looks for a newer one, the others do not wait for it."""
        if self._clock() < self._look_at or not self._lock.acquire(blocking=self._version is None):
            return self._value
        try:
            if self._clock() >= self._look_at:
                self._look()
        finally:
            self._lock.release()
        return self._value

    def look_soon(self) -> None:
        """Have the next `now` check the version, since this process has made a change itself."""
        self._look_at = -math.inf

    def _look(self) -> None:
        try:
            version = self._version_of()
            if version != self._version:
                self._value = self._read(self._value)
                self._version = version
        except StorageError:
            # What an editor changed is worth less than an answer: the next look may succeed.
            pass
        self._look_at = self._clock() + self._look_every_s


class Remembered(Generic[Key, T]):
    """What was made last, `most` values by all that they depend on. Thread-safe."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[Key, T] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Key, make: Callable[[], T]) -> T:
        """The value of a key, made now where it is not remembered; the oldest is forgotten then."""
        with self._lock:
            if key in self._kept:
                return self._kept[key]
        made = make()
        with self._lock:
            self._kept[key] = made
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return made
