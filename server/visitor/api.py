"""`POST /api/ask`: one question, one answer, as JSON or as a stream of events."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Literal

from litestar import Request, Response, post
from litestar.datastructures import ResponseHeader
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import JSONBody

from server.ask.normalize import Filters
from server.http import sse
from server.http.errors import public_problem
from server.models import Answer, Question
from server.visitor.service import ChatService
from server.visitor.site_context import MAIN, require_origin


@dataclass(frozen=True, slots=True)
class AskBody:
    """What `POST /api/ask` takes. `history` holds [role, text] turns, oldest first; `filters` say where to
    search."""

    question: str
    conversation_id: str | None = None
    site: str = MAIN
    strategy: str | None = None
    history: list[tuple[Literal["user", "assistant"], str]] | None = None
    filters: Filters | None = None


@dataclass(frozen=True, slots=True)
class ErrorDetail:
    """`code` is stable; `message` is a sentence for a person."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class ErrorBody:
    """The one shape of every error."""

    error: ErrorDetail


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
        source=desk.source_of(request),
    )
    if sse.MEDIA_TYPE not in request.headers.get("accept", ""):
        return Response((await desk.answer(question)).as_json())
    return await _stream(desk, question)


async def _stream(desk: ChatService, question: Question) -> Response[Any]:
    """The first events are awaited here, so that an error before them is an ordinary response."""
    flow = desk.events(question)
    first = await anext(flow)

    async def content() -> AsyncIterator[bytes]:
        async with aclosing(flow):
            yield b"".join(map(sse.json_event, first))
            try:
                async for events in flow:
                    yield b"".join(map(sse.json_event, events))
            except Exception as error:
                yield sse.json_problem(public_problem(error))

    return sse.event_stream(content())
