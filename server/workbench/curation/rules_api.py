"""What editors set for a site, over the admin API: drafted, tried before it is live, published, undone."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from litestar import delete, get, post, put
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody
from litestar.status_codes import HTTP_200_OK

from server.errors import BadInputError, ConflictError, NotAllowedError, NotFoundError, NotReadyError
from server.http.protocols import SiteLookup
from server.masking import Masker, in_every_text
from server.models.curation import (
    Favour,
    ItemRef,
    LeaveOut,
    Notice,
    OfficeContact,
    PageLabel,
    RuleSet,
    Wording,
)
from server.workbench.access.auth import EDITORS, Caller
from server.workbench.curation.api import NoticeView, notice_view
from server.workbench.curation.rules_store import RuleDraft, RuleSetStore
from server.workbench.curation.store import CuratedView, curated_of, curated_view
from server.workbench.curation.trial import DraftPreviews
from server.workbench.faults import faults
from server.workbench.job_store import Job
from server.workbench.jobs import Jobs, Restart
from server.workbench.jobs_api import seen
from server.workbench.masking import sees_personal_data


@dataclass(frozen=True, slots=True)
class RulebookBody:
    """What editors set for a site, whole. Ids are small words of the editor's own, each once in its list.

    `suggestions` and `contacts`, where there are any, take the place of those in the table of sites.
    """

    leave_out: list[LeaveOut] = field(default_factory=list)
    favours: list[Favour] = field(default_factory=list)
    labels: list[PageLabel] = field(default_factory=list)
    wordings: list[Wording] = field(default_factory=list)
    suggestions: list[str] = field(default_factory=list)
    contacts: list[OfficeContact] = field(default_factory=list)
    curated: list[CuratedView] = field(default_factory=list)
    notices: list[NoticeView] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class DraftView:
    """A draft, and what was live when it was begun."""

    book: RulebookBody
    base: RulebookBody
    by: str
    at: str


@dataclass(frozen=True, slots=True)
class RulesView:
    """What is live for a site (`number` counts what was published), and its draft."""

    site: str
    number: int
    live: RulebookBody
    draft: DraftView | None


# What a rulebook and its body have alike.
_LISTS = ("leave_out", "favours", "labels", "wordings", "suggestions", "contacts")


def rulebook_of(site: str, body: RulebookBody) -> RuleSet:
    """A rulebook from what was given."""
    return RuleSet(
        site,
        **{name: tuple(getattr(body, name)) for name in _LISTS},
        number=0,
        curated=tuple(replace(curated_of(one.id, one), site=site) for one in body.curated),
        notices=tuple(Notice(one.id, site, one.text, one.until, one.url) for one in body.notices),
    )


def body_of(book: RuleSet) -> RulebookBody:
    """A rulebook as it is given out."""
    return RulebookBody(
        **{name: list(getattr(book, name)) for name in _LISTS},
        curated=[curated_view(one) for one in book.curated],
        notices=[notice_view(one) for one in book.notices],
    )


def draft_view(draft: RuleDraft) -> DraftView:
    """A draft as it is given out."""
    return DraftView(body_of(draft.book), body_of(draft.base), draft.by, draft.at)


@dataclass(frozen=True, slots=True)
class RulesPublishBody:
    """A word on what changes, for the history; `override`: why a developer breaks golden questions.

    With `only`, these items of the draft, and what else it changes stays a draft.
    """

    note: str = ""
    override: str = ""
    only: list[ItemRef] = field(default_factory=list)


def rules_handlers(
    store: RuleSetStore, previews: DraftPreviews | None, sites: SiteLookup
) -> list[HTTPRouteHandler]:
    """`/rules/{site}` with its draft, its history, publishing and going back."""
    conflicts = faults(409, told={409: "Golden questions break, or somebody has published meanwhile."})
    at_once: dict[str, Any] = {"status_code": HTTP_200_OK, "responses": conflicts}

    def known(site: str) -> str:
        if sites.get(site) is None:
            raise NotFoundError(f"There is no site {site!r}.")
        return site

    def view(site: str) -> RulesView:
        live, draft = store.book(known(site)), store.draft(site)
        return RulesView(site, live.number, body_of(live), draft_view(draft) if draft else None)

    @get("/rules/{site:str}", sync_to_thread=True)
    def rules(site: FromPath[str]) -> RulesView:
        """What is live for a site, and its draft."""
        return view(site)

    @put("/rules/{site:str}/draft", sync_to_thread=True, guards=EDITORS)
    def put_draft(request: Caller, site: FromPath[str], data: JSONBody[RulebookBody]) -> RulesView:
        """Keep a draft; nothing of it is live until it is published."""
        store.put_draft(rulebook_of(known(site), data), by=request.user)
        return view(site)

    @delete("/rules/{site:str}/draft", sync_to_thread=True, guards=EDITORS)
    def drop_draft(request: Caller, site: FromPath[str]) -> None:
        """Forget the draft."""
        store.drop_draft(known(site), by=request.user)

    @post("/rules/{site:str}/publish", sync_to_thread=True, guards=EDITORS, **at_once)
    def publish(request: Caller, site: FromPath[str], data: JSONBody[RulesPublishBody]) -> RulesView:
        """Make the draft live at once. Golden questions that it breaks are in the way of everyone but a
        developer who gives a reason."""
        note = _publishing_note(request, store.draft_of(known(site), data.only), data, previews)
        store.publish(site, note=note, by=request.user, only=data.only)
        return view(site)

    @post("/rules/{site:str}/back", sync_to_thread=True, guards=EDITORS, **at_once)
    def go_back(request: Caller, site: FromPath[str]) -> RulesView:
        """Undo what was published last, at once."""
        store.go_back(known(site), by=request.user)
        return view(site)

    @get("/rules/{site:str}/history", sync_to_thread=True)
    def history(site: FromPath[str]) -> dict[str, Any]:
        """What was published, newest first: number, at, by, note, before and document."""
        return {"versions": store.history(known(site), limit=50)}

    return [rules, put_draft, drop_draft, publish, go_back, history]


def _publishing_note(
    caller: Caller, book: RuleSet, data: RulesPublishBody, previews: DraftPreviews | None
) -> str:
    """The word on what changes; `ConflictError` where golden questions break and nobody may override it."""
    override = data.override.strip()
    if override and caller.auth != "developer":
        raise NotAllowedError("Only a developer may publish what breaks golden questions.", code="role")
    broken = previews.breaks(book) if previews and not override else []
    if broken:
        named = "; ".join(f"“{one['question']}”: {one['failure']}" for one in broken)
        raise ConflictError(f"Golden questions break: {named}", code="golden")
    return (f"{data.note} (against golden questions: {override})" if override else data.note).strip()


PREVIEW = "preview"
MOST_QUESTIONS = 5000


@dataclass(frozen=True, slots=True)
class PreviewBody:
    """How many of the latest different questions to try a draft on."""

    questions: int = 1000


def preview_handlers(
    store: RuleSetStore, previews: DraftPreviews | None, jobs: Jobs
) -> list[HTTPRouteHandler]:
    """`/rules/{site}/draft/pages` and `/preview`, and `/previews/{id}`."""

    def ready() -> DraftPreviews:
        if previews is None:
            raise NotReadyError("Nothing can be tried here: this server has no models.")
        return previews

    def begin(site: str, questions: int, by: str) -> Job:
        book, tries = store.draft_of(site), ready()
        return jobs.start(
            PREVIEW,
            site,
            by,
            lambda progress: tries.preview(book, progress, questions),
            arguments={"questions": questions},
            personal=True,
        )

    jobs.restarts[PREVIEW] = Restart("editor", lambda site, given, by: begin(site, given["questions"], by))

    @get("/rules/{site:str}/draft/pages", sync_to_thread=True, responses=faults(409))
    def draft_pages(site: FromPath[str]) -> dict[str, Any]:
        """How many pages the draft leaves out, and a sample of those that go, the most cited first."""
        return ready().pages(store.draft_of(site))

    @post("/rules/{site:str}/draft/preview", sync_to_thread=True, guards=EDITORS, responses=faults(409))
    def preview(request: Caller, site: FromPath[str], data: JSONBody[PreviewBody]) -> dict[str, Any]:
        """Try the draft on golden and past questions, aside; the answer is a job (`/previews/{id}`)."""
        if not 0 <= data.questions <= MOST_QUESTIONS:
            raise BadInputError(f"questions takes 0 to {MOST_QUESTIONS:,}.")
        return _masked(request.auth, begin(site, data.questions, request.user))

    @get("/previews/{job_id:str}", sync_to_thread=True)
    def one_preview(request: Caller, job_id: FromPath[str]) -> dict[str, Any]:
        """How far a preview is; once it is done, what the draft would change. Visitors' data is masked."""
        job = jobs.get(job_id)
        if job.kind != PREVIEW:
            raise NotFoundError("There is no such preview.")
        return _masked(request.auth, job)

    return [draft_pages, preview, one_preview]


def _masked(role: str, job: Job) -> dict[str, Any]:
    """A job as JSON; past questions are visitors' words, and so is the line that says what it is at."""
    told = seen(job)
    if sees_personal_data(role):
        return told
    result = told["result"]
    if result:
        result = result | {"changes": [_masked_change(one) for one in result["changes"]]}
    return told | {"says": Masker().masked(told["says"]), "result": result}


def _masked_change(change: dict[str, Any]) -> dict[str, Any]:
    masker = Masker()
    masked = change | {"question": masker.masked(change["question"])}
    return masked | {side: in_every_text(masker.echoed, change[side]) for side in ("before", "after")}
