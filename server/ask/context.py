"""The context of one question: by which strategy and numbers, over which snapshot, models and rules it is
answered.

Every number that a step goes by has its name and its default here; a strategy or a preset chooses among them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time
from itertools import combinations
from typing import Literal
from zoneinfo import ZoneInfo

from server.ask.conversation.asked_time import AskedTime
from server.ask.conversation.own_name import OwnName
from server.ask.curated import SiteConfig
from server.ask.ports import (
    AnsweredQuestions,
    AnswerGenerator,
    Condense,
    CrossEncoder,
    EmbeddingModel,
    LineRouter,
    OpenSnapshot,
    Probabilities,
    PromptContext,
    SearchLlm,
)
from server.ask.quoting.confidence import ConfidenceFit
from server.ask.rules import NO_RULES, CompiledRules
from server.ask.strategy.modes import DEFAULT_MODE, Mode, Plan
from server.ask.trace import AnswerBuilder, OpenStep, TraceLog
from server.ask.triage import DistressModel
from server.errors import BadInputError
from server.messages.catalogue import Texts, fill
from server.models import Candidate, Citation, Event, Question, Scope, Site
from server.models.deadlines import DataLine
from server.models.routing import Routing

# What a language model writes: every answer, or only what has to be put together or explained.
Writes = Literal["all", "composed"]
SEARCHES = ("semantic", "keyword", "hybrid")
# The optional steps of a strategy, in the order of its name.
STEPS_OF_STRATEGIES = ("rerank", "topics", "hyde", "multiquery", "llmrerank", "questions", "fewshot")


@dataclass(frozen=True, slots=True)
class Strategy:
    """Which search brings candidates, and which optional steps follow it."""

    search: str
    steps: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name it was parsed from, steps in their usual order."""
        return "+".join((self.search, *self.steps))

    @property
    def needs_vector(self) -> bool:
        """Whether questions are embedded; a keyword strategy without topics or questions needs no model."""
        return self.search != "keyword" or not {"topics", "questions"}.isdisjoint(self.steps)


def known_strategies(steps: Iterable[str] = STEPS_OF_STRATEGIES) -> list[str]:
    """Every name that can be asked for where these optional steps exist, in their order."""
    tails = [tail for n in range(len(list(steps)) + 1) for tail in combinations(steps, n)]
    return ["+".join((search, *tail)) for search in SEARCHES for tail in tails]


def parse_strategy(name: str, steps: tuple[str, ...] = (), also: Sequence[str] = ()) -> Strategy:
    """`"hybrid+rerank"` → `Strategy("hybrid", ("rerank",))`; `BadInputError` says how a name is made, and
    names in `also` what else can be asked for."""
    search, *rest = name.split("+")
    if search not in SEARCHES or rest != [step for step in steps if step in rest]:
        with_steps = [f"any of {', '.join(steps)} after it, in this order: {'+'.join(('hybrid', *steps))}"]
        known = ", ".join([*SEARCHES, *(with_steps if steps else ()), *also])
        raise BadInputError(f"There is no strategy {name!r}. There are: {known}.", code="unknown_strategy")
    return Strategy(search, tuple(rest))


@dataclass(frozen=True, slots=True)
class RetrieveOptions:
    """How many chunks each search brings, and how the two rankings become one.

    `keyword_candidates` None: as many as the search by meaning. `late_interaction` is the share of the score
    that the match of single words has.
    """

    candidates: int = 50
    fusion: str = "score"
    alpha: float = 0.3
    keyword_candidates: int | None = None
    late_interaction: float = 0.0

    @property
    def by_words(self) -> int:
        """How many the keyword search brings."""
        return self.candidates if self.keyword_candidates is None else self.keyword_candidates


@dataclass(frozen=True, slots=True)
class RerankOptions:
    """At most `candidates` passages are read, `wave` at a time, until one not yet read is the right one with
    a probability below `stop` (0: all are read)."""

    candidates: int = 10
    wave: int = 5
    stop: float = 0.1


