"""The context of one question: what was asked, by which numbers, over which snapshot, models and rules."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Protocol

from server.ask.answer_builder import AnswerBuilder
from server.ask.config import AskOptions, RetrievalConfig
from server.ask.conversation.modes import Plan
from server.ask.curated import CuratedMatch
from server.ask.freshness import NoChanges
from server.ask.ports import (
    AnswerGenerator,
    Condenser,
    CrossEncoder,
    OpenSnapshot,
    PageChanges,
    QuestionEmbedder,
    Sites,
    Vector,
)
from server.ask.rules import NO_RULES, CompiledRules, PublishedPages
from server.ask.trace import OpenStep, TraceLog
from server.ask.triage import CrisisClassifier
from server.models import Question, Site
from server.models.curation import Notice, RuleSet


class Curation(Protocol):
    """What a site's editors have answered and announced themselves."""

    def match(
        self, text: str, vector: Vector, site: str, topics: Sequence[str] | None, today: date
    ) -> CuratedMatch | None:
        """The curated answer to a question close enough to it, `topics` being those it sounds like."""
        ...

    def notices(self, site: str, now: datetime) -> Sequence[Notice]:
        """The urgent notices in force."""
        ...


class RuleSource(Protocol):
    """What a site's editors have set."""

    def book(self, site: str) -> RuleSet:
        """What holds for a site; an empty one where nothing was ever set."""
        ...

    def ruling(self, site: str, snapshot: str, pages: PublishedPages, today: date) -> CompiledRules:
        """The site's rulebook over the snapshot of that name."""
        ...


@dataclass(frozen=True, slots=True)
class SiteConfig:
    """Site configuration and editorial content: the table of sites, curated answers, notices, query rules,
    and what is known of pages since the snapshot was built."""

    sites: Sites | None = None
    curation: Curation | None = None
    rules: RuleSource | None = None
    changes: PageChanges = field(default_factory=NoChanges)

    def site(self, key: str) -> Site | None:
        """The site of that key, if there is one."""
        return self.sites.get(key) if self.sites else None

    def ruling(self, key: str, index: OpenSnapshot, today: date) -> CompiledRules:
        """What a site's editors have set, laid over a snapshot."""
        if self.rules is None:
            return NO_RULES
        return self.rules.ruling(key, index.name, index.snapshot, today)

    def curated(self, text: str, ask: AskContext) -> CuratedMatch | None:
        """The curated answer to a question that asks the same, if there is one."""
        if self.curation is None:
            return None
        vector = ask.models.embedder.embed_question(text)
        topics = list(ask.options.soft_filter.allowed(ask.index.classifier.topics(vector)))
        return self.curation.match(text, vector, ask.question.site, topics, ask.day)

    def notices(self, key: str, now: datetime) -> tuple[str, ...]:
        """The urgent notices of a site that are in force."""
        return tuple(notice.text for notice in self.curation.notices(key, now)) if self.curation else ()


@dataclass(frozen=True, slots=True)
class Models:
    """The models a question meets. Without a cross-encoder no strategy reranks; without a writer, answers are
    extractive; without a condenser, follow-ups are rewritten by rules."""

    embedder: QuestionEmbedder
    cross_encoder: CrossEncoder | None = None
    writer: AnswerGenerator | None = None
    condenser: Condenser | None = None
    likeness: CrisisClassifier | None = None

    @property
    def steps(self) -> tuple[str, ...]:
        """The optional steps of a strategy that can be asked for."""
        return ("topics",) if self.cross_encoder is None else ("rerank", "topics")


@dataclass(frozen=True, slots=True)
class AskContext:
    """What all steps of one question share. Whatever is said goes through `answer`."""

    question: Question
    config: RetrievalConfig
    plan: Plan
    index: OpenSnapshot
    models: Models
    site_config: SiteConfig
    options: AskOptions
    trace: TraceLog
    answer: AnswerBuilder
    ruling: CompiledRules = NO_RULES

    def step(self, name: str) -> AbstractContextManager[OpenStep]:
        """A step of the trace, timed while it is open."""
        return self.trace.step(name)

    @property
    def site(self) -> Site | None:
        """The site that was asked, where there is a table of sites."""
        return self.site_config.site(self.question.site)

    @property
    def site_name(self) -> str:
        """Its name for people."""
        return self.site.name if self.site else self.options.site_name

    @property
    def day(self) -> date:
        """Today."""
        return self.options.terms.day()
