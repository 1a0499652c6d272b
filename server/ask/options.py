"""What the flow is given: its settings, its models, and what the people who look after a site have said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Protocol

from server.ask.boost import TermOptions
from server.ask.classify import QuestionClassifier, SoftFilter
from server.ask.contextualize import Condenser
from server.ask.conversation.modes import DEFAULT, Mode
from server.ask.curated import Match
from server.ask.freshness import NoChanges, PageChanges
from server.ask.generate import Writer
from server.ask.presets import Way
from server.ask.rerank import CrossEncoder, RerankOptions
from server.ask.retrieve import RetrieveOptions, SearchIndex, Vector
from server.ask.rules import UNRULED, PublishedPages, Ruling
from server.ask.scope import GateOptions
from server.ask.strategy import Strategy
from server.ask.triage import DistressLikeness
from server.models import Exchange, Site
from server.models.curation import Notice, Rulebook


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


class Sites(Protocol):
    """The table of sites."""

    def get(self, key: str) -> Site | None:
        """The site of that key, if there is one."""
        ...

    def all(self) -> Sequence[Site]:
        """Every site."""
        ...


class Curation(Protocol):
    """What a site's editors have answered and announced themselves."""

    def match(
        self, text: str, vector: Vector, site: str, topics: Sequence[str] | None, today: date
    ) -> Match | None:
        """The curated answer to a question close enough to it, `topics` being those it sounds like."""
        ...

    def notices(self, site: str, now: datetime) -> Sequence[Notice]:
        """The urgent notices in force."""
        ...


class RuleSource(Protocol):
    """What a site's editors have set."""

    def book(self, site: str) -> Rulebook:
        """What holds for a site; an empty one where nothing was ever set."""
        ...

    def ruling(self, site: str, snapshot: str, pages: PublishedPages, today: date) -> Ruling:
        """The site's rulebook over the snapshot of that name."""
        ...


@dataclass(frozen=True, slots=True)
class Office:
    """What the people who look after a site have said of it, and what is known of its pages since."""

    sites: Sites | None = None
    curation: Curation | None = None
    rules: RuleSource | None = None
    changes: PageChanges = field(default_factory=NoChanges)

    def site(self, key: str) -> Site | None:
        """The site of that key, if there is one."""
        return self.sites.get(key) if self.sites else None

    def ruling(self, key: str, index: OpenSnapshot, today: date) -> Ruling:
        """What a site's editors have set, laid over a snapshot."""
        if self.rules is None:
            return UNRULED
        return self.rules.ruling(key, index.name, index.snapshot, today)

    def notices(self, key: str, now: datetime) -> tuple[str, ...]:
        """The urgent notices of a site that are in force."""
        return tuple(notice.text for notice in self.curation.notices(key, now)) if self.curation else ()


@dataclass(frozen=True, slots=True)
class AskOptions:
    """The settings of the flow; `versions` names models and prompts, for the trace."""

    strategy: str = "hybrid"
    retrieve: RetrieveOptions = field(default_factory=RetrieveOptions)
    rerank: RerankOptions = field(default_factory=RerankOptions)
    soft_filter: SoftFilter = field(default_factory=SoftFilter)
    terms: TermOptions = field(default_factory=TermOptions)
    gate: GateOptions = field(default_factory=GateOptions)
    mode: Mode = DEFAULT
    passages: int = 5
    refusal_threshold: float = 0.5
    support_threshold: float = 0.5
    site_name: str = "the university"
    max_question_chars: int = 2000
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def usual(self) -> Way:
        """How a question is looked for unless a preset is asked for."""
        return Way(Strategy("hybrid"), self.retrieve, self.rerank, self.passages)


@dataclass(frozen=True, slots=True)
class Models:
    """The models a question meets. Without a cross-encoder no strategy reranks; without a writer, answers are
    extractive; without a condenser, follow-ups are rewritten by rules."""

    embedder: QuestionEmbedder
    cross_encoder: CrossEncoder | None = None
    writer: Writer | None = None
    condenser: Condenser | None = None
    likeness: DistressLikeness | None = None

    @property
    def steps(self) -> tuple[str, ...]:
        """The optional steps of a strategy that can be asked for."""
        return ("topics",) if self.cross_encoder is None else ("rerank", "topics")