@dataclass(frozen=True, slots=True)
class ExpandOptions:
    """`wordings` other wordings of the question are searched beside it, and what they bring counts `share` of
    the score; of `answers` hypothetical answers the mean is what the search by meaning looks for."""

    wordings: int = 3
    share: float = 0.2
    answers: int = 1


@dataclass(frozen=True, slots=True)
class LlmRerankOptions:
    """At most `candidates` passages are ordered by a language model: "listwise", in windows of `window` that
    begin `stride` apart, or "pointwise", one at a time."""

    how: str = "listwise"
    candidates: int = 10
    window: int = 5
    stride: int = 3


@dataclass(frozen=True, slots=True)
class QuestionOptions:
    """Salerno's: (1 − share) · content + share · question score, which counts 0 below `least`."""

    share: float = 0.3
    least: float = 0.0


@dataclass(frozen=True, slots=True)
class SoftFilter:
    """BrockportGPT's: no filter below `least`; else the likeliest label and all others above `others`."""

    least: float = 0.30
    others: float = 0.15

    def allowed(self, probabilities: Probabilities) -> tuple[str, ...]:
        """The labels to search, likeliest first; none: do not filter."""
        ranked = sorted(probabilities.items(), key=lambda item: (-item[1], item[0]))
        if not ranked or ranked[0][1] < self.least:
            return ()
        (first, _), *rest = ranked
        return (first, *(label for label, probability in rest if probability > self.others))


@dataclass(frozen=True, slots=True)
class TermOptions:
    """`weight` is the share of a candidate's score that the right term adds and the wrong one takes; `today`
    None: the day it is in the time zone, by its IANA name; "": the machine's. `clock` is the time of day
    in the same way."""

    weight: float = 0.1
    today: date | None = None
    zone: str = ""
    clock: time | None = None

    def day(self, zone: str = "") -> date:
        """Today, in a site's own time zone where it has one."""
        name = zone or self.zone
        return self.today or datetime.now(ZoneInfo(name) if name else None).date()

    def minute(self, zone: str = "") -> int:
        """The time of day there, in minutes after midnight."""
        name = zone or self.zone
        now = self.clock or datetime.now(ZoneInfo(name) if name else None).time()
        return now.hour * 60 + now.minute


@dataclass(frozen=True, slots=True)
class BoostOptions:
    """Shares of a candidate's score: `kind` what a page of a kind that was asked for gains, and one of a kind
    that was not loses; `audience` the same for a page's audience."""

    kind: float = 0.05
    audience: float = 0.15


@dataclass(frozen=True, slots=True)
class ScopeOptions:
    """A question belongs here when logit(P(in scope)) + `cosine` · (its best cosine to a passage) ≥
    `threshold`.

    Chosen for 2 % false refusals on average over four sites' questions, where 84 % of 3,000 off-topic ones
    are caught; P alone catches 79 % (`scripts/research/hearing/measure_refusing.py`). Visitors put it less
    plainly: up to `doubt` below, a question is answered where the cross-encoder is sure of a passage. Up to
    `unlikely` below it is refused, but not said to be outside of what the site is about: most slang lies
    there that was turned away, and two fifths of what is off topic. What any university is asked with a
    probability of `usual` is doubtful, too (docs/answers.md has the figures).
    """

    cosine: float = 12.0
    threshold: float = 4.2
    strikes: int = 3
    doubt: float = 2.0
    unlikely: float = 3.3
    usual: float = 0.8


@dataclass(frozen=True, slots=True)
class RetrievalConfig:
    """A strategy with its numbers; the answer is made from the first `passages`."""

    strategy: Strategy
    retrieve: RetrieveOptions = field(default_factory=RetrieveOptions)
    rerank: RerankOptions = field(default_factory=RerankOptions)
    passages: int = 5
    name: str = ""
    expand: ExpandOptions = field(default_factory=ExpandOptions)
    questions: QuestionOptions = field(default_factory=QuestionOptions)
    llm_rerank: LlmRerankOptions = field(default_factory=LlmRerankOptions)
    examples: int = 3


