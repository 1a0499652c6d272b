"""A bounded, forgetful store in memory: what is not asked for again is gone after a while."""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

import msgspec

from server.counting import SOON, Rest
from server.models import Question

if TYPE_CHECKING:
    from redis import Redis


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


logger = logging.getLogger("lodge.web")

KEEP_S = 60
CAPACITY = 1_000
_PREFIX = "lodge/waiting/"


@dataclass(frozen=True, slots=True)
class _PutBy:
    question: Question
    is_shared: bool


class PendingQuestions:
    """Belongs to the event loop's thread. Where the shared store fails this server's own memory does."""

    def __init__(self, store: str = "") -> None:
        """`store` is empty, or the URL of a Redis or Valkey; a store of another kind is not used."""
        self._own: ExpiringStore[_PutBy] = ExpiringStore(CAPACITY, KEEP_S)
        self._shared: Redis | None = None
        self._errors: tuple[type[Exception], ...] = ()
        if store.startswith(("redis:", "rediss:")):
            from redis import Redis, RedisError  # noqa: PLC0415 - one server alone does without

            self._shared, self._errors = Redis.from_url(store, **SOON), (RedisError,)
        self._rest = Rest()

    def put(self, question: Question) -> str:
        """Keep a question; the id to take it by."""
        is_shared = False
        if self._shared is not None and not self._rest.is_on:
            try:
                self._shared.set(_PREFIX + question.message_id, msgspec.json.encode(question), ex=KEEP_S)
                is_shared = True
                self._rest.end()
            except self._errors as error:
                self._failed(error)
        self._own.put(question.message_id, _PutBy(question, is_shared))
        return question.message_id

    def take(self, message_id: str) -> Question | None:
        """The question that was put by, once, whichever server it was put by at."""
        own = self._own.take(message_id)
        if self._shared is None or self._rest.is_on:
            return own.question if own else None
        try:
            found = self._shared.getdel(_PREFIX + message_id)
        except self._errors as error:
            self._failed(error)
            return own.question if own else None
        self._rest.end()
        if found:
            return msgspec.json.decode(found, type=Question)
        return own.question if own and not own.is_shared else None

    def _failed(self, error: Exception) -> None:
        if self._rest.begin():
            logger.warning("LODGE_LIMIT_URL fails (%s); questions wait here alone.", type(error).__name__)
