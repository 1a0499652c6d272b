"""Where questions come in: checked, numbered, handed to the flow; and where a conversation's turns are kept.

The turns are kept in memory, for a while and not too many, by an id that only the visitor's own page knows;
what memory has forgotten, or never knew, comes out of the records. There is no cookie.
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
from server.records import Answer, Citation, Event, Feedback, FeedbackReasons, Final, Question, Scope, Site
from server.web.erasing import Eraser
from server.web.flow import FlowRunner
from server.web.limiting import Limiter, LimitOptions
from server.web.outcomes import Outcomes
from server.web.place import MAIN, known_site
from server.web.protocols import Sites, VisitorRecords
from server.web.proxies import Connection
from server.web.shelf import Shelf
from server.web.turns import KEEP_FOR, MAX_TURNS, Rated, Turn, kept_turns, topic_of
from server.web.visitor_masks import VisitorMasks
from server.web.waiting import Waiting

_CONVERSATION_ID = re.compile(r"[0-9A-Za-z_-]{16,64}")
_ROLES = ("user", "assistant")
MAX_HISTORY = 2 * MAX_TURNS
MAX_COMMENT_CHARS = 1_000


def new_id() -> str:
    """32 hexadecimal digits that nobody can guess."""
    return uuid.uuid4().hex


class Desk:
    """Belongs to the event loop's thread, like the shelves it keeps."""

    def __init__(  # noqa: PLR0913, PLR0917  (what stands behind the desk)
        self,
        flows: FlowRunner,
        sites: Sites,
        records: VisitorRecords,
        eraser: Eraser,
        limiter: Limiter | None = None,
        outcomes: Outcomes | None = None,
        masks: VisitorMasks | None = None,
        waiting: Waiting | None = None,
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
        self._waiting = waiting or Waiting()
        self._conversations: Shelf[tuple[Turn, ...]] = Shelf(capacity=500, keep_s=1_800)

    def require_room(self, site: str) -> None:
        """A `BusyError`, before anything is counted or looked up, where no more questions may wait."""
        try:
            self._flows.require_room()
        except BusyError as busy:
            self._outcomes.turned_away(site, busy)
            raise

    def question(  # noqa: PLR0913  (what a request may say, each by its name)
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
        what `source_of` says of the request. What is personal in it is masked.
        """
        known = self.site(site)
        _check_text(text, known.max_question_chars)
        try:
            self._limiter.admit(source, known.key, conversation_id or None)
        except TooManyError as full:
            self._outcomes.turned_away(known.key, full)
            raise
        conversation_id = self._open_conversation(conversation_id)
        before = self._history(conversation_id) if history is None else _checked_history(history)
        text, before = self._masks.masked(conversation_id, text, before)
        return Question(
            text=text,
            conversation_id=conversation_id,
            message_id=new_id(),
            trace_id=new_id(),
            site=known.key,
            strategy=strategy or known.strategy or None,
            history=before,
            within=within,
            cited=self._last_citations(conversation_id) if history is None else (),
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

    def turns(self, conversation_id: str) -> tuple[Turn, ...]:
        """The conversation so far, oldest first, as much of it as is in memory."""
        return self._conversations.get(conversation_id) or ()

    async def recall(self, conversation_id: str) -> tuple[Turn, ...]:
        """The same; what is not in memory, or went on at another server, is brought back from the records."""
        turns = self.turns(conversation_id)
        if turns:
            is_last = await sync_to_thread(self._is_last, conversation_id, turns[-1].answer.message_id)
            if is_last:
                return turns
            self._conversations.take(conversation_id)
        return await self._bring_back(conversation_id, None)

    async def restore(self, conversation_id: str) -> tuple[Turn, ...]:
        """What a tab that was loaded anew shows again; nothing once the conversation was left for long."""
        return await self._bring_back(conversation_id, KEEP_FOR)

    async def erase(self, conversation_id: str) -> None:
        """Forget the conversation, here and in the records, with any answer that is still on its way.

        `ConflictError` for one that has to be kept.
        """
        await sync_to_thread(self._eraser.erase, checked_conversation_id(conversation_id))
        self._conversations.take(conversation_id)
        self._masks.forget(conversation_id)

    async def rate(self, conversation_id: str, message_id: str, rated: Rated) -> Turn | None:
        """Keep what the visitor thinks of an answer; the turn it belongs to, if that is still kept.

        `BadInputError` for words that cannot be used, `NotFoundError` when there is no such answer.
        """
        _check_rating(rated)
        comment, _ = self._masks.masked(conversation_id, rated.comment.strip())
        rated = replace(rated, comment=comment)
        given_at = datetime.now(UTC).isoformat(timespec="seconds")
        given = Feedback(conversation_id, message_id, rated.helpful, rated.reason, comment, given_at)
        await sync_to_thread(self._records.rate, given)
        turns = tuple(
            replace(turn, rated=rated) if turn.answer.message_id == message_id else turn
            for turn in await self.recall(conversation_id)
        )
        if turns:
            self._conversations.put(conversation_id, turns)
        return next((turn for turn in turns if turn.answer.message_id == message_id), None)

    async def events(self, question: Question) -> AsyncGenerator[list[Event], None]:
        """The flow's events, those that come together in one list.

        The turn is remembered before its `Final`, which is the last, is passed on.
        """
        start = time.perf_counter()
        try:
            async with aclosing(self._flows.events(question)) as flow:
                async for events in flow:
                    if isinstance(final := events[-1], Final):
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

    def _is_last(self, conversation_id: str, message_id: str) -> bool:
        """Whether this is the conversation's last answer, for all that can be told."""
        try:
            return self._records.last_answer(conversation_id) == message_id
        except StorageError:
            return True

    async def _bring_back(self, conversation_id: str, within: timedelta | None) -> tuple[Turn, ...]:
        if not _CONVERSATION_ID.fullmatch(conversation_id) or self._eraser.has_erased(conversation_id):
            return ()
        found = await sync_to_thread(kept_turns, self._records, conversation_id, within)
        if found:
            self._conversations.put(conversation_id, found)
        return found

    def _remember(self, question: Question, final: Final) -> None:
        if self._eraser.has_erased(question.conversation_id):
            return
        turn = Turn(question.text, final.answer, topic_of(final.trace))
        turns = (*self.turns(question.conversation_id), turn)
        self._conversations.put(question.conversation_id, turns[-MAX_TURNS:])

    def _open_conversation(self, given: str | None) -> str:
        """The conversation's id; one that was erased is not taken up again."""
        conversation_id = checked_conversation_id(given)
        return new_id() if self._eraser.has_erased(conversation_id) else conversation_id

    def _history(self, conversation_id: str) -> tuple[tuple[str, str], ...]:
        turns = self.turns(conversation_id)
        return tuple(
            pair for turn in turns for pair in (("user", turn.question), ("assistant", turn.answer.answer))
        )

    def _last_citations(self, conversation_id: str) -> tuple[Citation, ...]:
        turns = self.turns(conversation_id)
        return turns[-1].answer.citations if turns else ()


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
