"""A sample of answers over the admin API, to be judged by hand, and what share was right so far."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from litestar import get, put
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody, QueryParameter

from server.masking import Masker, in_every_text
from server.models import TurnFilter
from server.workbench.access.auth import EDITORS, Caller
from server.workbench.coverage.api import ASKED
from server.workbench.coverage.judgements_store import JudgedShare, JudgementStore, Outcome, SampledAnswer
from server.workbench.masking import sees_personal_data

OfOutcome = Annotated[
    Outcome, QueryParameter(description="Answered confidently, shown as what seems to answer, or refused.")
]
Limit = Annotated[int, QueryParameter(ge=0, le=50, description="At most this many answers; 0: shares alone.")]


@dataclass(frozen=True, slots=True)
class SampleView:
    """Answers that nobody has judged yet, drawn at random; `shares` is what was judged so far."""

    sample: list[SampledAnswer]
    shares: list[JudgedShare]


@dataclass(frozen=True, slots=True)
class JudgementBody:
    """Whether the answer was right; of a refusal: whether it was right to refuse."""

    right: bool


def judgement_handlers(store: JudgementStore) -> list[HTTPRouteHandler]:
    """`/judgements`."""

    @get("/judgements", sync_to_thread=True, dependencies=ASKED)
    def judgements(
        request: Caller,
        asked: NamedDependency[TurnFilter],
        outcome: OfOutcome = "confident",
        limit: Limit = 5,
    ) -> SampleView:
        """A sample of the answers of these days, site and topic, and what share of each kind was right."""
        found = store.sample(asked, outcome, limit)
        plain = sees_personal_data(request.auth)
        return SampleView([one if plain else _masked(one) for one in found], store.shares(asked))

    @put("/judgements/{message_id:str}", sync_to_thread=True, guards=EDITORS)
    def judge(request: Caller, message_id: FromPath[str], data: JSONBody[JudgementBody]) -> JudgementBody:
        """Keep what one found of an answer, in place of what was found before."""
        store.judge(message_id, right=data.right, by=request.user)
        return data

    return [judgements, judge]


def _masked(one: SampledAnswer) -> SampledAnswer:
    masker = Masker()
    asked, question = masker.masked(one.asked), masker.masked(one.question)
    return replace(one, asked=asked, question=question, answer=in_every_text(masker.echoed, one.answer))
