"""The visitor's pages: the chat, as plain forms or as htmx's partials of them, and the demo page."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Annotated

from jinja2 import Environment
from litestar import Router, get, post
from litestar.di import NamedDependency
from litestar.enums import RequestEncodingType
from litestar.params import Body, FromPath, FromQuery
from litestar.response import Stream, Template

from server.records import Event, Final, Question, Status, Token
from server.web import sse
from server.web.desk import Desk, Turn, checked_conversation_id, checked_site
from server.web.problems import Problem, problem_of, visitor_sentence
from server.web.texts import Texts

_FRESH = {"Cache-Control": "no-store"}


@dataclass(frozen=True, slots=True)
class ChatForm:
    """The chat page's form. `embed` is "1" inside the widget's frame."""

    question: str = ""
    conversation_id: str = ""
    site: str = "main"
    embed: str = ""


_Form = Annotated[ChatForm, Body(media_type=RequestEncodingType.URL_ENCODED)]


@get(["/", "/chat"], include_in_schema=False, sync_to_thread=False)
def chat_page(site: FromQuery[str] = "main", embed: FromQuery[str] = "") -> Template:
    """A new conversation."""
    form = ChatForm(conversation_id=checked_conversation_id(None), site=checked_site(site), embed=embed)
    return _page(form, turns=())


@post("/chat", include_in_schema=False)
async def chat_without_script(desk: NamedDependency[Desk], data: _Form) -> Template:
    """The page again, with the answer on it. What cannot be answered says why and keeps what was typed."""
    try:
        question = _question(desk, data)
        await desk.answer(question)
    except Exception as error:  # whatever it is, what was typed stays on the page
        return _page(data, desk.turns(data.conversation_id), problem_of(error))
    form = ChatForm(conversation_id=question.conversation_id, site=question.site, embed=data.embed)
    return _page(form, desk.turns(question.conversation_id))


@post("/chat/ask", include_in_schema=False, status_code=200)
async def chat_ask(desk: NamedDependency[Desk], data: _Form) -> Template:
    """htmx's way: the question's bubble, and an answer's that opens the events by itself."""
    question = _question(desk, data)
    context = {"question": question.text, "event_id": desk.put_by(question)}
    return Template("_asked.html", context=context, headers=_FRESH)


@get("/chat/events/{event_id:str}", include_in_schema=False, sync_to_thread=False)
def chat_events(
    desk: NamedDependency[Desk], views: NamedDependency[Environment], event_id: FromPath[str]
) -> Stream:
    """The answer's way as HTML pieces: `status`, `token`, and one `final` that takes the bubble's place.

    An id is good once. A browser that connects again after a lost connection is told so in a `final`,
    because any other answer would make it try for ever.
    """
    question = desk.take_up(event_id)
    if question is None:
        return sse.event_stream(_expired(views))
    return sse.event_stream(_pieces(desk, views, question))


@get("/demo", include_in_schema=False, sync_to_thread=False)
def demo_page() -> Template:
    """An ordinary page of a university, with the widget on it."""
    return Template("demo.html")


def page_router() -> Router:
    """The visitor's pages."""
    return Router("/", route_handlers=[chat_page, chat_without_script, chat_ask, chat_events, demo_page])


def _question(desk: Desk, form: ChatForm) -> Question:
    return desk.question(form.question, conversation_id=form.conversation_id, site=form.site)


def _page(form: ChatForm, turns: tuple[Turn, ...], problem: Problem | None = None) -> Template:
    return Template(
        "chat.html",
        context={"form": form, "turns": turns, "message": visitor_sentence(problem) if problem else None},
        status_code=problem.status if problem else 200,
        headers={**_FRESH, **(problem.headers if problem else {})},
    )


async def _pieces(desk: Desk, views: Environment, question: Question) -> AsyncIterator[bytes]:
    try:
        async with aclosing(desk.events(question)) as events:
            async for event in events:
                if piece := _piece(views, question, event):
                    yield piece
    except Exception as error:
        yield _failed(views, visitor_sentence(problem_of(error)))


def _piece(views: Environment, question: Question, event: Event) -> bytes | None:
    match event:
        case Status():
            return sse.event_bytes("status", views.get_template("_status.html").render(step=event.step))
        case Token():
            return sse.event_bytes("token", views.get_template("_token.html").render(text=event.text))
        case Final():
            turn = Turn(question.text, event.answer)
            return sse.event_bytes("final", views.get_template("_answered.html").render(turn=turn))
    return None


async def _expired(views: Environment) -> AsyncIterator[bytes]:
    yield _failed(views, Texts().expired)


def _failed(views: Environment, message: str) -> bytes:
    return sse.event_bytes("final", views.get_template("_failed.html").render(message=message))
