"""A bounded, forgetful store in memory: what is not asked for again is gone after a while."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Shelf(Generic[T]):
    """At most `capacity` things, the least recently put going first, none older than `keep_s` seconds.

    It belongs to the event loop's thread and takes no lock.
    """

    def __init__(self, capacity: int, keep_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._capacity = capacity
        self._keep_s = keep_s
        self._clock = clock
        self._things: OrderedDict[str, tuple[float, T]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._things)

    def put(self, key: str, thing: T) -> None:
        """Lay it down, in place of what had this key."""
        self._things[key] = (self._clock() + self._keep_s, thing)
        self._things.move_to_end(key)
        self._forget()

    def get(self, key: str) -> T | None:
        """What lies there, if it is not too old."""
        self._forget()
        found = self._things.get(key)
        return found[1] if found else None

    def take(self, key: str) -> T | None:
        """`get`, and it is no longer there."""
        thing = self.get(key)
        self._things.pop(key, None)
        return thing

    def _forget(self) -> None:
        now = self._clock()
        while self._things:
            expires, _ = next(iter(self._things.values()))
            if expires > now and len(self._things) <= self._capacity:
                return
            self._things.popitem(last=False)
