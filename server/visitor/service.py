"""Where questions come in: checked, counted, numbered and masked, and answered on a worker's thread.

Waking the event loop from there costs either side the interpreter's lock, for which the loop may have to wait
while workers compute. So it is woken once for however much is handed over by then: an answer's last events
come within a millisecond, and travel together.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime
from typing import Generic, TypeVar

from litestar.concurrency import sync_to_thread

from server.ask.normalize import check_length
from server.errors import BadInputError, BusyError, LodgeError, TooLargeError, TooManyError
from server.http.limits import Limiter, LimitOptions
from server.http.metrics import Outcomes
from server.http.middleware import known_site
from server.http.protocols import SiteLookup
from server.models import Answer, Event, Feedback, FeedbackReasons, Final, Question, Scope, Site
from server.models.sites import MAIN
from server.storage.conversations import ConversationStore
from server.visitor.sessions import (
    MAX_TURNS,
    ChatTurn,
    ConversationMemory,
    Eraser,
    Rated,
    VisitorMasks,
    as_known,
    checked_conversation_id,
    memory_key,
    new_id,
)

Thing = TypeVar("Thing")


class ThreadBridge(Generic[Thing]):
    """Made on the loop that takes; anything may be put in from any thread, and comes out in its order."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._came = asyncio.Event()
        self._things: list[Thing] = []
        self._lock = threading.Lock()

    def put(self, thing: Thing) -> None:
        """Hand it over; where the loop has closed nobody is waiting any more."""
        with self._lock:
            self._things.append(thing)
            is_first = len(self._things) == 1
        if is_first:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._came.set)

    async def take(self) -> list[Thing]:
        """All that has come since, at least one; waits for it."""
        await self._came.wait()
        self._came.clear()
        with self._lock:
            things, self._things = self._things, []
        return things


_Delivery = Event | Exception | None


class FlowRunner:
    """Runs at most `workers` questions at a time; at most `queue` more wait their turn.

    While `shed_from` or more wait, load is shed (`Question.load_shed`), so that the queue gets shorter.
    """

    def __init__(
        self,
        ask: Callable[[Question], Iterator[Event]],
        workers: int,
        ended: Callable[[Question], None] = lambda question: None,
        *,
        queue: int = 64,
        shed_from: int = 0,
    ) -> None:
        """`ask` is the question's way: synchronous and thread-safe, events up to one `Final`.

        `ended` is told of each question once its flow is over, on the flow's thread.

        With a `shed_from` of 0 no load is shed.
        """
        self._ask = ask
        self._ended = ended
        self.workers = workers
        self._shed_from = shed_from
        self._most = workers + queue
        self._taken = self._running = 0
        self._counting = threading.Lock()
        self._pool = ThreadPoolExecutor(max_workers=workers, thread_name_prefix="answer")

    @property
    def busy(self) -> int:
        """Questions that are being worked on."""
        return self._running

    @property
    def waiting(self) -> int:
        """Questions that wait for a worker."""
        return max(0, self._taken - self._running)

    def require_room(self) -> None:
        """A `BusyError` where one more question would be turned away now."""
        if self._taken >= self._most:
            raise BusyError("Too many questions are waiting already. Please try again in a moment.")

    async def events(self, question: Question) -> AsyncGenerator[list[Event], None]:
        """The flow's events as they come, those that come together in one list; its error is raised here.

        Closing this early ends the flow too.

        A `BusyError` comes at once where too many wait already: a late answer is no answer. A flow stays on
        one thread from start to end, because its database connections may belong to it.
        """
        handover: ThreadBridge[_Delivery] = ThreadBridge()
        gone = threading.Event()
        self.require_room()
        self._count(taken=1)
        try:
            self._pool.submit(self._run, question, handover.put, gone)
        except RuntimeError:
            self._count(taken=-1)
            raise
        try:
            is_over = False
            while not is_over:
                things = await handover.take()
                is_over = None in things
                errors = [thing for thing in things if isinstance(thing, Exception)]
                if events := [thing for thing in things if not isinstance(thing, Exception | None)]:
                    yield events
                if errors:
                    raise errors[0]
        finally:
            gone.set()

    def _count(self, *, taken: int = 0, running: int = 0) -> None:
        with self._counting:
            self._taken += taken
            self._running += running

    def _run(self, question: Question, deliver: Callable[[_Delivery], None], gone: threading.Event) -> None:
        if gone.is_set():
            self._count(taken=-1)
            return
        self._count(running=1)
        try:
            sheds_load = 0 < self._shed_from <= self.waiting
            events = self._ask(replace(question, load_shed=True) if sheds_load else question)
            _forward(events, deliver, gone)
        except Exception as error:  # whatever it is, it belongs to the one who waits for the answer
            deliver(error)
        finally:
            self._count(taken=-1, running=-1)  # the place is free before the last event is delivered
            self._end(question, deliver)

    def _end(self, question: Question, deliver: Callable[[_Delivery], None]) -> None:
        try:
            self._ended(question)
        except Exception as error:
            deliver(error)
        finally:
            deliver(None)

    def close(self) -> None:
        """Wait for the questions that are being answered; take no more."""
        self._pool.shutdown(wait=True)


