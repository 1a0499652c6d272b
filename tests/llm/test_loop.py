from __future__ import annotations

import asyncio
import concurrent.futures
import threading

import pytest

from server.errors import LlmUnavailableError
from server.llm.client import LoopThread


class Tidy:
    """Notes that it was called, and where."""

    def __init__(self) -> None:
        self.threads: list[str] = []

    async def __call__(self) -> None:
        self.threads.append(threading.current_thread().name)


async def sleep_for_ever() -> None:
    await asyncio.Event().wait()


def test_a_task_runs_on_the_loops_thread_and_gives_its_result() -> None:
    loop = LoopThread("test-loop", Tidy())

    async def where() -> str:
        return threading.current_thread().name

    assert loop.start(where()).result() == "test-loop"
    loop.close()


def test_closing_cancels_what_runs_then_tidies_up_once() -> None:
    tidy = Tidy()
    loop = LoopThread("test-loop", tidy)
    waiting = loop.start(sleep_for_ever())
    loop.close()
    loop.close()
    with pytest.raises(concurrent.futures.CancelledError):
        waiting.result()
    assert tidy.threads == ["test-loop"]


def test_nothing_starts_on_a_closed_loop() -> None:
    loop = LoopThread("test-loop", Tidy())
    loop.close()
    with pytest.raises(LlmUnavailableError, match="has been closed"):
        loop.start(sleep_for_ever())


def test_starting_while_it_closes_ends_either_way() -> None:
    """Whoever is a moment too late is turned away or cancelled, never left waiting."""
    for _ in range(50):
        loop = LoopThread("test-loop", Tidy())
        closer = threading.Thread(target=loop.close)
        closer.start()
        with pytest.raises((LlmUnavailableError, concurrent.futures.CancelledError)):
            loop.start(sleep_for_ever()).result()
        closer.join()
