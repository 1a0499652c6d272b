"""What was made last, remembered by all that it depends on: comparisons, and answers as they were."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")
Key = TypeVar("Key")


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
