"""A store of counts that is slow makes its own questions wait, and nobody else."""

from __future__ import annotations

import asyncio
import gc
import time
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import httpx

from scripts.research.several.slow_redis import slowed
from server.app import WebOptions
from server.http.limits import LimitOptions
from tests.redis_server import running_redis
from tests.scripted_app import ScriptedParts, web_app

DELAY_S = 0.15
VISITORS = 8


async def ticks(at: list[float]) -> None:
    """When the event loop had time for this, until it is cancelled."""
    while True:
        at.append(time.perf_counter())
        await asyncio.sleep(0.005)


async def ask(client: httpx.AsyncClient, number: int) -> httpx.Response:
    """A question of a visitor of their own."""
    return await client.post(
        "/api/ask",
        json={"question": "When?", "conversation_id": f"a-conversation-of-{number}"},
        headers={"X-Forwarded-For": f"192.0.2.{number}"},
    )


def test_the_event_loop_goes_on_while_a_slow_store_is_asked(tmp_path: Path) -> None:
    async def visit(url: str) -> tuple[list[int], list[float]]:
        limits = LimitOptions("9/minute", "9/minute", "99/hour", 1, url, requests="9/minute;99/hour")
        app = web_app(WebOptions(limits=limits), ScriptedParts(tmp_path))
        at: list[float] = []
        async with (
            app.lifespan(),
            httpx.AsyncClient(
                transport=httpx.ASGITransport(cast("Any", app)), base_url="http://lodge"
            ) as client,
        ):
            # What the first question of a process sets up is no wait for the store, nor is it when Python
            # looks through all that the tests before this one have left.
            assert (await ask(client, VISITORS)).status_code == 200
            gc.collect()
            gc.freeze()
            ticking = asyncio.create_task(ticks(at))
            told = await asyncio.gather(*(ask(client, number) for number in range(VISITORS)))
            ticking.cancel()
            gc.unfreeze()
        return [answer.status_code for answer in told], at

    with running_redis() as store, slowed(store.port, DELAY_S) as port:
        statuses, at = asyncio.run(visit(f"redis://127.0.0.1:{port}/0"))
    assert statuses == [200] * VISITORS
    stood_still = sum(gap for gap in (b - a for a, b in pairwise(at)) if gap > DELAY_S / 2)
    assert stood_still < (at[-1] - at[0]) / 4
