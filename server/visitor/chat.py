"""The chat page: as plain forms, or as htmx's partials of them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment
from litestar import Request, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery
from litestar.response import Stream, Template

from server.http import sse
from server.http.bodies import form_of
from server.http.errors import Problem, public_problem, told, visitor_sentence
from server.http.limits import UNCOUNTED
from server.models import Event, Final, Question, Status, Token
from server.visitor.service import ChatService, checked_conversation_id, known_id
from server.visitor.site_context import SiteContext, require_origin
from server.visitor.turns import Turn, topic_of

FRESH = {"Cache-Control": "no-store"}


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
        turns = await desk.shown_turns(place.site.key, form.conversation_id)
        return page(place, form, turns, problem=public_problem(error))
    new = ChatForm(conversation_id=known_id(question.conversation_id))
    return page(place, new, desk.turns(place.site.key, question.conversation_id))


@post("/chat/ask", include_in_schema=False, status_code=200, dependencies=_FORM)
async def chat_ask(
    request: _Request,
    desk: NamedDependency[ChatService],
    place: NamedDependency[SiteContext],
    form: NamedDependency[ChatForm],
) -> Template:
    """htmx's way: the question's bubble, and an answer's that opens the events by itself."""
    question = await _question(request, desk, place, form)
    context = place.context(
        question=form.question,  # as it was typed, though it is kept masked
        event_id=await desk.put_by(question),
        conversation_id=known_id(question.conversation_id),
    )
    return Template("_asked.html", context=context, headers=FRESH)


@get("/chat/events/{event_id:str}", include_in_schema=False, opt=UNCOUNTED)
async def chat_events(
    desk: NamedDependency[ChatService],
    place: NamedDependency[SiteContext],
    views: NamedDependency[Environment],
    event_id: FromPath[str],
) -> Stream:
    """The answer's way as HTML pieces: `status`, `token`, and one `final` that takes the bubble's place.

    An id is good once. A browser that connects again after a lost connection is told so in a `final`,
    because any other answer, one about a limit too, would make it try for ever.
    """
    question = await desk.take_up(event_id)
    if question is None:
        return sse.event_stream(_expired(views, place))
    return sse.event_stream(_pieces(desk, views, place, question))


def page(
    place: SiteContext,
    form: ChatForm,
    turns: tuple[Turn, ...],
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
        source=desk.source_of(request),
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
            turn = Turn(question.text, event.answer, topic_of(event.trace))
            return _event(views, "final", "_answered.html", place.context(turn=turn))
    return None


async def _expired(views: Environment, place: SiteContext) -> AsyncIterator[bytes]:
    yield _failed(views, place, place.texts.expired)


def _failed(views: Environment, place: SiteContext, message: str) -> bytes:
    return _event(views, "final", "_failed.html", place.context(message=message))


def _event(views: Environment, name: str, template: str, context: dict[str, Any]) -> bytes:
    return sse.event_bytes(name, views.get_template(template).render(context))
