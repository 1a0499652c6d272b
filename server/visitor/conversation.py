"""A conversation as a file to keep: plain text for people, JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from typing import Any

from litestar import Request, Response, post
from litestar.di import NamedDependency
from litestar.response import Redirect, Template

from server.errors import NotFoundError
from server.http.bodies import form_of
from server.models import Answer, Site
from server.visitor.chat import FRESH
from server.visitor.i18n import Texts, fill
from server.visitor.present import contact_lines, date_in_words, shown_text
from server.visitor.service import ChatService
from server.visitor.site_context import SiteContext, require_origin
from server.visitor.turns import Turn


def as_text(turns: Iterable[Turn], site: Site, texts: Texts, day: date) -> str:
    """The conversation in plain text, with every source and its address."""
    head = [fill(texts.saved_title, site=site.name), fill(texts.saved_on, date=date_in_words(day, texts))]
    blocks = ["\n".join(head), *(_turn_text(turn, texts) for turn in turns), texts.honesty]
    if site.contacts:
        blocks.append("\n".join([texts.ask_person, *contact_lines(site.contacts, texts)]))
    return "\n\n".join(blocks) + "\n"


def as_json(turns: Iterable[Turn], site: Site, day: date) -> dict[str, Any]:
    """The same as a JSON object; an answer's keys are the contract's, without those of our workings."""
    return {
        "site": site.name,
        "saved_on": day.isoformat(),
        "conversation": [_turn_json(turn) for turn in turns],
    }


def _turn_text(turn: Turn, texts: Texts) -> str:
    lines = [f"{texts.saved_question}: {turn.question}", "", f"{texts.saved_answer}: "]
    lines[-1] += shown_text(turn.answer, texts)
    lines += _source_lines(turn.answer, texts)
    return "\n".join(lines)


def _source_lines(answer: Answer, texts: Texts) -> list[str]:
    lines = [f"  [{c.n}] {c.title}\n      {c.url}" for c in answer.citations]
    if answer.closest_pages:
        lines += ["", f"{texts.closest}:", *(f"  - {p.title}\n    {p.url}" for p in answer.closest_pages)]
    return lines


def _turn_json(turn: Turn) -> dict[str, Any]:
    kept = ("answer", "refused", "citations", "closest_pages")
    answer = {key: value for key, value in turn.answer.as_json().items() if key in kept}
    return {"question": turn.question, **answer, "rated": asdict(turn.rated) if turn.rated else None}


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
    desk: NamedDependency[ChatService],
    place: NamedDependency[SiteContext],
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
    desk: NamedDependency[ChatService],
    place: NamedDependency[SiteContext],
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
