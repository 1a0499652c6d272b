"""What a visitor may do with the conversation as a whole: have it back, keep a copy, have it erased."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from litestar import Request, Response, post
from litestar.di import NamedDependency
from litestar.response import Redirect, Template

from server.errors import NotFoundError
from server.web.desk import Desk
from server.web.forms import form_of
from server.web.pages import FRESH
from server.web.place import Place, require_origin
from server.web.saving import as_json, as_text

_Request = Request[Any, Any, Any]


@dataclass(frozen=True, slots=True)
class ConversationForm:
    """Which conversation; `form` is that of the file to save, "text" or "json"."""

    conversation_id: str = ""
    form: str = "text"


_FORM = form_of(ConversationForm)


@post("/chat/restore", include_in_schema=False, status_code=200, dependencies=_FORM)
async def chat_restore(
    request: _Request,
    desk: NamedDependency[Desk],
    place: NamedDependency[Place],
    form: NamedDependency[ConversationForm],
) -> Template | Response[None]:
    """The turns that a tab showed before it was loaded anew; 204 when they are no longer kept."""
    require_origin(request, place.site)
    turns = await desk.restore(place.site.key, form.conversation_id)
    if not turns:
        return Response(None, status_code=204, headers=FRESH)
    return Template("_turns.html", context=place.context(turns=turns), headers=FRESH)


@post("/chat/save", include_in_schema=False, status_code=200, dependencies=_FORM)
async def chat_save(
    request: _Request,
    desk: NamedDependency[Desk],
    place: NamedDependency[Place],
    form: NamedDependency[ConversationForm],
) -> Response[str]:
    """The conversation as a file."""
    require_origin(request, place.site)
    turns = await desk.recall(place.site.key, form.conversation_id)
    if not turns:
        raise NotFoundError("There is no conversation to save.")
    day = datetime.now(UTC).date()
    name = f"{place.site.key}-{day.isoformat()}"
    if form.form == "json":
        body = json.dumps(as_json(turns, place.site, day), ensure_ascii=False, indent=2)
        return _file(body, "application/json", f"{name}.json")
    return _file(as_text(turns, place.site, place.texts, day), "text/plain", f"{name}.txt")


@post("/chat/erase", include_in_schema=False, dependencies=_FORM)
async def chat_erase(
    request: _Request,
    desk: NamedDependency[Desk],
    place: NamedDependency[Place],
    form: NamedDependency[ConversationForm],
) -> Redirect:
    """Erased, on the server too; then a new conversation."""
    require_origin(request, place.site)
    await desk.erase(place.site.key, form.conversation_id)
    return Redirect(f"/chat{place.query}&erased=1", status_code=303, headers=FRESH)


def _file(body: str, media_type: str, name: str) -> Response[str]:
    headers = {**FRESH, "Content-Disposition": f'attachment; filename="{name}"'}
    return Response(body, media_type=media_type, headers=headers)
