"""The flow of a question, made by the settings."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from server.ask.classify import SoftFilter
from server.ask.conversation.modes import Mode
from server.ask.gate import GateOptions
from server.ask.options import AskOptions, Models, Office, Recorder, Snapshots
from server.ask.pipeline import Asker
from server.ask.prefer import TermOptions
from server.ask.rerank import RerankOptions
from server.ask.retrieve import RetrieveOptions
from server.errors import NotReadyError
from server.inference.embedder import Embedder
from server.parts.models import build_likeness, build_reranker
from server.parts.privacy import MaskedCondenser, masker_of
from server.records import Question
from server.settings import Settings

if TYPE_CHECKING:
    from server.parts.writing import ChatWriter


def build_asker(
    settings: Settings,
    live: Snapshots,
    embedder: Embedder,
    recorder: Recorder | None,
    office: Office | None = None,
) -> Asker:
    """The flow, by the settings; without a recorder nothing is kept, without an office no site is known."""
    reranker, writer = build_reranker(settings), _writer(settings)
    versions = {"embedder": embedder.name, "embedder_sha256": embedder.sha256}
    if reranker is not None:
        versions |= {"reranker": reranker.name, "reranker_sha256": reranker.sha256}
    if writer is not None:
        versions |= writer.versions
    masker = masker_of(settings, office.sites if office else None)
    condenser = MaskedCondenser(writer, masker) if writer and masker else writer
    models = Models(embedder, reranker, writer, condenser, build_likeness(settings, embedder))
    return Asker(live, models, _options(settings, versions, reads=reranker is not None), recorder, office)


def require_strategies(asker: Asker, names: Sequence[str]) -> None:
    """`BadInputError` for a strategy that the flow does not know, before there need be a snapshot."""
    for name in names:
        with suppress(NotReadyError):
            next(asker.ask(Question("known?", "", "", "", strategy=name)))


def _options(settings: Settings, versions: dict[str, str], *, reads: bool) -> AskOptions:
    return AskOptions(
        strategy=settings.strategy if reads else settings.strategy.replace("+rerank", ""),
        retrieve=RetrieveOptions(settings.candidates, settings.fusion, settings.fusion_alpha),
        rerank=RerankOptions(settings.rerank_candidates, stop=settings.rerank_stop),
        soft_filter=SoftFilter(settings.topic_least, settings.topic_others),
        terms=TermOptions(settings.term_weight, settings.day),
        gate=GateOptions(threshold=settings.gate_threshold, strikes=settings.gate_strikes),
        mode=Mode(settings.chat_mode),
        passages=settings.passages,
        refusal_threshold=settings.refusal_threshold,
        support_threshold=settings.support_threshold,
        site_name=settings.site_name,
        max_question_chars=settings.max_question_chars,
        versions=versions,
    )


def _writer(settings: Settings) -> ChatWriter | None:
    if not settings.llm_url:
        return None
    from server.parts.writing import build_writer  # noqa: PLC0415 - a client that many do without

    return build_writer(settings)
