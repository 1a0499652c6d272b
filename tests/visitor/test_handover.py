"""Things come out in their order, however they came in, and the loop is woken no more often than it must."""

from __future__ import annotations

import asyncio
import threading

import pytest

from server.visitor.service import ThreadBridge


def test_what_comes_together_is_taken_together() -> None:
    async def take() -> list[list[str]]:
        handover: ThreadBridge[str] = ThreadBridge()
        for thing in "abc":
            handover.put(thing)
        taken = [await handover.take()]
        handover.put("d")
        return [*taken, await handover.take()]

    assert asyncio.run(take()) == [["a", "b", "c"], ["d"]]


def test_nothing_is_lost_and_nothing_changes_places_between_threads() -> None:
    async def take() -> list[int]:
        handover: ThreadBridge[int] = ThreadBridge()

        def work() -> None:
            for number in range(10_000):
                handover.put(number)

        worker = threading.Thread(target=work)
        worker.start()
        taken: list[int] = []
        while len(taken) < 10_000:
            taken += await handover.take()
        worker.join()
        return taken

    assert asyncio.run(take()) == list(range(10_000))


def test_one_wakes_the_loop_for_all() -> None:
    async def wakes() -> int:
        handover: ThreadBridge[str] = ThreadBridge()
        loop = asyncio.get_running_loop()
        woken = []
        as_ever = loop.call_soon_threadsafe

        def counted(*given: object) -> asyncio.Handle:
            woken.append(given)
            return as_ever(*given)  # type: ignore[arg-type]

        loop.call_soon_threadsafe = counted  # type: ignore[method-assign, assignment]
        for thing in "abc":
            handover.put(thing)
        await handover.take()
        return len(woken)

    assert asyncio.run(wakes()) == 1


def test_a_loop_that_has_closed_is_no_fault_of_the_worker() -> None:
    async def make() -> tuple[ThreadBridge[str], asyncio.AbstractEventLoop]:
        return ThreadBridge(), asyncio.get_running_loop()

    handover, loop = asyncio.run(make())
    with pytest.raises(RuntimeError, match="closed"):
        loop.call_soon_threadsafe(print)
    handover.put("a")
