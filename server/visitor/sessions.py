"""What is kept of a conversation: its turns, the masks of what is personal in them, and that it was erased.

There is no cookie: a conversation goes by an id that only the visitor's own page knows. Of what was masked
this process remembers keyed hashes alone, for as long as it remembers the conversation; a server that has
forgotten them, or another one, goes on with the next number.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, TypeVar

import msgspec
from litestar.concurrency import sync_to_thread

from server.ask.scope import PASSING
from server.errors import BadInputError, ConflictError, LodgeError, NotFoundError, StorageError
from server.http.protocols import SiteLookup
from server.masking import Masker, Pattern, masker_for
from server.models import Answer, Final, Question, Trace
from server.storage.conversations import ConversationStore

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


MAX_TURNS = 10
# A conversation is brought back to its tab for so long after its last word. A browser that opens a closed tab
# again brings back what the tab knew, and the next person at a shared computer should not find it.
KEEP_FOR = timedelta(minutes=30)


@dataclass(frozen=True, slots=True)
class Rated:
    """What the visitor thinks of an answer; `reason` and `comment` may be empty."""

    helpful: bool
    reason: str = ""
    comment: str = ""


@dataclass(frozen=True, slots=True)
class ChatTurn:
    """A question and the answer to it; `topic` is what the flow took it to be about, if it was sure."""

    question: str
    answer: Answer
    topic: str | None = None
    rated: Rated | None = None


def topic_of(trace: Trace) -> str | None:
    """The likeliest topic of those that the flow allowed."""
    return _topic((step.step, step.notes) for step in trace.steps)


def kept_turns(
    records: ConversationStore, conversation_id: str, site: str, within: timedelta | None = None
) -> tuple[ChatTurn, ...]:
    """The last turns of a site's recorded conversation; none for one that is unknown, or another site's.

    With `within`, none either for one whose last question was asked longer ago than that.
    """
    try:
        found = records.conversation(conversation_id)
    except NotFoundError:
        return ()
    if found["site"] != site:
        return ()
    if within is not None and datetime.now(UTC) - datetime.fromisoformat(found["last_at"]) > within:
        return ()
    return recorded_turns(records, found)[-MAX_TURNS:]


def recorded_turns(records: ConversationStore, conversation: Mapping[str, Any]) -> tuple[ChatTurn, ...]:
    """Every turn of a conversation as the records hold it. The topic is in the trace."""
    turns, question = [], ""
    for message in conversation["messages"]:
        if message["role"] == "user":
            question = message["text"]
            continue
        answer = msgspec.convert(message["answer"], Answer)
        rated = msgspec.convert(message["feedback"], Rated | None)
        turns.append(ChatTurn(question, answer, _recorded_topic(records, answer.trace_id), rated))
    return tuple(turns)


def _recorded_topic(records: ConversationStore, trace_id: str) -> str | None:
    try:
        trace = records.trace(trace_id)
    except NotFoundError:
        return None
    return _topic((step["step"], step["notes"]) for step in trace["steps"])


def _topic(steps: Iterable[tuple[str, Mapping[str, Any]]]) -> str | None:
    """None where the question was out of scope: it is about none of the site's topics."""
    noted: dict[str, Mapping[str, Any]] = {}
    for step, notes in steps:
        noted.setdefault(step, notes)  # of several questions, the first
    if noted.get("scope", {}).get("verdict", "in_scope") not in PASSING:
        return None
    return next(iter(noted.get("classify", {}).get("allowed") or ()), None)


Turns = tuple[tuple[str, str], ...]


class VisitorMasks:
    """The maskers of the conversations of late. Belongs to the event loop's thread."""

    def __init__(self, sites: SiteLookup, patterns: Sequence[Pattern]) -> None:
        """Without patterns nothing is masked."""
        self._sites = sites
        self._patterns = patterns
        self._key = secrets.token_bytes(32)
        self._maskers: ExpiringStore[Masker] = ExpiringStore(capacity=500, keep_s=1_800)

    def masked(self, conversation_id: str, text: str, history: Turns = ()) -> tuple[str, Turns]:
        """A question, or a comment, and the turns before it.

        In the assistant's turns that alone is masked which is the visitor's; but a turn before which the
        visitor said nothing is no answer, and is masked like the visitor's own.
        """
        if not self._patterns:
            return text, history
        masker = self._masker(conversation_id)
        try:
            before = masker.masked_turns(history)
            return masker.masked(text), before
        finally:
            masker.forget()

    def forget(self, conversation_id: str) -> None:
        """Let go of the conversation's hashes."""
        self._maskers.take(conversation_id)

    def _masker(self, conversation_id: str) -> Masker:
        masker = self._maskers.get(conversation_id)
        if masker is None:
            masker = masker_for(self._patterns, self._sites.all, self._hashed)
        self._maskers.put(conversation_id, masker)
        return masker

    def _hashed(self, own: str) -> str:
        return hmac.new(self._key, own.encode(), hashlib.sha256).hexdigest()


_REMEMBERED = 10_000


