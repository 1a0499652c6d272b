"""Counting together, in a real Valkey or Redis, that comes and goes."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager

import pytest
import redis

from server.counting import REST_S, Counted, Counter, parsed_limits
from server.errors import TooManyError
from server.http.limits import Limiter, LimitOptions
from server.settings import PROJECT
from tests.redis_server import RedisServer, running_redis

[THREE] = parsed_limits("LODGE_LIMIT_SITE", "3/hour")
ONE_PLACE: list[Counted] = [(THREE, "site", "main")]
# A second process that takes as many places as it can get.
ANOTHER = """
import asyncio, json, sys
from tests.test_counting import counting, is_admitted
async def main():
    async with counting(sys.argv[1]) as counter:
        taken = [await is_admitted(counter) for _ in range(9)].count(True)
    print(json.dumps({"taken": taken, "hashed": counter.hashed("203.0.113.7")}))
asyncio.run(main())
"""


@pytest.fixture
def store() -> Iterator[RedisServer]:
    with running_redis() as server:
        yield server


class Watch:
    """A steady clock that a test sets on."""

    now = 0.0

    def __call__(self) -> float:
        return self.now

    def rest(self) -> None:
        """It is as late as a store is left alone."""
        self.now += REST_S


@asynccontextmanager
async def counting(url: str, watch: Callable[[], float] = time.monotonic) -> AsyncIterator[Counter]:
    counter = Counter(url, steady=watch)
    try:
        yield counter
    finally:
        await counter.close()


async def is_admitted(counter: Counter) -> bool:
    try:
        await counter.admit(ONE_PLACE)
    except TooManyError:
        return False
    return True


def rests(counter: Counter) -> bool:
    assert counter.shared is not None
    return counter.shared.rests


@pytest.mark.parametrize("shared", [True, False])
def test_what_is_turned_away_counts_for_nothing(store: RedisServer, shared: bool) -> None:
    [five] = parsed_limits("LODGE_LIMIT_ADDRESS", "5/hour")
    address: Counted = (five, "address", "a")

    async def count() -> None:
        async with counting(store.url if shared else "") as counter:
            for _ in range(3):
                await counter.admit([*ONE_PLACE, address])
            for _ in range(9):
                with pytest.raises(TooManyError):
                    await counter.admit([*ONE_PLACE, address])
            await counter.require_room([address], cost=2)
            with pytest.raises(TooManyError):
                await counter.require_room([address], cost=3)

    asyncio.run(count())


def test_two_processes_count_together_and_know_an_address_by_the_same_hash(store: RedisServer) -> None:
    async def count() -> None:
        async with counting(store.url) as counter:
            assert await is_admitted(counter)
            done = await asyncio.to_thread(
                subprocess.run,
                [sys.executable, "-c", ANOTHER, store.url],
                cwd=PROJECT,
                capture_output=True,
                text=True,
                check=True,
            )
            assert json.loads(done.stdout) == {"taken": 2, "hashed": counter.hashed("203.0.113.7")}
            with pytest.raises(TooManyError) as full:
                await counter.admit(ONE_PLACE)
            assert 1 <= full.value.retry_after_s <= 3_600

    asyncio.run(count())


def test_a_store_that_flaps_is_counted_without_and_then_with_again(
    store: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    [limit] = parsed_limits("LODGE_LIMIT_SITE", "99/hour")

    async def flap() -> None:
        watch = Watch()
        changes: list[Callable[[], None]] = [lambda: None, store.kill, store.start, watch.rest]
        async with counting(store.url, watch) as counter:
            for _ in range(3):
                rested = []
                for change in changes:
                    change()
                    await counter.admit([(limit, "site", "main")])
                    rested.append(rests(counter))
                assert rested == [False, True, True, False]

    asyncio.run(flap())
    assert caplog.text.count("counting alone") == caplog.text.count("counting together") == 3


def test_a_store_that_is_silent_is_waited_for_once_and_not_by_every_question(
    store: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    async def ask() -> None:
        watch = Watch()
        async with counting(store.url, watch) as counter:
            assert await is_admitted(counter)
            store.freeze()
            asked = [await is_admitted(counter) for _ in range(5)]
            assert asked == [True, True, True, False, False]  # the limit holds here, too
            assert caplog.text.count("counting alone") == 1
            rested = rests(counter)
            watch.rest()
            assert (rested, rests(counter)) == (True, False)
            store.thaw()

    asyncio.run(ask())


def test_one_finds_out_whether_a_store_is_back_and_the_others_do_not_wait_for_it(store: RedisServer) -> None:
    async def ask() -> None:
        watch = Watch()
        async with counting(store.url, watch) as counter:
            store.freeze()
            assert await is_admitted(counter)
            watch.rest()
            probe = asyncio.create_task(is_admitted(counter))
            await asyncio.sleep(0)
            assert [await is_admitted(counter) for _ in range(2)] == [True, True]
            assert not probe.done()
            store.thaw()
            assert await probe
            assert not rests(counter)

    asyncio.run(ask())


def test_the_store_is_told_neither_an_address_nor_a_conversations_id(store: RedisServer) -> None:
    async def admit() -> None:
        async with counting(store.url) as counter:
            limiter = Limiter(LimitOptions(address="9/minute", conversation="9/minute"), counter)
            await limiter.admit("203.0.113.7", "main", "a-conversation-of-somebody")

    asyncio.run(admit())
    client = redis.Redis(port=store.port)
    told = " ".join(map(str, client.keys("*")))
    client.close()
    assert told.count("address") == told.count("conversation") == 1
    assert "203.0.113.7" not in told
    assert "somebody" not in told
