from __future__ import annotations

import asyncio
import json

from scripts.research.load.arrivals import Run, bring
from scripts.research.load.client import Client
from scripts.research.load.figures import figures, is_sustained
from scripts.research.load.visitors import Visitors
from tests.scripts.load.loopback import answering, whole

ANSWER = whole("200 OK", json.dumps({"degraded": None, "message_id": "ab"}).encode())
BUSY = whole("503 Service Unavailable", b"{}")


def test_visitors_arrive_whether_or_not_earlier_ones_are_answered_and_wait_from_when_they_were_due() -> None:
    """The server answers nobody until ten have asked: fewer callers, each waiting, would wait for ever."""
    asked: list[bytes] = []

    async def run() -> Run:
        all_here = asyncio.Event()

        async def answer(_head: bytes, body: bytes) -> bytes:
            asked.append(body)
            if len(asked) >= 10:
                all_here.set()
            await all_here.wait()
            return BUSY if len(asked) > 10 else ANSWER

        async with answering(answer) as port:
            client = Client("127.0.0.1", port)
            visitors = Visitors(["When?"], seed=1, repeats=False, ways=("json",))
            done = await bring(client, visitors, rate=40, seconds=1.0, seed=3, mixed=False)
            await client.close()
            return done

    done = asyncio.run(run())
    ranked = sorted(done.outcomes, key=lambda one: one.due)
    assert len(ranked) == len(asked) > 10
    tenth = ranked[9].due
    for one in ranked[:9]:
        assert one.verdict == "answered"
        assert one.seconds >= tenth - one.due
    found = figures(done)
    assert found["answered"] + found["refused"] == found["asked"] == len(asked)
    assert found["statuses"].keys() == {"200", "503"}
    assert not is_sustained(found, p95_ms=1e9)


def test_the_same_seed_brings_the_same_visitors_and_without_repeats_no_question_twice() -> None:
    pool = ["When does term begin?", "Where is the library?"]
    first, again = Visitors(pool, seed=5), Visitors(pool, seed=5)
    assert [first.one() for _ in range(200)] == [again.one() for _ in range(200)]
    new = Visitors(pool, seed=5, repeats=False)
    texts = [new.one().text for _ in range(500)]
    assert len(set(texts)) == len(texts)
