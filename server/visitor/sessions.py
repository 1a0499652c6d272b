"""A bounded, forgetful store in memory: what is not asked for again is gone after a while."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec

from server.counting import SharedStore, StoreAwayError, soon
from server.models import Question

if TYPE_CHECKING:
    from redis.asyncio import Redis


T = TypeVar("T")


class ExpiringStore(Generic[T]):
    """At most `capacity` things, the least recently put going first, none older than `keep_s` seconds.

    It belongs to the event loop's thread and takes no lock.
    """

    def __init__(self, capacity: int, keep_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._capacity = capacity
        self._keep_s = keep_s
        self._clock = clock
        self._things: OrderedDict[str, tuple[float, T]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._things)

    def put(self, key: str, thing: T) -> None:
        """Lay it down, in place of what had this key."""
        self._things[key] = (self._clock() + self._keep_s, thing)
        self._things.move_to_end(key)
        self._forget()

    def get(self, key: str) -> T | None:
        """What lies there, if it is not too old."""
        self._forget()
        found = self._things.get(key)
        return found[1] if found else None

    def take(self, key: str) -> T | None:
        """`get`, and it is no longer there."""
        thing = self.get(key)
        self._things.pop(key, None)
        return thing

    def _forget(self) -> None:
        now = self._clock()
        while self._things:
            expires, _ = next(iter(self._things.values()))
            if expires > now and len(self._things) <= self._capacity:
                return
            self._things.popitem(last=False)


KEEP_S = 60
CAPACITY = 1_000
_PREFIX = "lodge/waiting/"


@dataclass(frozen=True, slots=True)
class _PutBy:
    question: Question
    is_shared: bool


class PendingQuestions:
    """Questions whose page has yet to ask for the events; in memory where the shared store fails.

    Belongs to the event loop's thread.
    """

    def __init__(self, shared: SharedStore | None = None) -> None:
        """`shared` is where several servers keep them; a store that only counts is not used."""
        self._own: ExpiringStore[_PutBy] = ExpiringStore(CAPACITY, KEEP_S)
        self._shared = shared
        self._client: Redis | None = None
        if shared is not None and shared.pool is not None:
            from redis.asyncio import Redis  # noqa: PLC0415 - one server alone does without

            self._client = Redis(connection_pool=shared.pool)

    async def put(self, question: Question) -> str:
        """Keep a question; the id to take it by."""
        key = _PREFIX + question.message_id
        is_shared, _ = await self._call(
            lambda client: client.set(key, msgspec.json.encode(question), ex=KEEP_S)
        )
        self._own.put(question.message_id, _PutBy(question, is_shared))
        return question.message_id

    async def take(self, message_id: str) -> Question | None:
        """The question that was put by, once, whichever server it was put by at."""
        own = self._own.take(message_id)
        # In one step: of two requests for it one gets it.
        is_well, found = await self._call(lambda client: client.getdel(_PREFIX + message_id))
        if found:
            return msgspec.json.decode(found, type=Question)
        is_gone = is_well and own is not None and own.is_shared
        return None if own is None or is_gone else own.question

    async def _call(self, work: Callable[[Redis], Awaitable[Any]]) -> tuple[bool, Any]:
        """Whether the shared store has done it, and what came of it."""
        if self._shared is None or (client := self._client) is None:
            return False, None
        try:
            return True, (await self._shared.call(lambda: soon(work(client))))[0]
        except StoreAwayError:
            return False, None
