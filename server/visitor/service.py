"""Where questions come in: checked, numbered, handed to the flow; and where a conversation's turns are kept.

The turns are kept in memory, for a while and not too many, by an id that only the visitor's own page knows;
what memory has forgotten, or never knew, comes out of the records. There is no cookie.

A conversation belongs to its site. The id of another site's conversation is an unknown one: what is begun
with it is recorded as `<id>.<site>`, and goes by the id alone outside of the records.
"""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from litestar.concurrency import sync_to_thread

from server.errors import BadInputError, BusyError, LodgeError, StorageError, TooLargeError, TooManyError
from server.http.outcomes import Outcomes
from server.http.protocols import Sites
from server.http.proxies import Connection
from server.models import Answer, Event, Feedback, FeedbackReasons, Final, Question, Scope, Site
from server.storage.conversations import ConversationStore
from server.visitor.erasing import Eraser
from server.visitor.flow import FlowRunner
from server.visitor.limits import Limiter, LimitOptions
from server.visitor.masks import VisitorMasks
from server.visitor.sessions import ExpiringStore, PendingQuestions
from server.visitor.site_context import MAIN, known_site
from server.visitor.turns import KEEP_FOR, MAX_TURNS, Rated, Turn, kept_turns, topic_of

_CONVERSATION_ID = re.compile(r"[0-9A-Za-z_-]{16,64}")
_ROLES = ("user", "assistant")
MAX_HISTORY = 2 * MAX_TURNS
MAX_COMMENT_CHARS = 1_000


def new_id() -> str:
    """32 hexadecimal digits that nobody can guess."""
    return uuid.uuid4().hex


