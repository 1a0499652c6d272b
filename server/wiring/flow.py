"""The models on this machine: embedder, cross-encoder, and the one that distress is heard by."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress
from datetime import time
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from server.ask.context import (
    AskOptions,
    BoostOptions,
    ExpandOptions,
    LlmRerankOptions,
    Models,
    QuestionOptions,
    RerankOptions,
    RetrieveOptions,
    ScopeOptions,
    SoftFilter,
    TermOptions,
)
from server.ask.curated import SiteConfig
from server.ask.paraphraser import Paraphraser
from server.ask.pipeline import Asker
from server.ask.ports import AnsweredQuestions, Condense
from server.ask.quoting.confidence import ConfidenceFit
from server.ask.strategy.modes import Mode
from server.ask.strategy.presets import reranks
from server.ask.triage import DistressModel
from server.errors import NotReadyError
from server.index.manager import SnapshotManager
from server.index.text import load_synonyms, words
from server.inference.encoders import Embedder, Reranker
from server.inference.router import Router
from server.lexicons import read_all as read_all_lexicons
from server.models import Question
from server.settings import Settings
from server.storage.conversations import ConversationStore
from server.variables import SettingError
from server.wiring.opened import FixedSnapshot, OpenedSnapshot
from server.wiring.opening import masked, masker_of, site_name

if TYPE_CHECKING:
    from server.wiring.generation import ChatWriter
    from server.wiring.search_llm import Mask

logger = logging.getLogger("lodge.parts")


def build_embedder(settings: Settings) -> Embedder:
    """The configured embedder; `ModelError` when its folder is missing."""
    return Embedder(settings.models_dir / settings.embedder, settings.inference_threads)


def build_reranker(settings: Settings) -> Reranker | None:
    """The configured cross-encoder, if any; `ModelError` when its folder is missing.

    Where the default strategy does without, it is loaded when a question first asks for it.
    """
    if not settings.reranker:
        return None
    late = not reranks(settings.strategy)
    return Reranker(settings.models_dir / settings.reranker, settings.inference_threads, late=late)


def build_paraphraser(settings: Settings, embedder: Embedder, verifier: Reranker | None) -> Paraphraser:
    """What tells an editor's answer its questions; its model is loaded at the first that comes near one.

    The `verifier` is that of the flow, so that it is in memory once. Without the paraphraser's folder words
    alone tell, with a warning: models of one's own may be without it. A `ModelError` where it is broken.
    """
    without = "paraphraser_missing: %s; words alone tell an editor's answer its questions"
    return Paraphraser(embedder, _pair_reader(settings, settings.paraphraser, without, late=True), verifier)


def build_verifier(settings: Settings) -> Reranker | None:
    """What says whether a quoted answer answers the question, where the default strategy reads passages from
    the start; None, with a warning, without its folder. A `ModelError` where it is broken."""
    if not settings.reranker:
        return None
    without = "verifier_missing: %s; the confidence goes without it"
    return _pair_reader(settings, settings.verifier, without, late=not reranks(settings.strategy))


def build_router(settings: Settings) -> Router | None:
    """What says how a line is best gone on with; None, with a warning, without its folder. A `ModelError`
    where it is broken."""
    folder = _folder(settings, settings.router, "router_missing: %s; lines are taken apart by rules")
    return Router(folder, settings.inference_threads) if folder else None


def _pair_reader(settings: Settings, name: str, without: str, *, late: bool) -> Reranker | None:
    """The cross-encoder of this name; None without a name, and, with a warning, without its folder."""
    folder = _folder(settings, name, without)
    return Reranker(folder, settings.inference_threads, late=late) if folder else None


def _folder(settings: Settings, name: str, without: str) -> Path | None:
    """Where the model of this name is; None without a name, and, with a warning, where it is not."""
    folder = settings.models_dir / name
    if name and not folder.is_dir():
        logger.warning(without, folder)
        return None
    return folder if name else None


def build_distress(settings: Settings, embedder: Embedder) -> DistressModel | None:
    """The model that distress is heard by; `BadInputError` when its file cannot be used.

    None, with a warning, where it was fitted to another embedder: then words alone are heard.
    """
    model = DistressModel.load(settings.distress_file)
    if model.embedder_sha256 == embedder.sha256:
        return model
    logger.warning("distress_model_of_other_embedder: %s, not %s", settings.distress_file, embedder.name)
    return None


def build_asker(  # noqa: PLR0913, PLR0917  (a flow has so many parts)
    settings: Settings,
    live: SnapshotManager[OpenedSnapshot] | FixedSnapshot,
    embedder: Embedder,
    recorder: ConversationStore | None,
    site_config: SiteConfig | None = None,
    examples: AnsweredQuestions | None = None,
    verifier: Reranker | None = None,
) -> Asker:
    """The pipeline, by the settings; without a recorder nothing is kept, without sites none is known.

    `verifier`: one that is built already, by `build_verifier`; else it is built.
    """
    read_all_lexicons()
    reranker, writer = build_reranker(settings), _writer(settings)
    versions = {"embedder": embedder.name, "embedder_sha256": embedder.sha256}
    if reranker is not None:
        versions |= {"reranker": reranker.name, "reranker_sha256": reranker.sha256}
    if writer is not None:
        versions |= writer.versions
    masker = masker_of(settings, site_config.sites if site_config else None)
    condense: Condense | None = writer.condense if writer else None
    if condense and masker:
        condense = masked(condense, masker)
    mask: Mask | None = (lambda text: masker().masked(text)) if masker else None
    search_llm = writer.search(mask) if writer else None
    if search_llm is not None:
        versions |= search_llm.versions
    distress = build_distress(settings, embedder)
    verifier = verifier or build_verifier(settings)
    if verifier is not None:
        versions |= {"verifier": verifier.name, "verifier_sha256": verifier.sha256}
    router = build_router(settings)
    if router is not None:
        versions |= {"router": router.name, "router_sha256": router.sha256}
    models = Models(embedder, reranker, writer, condense, distress, search_llm, examples, verifier, router)
    options = _options(settings, versions)
    return Asker(live.lease, models, options, recorder.record if recorder else None, site_config)


def require_strategies(asker: Asker, names: Sequence[str]) -> None:
    """`BadInputError` for a strategy that the flow does not know, before there need be a snapshot."""
    for name in names:
        with suppress(NotReadyError):
            next(asker.ask(Question("known?", "", "", "", strategy=name)))


def default_strategy(settings: Settings) -> str:
    """The strategy of a question that names none."""
    return settings.strategy if settings.reranker else settings.strategy.replace("+rerank", "")


def _options(settings: Settings, versions: dict[str, str]) -> AskOptions:
    return AskOptions(
        strategy=default_strategy(settings),
        retrieve=RetrieveOptions(
            settings.candidates,
            settings.fusion,
            settings.fusion_alpha,
            late_interaction=settings.late_interaction,
        ),
        rerank=RerankOptions(settings.rerank_candidates, stop=settings.rerank_stop),
        expand=ExpandOptions(settings.wordings, settings.wording_share, settings.hypothetical_answers),
        questions=QuestionOptions(settings.question_share, settings.question_least),
        llm_rerank=LlmRerankOptions(settings.llm_rerank),
        examples=settings.fewshot_examples,
        soft_filter=SoftFilter(settings.topic_least, settings.topic_others),
        terms=TermOptions(
            settings.term_weight, settings.day, _zone(settings.timezone), _clock(settings.time)
        ),
        boosts=BoostOptions(settings.kind_weight, settings.audience_weight),
        gate=ScopeOptions(threshold=settings.gate_threshold, strikes=settings.gate_strikes),
        mode=Mode(settings.chat_mode),
        passages=settings.passages,
        refusal_threshold=settings.refusal_threshold,
        seems_threshold=settings.seems_threshold,
        confidence=ConfidenceFit(settings.confidence_shift, settings.confidence_scale),
        support_threshold=settings.support_threshold,
        decide_s=settings.llm_decide_s,
        site_name=site_name(settings),
        max_question_chars=settings.max_question_chars,
        versions=versions,
        known_words=_words_of_synonyms(settings),
        asks_back=settings.asks_back == "on",
        writes="composed" if settings.llm_writes == "composed" else "all",
    )


def _clock(text: str) -> time | None:
    try:
        return time.fromisoformat(text) if text else None
    except ValueError:
        raise SettingError(f"LODGE_TIME is {text!r}; it takes a time such as 14:30.") from None


def _zone(name: str) -> str:
    try:
        return ZoneInfo(name).key if name else ""
    except (OSError, ValueError, KeyError):  # there is none of that name
        raise SettingError(f"LODGE_TIMEZONE is {name!r}; it takes a name such as America/New_York.") from None


def _words_of_synonyms(settings: Settings) -> frozenset[str]:
    phrases = (phrase for one in load_synonyms(settings.synonyms_file) for phrase in one.phrases())
    return frozenset(word for phrase in phrases for word in words(phrase))


def _writer(settings: Settings) -> ChatWriter | None:
    if not settings.llm_url:
        return None
    from server.wiring.generation import build_writer  # noqa: PLC0415 - a client that many do without

    return build_writer(settings)
