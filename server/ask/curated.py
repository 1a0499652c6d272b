"""What a site's editors have set, in memory: curated answers and notices, and the live query rules.

The step `curated` finds the editor's answer to a question that asks the same, or something similar
(`conversation/paraphrase.py`).
"""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from itertools import accumulate, pairwise
from typing import Any, Generic, TypeVar

import numpy as np

from server.ask.conversation.paraphrase import Subject, read, subject_of
from server.ask.conversation.spelling import PhrasingWords, correct_spelling, replace_words
from server.ask.conversation.wanted import main_clause
from server.ask.normalize import written_out
from server.ask.paraphraser import CuratedCandidate, Paraphraser
from server.ask.ports import (
    ChangedSince,
    CurationSource,
    EmbeddingModel,
    OpenSnapshot,
    PassageStore,
    SiteDirectory,
    Vector,
)
from server.ask.rules import NO_RULES, CompiledRules, compile_rules
from server.errors import StorageError
from server.messages.catalogue import Catalogue, shipped
from server.models import HoursCorrection, Site
from server.models.curation import CuratedAnswer, Notice, RuleSet

LOOK_EVERY_S = 2.0  # another process's change is seen after so long at most


@dataclass(frozen=True, slots=True)
class CuratedMatch:
    """An editor's answer to a question, the phrasing that is like it, and how likely they ask the same.

    `is_same`: so likely, and nothing making it another one, that it is given as the answer; else the phrasing
    asks something similar, and it serves who asked with the likelihood `serving` (0 to 1; 0: not weighed).
    """

    answer: CuratedAnswer
    phrasing: str
    similarity: float
    is_same: bool
    serving: float = 0.0

    @property
    def notes(self) -> dict[str, Any]:
        """For the trace."""
        told = {"id": self.answer.id, "phrasing": self.phrasing, "similarity": round(self.similarity, 3)}
        return told if self.is_same else {**told, "similar": True, "serving": round(self.serving, 3)}


@dataclass(frozen=True, slots=True)
class _Page:
    """What the book knew at one version; the rows of `vectors` are the phrasings of all answers in their
    order, those of answer i `of_answer[i]`."""

    answers: tuple[CuratedAnswer, ...] = ()
    subjects: tuple[Subject, ...] = ()
    notices: tuple[Notice, ...] = ()
    of_answer: tuple[range, ...] = ()
    vectors: Vector = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    words: PhrasingWords = field(default_factory=lambda: PhrasingWords(()))


