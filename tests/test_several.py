"""Two real servers behind a real proxy, on one PostgreSQL, one Redis and one shelf, answer as one."""

from __future__ import annotations

import asyncio
import itertools
import re
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import httpx
import pytest

from scripts.ensure_redis import find_proxy
from scripts.research.load.arrivals import Outcome, bring
from scripts.research.load.client import Client
from scripts.research.load.visitors import Visitors
from scripts.research.several.fleet import Fleet, running
from scripts.research.several.proxy import are_all_up, proxying
from server.ingest.publish import SnapshotStore
from server.settings import Settings
from server.workbench.records import Records, open_records
from tests import postgres as postgresql
from tests.postgres import Postgres
from tests.redis_server import running_redis

pytestmark = pytest.mark.long

QUESTION = "When is the library open?"
FOLLOW_UPS = ("And at weekends?", "Where do visitors park?")
SOON_S = 30.0
ADDRESSES = itertools.count()


@dataclass(frozen=True)
class House:
    """Two servers, the proxy before them, and what they share."""

    fleet: Fleet
    proxy_port: int
    records: Records
    token: str
    shelf: SnapshotStore

    def call(self, server: int, method: str, path: str, address: str = "", **more: Any) -> httpx.Response:
        """A request to one of the servers, as the proxy would pass it on from this address, or a new one."""
        headers = {"X-Forwarded-For": address or f"10.0.0.{next(ADDRESSES)}", **more.pop("headers", {})}
        return httpx.request(
            method, self.fleet.members[server].url + path, headers=headers, timeout=SOON_S, **more
        )

    def manage(self, server: int, method: str, path: str, **more: Any) -> httpx.Response:
        """A call of the admin API by a developer."""
        headers = {"Authorization": f"Bearer {self.token}"}
        return self.call(server, method, "/admin/api/v1" + path, headers=headers, **more)

    def ask(self, server: int, conversation_id: str, text: str) -> dict[str, Any]:
        """A question, and its answer."""
        body = {"question": text, "conversation_id": conversation_id}
        answer: dict[str, Any] = self.call(server, "POST", "/api/ask", json=body).raise_for_status().json()
        return answer


