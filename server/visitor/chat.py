"""The chat page, as plain forms or as htmx's partials of them.

A question is asked, an answer rated, and a conversation shown again, saved as a file or erased.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec
from jinja2 import Environment
from litestar import Request, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery
from litestar.response import Redirect, Stream, Template

from server.counting import SharedStore, StoreAwayError, soon
from server.errors import BadInputError, NotFoundError
from server.http.errors import Problem, public_problem
from server.http.limits import UNCOUNTED
from server.http.middleware import form_of, require_origin
from server.models import Event, FeedbackReasons, Final, Question, Status, Token
from server.visitor.api import event_bytes, event_stream
from server.visitor.service import ChatService
from server.visitor.sessions import (
    ChatTurn,
    ExpiringStore,
    Rated,
    checked_conversation_id,
    known_id,
    topic_of,
)
from server.visitor.site_context import SiteContext, told, visitor_sentence
from server.visitor.view_models import as_json, as_text

if TYPE_CHECKING:
    from redis.asyncio import Redis


FRESH = {"Cache-Control": "no-store"}


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


@dataclass(frozen=True, slots=True)
class ChatForm:
    """The chat page's form; the page's address says the rest."""

    question: str = ""
    conversation_id: str = ""


_FORM = form_of(ChatForm)
_Request = Request[Any, Any, Any]


@get(["/", "/chat"], include_in_schema=False, sync_to_thread=False)
def chat_page(place: NamedDependency[SiteContext], erased: FromQuery[str] = "") -> Template:
    """A new conversation; `erased` says that the one before it is gone."""
    form = ChatForm(conversation_id=checked_conversation_id(None))
    return page(place, form, turns=(), notice=place.texts.erased if erased else "")


@post("/chat", include_in_schema=False, dependencies=_FORM)
async def chat_without_script(
    request: _Request,
    desk: NamedDependency[ChatService],
    place: NamedDependency[SiteContext],
    form: NamedDependency[ChatForm],
) -> Template:
    """The page again, with the answer on it. What cannot be answered says why and keeps what was typed."""
    try:
        question = await _question(request, desk, place, form)
        await desk.answer(question)
    except Exception as error:  # whatever it is, what was typed stays on the page
        turns = await desk.conversations.shown(place.site.key, form.conversation_id)
        return page(place, form, turns, problem=public_problem(error))
    new = ChatForm(conversation_id=known_id(question.conversation_id))
    return page(place, new, desk.conversations.turns(place.site.key, question.conversation_id))


@post("/chat/ask", include_in_schema=False, status_code=200, dependencies=_FORM)
async def chat_ask(
    request: _Request,
    desk: NamedDependency[ChatService],
    pending: NamedDependency[PendingQuestions],
    place: NamedDependency[SiteContext],
    form: NamedDependency[ChatForm],
) -> Template:
    """htmx's way: the question's bubble, and an answer's that opens the events by itself."""
    question = await _question(request, desk, place, form)
    context = place.context(
        question=form.question,  # as it was typed, though it is kept masked
        event_id=await pending.put(question),
        conversation_id=known_id(question.conversation_id),
    )
    return Template("_asked.html", context=context, headers=FRESH)


@get("/chat/events/{event_id:str}", include_in_schema=False, opt=UNCOUNTED)
async def chat_events(
    desk: NamedDependency[ChatService],
    pending: NamedDependency[PendingQuestions],
    place: NamedDependency[SiteContext],
    views: NamedDependency[Environment],
    event_id: FromPath[str],
) -> Stream:
    """The answer's way as HTML pieces: `status`, `token`, and one `final` that takes the bubble's place.

    An id is good once. A browser that connects again after a lost connection is told so in a `final`,
    because any other answer, one about a limit too, would make it try for ever.
    """
    question = await pending.take(event_id)
    if question is None:
        return event_stream(_expired(views, place))
    return event_stream(_pieces(desk, views, place, question))


def page(
    place: SiteContext,
    form: ChatForm,
    turns: tuple[ChatTurn, ...],
    *,
    problem: Problem | None = None,
    notice: str = "",
) -> Template:
    """The whole chat page. A problem is about what stands in the form; a notice is good news."""
    return Template(
        "chat.html",
        context=place.context(
            form=form, turns=turns, notice=notice, **(told(problem, place) if problem else {"message": None})
        ),
        status_code=problem.status if problem else 200,
        headers={**FRESH, **(problem.headers if problem else {})},
    )


async def _question(request: _Request, desk: ChatService, place: SiteContext, form: ChatForm) -> Question:
    require_origin(request, place.site)
    desk.require_room(place.site.key)
    return await desk.question(
        form.question,
        conversation_id=form.conversation_id,
        site=place.site.key,
        source=desk.limiter.address_of(request),
        lang=place.texts.lang,
    )


async def _pieces(
    desk: ChatService, views: Environment, place: SiteContext, question: Question
) -> AsyncIterator[bytes]:
    try:
        async with aclosing(desk.events(question)) as flow:
            async for events in flow:
                pieces = (_piece(views, place, question, event) for event in events)
                if together := b"".join(filter(None, pieces)):
                    yield together
    except Exception as error:
        yield _failed(views, place, visitor_sentence(public_problem(error), place))


