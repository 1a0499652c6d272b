"""From a worker's thread to the event loop, which is woken once for however much is handed over by then.

Waking costs either side the interpreter's lock, for which the loop may have to wait while workers compute.
An answer's last events come within a millisecond, and travel together.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from typing import Generic, TypeVar

Thing = TypeVar("Thing")


class Handover(Generic[Thing]):
    """Made on the loop that takes; anything may be put in from any thread, and comes out in its order."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._came = asyncio.Event()
        self._things: list[Thing] = []
        self._lock = threading.Lock()

    def put(self, thing: Thing) -> None:
        """Hand it over; where the loop has closed nobody is waiting any more."""
        with self._lock:
            self._things.append(thing)
            is_first = len(self._things) == 1
        if is_first:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._came.set)

    async def take(self) -> list[Thing]:
        """All that has come since, at least one; waits for it."""
        await self._came.wait()
        self._came.clear()
        with self._lock:
            things, self._things = self._things, []
        return things