class CuratedBook:
    """All curated answers and notices, in memory. Thread-safe.

    It asks the source for its version every `look_every_s` at most; what it knows stays while the source
    fails.
    """

    def __init__(
        self,
        source: CurationSource,
        paraphraser: Paraphraser,
        *,
        look_every_s: float = LOOK_EVERY_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._source = source
        self._paraphraser = paraphraser
        self._pages = PolledCache(
            _Page(), source.curation_version, self._read, look_every_s=look_every_s, clock=clock
        )

    def invalidate(self) -> None:
        """Whoever asks next looks first: this process has made a change itself."""
        self._pages.invalidate()

    def match(
        self, text: str, vector: Vector | None, site: str, topics: Collection[str] | None, today: date
    ) -> CuratedMatch | None:
        """The editor's answer to a question, or to the one that is most like it; None: none is similar.

        `vector` is the question's unit vector, of shape (dims,), where there is one. `topics` are those that
        it sounds like; None or empty: unknown, and any topic will do.
        """
        page = self._pages.get()
        wanted = {i for i, answer in enumerate(page.answers) if _may_answer(answer, site, topics, today)}
        if not wanted:
            return None
        embedder = self._paraphraser.embedder
        corrections = correct_spelling(text, page.words, embedder.is_word)
        if corrections or vector is None:
            text = replace_words(text, corrections)
            vector = embedder.embed_question(text)
        near = cosines(text, vector, page.vectors, embedder)
        found = self._served(page, sorted(wanted), text, near, today)
        return max(found, key=lambda match: (match.is_same, match.serving, match.similarity), default=None)

    def _served(
        self, page: _Page, wanted: Sequence[int], text: str, near: Vector, today: date
    ) -> Iterator[CuratedMatch]:
        """Every answer to what the question asks, or to something similar."""
        rows = {i: [float(near[row]) for row in page.of_answer[i]] for i in wanted}
        question = read(text)
        for place in self._paraphraser.worth_weighing([max(rows[i]) for i in wanted]):
            i = wanted[place]
            one = CuratedCandidate(page.answers[i].text, page.subjects[i], rows[i])
            found = self._paraphraser.weigh(question, one, today)
            if found.same or found.similar:
                answer, way = page.answers[i], page.answers[i].phrasings[found.phrasing]
                yield CuratedMatch(answer, way, found.likelihood, found.same, found.serving)

    def notices(self, site: str, now: datetime) -> tuple[Notice, ...]:
        """The notices of a site that are not over."""
        moment = now.astimezone(UTC)
        return tuple(
            notice
            for notice in self._pages.get().notices
            if notice.site == site and moment < datetime.fromisoformat(notice.until)
        )

    def _read(self, old: _Page) -> _Page:
        """Everything anew, but for the vectors of phrasings that were there before."""
        answers, notices = tuple(self._source.curated()), tuple(self._source.notices())
        heard = tuple(subject_of(heard_ways(answer.phrasings)) for answer in answers)
        phrasings = _phrasings(heard)
        ends = list(accumulate(len(one.readings) for one in heard))
        return _Page(
            answers,
            heard,
            notices,
            tuple(range(start, end) for start, end in pairwise([0, *ends])),
            self._embed(phrasings, old),
            PhrasingWords(phrasings),
        )

    def _embed(self, phrasings: Sequence[str], old: _Page) -> Vector:
        known = dict(zip(_phrasings(old.subjects), old.vectors, strict=True))
        new = [phrasing for phrasing in dict.fromkeys(phrasings) if phrasing not in known]
        if new:
            known |= dict(zip(new, self._paraphraser.embedder.embed_questions(new), strict=True))
        return np.array([known[phrasing] for phrasing in phrasings], np.float32)


def _phrasings(subjects: Sequence[Subject]) -> list[str]:
    return [reading.text for subject in subjects for reading in subject.readings]


def heard_ways(phrasings: Sequence[str]) -> list[str]:
    """As a visitor's line is heard that has the same words: what is typed short in full."""
    return [written_out(phrasing).text for phrasing in phrasings]


def cosines(text: str, vector: Vector, phrasings: Vector, embedder: EmbeddingModel) -> Vector:
    """Of a question, or only of its clause that asks, whichever is nearer, with each row of `phrasings`."""
    clause = main_clause(text)
    whole: Vector = phrasings @ vector
    return whole if clause == text else np.maximum(whole, phrasings @ embedder.embed_question(clause))


def _may_answer(answer: CuratedAnswer, site: str, topics: Collection[str] | None, today: date) -> bool:
    on_topic = not topics or answer.topic is None or answer.topic in topics
    return answer.site == site and on_topic and answer.valid_on(today.isoformat())


@dataclass(frozen=True, slots=True)
class WeighedQuestion:
    """How likely a question asks what an answer's phrasings do, or where it does not, is served by the answer
    to a similar one; and the phrasing that is nearest.

    `differs` is what makes it another question, however near it is: a number, a term, a denial and so on;
    None: nothing does. `matched`: it gets the answer; `similar`: it is shown the answer below the phrasing,
    where the pages have no sure one.
    """

    question: str
    phrasing: str
    likelihood: float
    differs: str | None
    matched: bool
    similar: bool


class TriedAnswer:
    """An answer that is in no book."""

    def __init__(self, phrasings: Sequence[str], answer: str, embedder: EmbeddingModel) -> None:
        heard = heard_ways(phrasings)
        self._answer, self._subject, self._embedder = answer, subject_of(heard), embedder
        self._vectors = embedder.embed_questions(heard)

    def beside(self, text: str, vector: Vector | None = None) -> CuratedCandidate:
        """It beside a question as it is heard, of the unit vector `vector`, of shape (dims,)."""
        vector = self._embedder.embed_question(text) if vector is None else vector
        near = cosines(text, vector, self._vectors, self._embedder)
        return CuratedCandidate(self._answer, self._subject, [float(cosine) for cosine in near])


def heard_question(question: str, words: PhrasingWords, embedder: EmbeddingModel) -> str:
    """A question as the flow hears it: what is typed short in full, slips put right by the phrasings."""
    text = written_out(question).text
    return replace_words(text, correct_spelling(text, words, embedder.is_word))


def weigh_questions(
    questions: Sequence[str],
    phrasings: Sequence[str],
    paraphraser: Paraphraser,
    today: date,
    answer: str = "",
) -> list[WeighedQuestion]:
    """Each question beside the phrasings of an answer that is not kept yet, as `CuratedBook.match` would."""
    own, words = TriedAnswer(phrasings, answer, paraphraser.embedder), PhrasingWords(heard_ways(phrasings))
    found = []
    for question in questions:
        text = heard_question(question, words, paraphraser.embedder)
        best = paraphraser.weigh(read(text), own.beside(text), today)
        likely = round(best.likelihood if best.same else best.serving or best.likelihood, 3)
        nearest = phrasings[best.phrasing]
        found.append(WeighedQuestion(question, nearest, likely, best.differs, best.same, best.similar))
    return found


REMEMBERED = 16  # compiled rules: the sites of a server, over the snapshot of the moment and the one before


@dataclass(frozen=True, slots=True)
class _Live:
    """By site, what was live at one version."""

    books: Mapping[str, RuleSet] = field(default_factory=dict)
    withheld: Mapping[str, frozenset[str]] = field(default_factory=dict)


class LiveRules:
    """All live rulebooks, in memory, and what they mean for the last snapshots. Thread-safe.

    `live` gives the rulebook of every site that has one; `version` another value after every change;
    `withheld` by site the words of the suggested questions that are not shown.
    """

    def __init__(
        self,
        live: Callable[[], Sequence[RuleSet]],
        version: Callable[[], str],
        withheld: Callable[[], Mapping[str, frozenset[str]]] = dict,
        *,
        look_every_s: float = LOOK_EVERY_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._live = PolledCache(
            _Live(),
            version,
            lambda _: _Live({book.site: book for book in live()}, withheld()),
            look_every_s=look_every_s,
            clock=clock,
        )
        self._compiled: OrderedDict[tuple[str, date], CompiledRules] = OrderedDict()
        self._lock = threading.Lock()

    def book(self, site: str) -> RuleSet:
        """What holds for a site; an empty one where nothing was ever set."""
        return self._live.get().books.get(site) or RuleSet(site)

    def withheld(self, site: str) -> frozenset[str]:
        """The words of the site's suggested questions that are not shown; none where nothing is known."""
        return self._live.get().withheld.get(site, frozenset())

    def invalidate(self) -> None:
        """Whoever asks next looks first: this process has made a change itself."""
        self._live.invalidate()

    def ruling(self, site: str, snapshot: str, pages: PassageStore, today: date) -> CompiledRules:
        """The site's rulebook over the snapshot of that name."""
        book = self.book(site)
        key = (f"{book.site}\0{snapshot}", today)
        with self._lock:
            kept = self._compiled.get(key)
            if kept is None or kept.book != book:
                kept = self._compiled[key] = compile_rules(book, pages, today)
                while len(self._compiled) > REMEMBERED:
                    self._compiled.popitem(last=False)
        return kept


class FixedRules(LiveRules):
    """One rulebook that is not live, for every site: a draft that is tried."""

    def __init__(self, book: RuleSet) -> None:
        super().__init__(lambda: (), lambda: "")
        self._book = book

    def book(self, site: str) -> RuleSet:
        """The draft."""
        return self._book


def _none_corrected(site: str) -> Sequence[HoursCorrection]:
    return ()


def _never(url: str, since: str) -> bool:
    """For a snapshot that no crawl keeps up: no page has changed."""
    return False


@dataclass(frozen=True, slots=True)
class SiteConfig:
    """Site configuration and editorial content: the table of sites, curated answers, notices, query rules,
    what is known of pages since the snapshot was built, what is said to visitors, and by site what editors
    say of opening hours."""

    sites: SiteDirectory | None = None
    curation: CuratedBook | None = None
    rules: LiveRules | None = None
    changed: ChangedSince = _never
    read_catalogue: Callable[[], Catalogue] = shipped
    hours: Callable[[str], Sequence[HoursCorrection]] = _none_corrected

    @property
    def catalogue(self) -> Catalogue:
        """What Lodge says itself, read when it first says something."""
        return self.read_catalogue()

    def site(self, key: str) -> Site | None:
        """The site of that key, if there is one."""
        return self.sites.get(key) if self.sites else None

    def timezone(self, key: str) -> str:
        """A site's own time zone, by its IANA name; "" where it has none."""
        site = self.site(key)
        return site.timezone if site else ""

    def ruling(self, key: str, index: OpenSnapshot, today: date) -> CompiledRules:
        """What a site's editors have set, laid over a snapshot."""
        if self.rules is None:
            return NO_RULES
        return self.rules.ruling(key, index.name, index.snapshot, today)

    def notices(self, key: str, now: datetime) -> tuple[str, ...]:
        """The urgent notices of a site that are in force."""
        return tuple(notice.text for notice in self.curation.notices(key, now)) if self.curation else ()


T = TypeVar("T")


class PolledCache(Generic[T]):
    """Polled cache: reads its value again when the version has changed. Thread-safe.

    The version is asked for every `look_every_s` at most; what is known stays while the source fails with a
    `StorageError`. `read` is given what was known before.
    """

    def __init__(
        self,
        first: T,
        version: Callable[[], str],
        read: Callable[[T], T],
        *,
        look_every_s: float = LOOK_EVERY_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._value = first
        self._version_of = version
        self._read = read
        self._look_every_s = look_every_s
        self._clock = clock
        self._lock = threading.Lock()
        self._version: str | None = None
        self._look_at = -math.inf

    def get(self) -> T:
        """The current value; one thread looks for a newer one, the others do not wait for it."""
        if self._clock() < self._look_at or not self._lock.acquire(blocking=self._version is None):
            return self._value
        try:
            if self._clock() >= self._look_at:
                self._look()
        finally:
            self._lock.release()
        return self._value

    def invalidate(self) -> None:
        """Have the next `get` check the version, since this process has made a change itself."""
        self._look_at = -math.inf

    def _look(self) -> None:
        try:
            version = self._version_of()
            if version != self._version:
                self._value = self._read(self._value)
                self._version = version
        except StorageError:
            # What an editor changed is worth less than an answer: the next look may succeed.
            pass
        self._look_at = self._clock() + self._look_every_s
