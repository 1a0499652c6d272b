"""Mending an answer over the admin API, for editors: look-alikes, passages, a draft tried."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Protocol

from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody, QueryParameter

from server.ask.curated import WeighedQuestion
from server.errors import BadInputError, NotFoundError, NotReadyError
from server.http.protocols import SiteLookup
from server.models.curation import ItemRef, RuleSet
from server.models.golden import GoldenQuestion
from server.models.sites import MAIN
from server.storage.conversations import ConversationStore
from server.visitor.rich_text import rich_html
from server.workbench.access.auth import EDITORS
from server.workbench.checks import url_of
from server.workbench.faults import described
from server.workbench.golden.of_trace import golden_of, topics_of
from server.workbench.mending.service import AlikeQuestion, MendingService, MetGap
from server.workbench.traces.table import PassageTable

MOST_PHRASINGS, MAX_PHRASING_CHARS = 50, 300  # as of an answer that is kept
SiteKey = Annotated[str, QueryParameter(min_length=1, max_length=80, description="The site's key.")]
Words = Annotated[str, QueryParameter(min_length=1, max_length=300, description="What to look for.")]


@dataclass(frozen=True, slots=True)
class QuestionToMend:
    """A trace's question as it stands alone, without what is personal; and what visitors asked like it.

    `topics` are those that it sounded like, the likeliest first; `topic` the first of them, or None.
    """

    site: str
    question: str
    topic: str | None
    topics: list[str]
    alike: list[AlikeQuestion]


@dataclass(frozen=True, slots=True)
class AlikeQuestions:
    """What visitors asked almost like some words, the nearest first, without what is personal."""

    alike: list[AlikeQuestion]


@dataclass(frozen=True, slots=True)
class MetGaps:
    """The missing answers that what was published last for a site may give."""

    gaps: list[MetGap]


@dataclass(frozen=True, slots=True)
class FoundPassages:
    """What the live snapshot has for some words: a table for each question in them."""

    tables: list[PassageTable]


@dataclass(frozen=True, slots=True)
class TrialBody:
    """Questions to try a draft on, the first of which is to be mended.

    A right answer to that cites one of `pages` and holds one of `answers`; with neither nothing is judged.
    With `only`, these items of the draft are tried, and nothing else that it changes.
    """

    questions: list[str]
    pages: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    only: list[ItemRef] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class AnswerBody:
    """An answer in an editor's words, and questions that may or may not ask for it."""

    phrasings: list[str]
    text: str = ""
    questions: list[str] = field(default_factory=list)
    site: str = MAIN

    def said(self) -> tuple[list[str], list[str]]:
        """The phrasings and the questions that are not empty; `BadInputError`: too many, or too long."""
        phrasings = [one for one in self.phrasings if one.strip()]
        questions = [one for one in self.questions if one.strip()]
        if len(phrasings) > MOST_PHRASINGS or len(questions) > MOST_PHRASINGS:
            raise BadInputError(f"It takes at most {MOST_PHRASINGS} phrasings and as many questions.")
        if any(len(one) > MAX_PHRASING_CHARS for one in (*phrasings, *questions)):
            raise BadInputError(f"A phrasing or a question has at most {MAX_PHRASING_CHARS} characters.")
        return phrasings, questions


@dataclass(frozen=True, slots=True)
class AnswerTrial:
    """The answer as visitors would see it, as HTML, and how likely each question would get it."""

    html: str
    questions: list[WeighedQuestion]


class Drafts(Protocol):
    """Where the drafts of what editors set are kept."""

    def draft_of(self, site: str, only: Sequence[ItemRef] = ()) -> RuleSet:
        """The draft of a site, or what is live with these items of it; `NotFoundError` when there is none."""


def mending_handlers(
    conversations: ConversationStore, rules: Drafts, sites: SiteLookup, service: MendingService | None
) -> list[HTTPRouteHandler]:
    """`/traces/{id}/mending`, `/passages`, `/answers/alike`, `/answers/try` and `/rules/{site}/draft/try`."""

    def ready() -> MendingService:
        if service is None:
            raise NotReadyError("Nothing can be tried here: this server has no models.")
        return service

    @get("/traces/{trace_id:str}/mending", sync_to_thread=True, guards=EDITORS)
    def to_mend(trace_id: FromPath[str]) -> QuestionToMend:
        """What a trace's question is as it stands alone, and up to eight that visitors asked like it."""
        trace = conversations.trace(trace_id)
        golden, topics = golden_of(trace), list(topics_of(trace))
        alike = ready().alike(golden.site, golden.question)
        return QuestionToMend(golden.site, golden.question, golden.topic, topics, alike)

    @get("/passages", sync_to_thread=True, guards=EDITORS)
    def find_passages(site: SiteKey, text: Words) -> FoundPassages:
        """The passages of the live snapshot for these words, as a question's trace would have them."""
        return FoundPassages(ready().passages(site, text))

    @get("/answers/alike", sync_to_thread=True, guards=EDITORS)
    def find_alike(site: SiteKey, text: Words) -> AlikeQuestions:
        """Up to eight questions that visitors asked almost like this one: other ways to ask for an answer."""
        return AlikeQuestions(ready().alike(site, text))

    @get("/rules/{site:str}/met", sync_to_thread=True, guards=EDITORS)
    def find_met(site: FromPath[str]) -> MetGaps:
        """The missing answers still to do that meet what was published last for a site, to be asked again."""
        if sites.get(site) is None:
            raise NotFoundError(f"There is no site {site!r}.")
        return MetGaps(ready().met(site))

    @post("/answers/try", status_code=200, sync_to_thread=True, guards=EDITORS)
    def try_answer(data: JSONBody[AnswerBody]) -> AnswerTrial:
        """An answer that is not kept yet: as visitors would see it, and which of the questions would get it.

        A `likelihood` of .86 or more, with nothing that `differs`, gets it.
        """
        phrasings, questions = data.said()
        weighed = (
            ready().weighed(data.site, phrasings, questions, data.text) if phrasings and questions else []
        )
        return AnswerTrial(str(rich_html(data.text, None, {})), weighed)

    @post("/rules/{site:str}/draft/try", status_code=200, sync_to_thread=True, guards=EDITORS)
    def try_draft(site: FromPath[str], data: JSONBody[TrialBody]) -> dict[str, Any]:
        """Ask some questions as it is and with the site's draft, at once; nothing is recorded.

        `tried` has for each `before`, `after`, whether it `changed`, and `verdict`: mended, still_wrong,
        breaks and still_right where the right answer is known, else what is otherwise. `broken` are the
        golden questions that would be in the way of publishing: id, question, failure.
        """
        if sites.get(site) is None:
            raise NotFoundError(f"There is no site {site!r}.")
        questions = [one for one in data.questions if one.strip()]
        if not questions:
            raise BadInputError("Say which question to try the draft on.")
        right = GoldenQuestion(
            "tried", site, questions[0], tuple(map(url_of, data.pages)), tuple(data.answers)
        )
        book = rules.draft_of(site, data.only)
        return {"tried": ready().tried(book, questions, right), "broken": ready().previews.breaks(book)}

    return described(
        [to_mend, find_passages, find_alike, find_met, try_answer, try_draft],
        {404: "There is no such trace, site or draft."},
    )