class Eraser:
    """Erases, and remembers what it has erased: a flow that ends later would record its answer anew.

    Safe to share between threads.
    """

    def __init__(self, records: ConversationStore) -> None:
        self._records = records
        self._erased: OrderedDict[tuple[str, str], None] = OrderedDict()  # id and site
        self._lock = threading.Lock()

    def erase(self, conversation_id: str, site: str) -> None:
        """Removes the site's conversation from the records; one that is not there is as good as erased.

        `ConflictError` for one that has to be kept; it is not erased then.
        """
        with self._lock:
            self._erased[conversation_id, site] = None
            while len(self._erased) > _REMEMBERED:
                self._erased.popitem(last=False)
        try:
            with suppress(NotFoundError):
                self._records.erase(conversation_id, site)
        except ConflictError:
            with self._lock:
                self._erased.pop((conversation_id, site), None)
            raise

    def has_erased(self, conversation_id: str, site: str) -> bool:
        """Whether the visitor had it erased, as far as this is remembered."""
        with self._lock:
            return (conversation_id, site) in self._erased

    def ended(self, question: Question) -> None:
        """To be told at the end of every flow, on whatever thread it ran."""
        known = (question.conversation_id, question.site)
        if self.has_erased(*known) or self._records.is_erased(*known):
            with suppress(ConflictError):  # somebody has to keep it since
                self.erase(*known)


_CONVERSATION_ID = re.compile(r"[0-9A-Za-z_-]{16,64}")


def new_id() -> str:
    """32 hexadecimal digits that nobody can guess."""
    return uuid.uuid4().hex


def checked_conversation_id(given: str | None) -> str:
    """A given id, if it is one; a new one for nothing given."""
    if not given:
        return new_id()
    if not _CONVERSATION_ID.fullmatch(given):
        raise BadInputError("conversation_id takes 16 to 64 letters, digits, hyphens and underscores.")
    return given


def known_id(own: str) -> str:
    """The id by which visitors know a conversation that the records call `own`."""
    return own.partition(".")[0]


def memory_key(site: str, conversation_id: str) -> str:
    """What a site's conversation is kept by, whichever of its two ids is given."""
    return f"{site}/{known_id(conversation_id)}"


class ConversationMemory:
    """The turns of the conversations of late; what is not in memory comes out of the records.

    A conversation belongs to its site. The id of another site's conversation is an unknown one: what is begun
    with it is recorded as `<id>.<site>`, and goes by the id alone outside of the records. Belongs to the
    event loop's thread.
    """

    def __init__(self, records: ConversationStore, eraser: Eraser) -> None:
        self._records = records
        self._eraser = eraser
        self._turns: ExpiringStore[tuple[ChatTurn, ...]] = ExpiringStore(capacity=500, keep_s=1_800)

    async def own_id(self, site: str, given: str) -> str:
        """What the records call the site's conversation that its visitor knows by `given`."""
        try:
            owner = await sync_to_thread(self._records.site_of, given)
        except StorageError:
            return given  # what is asked of the records next fails, too, and is told
        return given if owner in (None, site) else f"{given}.{site}"

    def turns(self, site: str, conversation_id: str) -> tuple[ChatTurn, ...]:
        """The site's conversation so far, oldest first, as much of it as is in memory."""
        return self._turns.get(memory_key(site, conversation_id)) or ()

    async def recall(self, site: str, own: str) -> tuple[ChatTurn, ...]:
        """The same; what is not in memory, or went on at another server, is brought back from the records."""
        turns = self.turns(site, own)
        if turns:
            if await sync_to_thread(self._is_last, own, turns[-1].answer.message_id):
                return turns
            self._turns.take(memory_key(site, own))
        return await self._bring_back(site, own, None)

    async def recall_known(self, site: str, given: str) -> tuple[ChatTurn, ...]:
        """`recall` by the id that its visitor knows; nothing for what is no id."""
        if not _CONVERSATION_ID.fullmatch(given):
            return ()
        return await self.recall(site, await self.own_id(site, given))

    async def shown(self, site: str, given: str) -> tuple[ChatTurn, ...]:
        """What a page shows beside an error: the same, with the records' where they can be read."""
        try:
            return await self.recall_known(site, given)
        except LodgeError:
            return self.turns(site, given)

    async def restore(self, site: str, given: str) -> tuple[ChatTurn, ...]:
        """What a tab that was loaded anew shows again; nothing once the conversation was left for long."""
        if not _CONVERSATION_ID.fullmatch(given):
            return ()
        return await self._bring_back(site, await self.own_id(site, given), KEEP_FOR)

    def remember(self, question: Question, final: Final) -> None:
        """A turn that is over, unless its conversation has been erased meanwhile."""
        own, site = question.conversation_id, question.site
        if not self._eraser.has_erased(own, site):
            turn = ChatTurn(question.text, final.answer, topic_of(final.trace))
            self.keep(site, own, (*self.turns(site, own), turn)[-MAX_TURNS:])

    def keep(self, site: str, own: str, turns: tuple[ChatTurn, ...]) -> None:
        """These are the conversation's turns now; none: it is forgotten."""
        if turns:
            self._turns.put(memory_key(site, own), turns)
        else:
            self._turns.take(memory_key(site, own))

    def _is_last(self, conversation_id: str, message_id: str) -> bool:
        """Whether this is the conversation's last answer, for all that can be told."""
        try:
            return self._records.last_answer(conversation_id) == message_id
        except StorageError:
            return True

    async def _bring_back(self, site: str, own: str, within: timedelta | None) -> tuple[ChatTurn, ...]:
        if self._eraser.has_erased(own, site):
            return ()
        kept = await sync_to_thread(kept_turns, self._records, own, site, within)
        found = tuple(replace(turn, answer=as_known(turn.answer)) for turn in kept)
        if found:
            self.keep(site, own, found)
        return found


def as_known(answer: Answer) -> Answer:
    """An answer with the conversation's id that its visitor knows."""
    known = known_id(answer.conversation_id)
    return answer if known == answer.conversation_id else replace(answer, conversation_id=known)
