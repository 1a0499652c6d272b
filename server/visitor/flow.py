"""From a worker's thread to the event loop, which is woken once for however much is handed over by then.

Waking costs either side the interpreter's lock, for which the loop may have to wait while workers compute.
An answer's last events come within a millisecond, and travel together.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Generic, TypeVar

from server.errors import BusyError
from server.http.protocols import Asker
from server.models import Event, Question

Thing = TypeVar("Thing")


class ThreadBridge(Generic[Thing]):
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


_Delivery = Event | Exception | None


class FlowRunner:
    """Runs at most `workers` questions at a time; at most `queue` more wait their turn.

    While `hurry_from` or more wait, each is hurried (`Question.hurried`), so that the queue gets shorter.
    """

    def __init__(
        self,
        asker: Asker,
        workers: int,
        ended: Callable[[Question], None] = lambda question: None,
        *,
        queue: int = 64,
        hurry_from: int = 0,
    ) -> None:
        """`ended` is told of each question once its flow is over, on the flow's thread.

        With a `hurry_from` of 0 nothing is hurried.
        """
        self._asker = asker
        self._ended = ended
        self.workers = workers
        self._hurry_from = hurry_from
        self._most = workers + queue
        self._taken = self._running = 0
        self._counting = threading.Lock()
        self._pool = ThreadPoolExecutor(max_workers=workers, thread_name_prefix="answer")

    @property
    def busy(self) -> int:
        """Questions that are being worked on."""
        return self._running

    @property
    def waiting(self) -> int:
        """Questions that wait for a worker."""
        return max(0, self._taken - self._running)

    def require_room(self) -> None:
        """A `BusyError` where one more question would be turned away now."""
        if self._taken >= self._most:
            raise BusyError("Too many questions are waiting already. Please try again in a moment.")

    async def events(self, question: Question) -> AsyncGenerator[list[Event], None]:
        """The flow's events as they come, those that come together in one list; its error is raised here.

        Closing this early ends the flow too.

        A `BusyError` comes at once where too many wait already: a late answer is no answer. A flow stays on
        one thread from start to end, because its database connections may belong to it.
        """
        handover: ThreadBridge[_Delivery] = ThreadBridge()
        gone = threading.Event()
        self.require_room()
        self._count(taken=1)
        try:
            self._pool.submit(self._run, question, handover.put, gone)
        except RuntimeError:
            self._count(taken=-1)
            raise
        try:
            is_over = False
            while not is_over:
                things = await handover.take()
                is_over = None in things
                errors = [thing for thing in things if isinstance(thing, Exception)]
                if events := [thing for thing in things if not isinstance(thing, Exception | None)]:
                    yield events
                if errors:
                    raise errors[0]
        finally:
            gone.set()

    def _count(self, *, taken: int = 0, running: int = 0) -> None:
        with self._counting:
            self._taken += taken
            self._running += running

    def _run(self, question: Question, deliver: Callable[[_Delivery], None], gone: threading.Event) -> None:
        if gone.is_set():
            self._count(taken=-1)
            return
        self._count(running=1)
        try:
            is_late = 0 < self._hurry_from <= self.waiting
            events = self._asker.ask(replace(question, hurried=True) if is_late else question)
            _forward(events, deliver, gone)
        except Exception as error:  # whatever it is, it belongs to the one who waits for the answer
            deliver(error)
        finally:
            self._count(taken=-1, running=-1)  # the place is free before the last event is delivered
            self._end(question, deliver)

    def _end(self, question: Question, deliver: Callable[[_Delivery], None]) -> None:
        try:
            self._ended(question)
        except Exception as error:
            deliver(error)
        finally:
            deliver(None)

    def close(self) -> None:
        """Wait for the questions that are being answered; take no more."""
        self._pool.shutdown(wait=True)


def _forward(events: Iterator[Event], deliver: Callable[[_Delivery], None], gone: threading.Event) -> None:
    try:
        for event in events:
            if gone.is_set():
                return
            deliver(event)
    finally:
        if isinstance(events, Generator):
            events.close()
