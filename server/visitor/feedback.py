"""Feedback on an answer: two thumbs, and whoever likes adds a reason and words of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from litestar import Request, post
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import JSONBody
from litestar.response import Template

from server.errors import BadInputError, NotFoundError
from server.http.bodies import form_of
from server.models import FeedbackReasons
from server.visitor.api import ErrorBody
from server.visitor.chat import FRESH, ChatForm, page
from server.visitor.service import ChatService
from server.visitor.site_context import MAIN, SiteContext, require_origin
from server.visitor.turns import Rated

VERDICTS = {"up": True, "down": False}


@dataclass(frozen=True, slots=True)
class FeedbackForm:
    """`verdict` is the button that was pressed, "up" or "down"."""

    conversation_id: str = ""
    message_id: str = ""
    verdict: str = ""
    reason: str = ""
    comment: str = ""


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
        turns = await desk.recall(place.site.key, form.conversation_id)
        return page(place, ChatForm(conversation_id=form.conversation_id), turns)
    if turn is None:
        raise NotFoundError("This conversation is no longer kept.")
    return Template("_rated_now.html", context=place.context(turn=turn), headers=FRESH)


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


def _rated(form: FeedbackForm) -> Rated:
    """A reason that belongs to the other verdict was chosen before the visitor thought again."""
    if form.verdict not in VERDICTS:
        raise BadInputError("verdict takes one of: up, down.")
    helpful = VERDICTS[form.verdict]
    reason = form.reason if form.reason in FeedbackReasons[helpful] else ""
    return Rated(helpful, reason, form.comment)