def _forward(events: Iterator[Event], deliver: Callable[[_Delivery], None], gone: threading.Event) -> None:
    try:
        for event in events:
            if gone.is_set():
                return
            deliver(event)
    finally:
        if isinstance(events, Generator):
            events.close()


_ROLES = ("user", "assistant")
MAX_HISTORY = 2 * MAX_TURNS
MAX_COMMENT_CHARS = 1_000


class ChatService:
    """Belongs to the event loop's thread, like the shelves it keeps."""

    def __init__(  # noqa: PLR0913, PLR0917  (what stands behind the desk)
        self,
        flows: FlowRunner,
        sites: SiteLookup,
        records: ConversationStore,
        eraser: Eraser,
        limiter: Limiter | None = None,
        outcomes: Outcomes | None = None,
        masks: VisitorMasks | None = None,
    ) -> None:
        """Without a limiter one may ask as often as one likes, without masks nothing is masked; `outcomes`
        is told what becomes of it."""
        self._flows = flows
        self._sites = sites
        self._records = records
        self._eraser = eraser
        self.limiter = limiter or Limiter(LimitOptions())
        self._outcomes = outcomes or Outcomes()
        self._masks = masks or VisitorMasks(sites, ())
        self.conversations = ConversationMemory(records, eraser)

    def require_room(self, site: str) -> None:
        """A `BusyError`, before anything is counted or looked up, where no more questions may wait."""
        try:
            self._flows.require_room()
        except BusyError as busy:
            self._outcomes.turned_away(site, busy)
            raise

    async def question(  # noqa: PLR0913  (what a request may say, each by its name)
        self,
        text: str,
        *,
        conversation_id: str | None = None,
        site: str = MAIN,
        strategy: str | None = None,
        history: tuple[tuple[str, str], ...] | None = None,
        within: Scope | None = None,
        source: str | None = None,
        lang: str | None = None,
    ) -> Question:
        """A checked question with its ids; a `TooManyError` where too much was asked.

        Without a given history the conversation's own is taken, without a strategy the site's. `source` is
        what `limiter.address_of` says of the request, `lang` the language of the page. What is personal in it
        is masked. Its `conversation_id` is the records'.
        """
        known = self.site(site)
        _check_text(text, known.max_question_chars)
        given = checked_conversation_id(conversation_id)
        try:
            await self.limiter.admit(
                source, known.key, memory_key(known.key, given) if conversation_id else None
            )
        except TooManyError as full:
            self._outcomes.turned_away(known.key, full)
            raise
        own = await self.conversations.own_id(known.key, given) if conversation_id else given
        turns = await self.conversations.recall(known.key, own) if conversation_id and history is None else ()
        if self._eraser.has_erased(own, known.key):
            own, turns = new_id(), ()  # one that was erased is not taken up again
        before = _history(turns) if history is None else _checked_history(history)
        text, before = self._masks.masked(own, text, before)
        return Question(
            text=text,
            conversation_id=own,
            message_id=new_id(),
            trace_id=new_id(),
            site=known.key,
            strategy=strategy or known.strategy or None,
            history=before,
            within=within,
            cited=turns[-1].answer.citations if turns else (),
            lang=lang,
            narrowed=bool(history) or any(turn.answer.narrow for turn in turns),
        )

    def site(self, key: str) -> Site:
        """The site of that key; `NotFoundError` when there is none."""
        return known_site(self._sites, key)

    async def erase(self, site: str, conversation_id: str) -> None:
        """Forget the site's conversation, here and in the records, with any answer that is still on its way.

        `ConflictError` for one that has to be kept.
        """
        own = await self.conversations.own_id(site, checked_conversation_id(conversation_id))
        await sync_to_thread(self._eraser.erase, own, site)
        self.conversations.keep(site, own, ())
        self._masks.forget(own)

    async def rate(self, site: str, conversation_id: str, message_id: str, rated: Rated) -> ChatTurn | None:
        """Keep what the visitor thinks of an answer; the turn it belongs to, if that is still kept.

        `BadInputError` for words that cannot be used, `NotFoundError` when there is no such answer.
        """
        _check_rating(rated)
        own = await self.conversations.own_id(site, conversation_id)
        comment, _ = self._masks.masked(own, rated.comment.strip())
        rated = replace(rated, comment=comment)
        given_at = datetime.now(UTC).isoformat(timespec="seconds")
        given = Feedback(own, message_id, rated.helpful, rated.reason, comment, given_at)
        await sync_to_thread(self._records.rate, given)
        turns = tuple(
            replace(turn, rated=rated) if turn.answer.message_id == message_id else turn
            for turn in await self.conversations.recall(site, own)
        )
        if turns:
            self.conversations.keep(site, own, turns)
        return next((turn for turn in turns if turn.answer.message_id == message_id), None)

    async def events(self, question: Question) -> AsyncGenerator[list[Event], None]:
        """The flow's events, those that come together in one list; the answer's conversation has the id that
        its visitor knows.

        The turn is remembered before its `Final`, which is the last, is passed on.
        """
        start = time.perf_counter()
        try:
            async with aclosing(self._flows.events(question)) as flow:
                async for events in flow:
                    if isinstance(final := events[-1], Final):
                        events[-1] = final = replace(final, answer=as_known(final.answer))
                        self.conversations.remember(question, final)
                        self._outcomes.answered(question, final.answer, time.perf_counter() - start)
                    yield events
        except Exception as error:
            self._outcomes.failed(question, error, time.perf_counter() - start)
            raise

    async def answer(self, question: Question) -> Answer:
        """The whole answer, when the way it comes about is of no interest."""
        async with aclosing(self.events(question)) as flow:
            async for events in flow:
                if isinstance(final := events[-1], Final):
                    return final.answer
        raise LodgeError("The question was worked on but no answer came of it.")