@dataclass(frozen=True, slots=True)
class AskOptions:
    """The settings of the flow; `versions` names models and prompts, for the trace.

    `decide_s`: a written answer that is not as good as the quoted one after so many seconds is given up.
    `known_words` are right as they are, in small letters: those of the synonyms. `asks_back`: an answer for
    one kind of people asks back for which it is meant. `writes`: what a language model is asked to write.
    `trims`: what is quoted beside the question is left out.
    """

    strategy: str = "hybrid"
    retrieve: RetrieveOptions = field(default_factory=RetrieveOptions)
    rerank: RerankOptions = field(default_factory=RerankOptions)
    expand: ExpandOptions = field(default_factory=ExpandOptions)
    questions: QuestionOptions = field(default_factory=QuestionOptions)
    llm_rerank: LlmRerankOptions = field(default_factory=LlmRerankOptions)
    examples: int = 3
    soft_filter: SoftFilter = field(default_factory=SoftFilter)
    terms: TermOptions = field(default_factory=TermOptions)
    boosts: BoostOptions = field(default_factory=BoostOptions)
    gate: ScopeOptions = field(default_factory=ScopeOptions)
    mode: Mode = DEFAULT_MODE
    passages: int = 5
    refusal_threshold: float = 0.5
    seems_threshold: float = 0.25
    confidence: ConfidenceFit = field(default_factory=ConfidenceFit)
    support_threshold: float = 0.5
    decide_s: float = 6.0
    site_name: str = "the university"
    max_question_chars: int = 2000
    versions: Mapping[str, str] = field(default_factory=dict)
    known_words: frozenset[str] = frozenset()
    asks_back: bool = True
    writes: Writes = "all"
    trims: bool = True

    @property
    def least_confidence(self) -> float:
        """Below this nothing is shown."""
        return min(self.refusal_threshold, self.seems_threshold)

    @property
    def default_config(self) -> RetrievalConfig:
        """How a question is retrieved unless a preset is asked for."""
        return RetrievalConfig(
            Strategy("hybrid"),
            self.retrieve,
            self.rerank,
            self.passages,
            expand=self.expand,
            questions=self.questions,
            llm_rerank=self.llm_rerank,
            examples=self.examples,
        )


@dataclass(frozen=True, slots=True)
class Models:
    """The models a question meets. Without a cross-encoder no strategy reranks; without a writer, answers are
    extractive; without `condense`, follow-ups are rewritten by rules; without a `search_llm`, what a strategy
    would have of it is made by rules or left out; without `examples`, a prompt has none; without a
    `verifier`, the confidence is what the passages and the reader say; without a `router`, lines are taken
    apart by rules."""

    embedder: EmbeddingModel
    cross_encoder: CrossEncoder | None = None
    writer: AnswerGenerator | None = None
    condense: Condense | None = None
    distress: DistressModel | None = None
    search_llm: SearchLlm | None = None
    examples: AnsweredQuestions | None = None
    verifier: CrossEncoder | None = None
    router: LineRouter | None = None

    @property
    def steps(self) -> tuple[str, ...]:
        """The optional steps of a strategy that can be asked for."""
        return STEPS_OF_STRATEGIES if self.cross_encoder else STEPS_OF_STRATEGIES[1:]


