"""An event loop in a thread of its own, for code that must not wait longer than it chose to.

Every await can be cancelled at a moment; a blocking call (a name look-up, a read) cannot.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from server.errors import LlmUnavailableError

T = TypeVar("T")


class LoopThread:
    """Starts with the object and ends with `close`: what still runs is cancelled, then `tidy_up` runs."""

    def __init__(self, name: str, tidy_up: Callable[[], Awaitable[None]]) -> None:
        self._tidy_up = tidy_up
        self._lock = threading.Lock()
        self._closed = False
        self._started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._live()), name=name, daemon=True)
        self._thread.start()
        self._loop, self._end = self._started.result()

    async def _live(self) -> None:
        end = asyncio.Event()
        self._started.set_result((asyncio.get_running_loop(), end))
        await end.wait()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._tidy_up()

    def start(self, task: Coroutine[Any, Any, T]) -> Future[T]:
        """Run it on the loop; cancelling the future cancels it there."""
        with self._lock:
            if not self._closed:
                return asyncio.run_coroutine_threadsafe(task, self._loop)
        task.close()
        raise LlmUnavailableError("The language model's client has been closed.", "down")

    def close(self) -> None:
        """Cancel everything and end the thread. A second call does nothing."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join()