def _history(turns: tuple[ChatTurn, ...]) -> tuple[tuple[str, str], ...]:
    return tuple(
        pair for turn in turns for pair in (("user", turn.question), ("assistant", turn.answer.answer))
    )


def _check_text(text: str, limit: int) -> None:
    _refuse_nul("question", text)
    if not text.strip():
        raise BadInputError("The question is empty. Please type one.", code="empty_question")
    check_length(text, limit)


def _checked_history(history: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    if len(history) > MAX_HISTORY:
        raise TooLargeError(f"history has {len(history)} turns; {MAX_HISTORY} are the most.")
    for role, text in history:
        if role not in _ROLES:
            raise BadInputError(f"history: the role of a turn is one of {', '.join(_ROLES)}.")
        _refuse_nul("history", text)
    return history


def _check_rating(rated: Rated) -> None:
    allowed = FeedbackReasons[rated.helpful]
    if rated.reason and rated.reason not in allowed:
        raise BadInputError(f"reason is {rated.reason!r}; it takes one of: {', '.join(allowed)}.")
    _refuse_nul("comment", rated.comment)
    if len(rated.comment) > MAX_COMMENT_CHARS:
        raise TooLargeError(
            f"The comment has {len(rated.comment):,} characters; {MAX_COMMENT_CHARS:,} are the most."
        )


def _refuse_nul(name: str, text: str) -> None:
    if "\0" in text:
        raise BadInputError(f"The {name} contains a NUL character, which is no text.")
