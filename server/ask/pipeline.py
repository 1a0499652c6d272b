"""A question's way, in one place: guard → rewrite → classify → retrieve → prefer → rerank → answer → record.

The command line, the server, the evaluation and a replay all drive this one generator.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Protocol

from server.ask.answer import NOT_FOUND, Draft, extract_answer
from server.ask.classify import Classification, QuestionClassifier, SoftFilter, classify
from server.ask.evidence import Wanted
from server.ask.expect import expected_kinds
from server.ask.guard import guard
from server.ask.names import lean_on_words
from server.ask.prefer import TermOptions, prefer
from server.ask.presets import Way, way_of
from server.ask.rerank import CrossEncoder, RerankOptions, rerank
from server.ask.retrieve import RetrieveOptions, SearchIndex, Vector, retrieve
from server.ask.rewrite import correct_spelling, replace_words
from server.ask.strategy import Strategy
from server.ask.trace import TraceLog
from server.records import (
    Answer,
    Candidate,
    Cited,
    ClosestPage,
    Event,
    Exchange,
    Final,
    Question,
    Scope,
    Status,
    Token,
)

CLOSEST_PAGES = 3


class QuestionEmbedder(Protocol):
    """A question to a unit vector, and the words it knows whole."""

    def embed_question(self, text: str) -> Vector:
        """Shape (dims,)."""
        ...

    def is_word(self, word: str) -> bool:
        """Whether a lower-case word is a common one."""
        ...


class OpenSnapshot(SearchIndex, Protocol):
    """One snapshot with its classifiers, open for one question."""

    @property
    def classifier(self) -> QuestionClassifier:
        """What it learnt of its topics when it was built."""
        ...


class Snapshots(Protocol):
    """Where the current snapshot comes from."""

    def lease(self) -> AbstractContextManager[OpenSnapshot]:
        """The snapshot of the moment, kept open until the question is done."""
        ...


class Recorder(Protocol):
    """Where questions and answers are kept."""

    def record(self, exchange: Exchange) -> None:
        """Keep it durably before returning."""
        ...


@dataclass(frozen=True, slots=True)
class AskOptions:
    """The settings of the flow; `versions` names the models, for the trace."""

    strategy: str = "hybrid"
    retrieve: RetrieveOptions = field(default_factory=RetrieveOptions)
    rerank: RerankOptions = field(default_factory=RerankOptions)
    soft_filter: SoftFilter = field(default_factory=SoftFilter)
    terms: TermOptions = field(default_factory=TermOptions)
    passages: int = 5
    refusal_threshold: float = 0.5
    max_question_chars: int = 2000
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def usual(self) -> Way:
        """How a question is looked for unless a preset is asked for."""
        return Way(Strategy("hybrid"), self.retrieve, self.rerank, self.passages)


@dataclass(frozen=True, slots=True)
class Models:
    """The models a question meets; without a cross-encoder no strategy reranks."""

    embedder: QuestionEmbedder
    cross_encoder: CrossEncoder | None = None

    @property
    def steps(self) -> tuple[str, ...]:
        """The optional steps of a strategy that can be asked for."""
        return ("topics",) if self.cross_encoder is None else ("rerank", "topics")


class Asker:
    """Answers questions from the current snapshot. Synchronous and thread-safe."""

    def __init__(
        self,
        snapshots: Snapshots,
        models: Models,
        options: AskOptions,
        recorder: Recorder | None = None,
    ) -> None:
        self._snapshots = snapshots
        self._models = models
        self._options = options
        self._recorder = recorder

    def ask(self, question: Question) -> Iterator[Event]:
        """The events of one question, a `Final` last, which is yielded only once it has been recorded.

        Raises before the first event: `BadInputError` for an empty or too long question or an unknown
        strategy, `NotReadyError` without a snapshot. After it: `StorageError` when it cannot be recorded.
        """
        options, log = self._options, TraceLog()
        way = way_of(question.strategy or options.strategy, options.usual, self._models.steps)
        asked_at = datetime.now(UTC).isoformat(timespec="milliseconds")
        with log.step("guard"):
            text = guard(question.text, options.max_question_chars)
        with self._snapshots.lease() as index:
            yield Status("retrieve")
            text = self._rewrite(text, index, log)
            vector = self._embed(text, way.strategy, log)
            about = self._classify(vector, index, log)
            scope = _scope(question, about if "topics" in way.strategy.steps else None)
            found_by = lean_on_words(
                way.retrieve, index.keyword.content_words(text), self._models.embedder.is_word
            )
            candidates = retrieve(text, vector, way.strategy, found_by, index, log, scope)
            candidates = prefer(text, candidates, index.snapshot.terms, options.terms, log)
            if "rerank" in way.strategy.steps and self._models.cross_encoder:
                yield Status("rerank")
                candidates = rerank(text, candidates, self._models.cross_encoder, way.rerank, log)
            yield Status("answer")
            draft = self._answer(text, candidates[: way.passages], index, log)
            answer = self._decide(question, way.name, draft, candidates, index)
            yield from _spoken(answer, draft)
            answer = replace(answer, timings_ms=log.timings_ms())
            trace = log.finish(
                trace_id=question.trace_id,
                question=question.text,
                strategy=way.name,
                snapshot=index.name,
                versions=options.versions,
            )
        if self._recorder:
            self._recorder.record(Exchange(question, answer, trace, asked_at))
        yield Final(answer, trace)

    def _rewrite(self, text: str, index: SearchIndex, log: TraceLog) -> str:
        with log.step("rewrite") as step:
            corrections = correct_spelling(text, index.keyword, self._models.embedder)
            rewritten = replace_words(text, corrections)
            step.notes = {"question": rewritten, "corrections": corrections}
        return rewritten

    def _embed(self, text: str, strategy: Strategy, log: TraceLog) -> Vector | None:
        """The question's vector; a keyword strategy without topics does without a model."""
        if strategy.search == "keyword" and "topics" not in strategy.steps:
            return None
        with log.step("embed"):
            return self._models.embedder.embed_question(text)

    def _classify(self, vector: Vector | None, index: OpenSnapshot, log: TraceLog) -> Classification:
        """What the question is about; the trace has it whether or not the strategy filters by it."""
        if vector is None:
            return Classification()
        with log.step("classify") as step:
            about = classify(vector, index.classifier, self._options.soft_filter)
            step.notes = about.notes
        return about

    def _answer(self, text: str, candidates: Sequence[Candidate], index: SearchIndex, log: TraceLog) -> Draft:
        with log.step("answer") as step:
            kinds = expected_kinds(text)
            wanted = Wanted(index.keyword.word_weights(text), kinds, index.keyword.stems)
            draft = extract_answer(candidates, wanted)
            step.notes = {
                **draft.notes,
                "threshold": self._options.refusal_threshold,
                "expects": [kind.name for kind in kinds],
            }
        return draft

    def _decide(
        self,
        question: Question,
        strategy: str,
        draft: Draft,
        candidates: Sequence[Candidate],
        index: SearchIndex,
    ) -> Answer:
        """The draft, or a refusal when too little speaks for it."""
        refused = not draft.sentences or draft.evidence < self._options.refusal_threshold
        return Answer(
            answer=NOT_FOUND if refused else draft.text,
            refused=refused,
            refusal_reason="no_evidence" if refused else None,
            answerer="extractive",
            degraded=None,
            citations=() if refused else draft.citations,
            closest_pages=_closest_pages(candidates) if refused else (),
            strategy=strategy,
            snapshot=index.name,
            conversation_id=question.conversation_id,
            message_id=question.message_id,
            trace_id=question.trace_id,
        )


def _scope(question: Question, about: Classification | None) -> Scope | None:
    """Where to search: what the question was given, and the topics it sounds like where it was given none."""
    sounds_like = about.scope if about else None
    if question.within is None or sounds_like is None or question.within.topics is not None:
        return question.within or sounds_like
    return replace(question.within, topics=sounds_like.topics)


def _closest_pages(candidates: Sequence[Candidate]) -> tuple[ClosestPage, ...]:
    """Up to three different pages, best first."""
    pages: dict[str, ClosestPage] = {}
    for candidate in candidates:
        pages.setdefault(candidate.passage.url, ClosestPage(candidate.passage.url, candidate.passage.title))
    return tuple(pages.values())[:CLOSEST_PAGES]


def _spoken(answer: Answer, draft: Draft) -> Iterator[Event]:
    """The answer as it is read out: a sentence, then its citation when it is the first to refer to it."""
    if answer.refused:
        yield Token(answer.answer)
        return
    told: set[int] = set()
    for i, sentence in enumerate(draft.sentences):
        yield Token(sentence if i == 0 else " " + sentence)
        for citation in answer.citations:
            if sentence.endswith(f"[{citation.n}]") and citation.n not in told:
                told.add(citation.n)
                yield Cited(citation)
