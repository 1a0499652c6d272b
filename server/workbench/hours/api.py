"""Opening hours over the admin API: places and what was read of them, corrections, a trial of one.

Viewers read, editors write.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from litestar import delete, get, post, put
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK

from server.errors import NotReadyError
from server.models.hours import CorrectionKind, HoursCorrection, OpeningHours
from server.models.sites import MAIN
from server.storage.audit import AuditEntry
from server.workbench.access.auth import EDITORS, Caller
from server.workbench.faults import described, faults
from server.workbench.hours.service import HoursService, KeptCorrection, PlaceSummary, TriedQuestion
from server.workbench.hours.store import HoursStore

Site = Annotated[str, QueryParameter(max_length=80, description="The site's key.")]
PageUrl = Annotated[str, QueryParameter(min_length=1, max_length=2000, description="The place's page.")]
PlaceName = Annotated[str, QueryParameter(min_length=1, max_length=200, description="The place's name.")]


@dataclass(frozen=True, slots=True)
class PlaceList:
    """Every place with hours or a correction, by name; those of which nothing is understood last."""

    places: list[PlaceSummary]


@dataclass(frozen=True, slots=True)
class TimesView:
    """Stretches of some days of the week, Monday being 0 (none: every day), in minutes after midnight.

    No stretch: closed. Null: they could not be read.
    """

    weekdays: list[int]
    spans: list[tuple[int, int]] | None


@dataclass(frozen=True, slots=True)
class ReadLine:
    """A line of a page, and what was understood of it. `when` are conditions ("taught", "finals")."""

    part: str
    times: TimesView
    first: str | None
    last: str | None
    when: list[str]
    line: str


@dataclass(frozen=True, slots=True)
class HoursBody:
    """What an editor says of a place's hours: a `week` instead of the page's, `dates` of `first` to `last`,
    or `quote`: tell no hours, and quote the page."""

    url: str
    place: str
    kind: CorrectionKind
    text: str = ""
    part: str = ""
    first: str | None = None
    last: str | None = None
    note: str = ""
    site: str = MAIN


@dataclass(frozen=True, slots=True)
class CorrectionView(HoursBody):
    """A correction as it is kept: who made it and when, what is understood of it, and whether its page
    `changed` since."""

    id: str = ""
    by: str = ""
    at: str = ""
    times: list[TimesView] | None = None
    changed: bool = False


@dataclass(frozen=True, slots=True)
class PlaceView:
    """One place: the lines of its page as they were read, its corrections, and who changed these."""

    place: PlaceSummary
    lines: list[ReadLine]
    corrections: list[CorrectionView]
    changes: list[AuditEntry]


@dataclass(frozen=True, slots=True)
class HoursTrialBody:
    """A correction that is not kept yet, in place of the one with this `id`; the day and the time (ISO 8601)
    on which it is asked, or now. `drafted` False: it only names the place."""

    correction: HoursBody
    id: str = ""
    drafted: bool = True
    today: str | None = None
    time: str | None = None


@dataclass(frozen=True, slots=True)
class HoursTrial:
    """What visitors would be told."""

    tried: list[TriedQuestion]


def hours_handlers(store: HoursStore, service: HoursService | None) -> list[HTTPRouteHandler]:
    """`/hours`, `/hours/place`, `/hours/try`, `/hours/corrections` and what is below it."""

    def ready() -> HoursService:
        if service is None:
            raise NotReadyError("Nothing is known of opening hours here: this server has no models.")
        return service

    @get("/hours", sync_to_thread=True)
    def places(site: Site = MAIN) -> PlaceList:
        """Every place whose opening hours were read from a page, or that an editor has corrected."""
        return PlaceList(ready().places(site))

    @get("/hours/place", sync_to_thread=True, responses=faults(404))
    def place_hours(url: PageUrl, name: PlaceName, site: Site = MAIN) -> PlaceView:
        """What was understood of one place, what was not, and its corrections."""
        found = ready().place(site, url, name)
        kept = [_view(one.correction, one) for one in found.corrections]
        return PlaceView(found.summary, list(map(_line, found.lines)), kept, found.changes)

    @post("/hours/try", sync_to_thread=True, guards=EDITORS, status_code=HTTP_200_OK)
    def try_hours(data: JSONBody[HoursTrialBody]) -> HoursTrial:
        """What visitors would be told today, on Saturday and now, as it is and with a correction."""
        correction = _correction(data.correction, data.id)
        return HoursTrial(ready().tried(correction, data.today, data.time, drafted=data.drafted))

    @post("/hours/corrections", sync_to_thread=True, guards=EDITORS)
    def add_correction(request: Caller, data: JSONBody[HoursBody]) -> CorrectionView:
        """Keep a new correction; visitors are told within seconds."""
        return _view(ready().keep(_correction(data), by=request.user))

    @put("/hours/corrections/{own:str}", sync_to_thread=True, guards=EDITORS)
    def put_correction(request: Caller, own: FromPath[str], data: JSONBody[HoursBody]) -> CorrectionView:
        """Keep a correction in place of what had the id; its page is taken as read again."""
        return _view(ready().keep(_correction(data, own), by=request.user))

    @delete("/hours/corrections/{own:str}", sync_to_thread=True, guards=EDITORS)
    def delete_correction(request: Caller, own: FromPath[str]) -> None:
        """Remove a correction: what the page says is told again."""
        store.remove(own, by=request.user)

    @post(
        "/hours/corrections/{own:str}/undo",
        sync_to_thread=True,
        guards=EDITORS,
        status_code=HTTP_200_OK,
        responses=faults(409),
    )
    def undo_correction(request: Caller, own: FromPath[str]) -> dict[str, bool]:
        """Put back what a correction was before its last change, or its removal."""
        store.undo(own, by=request.user)
        return {"undone": True}

    return described(
        [places, place_hours, try_hours, add_correction, put_correction, delete_correction, undo_correction],
        {404: "There is no such place or correction."},
    )


def _correction(body: HoursBody, own: str = "") -> HoursCorrection:
    return HoursCorrection(
        own, body.site, body.url, body.place, body.part, body.kind, body.text, body.first, body.last,
        body.note, "", "", "",
    )  # fmt: skip


def _view(one: HoursCorrection, kept: KeptCorrection | None = None) -> CorrectionView:
    times = [TimesView(list(days), list(spans)) for days, spans in kept.times] if kept else None
    return CorrectionView(
        one.url, one.place, one.kind, one.text, one.part, one.first, one.last, one.note, one.site, one.id,
        one.by, one.at, times, kept is not None and kept.changed,
    )  # fmt: skip


def _line(one: OpeningHours) -> ReadLine:
    times = TimesView(list(one.weekdays), None if one.spans is None else list(one.spans))
    first, last = (day.isoformat() if day else None for day in (one.first, one.last))
    return ReadLine(one.part, times, first, last, list(one.when), one.line)
