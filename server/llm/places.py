"""So many calls at a time, a short queue, and a prompt no to whoever comes after that."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from server.errors import LlmUnavailableError


class Places:
    """Belongs to one event loop. First come, first served."""

    def __init__(self, places: int, queue: int) -> None:
        self._semaphore = asyncio.Semaphore(places)
        self._queue = queue
        self._waiting = 0

    @asynccontextmanager
    async def taken(self, wait_s: float) -> AsyncIterator[None]:
        """A place for the length of a `with`; `LlmUnavailableError` (`full`) when none comes free in time."""
        await self._acquire(wait_s)
        try:
            yield
        finally:
            self._semaphore.release()

    async def _acquire(self, wait_s: float) -> None:
        if self._semaphore.locked() and self._waiting >= self._queue:
            raise _full()
        self._waiting += 1
        try:
            async with asyncio.timeout(wait_s):
                await self._semaphore.acquire()
        except TimeoutError:
            raise _full() from None
        finally:
            self._waiting -= 1


def _full() -> LlmUnavailableError:
    return LlmUnavailableError("The language model has more questions than it can take.", "full")