@dataclass(frozen=True, slots=True)
class AskContext:
    """What all steps of one question share. Whatever is said goes through `answer`.

    `day` is today where the site is; `heard` is the language that the visitor's line is clearly in;
    `asked_time` are the days that the question under way means, None where it names none; `said` are
    visitors' words for which it has an editor's; `own_name` is that question without and with the
    university's own name; `routing` is how it is best gone on with.
    """

    question: Question
    config: RetrievalConfig
    plan: Plan
    index: OpenSnapshot
    models: Models
    site_config: SiteConfig
    options: AskOptions
    trace: TraceLog
    answer: AnswerBuilder
    day: date
    ruling: CompiledRules = NO_RULES
    heard: str | None = None
    asked_time: AskedTime | None = None
    said: Mapping[str, str] | None = None
    own_name: OwnName | None = None
    routing: Routing | None = None

    def step(self, name: str) -> AbstractContextManager[OpenStep]:
        """A step of the trace, timed while it is open."""
        return self.trace.step(name)

    @property
    def reads(self) -> bool:
        """Whether a cross-encoder reads the best passages."""
        return self.models.cross_encoder is not None and "rerank" in self.config.strategy.steps

    @property
    def site(self) -> Site | None:
        """The site that was asked, where there is a table of sites."""
        return self.site_config.site(self.question.site)

    @property
    def site_name(self) -> str:
        """Its name for people."""
        return self.site.name if self.site else self.options.site_name

    def is_word(self, word: str) -> bool:
        """Whether a lower-case word is right as it is, whether the site uses it or not."""
        return self.models.embedder.is_word(word) or word in self.options.known_words

    def finds(self, line: str) -> float:
        """The best score of a line in the search by words, 0 where it finds nothing."""
        return max((hit.score for hit in self.index.keyword.search(line, 1)), default=0.0)

    @property
    def texts(self) -> Texts:
        """What is said of our own, in the language of the visitor's line, else of their page or the site."""
        wanted = [lang for lang in (self.heard, self.question.lang) if lang]
        return self.site_config.catalogue.texts(self.site, wanted, self.site_name)

    def prompt_context(self, question: str) -> PromptContext:
        """What a prompt for this question is told beside it: examples too, where the strategy has them."""
        examples: Sequence[tuple[str, str]] = ()
        if self.models.examples and "fewshot" in self.config.strategy.steps:
            vector = self.models.embedder.embed_question(question)
            examples = self.models.examples.nearest(
                question, vector, self.config.examples, self.question.site
            )
        return PromptContext(self.site_name, self.day, tuple(examples))

    def told_of(self, lines: Iterable[DataLine], found: Iterable[Candidate]) -> list[DataLine]:
        """Those of a snapshot's hours or deadlines that may be told: of the pages that the question is kept
        within, if it is, and nothing that editors leave out."""
        urls = {one.passage.url for one in found} if self.question.within else None
        hidden = self.ruling.hidden
        return [
            one
            for one in lines
            if (urls is None or one.url in urls) and not (one.chunk_id < len(hidden) and hidden[one.chunk_id])
        ]

    def on_hosts(self, hosts: Sequence[str]) -> AskContext:
        """The same, searched on these hosts alone, if there are any and it was not told where to search."""
        if not hosts or self.question.within is not None:
            return self
        return replace(self, question=replace(self.question, within=Scope(sites=tuple(hosts))))

    def if_sure(self) -> AskContext:
        """The same, but nothing is shown as what seems to answer."""
        return replace(self, options=replace(self.options, seems_threshold=1.0))

    @property
    def shows_unsure(self) -> bool:
        """Whether anything is shown as what only seems to answer."""
        return self.options.least_confidence < self.options.refusal_threshold

    def tell_language(self, citations: Sequence[Citation]) -> Iterator[Event]:
        """Once an answer, on a line before quotes that are all from pages in another language than the
        visitor's."""
        langs = {passage.url: passage.lang for passage in self.trace.passages.values()}
        cited = [langs.get(citation.url) for citation in citations]
        lang = cited[0] if cited else None
        if self.heard is None or lang is None or self.heard in cited or self.heard != self.texts.lang:
            return
        told = fill(self.texts.other_language, language=self.texts.name_of(lang))
        if told not in self.answer.text:
            yield from self.answer.say(told)
            self.answer.new_line()
