from __future__ import annotations

import asyncio

import pytest

from server.errors import LlmUnavailableError
from server.llm.client import ConcurrencyLimit


async def hold(places: ConcurrencyLimit, wait_s: float, entered: asyncio.Event, leave: asyncio.Event) -> None:
    async with places.taken(wait_s):
        entered.set()
        await leave.wait()


async def trouble_of(places: ConcurrencyLimit, wait_s: float) -> str | None:
    try:
        async with places.taken(wait_s):
            return None
    except LlmUnavailableError as error:
        return error.trouble


def test_a_free_place_is_taken_even_without_a_queue() -> None:
    assert asyncio.run(trouble_of(ConcurrencyLimit(1, 0), 0.0)) is None


@pytest.mark.parametrize("wait_s", [0.0, 60.0])
def test_without_a_queue_nobody_waits(wait_s: float) -> None:
    async def scene() -> str | None:
        places, entered, leave = ConcurrencyLimit(1, 0), asyncio.Event(), asyncio.Event()
        holder = asyncio.create_task(hold(places, 0.0, entered, leave))
        await entered.wait()
        trouble = await trouble_of(places, wait_s)
        leave.set()
        await holder
        return trouble

    assert asyncio.run(scene()) == "full"


def test_whoever_waits_is_next_and_a_place_comes_back_however_it_was_left() -> None:
    async def scene() -> list[str | None]:
        places, entered, leave = ConcurrencyLimit(1, 2), asyncio.Event(), asyncio.Event()
        holder = asyncio.create_task(hold(places, 60.0, entered, leave))
        await entered.wait()
        gone = asyncio.create_task(trouble_of(places, 60.0))
        patient = asyncio.create_task(trouble_of(places, 60.0))
        await asyncio.sleep(0)
        over = await trouble_of(places, 60.0)
        gone.cancel()
        holder.cancel()
        await asyncio.gather(gone, holder, return_exceptions=True)
        return [over, await patient, await trouble_of(places, 0.0)]

    assert asyncio.run(scene()) == ["full", None, None]


def test_who_waits_too_long_gives_up_the_queue_too() -> None:
    async def scene() -> list[str | None]:
        places, entered, leave = ConcurrencyLimit(1, 1), asyncio.Event(), asyncio.Event()
        holder = asyncio.create_task(hold(places, 0.0, entered, leave))
        await entered.wait()
        early = await trouble_of(places, 0.01)
        waiting = asyncio.create_task(trouble_of(places, 60.0))
        await asyncio.sleep(0)
        leave.set()
        await holder
        return [early, await waiting]

    assert asyncio.run(scene()) == ["full", None]
