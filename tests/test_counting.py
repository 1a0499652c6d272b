"""Counting together, in a real Valkey or Redis, that comes and goes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest
import redis

from server.counting import REST_S, Counted, Counter, parsed_limits
from server.errors import TooManyError
from server.settings import PROJECT
from server.visitor.limits import Limiter, LimitOptions
from tests.redis_server import RedisServer, running_redis

[THREE] = parsed_limits("LODGE_LIMIT_SITE", "3/hour")
ONE_PLACE: list[Counted] = [(THREE, "site", "main")]
# A second process that takes as many places as it can get.
ANOTHER = """
import json, sys
from server.counting import Counter
from server.errors import TooManyError
from tests.test_counting import ONE_PLACE
counter, taken = Counter(sys.argv[1]), 0
for _ in range(9):
    try:
        counter.admit(ONE_PLACE)
        taken += 1
    except TooManyError:
        pass
print(json.dumps({"taken": taken, "hashed": counter.hashed("203.0.113.7")}))
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


def is_admitted(counter: Counter) -> bool:
    try:
        counter.admit(ONE_PLACE)
    except TooManyError:
        return False
    return True


def test_two_processes_count_together_and_know_an_address_by_the_same_hash(store: RedisServer) -> None:
    counter = Counter(store.url)
    assert is_admitted(counter)
    done = subprocess.run(
        [sys.executable, "-c", ANOTHER, store.url], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == {"taken": 2, "hashed": counter.hashed("203.0.113.7")}
    with pytest.raises(TooManyError) as full:
        counter.admit(ONE_PLACE)
    assert 1 <= full.value.retry_after_s <= 3_600


def test_a_store_that_flaps_is_counted_without_and_then_with_again(
    store: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    watch = Watch()
    counter = Counter(store.url, steady=watch)
    [limit] = parsed_limits("LODGE_LIMIT_SITE", "99/hour")
    changes: list[Callable[[], None]] = [lambda: None, store.kill, store.start, watch.rest]
    for _ in range(3):
        rested = []
        for change in changes:
            change()
            counter.admit([(limit, "site", "main")])
            rested.append(counter.rests)
        assert rested == [False, True, True, False]
    assert caplog.text.count("counting alone") == caplog.text.count("counting together") == 3


def test_a_store_that_is_silent_is_waited_for_once_and_not_by_every_question(
    store: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    watch = Watch()
    counter = Counter(store.url, steady=watch)
    assert is_admitted(counter)
    store.freeze()
    asked = [is_admitted(counter) for _ in range(5)]
    assert asked == [True, True, True, False, False]  # the limit holds here, too
    assert caplog.text.count("counting alone") == 1
    rested = counter.rests
    watch.rest()
    assert (rested, counter.rests) == (True, False)
    store.thaw()


def test_the_store_is_told_neither_an_address_nor_a_conversations_id(store: RedisServer) -> None:
    limits = LimitOptions(address="9/minute", conversation="9/minute", store=store.url)
    Limiter(limits).admit("203.0.113.7", "main", "a-conversation-of-somebody")
    client = redis.Redis(port=store.port)
    told = " ".join(map(str, client.keys("*")))
    client.close()
    assert told.count("address") == told.count("conversation") == 1
    assert "203.0.113.7" not in told
    assert "somebody" not in told