@pytest.fixture(scope="module")
def house(
    two_snapshots: Settings, postgres: Postgres | None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[House]:
    postgres = postgresql.needed(postgres)
    if find_proxy() is None:
        pytest.skip("no haproxy here (python -m scripts.ensure_redis)")
    home = tmp_path_factory.mktemp("several")
    shelf = SnapshotStore(replace(two_snapshots, home=home).snapshots_dir)
    shutil.copytree(two_snapshots.snapshots_dir, home / "snapshots", symlinks=True)
    url = postgres.new_database(template=postgresql.TEMPLATE)
    records = open_records(url)
    with running_redis() as counts:
        settings = replace(
            two_snapshots,
            home=home,
            records_url=url,
            reranker="",
            trusted_hops=1,
            limit_url=counts.url,
            limit_address="6/minute",
            limit_conversation="",
            drain_s=2.0,
        )
        with (
            running(2, settings.as_environ(), home) as fleet,
            proxying(fleet.ports, look_ms=100, trusting=True) as at,
        ):
            yield House(fleet, at, records, records.tokens.create("ops", "developer", 1), shelf)
    records.close()
    postgres.drop(url)


def wait_for(seen: Callable[[], bool]) -> None:
    give_up_at = time.monotonic() + SOON_S
    while not seen():
        assert time.monotonic() < give_up_at
        time.sleep(0.05)


def test_a_conversation_goes_on_wherever_the_next_question_arrives(house: House) -> None:
    """There and back: what the first server has in memory is old by the third question."""
    conversation = "a-conversation-that-moves"
    for server, text in zip((0, 1), (QUESTION, FOLLOW_UPS[0]), strict=True):
        house.ask(server, conversation, text)
    form = {"question": FOLLOW_UPS[1], "conversation_id": conversation}
    page = house.call(0, "POST", "/chat", data=form)
    asked = [page.text.find(text) for text in (QUESTION, *FOLLOW_UPS)]
    assert -1 < asked[0] < asked[1] < asked[2]


def test_an_answers_events_come_from_either_server_but_once(house: House) -> None:
    asked = house.call(0, "POST", "/chat/ask", data={"question": QUESTION}, headers={"HX-Request": "true"})
    [path] = re.findall(r'sse-connect="([^"]+)"', asked.text)
    path = path.replace("&amp;", "&")
    answered, again, here = (house.call(server, "GET", path).text for server in (1, 1, 0))
    assert "8 a.m. to midnight" in answered
    assert "data-failed" in again
    assert "data-failed" in here


def test_feedback_is_taken_by_the_server_that_did_not_answer(house: House) -> None:
    answer = house.ask(0, "a-conversation-that-is-rated", QUESTION)
    given = {
        "conversation_id": answer["conversation_id"],
        "message_id": answer["message_id"],
        "helpful": False,
    }
    assert house.call(1, "POST", "/api/feedback", json=given).is_success
    [_, rated] = house.records.conversations.conversation(answer["conversation_id"])["messages"]
    assert rated["feedback"]["helpful"] is False


def test_what_is_erased_at_one_server_is_gone_at_the_other(house: House) -> None:
    conversation = "a-conversation-that-is-erased"
    house.ask(0, conversation, QUESTION)
    erased = house.call(1, "POST", "/chat/erase", data={"conversation_id": conversation})
    assert erased.status_code < 400
    page = house.call(0, "POST", "/chat", data={"question": FOLLOW_UPS[1], "conversation_id": conversation})
    assert FOLLOW_UPS[1] in page.text
    assert QUESTION not in page.text


def test_limits_are_counted_together(house: House) -> None:
    def status(server: int) -> int:
        return house.call(server, "POST", "/api/ask", "203.0.113.9", json={"question": "hi"}).status_code

    assert [status(number % 2) for number in range(6)] == [200] * 6
    assert [status(0), status(1)] == [429, 429]


def test_wrong_tokens_are_counted_together(house: House) -> None:
    def status(server: int, token: str) -> int:
        headers = {"Authorization": f"Bearer {token}"}
        return house.call(server, "GET", "/admin/api/v1/jobs", "203.0.113.8", headers=headers).status_code

    assert [status(number % 2, "wrong") for number in range(10)] == [401] * 10
    assert [status(0, house.token), status(1, house.token)] == [429, 429]


def test_what_editors_publish_at_one_server_is_live_at_the_other(house: House) -> None:
    book = {"curated": [{"id": "code", "phrasings": ["What is the door code?"], "text": "It is 003696."}]}
    assert house.manage(0, "PUT", "/rules/main/draft", json=book).is_success
    assert house.manage(0, "POST", "/rules/main/publish", json={"note": ""}).is_success
    body = {"question": "What is the door code?"}

    def seen() -> bool:
        return bool(house.call(1, "POST", "/api/ask", json=body).json()["answerer"] == "curated")

    wait_for(seen)


def test_both_answer_from_a_snapshot_that_is_published_while_they_run(house: House) -> None:
    before = house.shelf.current_name
    [other] = [name for name in house.shelf.names() if name != before]
    house.shelf.publish(other)

    def snapshot_of(server: int) -> str:
        body = {"question": QUESTION}
        return str(house.call(server, "POST", "/api/ask", json=body).json()["snapshot"])

    wait_for(lambda: {snapshot_of(0), snapshot_of(1)} == {other})


def test_a_rolling_restart_drops_nothing(house: House) -> None:
    """Every question that arrives while one after the other is restarted gets its answer."""
    over = threading.Event()
    outcomes: list[Outcome] = []

    async def visit() -> None:
        client = Client("127.0.0.1", house.proxy_port)
        visitors = Visitors([QUESTION, *FOLLOW_UPS], seed=4)
        seed = 0
        while not over.is_set():
            seed += 1
            await bring(client, visitors, rate=4, seconds=0.5, seed=seed, note=outcomes.append)
        await client.close()

    visiting = threading.Thread(target=asyncio.run, args=(visit(),))
    visiting.start()
    pids = [member.process.pid for member in house.fleet.members if member.process]
    try:
        for member in house.fleet.members:
            house.fleet.restart(member, partial(are_all_up, house.proxy_port))
    finally:
        over.set()
        visiting.join()
    assert [m.process.pid for m in house.fleet.members if m.process and m.process.pid in pids] == []
    assert len(outcomes) > 10
    dropped = [one for one in outcomes if one.verdict not in ("answered", "degraded")]
    assert [one for one in dropped if one.kind != "hostile"] == []
