from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest

from server.errors import BusyError, NotReadyError
from server.models import Event, Question, Status
from server.visitor.service import FlowRunner
from tests.scripted_app import ScriptedAsker


def question(text: str) -> Question:
    return Question(text, conversation_id="c", message_id="m", trace_id="t")


async def kinds(flows: FlowRunner, text: str) -> list[str]:
    return [event.kind async for events in flows.events(question(text)) for event in events]


def test_events_arrive_in_order_up_to_the_final() -> None:
    flows = FlowRunner(ScriptedAsker().ask, workers=1)
    found = asyncio.run(kinds(flows, "hello"))
    assert found == ["status", "status", "token", "citation", "token", "citation", "final"]
    flows.close()


@pytest.mark.parametrize("text", ["unready", "break"])
def test_an_error_of_the_flow_is_raised_where_its_events_are_read(text: str) -> None:
    flows = FlowRunner(ScriptedAsker().ask, workers=1)
    with pytest.raises(NotReadyError):
        asyncio.run(kinds(flows, text))
    flows.close()


def test_a_flow_stays_on_one_worker_thread() -> None:
    seen: set[str] = set()

    class Threads:
        def ask(self, question: Question) -> Iterator[Event]:
            for step in "abc":
                seen.add(threading.current_thread().name)
                yield Status(step)

    flows = FlowRunner(Threads().ask, workers=4)
    asyncio.run(kinds(flows, "x"))
    assert len(seen) == 1
    assert threading.current_thread().name not in seen
    flows.close()


def test_leaving_early_ends_the_flow() -> None:
    asker = ScriptedAsker()
    flows = FlowRunner(asker.ask, workers=1)

    async def leave() -> None:
        events = flows.events(question("gate"))
        await anext(events)
        await events.aclose()

    asyncio.run(leave())
    assert asker.closed.wait(5)
    flows.close()


def test_no_more_than_the_workers_are_answered_at_once_and_the_rest_follow() -> None:
    asker = ScriptedAsker()
    flows = FlowRunner(asker.ask, workers=1)

    async def two() -> tuple[list[str], list[str]]:
        first = asyncio.create_task(kinds(flows, "gate"))
        second = asyncio.create_task(kinds(flows, "hello"))
        await asyncio.to_thread(asker.waiting.wait, 5)
        assert len(asker.asked) == 1
        asker.gate.set()
        return await asyncio.gather(first, second)

    assert all(found[-1] == "final" for found in asyncio.run(two()))
    flows.close()


def test_one_more_than_may_wait_is_turned_away_at_once_and_a_place_comes_free_again() -> None:
    asker = ScriptedAsker()
    flows = FlowRunner(asker.ask, workers=1, queue=1)

    async def crowd() -> list[object]:
        first, second = (asyncio.create_task(kinds(flows, text)) for text in ("gate", "hello"))
        await asyncio.sleep(0)
        [third] = await asyncio.gather(kinds(flows, "hello"), return_exceptions=True)
        with pytest.raises(BusyError):
            flows.require_room()
        asker.gate.set()
        found: list[object] = [third, len(await first) > 0, (await second)[-1]]
        found.append((await kinds(flows, "hello"))[-1])
        return found

    refused, *others = asyncio.run(crowd())
    assert isinstance(refused, BusyError)
    assert others == [True, "final", "final"]
    flows.close()


def test_while_many_wait_load_is_shed_and_the_last_ones_take_their_time_again() -> None:
    asker = ScriptedAsker()
    flows = FlowRunner(asker.ask, workers=1, queue=9, shed_from=2)

    async def crowd() -> None:
        asking = [asyncio.create_task(kinds(flows, text)) for text in ("gate", *"abcd")]
        await asyncio.to_thread(asker.waiting.wait, 5)
        asker.gate.set()
        await asyncio.gather(*asking)

    asyncio.run(crowd())
    assert [(one.text, one.load_shed) for one in asker.asked[1:]] == [
        ("a", True),
        ("b", True),
        ("c", False),
        ("d", False),
    ]
    flows.close()


def test_closing_waits_for_the_answer_under_way() -> None:
    asker = ScriptedAsker()
    flows = FlowRunner(asker.ask, workers=1)

    async def stop_in_the_middle() -> list[str]:
        task = asyncio.create_task(kinds(flows, "gate"))
        await asyncio.to_thread(asker.waiting.wait, 5)
        closing = asyncio.create_task(asyncio.to_thread(flows.close))
        asker.gate.set()
        await closing
        return await task

    assert asyncio.run(stop_in_the_middle())[-1] == "final"


def test_the_end_of_every_flow_is_told_on_its_own_thread() -> None:
    ended: list[tuple[str, str]] = []

    def end(question: Question) -> None:
        ended.append((question.text, threading.current_thread().name.partition("_")[0]))

    flows = FlowRunner(ScriptedAsker().ask, 1, end)
    asyncio.run(kinds(flows, "hello"))
    with pytest.raises(NotReadyError):
        asyncio.run(kinds(flows, "break"))
    flows.close()
    assert ended == [("hello", "answer"), ("break", "answer")]


def test_an_error_at_the_end_is_raised_where_the_events_are_read() -> None:
    def end(question: Question) -> None:
        raise NotReadyError("The records are gone.")

    flows = FlowRunner(ScriptedAsker().ask, 1, end)
    with pytest.raises(NotReadyError, match="records are gone"):
        asyncio.run(kinds(flows, "hello"))
    flows.close()