def _piece(views: Environment, place: SiteContext, question: Question, event: Event) -> bytes | None:
    match event:
        case Status():
            return _event(views, "status", "_status.html", place.context(step=event.step))
        case Token():
            return _event(views, "token", "_token.html", {"text": event.text})
        case Final():
            turn = ChatTurn(question.text, event.answer, topic_of(event.trace))
            return _event(views, "final", "_answered.html", place.context(turn=turn))
    return None


async def _expired(views: Environment, place: SiteContext) -> AsyncIterator[bytes]:
    yield _failed(views, place, place.texts.expired)


def _failed(views: Environment, place: SiteContext, message: str) -> bytes:
    return _event(views, "final", "_failed.html", place.context(message=message))


def _event(views: Environment, name: str, template: str, context: dict[str, Any]) -> bytes:
    return event_bytes(name, views.get_template(template).render(context))


@dataclass(frozen=True, slots=True)
class ConversationForm:
    """Which conversation; `form` is that of the file to save, "text" or "json"."""

    conversation_id: str = ""
    form: str = "text"


_CONVERSATION_FORM = form_of(ConversationForm)


@post("/chat/restore", include_in_schema=False, status_code=200, dependencies=_CONVERSATION_FORM)
async def chat_restore(
    request: _Request,
    desk: NamedDependency[ChatService],
    place: NamedDependency[SiteContext],
    form: NamedDependency[ConversationForm],
) -> Template | Response[None]:
    """The turns that a tab showed before it was loaded anew; 204 when they are no longer kept."""
    require_origin(request, place.site)
    turns = await desk.conversations.restore(place.site.key, form.conversation_id)
    if not turns:
        return Response(None, status_code=204, headers=FRESH)
    return Template("_turns.html", context=place.context(turns=turns), headers=FRESH)


@post("/chat/save", include_in_schema=False, status_code=200, dependencies=_CONVERSATION_FORM)
async def chat_save(
    request: _Request,
    desk: NamedDependency[ChatService],
    place: NamedDependency[SiteContext],
    form: NamedDependency[ConversationForm],
) -> Response[str]:
    """The conversation as a file."""
    require_origin(request, place.site)
    turns = await desk.conversations.recall_known(place.site.key, form.conversation_id)
    if not turns:
        raise NotFoundError("There is no conversation to save.")
    day = datetime.now(UTC).date()
    name = f"{place.site.key}-{day.isoformat()}"
    if form.form == "json":
        body = json.dumps(as_json(turns, place.site, day), ensure_ascii=False, indent=2)
        return _file(body, "application/json", f"{name}.json")
    return _file(as_text(turns, place.site, place.texts, day), "text/plain", f"{name}.txt")


@post("/chat/erase", include_in_schema=False, dependencies=_CONVERSATION_FORM)
async def chat_erase(
    request: _Request,
    desk: NamedDependency[ChatService],
    place: NamedDependency[SiteContext],
    form: NamedDependency[ConversationForm],
) -> Redirect:
    """Erased, on the server too; then a new conversation."""
    require_origin(request, place.site)
    await desk.erase(place.site.key, form.conversation_id)
    return Redirect(f"/chat{place.query}&erased=1", status_code=303, headers=FRESH)


def _file(body: str, media_type: str, name: str) -> Response[str]:
    headers = {**FRESH, "Content-Disposition": f'attachment; filename="{name}"'}
    return Response(body, media_type=media_type, headers=headers)


VERDICTS = {"up": True, "down": False}


@dataclass(frozen=True, slots=True)
class FeedbackForm:
    """`verdict` is the button that was pressed, "up" or "down"."""

    conversation_id: str = ""
    message_id: str = ""
    verdict: str = ""
    reason: str = ""
    comment: str = ""


@post("/chat/feedback", include_in_schema=False, status_code=200, dependencies=form_of(FeedbackForm))
async def feedback_form(
    request: Request[Any, Any, Any],
    desk: NamedDependency[ChatService],
    place: NamedDependency[SiteContext],
    form: NamedDependency[FeedbackForm],
) -> Template:
    """The thumbs again, with what was said; without htmx, the whole page with them."""
    require_origin(request, place.site)
    turn = await desk.rate(place.site.key, form.conversation_id, form.message_id, _rated(form))
    if "hx-request" not in request.headers:
        turns = await desk.conversations.recall_known(place.site.key, form.conversation_id)
        return page(place, ChatForm(conversation_id=form.conversation_id), turns)
    if turn is None:
        raise NotFoundError("This conversation is no longer kept.")
    return Template("_rated_now.html", context=place.context(turn=turn), headers=FRESH)


def _rated(form: FeedbackForm) -> Rated:
    """A reason that belongs to the other verdict was chosen before the visitor thought again."""
    if form.verdict not in VERDICTS:
        raise BadInputError("verdict takes one of: up, down.")
    helpful = VERDICTS[form.verdict]
    reason = form.reason if form.reason in FeedbackReasons[helpful] else ""
    return Rated(helpful, reason, form.comment)