class ChatService:
    """Belongs to the event loop's thread, like the shelves it keeps."""

    def __init__(  # noqa: PLR0913, PLR0917  (what stands behind the desk)
        self,
        flows: FlowRunner,
        sites: Sites,
        records: ConversationStore,
        eraser: Eraser,
        limiter: Limiter | None = None,
        outcomes: Outcomes | None = None,
        masks: VisitorMasks | None = None,
        waiting: PendingQuestions | None = None,
    ) -> None:
        """Without a limiter one may ask as often as one likes, without masks nothing is masked; `outcomes`
        is told what becomes of it."""
        self._flows = flows
        self._sites = sites
        self._records = records
        self._eraser = eraser
        self._limiter = limiter or Limiter(LimitOptions())
        self._outcomes = outcomes or Outcomes()
        self._masks = masks or VisitorMasks(sites, ())
        self._waiting = waiting or PendingQuestions()
        self._conversations: ExpiringStore[tuple[Turn, ...]] = ExpiringStore(capacity=500, keep_s=1_800)

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
    ) -> Question:
        """A checked question with its ids; a `TooManyError` where too much was asked.

        Without a given history the conversation's own is taken, without a strategy the site's. `source` is
        what `source_of` says of the request. What is personal in it is masked. Its `conversation_id` is the
        records'.
        """
        known = self.site(site)
        _check_text(text, known.max_question_chars)
        given = checked_conversation_id(conversation_id)
        try:
            self._limiter.admit(source, known.key, _shelved(known.key, given) if conversation_id else None)
        except TooManyError as full:
            self._outcomes.turned_away(known.key, full)
            raise
        own = await self._own_id(known.key, given) if conversation_id else given
        turns = await self._recall(known.key, own) if conversation_id and history is None else ()
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
        )

    def source_of(self, request: Connection) -> str | None:
        """The address that a request comes from, for counting; it is kept nowhere."""
        return self._limiter.address_of(request)

    def site(self, key: str) -> Site:
        """The site of that key; `NotFoundError` when there is none."""
        return known_site(self._sites, key)

    def put_by(self, question: Question) -> str:
        """Keep a question until its page asks for the events; the id is good once, for a minute."""
        return self._waiting.put(question)

    def take_up(self, message_id: str) -> Question | None:
        """The question that was put by, here or at another server, once."""
        return self._waiting.take(message_id)

    def turns(self, site: str, conversation_id: str) -> tuple[Turn, ...]:
        """The site's conversation so far, oldest first, as much of it as is in memory."""
        return self._conversations.get(_shelved(site, conversation_id)) or ()

    async def shown_turns(self, site: str, conversation_id: str) -> tuple[Turn, ...]:
        """What a page shows beside an error: the same, with the records' where they can be read."""
        try:
            return await self.recall(site, conversation_id)
        except LodgeError:
            return self.turns(site, conversation_id)

    async def recall(self, site: str, conversation_id: str) -> tuple[Turn, ...]:
        """The same; what is not in memory, or went on at another server, is brought back from the records."""
        if not _CONVERSATION_ID.fullmatch(conversation_id):
            return ()
        return await self._recall(site, await self._own_id(site, conversation_id))

    async def restore(self, site: str, conversation_id: str) -> tuple[Turn, ...]:
        """What a tab that was loaded anew shows again; nothing once the conversation was left for long."""
        if not _CONVERSATION_ID.fullmatch(conversation_id):
            return ()
        return await self._bring_back(site, await self._own_id(site, conversation_id), KEEP_FOR)

    async def erase(self, site: str, conversation_id: str) -> None:
        """Forget the site's conversation, here and in the records, with any answer that is still on its way.

        `ConflictError` for one that has to be kept.
        """
        own = await self._own_id(site, checked_conversation_id(conversation_id))
        await sync_to_thread(self._eraser.erase, own, site)
        self._conversations.take(_shelved(site, own))
        self._masks.forget(own)

    async def rate(self, site: str, conversation_id: str, message_id: str, rated: Rated) -> Turn | None:
        """Keep what the visitor thinks of an answer; the turn it belongs to, if that is still kept.

        `BadInputError` for words that cannot be used, `NotFoundError` when there is no such answer.
        """
        _check_rating(rated)
        own = await self._own_id(site, conversation_id)
        comment, _ = self._masks.masked(own, rated.comment.strip())
        rated = replace(rated, comment=comment)
        given_at = datetime.now(UTC).isoformat(timespec="seconds")
        given = Feedback(own, message_id, rated.helpful, rated.reason, comment, given_at)
        await sync_to_thread(self._records.rate, given)
        turns = tuple(
            replace(turn, rated=rated) if turn.answer.message_id == message_id else turn
            for turn in await self._recall(site, own)
        )
        if turns:
            self._conversations.put(_shelved(site, own), turns)
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
                        events[-1] = final = replace(final, answer=_as_known(final.answer))
                        self._remember(question, final)
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

    async def _own_id(self, site: str, given: str) -> str:
        """What the records call the site's conversation that its visitor knows by `given`."""
        try:
            owner = await sync_to_thread(self._records.site_of, given)
        except StorageError:
            return given  # what is asked of the records next fails, too, and is told
        return given if owner in (None, site) else f"{given}.{site}"

    async def _recall(self, site: str, own: str) -> tuple[Turn, ...]:
        turns = self.turns(site, own)
        if turns:
            if await sync_to_thread(self._is_last, own, turns[-1].answer.message_id):
                return turns
            self._conversations.take(_shelved(site, own))
        return await self._bring_back(site, own, None)

    def _is_last(self, conversation_id: str, message_id: str) -> bool:
        """Whether this is the conversation's last answer, for all that can be told."""
        try:
            return self._records.last_answer(conversation_id) == message_id
        except StorageError:
            return True

    async def _bring_back(self, site: str, own: str, within: timedelta | None) -> tuple[Turn, ...]:
        if self._eraser.has_erased(own, site):
            return ()
        kept = await sync_to_thread(kept_turns, self._records, own, site, within)
        found = tuple(replace(turn, answer=_as_known(turn.answer)) for turn in kept)
        if found:
            self._conversations.put(_shelved(site, own), found)
        return found

    def _remember(self, question: Question, final: Final) -> None:
        own, site = question.conversation_id, question.site
        if self._eraser.has_erased(own, site):
            return
        turn = Turn(question.text, final.answer, topic_of(final.trace))
        self._conversations.put(_shelved(site, own), (*self.turns(site, own), turn)[-MAX_TURNS:])


def known_id(own: str) -> str:
    """The id by which visitors know a conversation that the records call `own`."""
    return own.partition(".")[0]


def _shelved(site: str, conversation_id: str) -> str:
    return f"{site}/{known_id(conversation_id)}"


def _as_known(answer: Answer) -> Answer:
    known = known_id(answer.conversation_id)
    return answer if known == answer.conversation_id else replace(answer, conversation_id=known)


def _history(turns: tuple[Turn, ...]) -> tuple[tuple[str, str], ...]:
    return tuple(
        pair for turn in turns for pair in (("user", turn.question), ("assistant", turn.answer.answer))
    )


def _check_text(text: str, limit: int) -> None:
    _refuse_nul("question", text)
    if not text.strip():
        raise BadInputError("The question is empty. Please type one.", code="empty_question")
    if len(text) > limit:
        raise TooLargeError(
            f"The question has {len(text):,} characters; {limit:,} are the most.", code="question_too_long"
        )


def checked_conversation_id(given: str | None) -> str:
    """A given id, if it is one; a new one for nothing given."""
    if not given:
        return new_id()
    if not _CONVERSATION_ID.fullmatch(given):
        raise BadInputError("conversation_id takes 16 to 64 letters, digits, hyphens and underscores.")
    return given


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
