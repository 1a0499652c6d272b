"""Server-sent events: their bytes, and the response that streams them."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import msgspec
from litestar.response import Stream

from server.http.errors import Problem
from server.models import Cited, Event, Final, Status, Token

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
