"""Where questions come in: checked, numbered, handed to the flow; and where a conversation's turns are kept.

The turns are kept in memory, for a while and not too many, by an id that only the visitor's own page knows.
There is no cookie. A server that was restarted goes on with an empty conversation.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from server.errors import BadInputError, LodgeError, TooLargeError
from server.records import Answer, Event, Final, Question, Scope, Site
from server.web.flow import FlowRunner
from server.web.place import MAIN, known_site
from server.web.protocols import Sites
from server.web.shelf import Shelf

_CONVERSATION_ID = re.compile(r"[0-9A-Za-z_-]{16,64}")
_ROLES = ("user", "assistant")
MAX_TURNS = 10
MAX_HISTORY = 2 * MAX_TURNS


@dataclass(frozen=True, slots=True)
class Turn:
    """A question and the answer to it, as the page shows them."""

    question: str
    answer: Answer


def new_id() -> str:
    """32 hexadecimal digits that nobody can guess."""
    return uuid.uuid4().hex


class Desk:
    """Belongs to the event loop's thread, like the shelves it keeps."""

    def __init__(self, flows: FlowRunner, sites: Sites) -> None:
        self._flows = flows
        self._sites = sites
        self._waiting: Shelf[Question] = Shelf(capacity=1_000, keep_s=60)
        self._conversations: Shelf[tuple[Turn, ...]] = Shelf(capacity=500, keep_s=1_800)

    def question(  # noqa: PLR0913  (what a request may say, each by its name)
        self,
        text: str,
        *,
        conversation_id: str | None = None,
        site: str = MAIN,
        strategy: str | None = None,
        history: tuple[tuple[str, str], ...] | None = None,
        within: Scope | None = None,
    ) -> Question:
        """A checked question with its ids.

        Without a given history the conversation's own is taken, without a strategy the site's.
        """
        known = self.site(site)
        _check_text(text, known.max_question_chars)
        conversation_id = checked_conversation_id(conversation_id)
        return Question(
            text=text,
            conversation_id=conversation_id,
            message_id=new_id(),
            trace_id=new_id(),
            site=known.key,
            strategy=strategy or known.strategy or None,
            history=self._history(conversation_id) if history is None else _checked_history(history),
            within=within,
        )

    def site(self, key: str) -> Site:
        """The site of that key; `NotFoundError` when there is none."""
        return known_site(self._sites, key)

    def put_by(self, question: Question) -> str:
        """Keep a question until its page asks for the events; the id is good once, for a minute."""
        self._waiting.put(question.message_id, question)
        return question.message_id

    def take_up(self, message_id: str) -> Question | None:
        """The question that was put by, once."""
        return self._waiting.take(message_id)

    def turns(self, conversation_id: str) -> tuple[Turn, ...]:
        """The conversation so far, oldest first, as much of it as is still kept."""
        return self._conversations.get(conversation_id) or ()

    async def events(self, question: Question) -> AsyncGenerator[Event, None]:
        """The flow's events; the turn is remembered before its `Final` is passed on."""
        async with aclosing(self._flows.events(question)) as events:
            async for event in events:
                if isinstance(event, Final):
                    self._remember(question, event.answer)
                yield event

    async def answer(self, question: Question) -> Answer:
        """The whole answer, when the way it comes about is of no interest."""
        async with aclosing(self.events(question)) as events:
            async for event in events:
                if isinstance(event, Final):
                    return event.answer
        raise LodgeError("The question was worked on but no answer came of it.")

    def _remember(self, question: Question, answer: Answer) -> None:
        turns = (*self.turns(question.conversation_id), Turn(question.text, answer))
        self._conversations.put(question.conversation_id, turns[-MAX_TURNS:])

    def _history(self, conversation_id: str) -> tuple[tuple[str, str], ...]:
        turns = self.turns(conversation_id)
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


def _refuse_nul(name: str, text: str) -> None:
    if "\0" in text:
        raise BadInputError(f"The {name} contains a NUL character, which is no text.")
