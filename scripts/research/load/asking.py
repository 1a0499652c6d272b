"""How a visit is made over HTTP, and what comes of it."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from typing import Any, Literal
from urllib.parse import urlencode

from scripts.research.load.client import Client, Reply
from scripts.research.load.visitors import FLOOD, Visit, Way

Verdict = Literal["answered", "degraded", "refused", "turned away", "failed"]
Came = tuple[Verdict, int, str]  # what came of it, the status, the answer's message id where it has one

BUSY = (429, 503)
_EVENTS_AT = re.compile(rb'sse-connect="([^"]+)"')
_MESSAGE_ID = re.compile(rb'id="answer-([0-9a-f]+)"')
_FINAL = b"event: final\n"
_JSON = {"Content-Type": "application/json"}
_FORM = {"Content-Type": "application/x-www-form-urlencoded", "HX-Request": "true"}

# What cannot be used: larger than a body may be, no JSON, JSON of other types.
_BAD: Mapping[Way, bytes] = {
    "oversize": json.dumps({"question": "when " * 40_000}).encode(),
    "bad json": b'{"question": "when',
    "wrong types": b'{"question": ["when"], "filters": 7}',
}


async def make(client: Client, visit: Visit) -> list[Came]:
    """The visit's requests; several results only for a flood."""
    if visit.way == "flood":
        return list(await asyncio.gather(*(_api(client, visit) for _ in range(FLOOD))))
    if visit.way == "page":
        return [await _page(client, visit)]
    if visit.way == "feedback":
        return [_plain(await _post(client, visit, _feedback(visit), path="/api/feedback"))]
    if visit.way in _BAD:
        return [_plain(await _post(client, visit, _BAD[visit.way]))]
    return [await _api(client, visit)]


async def _api(client: Client, visit: Visit) -> Came:
    accept = {"Accept": "text/event-stream"} if visit.way == "events" else {}
    reply = await _post(client, visit, _body(visit, visit.text), accept)
    if reply.status != 200:
        return _plain(reply)
    if visit.way != "events":
        return _answer(json.loads(reply.body))
    before, found, final = reply.body.rpartition(_FINAL)
    if not found:
        return _busy_or_failed(before + final)
    return _answer(json.loads(final.strip().removeprefix(b"data: ")))


async def _page(client: Client, visit: Visit) -> Came:
    form = urlencode({"question": visit.text, "conversation_id": visit.conversation_id}).encode()
    asked = await client.send("POST", "/chat/ask", {**_FORM, "X-Forwarded-For": visit.address}, form)
    where = _EVENTS_AT.search(asked.body)
    if asked.status != 200 or where is None:
        return _plain(asked)
    path = where[1].decode().replace("&amp;", "&")
    events = await client.send("GET", path, {"Accept": "text/event-stream", "X-Forwarded-For": visit.address})
    _, found, final = events.body.rpartition(_FINAL)
    if events.status != 200 or not found:
        return ("refused" if events.status in BUSY else "failed"), events.status, ""
    if b"data-failed" in final:
        return "refused", 503, ""
    told = _MESSAGE_ID.search(final)
    verdict: Verdict = "degraded" if b'class="degraded"' in final else "answered"
    return verdict, 200, told[1].decode() if told else ""


async def _post(
    client: Client, visit: Visit, body: bytes, more: Mapping[str, str] | None = None, path: str = "/api/ask"
) -> Reply:
    return await client.send("POST", path, {**_JSON, "X-Forwarded-For": visit.address, **(more or {})}, body)


def _body(visit: Visit, text: str) -> bytes:
    return json.dumps({"question": text, "conversation_id": visit.conversation_id}).encode()


def _feedback(visit: Visit) -> bytes:
    body = {"conversation_id": visit.conversation_id, "message_id": visit.message_id, "helpful": True}
    return json.dumps(body).encode()


def _answer(answer: Mapping[str, Any]) -> Came:
    return ("degraded" if answer["degraded"] else "answered"), 200, str(answer["message_id"])


def _busy_or_failed(events: bytes) -> Came:
    """A stream that ended in an `error` event; the server had said 200 by then."""
    return ("refused", 503, "") if b'"busy"' in events else ("failed", 200, "")


def _plain(reply: Reply) -> Came:
    """A response without an answer in it."""
    if reply.status in BUSY:
        return "refused", reply.status, ""
    if reply.status < 300:
        return "answered", reply.status, ""
    return ("turned away" if reply.status < 500 else "failed"), reply.status, ""
