"""Growing the golden questions from life, over the admin API: a sample of visitors' questions, and labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import msgspec
from litestar import delete, get, post, put
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody, QueryParameter

from server.models.sites import MAIN
from server.workbench.access.auth import EDITORS, Caller
from server.workbench.faults import faults
from server.workbench.labelling.service import (
    NOTHING_LEFT,
    SIZE,
    GivenLabel,
    LabellingService,
    LabellingView,
    last_days,
)
from server.workbench.labelling.store import Label, SampleDrawing, SampleRow

Site = Annotated[str | None, QueryParameter(description="Only those of this site.")]
Question = Annotated[
    str | None, QueryParameter(description="Not the next question but this one, to be labelled again.")
]


@dataclass(frozen=True, slots=True)
class SampleBody:
    """What to draw from: a site's questions of some days (ISO 8601, both included; else the last 30).

    Another `seed` draws another sample; the same one again gives the sample that was drawn.
    """

    site: str = MAIN
    since: str | None = None
    until: str | None = None
    size: Annotated[int, msgspec.Meta(ge=1, le=100)] = SIZE
    seed: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 1


@dataclass(frozen=True, slots=True)
class SampleList:
    """Samples, the latest first."""

    samples: list[SampleRow]


@dataclass(frozen=True, slots=True)
class KeptLabel:
    """What was kept, and the golden question that came of it."""

    label: Label | None
    golden_id: str | None


def labelling_handlers(service: LabellingService) -> list[HTTPRouteHandler]:
    """`/samples` and what is under it."""

    @get("/samples", sync_to_thread=True)
    def samples(site: Site = None) -> SampleList:
        """The samples that were drawn, with how many of their questions are labelled."""
        return SampleList(service.store.samples(site))

    @post("/samples", sync_to_thread=True, guards=EDITORS, responses=faults(404, told={404: NOTHING_LEFT}))
    def draw(request: Caller, data: JSONBody[SampleBody]) -> LabellingView:
        """Draw a sample: a third at random, the others where confidence and what visitors said disagree most.

        Left out are small talk, distress, what is unsafe, what is a golden question or was labelled already,
        and what is nothing but personal data. Each question is there once, with how often it was asked.
        """
        first, last = last_days()
        drawing = SampleDrawing(data.site, data.since or first, data.until or last, data.size, data.seed)
        return service.view(service.draw(drawing, request.user))

    @get("/samples/{sample_id:int}", sync_to_thread=True)
    def sample(sample_id: FromPath[int], question: Question = None) -> LabellingView:
        """A sample with its next question, what was labelled, and the share of those drawn that was right."""
        return service.view(sample_id, question)

    @put("/samples/{sample_id:int}/labels/{message_id:str}", sync_to_thread=True, guards=EDITORS)
    def label(
        request: Caller, sample_id: FromPath[int], message_id: FromPath[str], data: JSONBody[GivenLabel]
    ) -> KeptLabel:
        """Keep what one found of a question, in place of what was found before.

        With `words` and one of its `pages` it becomes a golden question; so does one of which the label is
        `unanswered`, which must not be answered. `right` and `partly` are for what was answered.
        """
        kept = service.label(sample_id, message_id, data, request.user)
        return KeptLabel(kept.label, kept.golden_id)

    @delete("/samples/{sample_id:int}/labels/{message_id:str}", sync_to_thread=True, guards=EDITORS)
    def undo(request: Caller, sample_id: FromPath[int], message_id: FromPath[str]) -> None:
        """Take a label back, and the golden question that came of it if nobody has changed that since."""
        service.store.label(sample_id, message_id, None, by=request.user)

    return [samples, draw, sample, label, undo]
