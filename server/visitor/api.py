"""The public API: a question and its answer, as JSON or as a stream of server-sent events; and feedback."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Literal

import msgspec
from litestar import Request, Response, post
from litestar.datastructures import ResponseHeader
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import JSONBody
from litestar.response import Stream

from server.ask.normalize import Filters
from server.http.errors import ErrorBody, Problem, public_problem
from server.http.middleware import require_origin
from server.models import Answer, Cited, Event, Final, Question, Status, Token
from server.models.sites import MAIN
from server.visitor.service import ChatService
from server.visitor.sessions import Rated


@dataclass(frozen=True, slots=True)
class AskBody:
    """What `POST /api/ask` takes. `history` holds [role, text] turns, oldest first; `filters` say where to
    search, and `lang` is the language of the page, in which Lodge says what is not the pages' own words."""

    question: str
    conversation_id: str | None = None
    site: str = MAIN
    strategy: str | None = None
    history: list[tuple[Literal["user", "assistant"], str]] | None = None
    filters: Filters | None = None
    lang: str | None = None


_RESPONSES = {
    200: ResponseSpec(
        Answer, generate_examples=False, description="The answer, or an event stream with `Accept`."
    ),
    **{
        status: ResponseSpec(ErrorBody, generate_examples=False, description=description)
        for status, description in (
            (400, "The question cannot be used."),
            (403, "The page that asks is not one of the site's origins."),
            (404, "There is no such site."),
            (413, "The question or the request is too large."),
            (429, "Too much was asked; see Retry-After."),
            (503, "A part is missing for now; see Retry-After."),
        )
    },
}


@post(
    "/ask",
    status_code=200,
    responses=_RESPONSES,
    response_headers=[ResponseHeader(name="Cache-Control", value="no-store")],
)
async def ask(
    request: Request[Any, Any, Any], desk: NamedDependency[ChatService], data: JSONBody[AskBody]
) -> Response[Any]:
    """Answer a question.

    With `Accept: text/event-stream` the events `status`, `token` and `citation` come as they happen, then one
    `final` that holds the whole answer; an error after the first event comes as `error`.
    """
    site = desk.site(data.site)
    require_origin(request, site)
    desk.require_room(site.key)
    question = await desk.question(
        data.question,
        conversation_id=data.conversation_id,
        site=data.site,
        strategy=data.strategy,
        history=tuple(data.history) if data.history is not None else None,
        within=data.filters.scope() if data.filters else None,
        source=desk.limiter.address_of(request),
        lang=data.lang,
    )
    if MEDIA_TYPE not in request.headers.get("accept", ""):
        return Response((await desk.answer(question)).as_json())
    return await _stream(desk, question)


async def _stream(desk: ChatService, question: Question) -> Response[Any]:
    """The first events are awaited here, so that an error before them is an ordinary response."""
    flow = desk.events(question)
    first = await anext(flow)

    async def content() -> AsyncIterator[bytes]:
        async with aclosing(flow):
            yield b"".join(map(json_event, first))
            try:
                async for events in flow:
                    yield b"".join(map(json_event, events))
            except Exception as error:
                yield json_problem(public_problem(error))

    return event_stream(content())


@dataclass(frozen=True, slots=True)
class FeedbackBody:
    """What `POST /api/feedback` takes. `reason` and `comment` (at most 1,000 characters) may be empty.

    Reasons: clear, complete or other of a helpful answer; wrong, incomplete, outdated, off_topic or other of
    one that was not.
    """

    conversation_id: str
    message_id: str
    helpful: bool
    reason: Literal["", "clear", "complete", "wrong", "incomplete", "outdated", "off_topic", "other"] = ""
    comment: str = ""
    site: str = MAIN


@post(
    "/feedback",
    status_code=204,
    responses={
        status: ResponseSpec(ErrorBody, generate_examples=False, description=says)
        for status, says in (
            (400, "What was given cannot be used; the message says why."),
            (403, "The page that asks is not one of the site's origins."),
            (404, "There is no such site, conversation or answer."),
            (413, "The request is too large."),
            (429, "Too much was asked; see Retry-After."),
            (503, "A part is missing for now; see Retry-After."),
        )
    },
    description="Say what you think of an answer. A later word takes the place of an earlier one.",
)
async def feedback_api(
    request: Request[Any, Any, Any], desk: NamedDependency[ChatService], data: JSONBody[FeedbackBody]
) -> None:
    """Feedback as JSON."""
    require_origin(request, desk.site(data.site))
    rated = Rated(data.helpful, data.reason, data.comment)
    await desk.rate(data.site, data.conversation_id, data.message_id, rated)


MEDIA_TYPE = "text/event-stream"
_LINE_END = re.compile(r"\r\n|\r|\n")


def event_bytes(name: str, data: str) -> bytes:
    """One event; each line of its data is a `data:` line."""
    lines = "".join(f"data: {line}\n" for line in _LINE_END.split(data))
    return f"event: {name}\n{lines}\n".encode()


def json_event(event: Event) -> bytes:
    """One event of a flow, as the API streams it."""
    return event_bytes(event.kind, msgspec.json.encode(_payload(event)).decode())


def json_problem(problem: Problem) -> bytes:
    """An error that came after the stream had begun."""
    return event_bytes("error", msgspec.json.encode(problem.as_json()).decode())


def event_stream(content: AsyncIterator[bytes]) -> Stream:
    """The response; no proxy may hold it back or keep it."""
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return Stream(content, media_type=MEDIA_TYPE, headers=headers, status_code=200)


def _payload(event: Event) -> object:
    match event:
        case Status():
            return {"step": event.step}
        case Token():
            return {"text": event.text}
        case Cited():
            return event.citation
        case Final():
            return event.answer.as_json()
