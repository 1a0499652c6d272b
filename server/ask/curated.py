"""Curated answers: a question that asks what an editor has answered gets the editor's words."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Protocol

import numpy as np
import numpy.typing as npt

from server.ask.curating.phrasing_words import PhrasingWords
from server.ask.curating.sameness import (
    Subject,
    difference,
    least_cosine,
    likelihood,
    measures,
    read,
    subject_of,
)
from server.ask.following import LOOK_EVERY_S, Following
from server.ask.rewrite import correct_spelling, replace_words
from server.curation import CuratedAnswer, Notice

Vector = npt.NDArray[np.float32]

# So likely must a question and a phrasing ask the same. Chosen by scripts/measure_curated.py on half of
# corpus/curated_pairs.jsonl; docs/curation.md has what it does on the other half.
LIKELY = 0.86


class CurationSource(Protocol):
    """Where curated answers and notices are kept."""

    def curated(self, site: str | None = None) -> Sequence[CuratedAnswer]:
        """Those of a site, or all."""
        ...

    def notices(self, site: str | None = None) -> Sequence[Notice]:
        """Those of a site, or all."""
        ...

    def curation_version(self) -> str:
        """Another value after every change."""
        ...


class PhrasingEmbedder(Protocol):
    """Meaning as unit vectors, and the words it knows whole."""

    def embed_question(self, text: str) -> Vector:
        """Shape (dims,)."""
        ...

    def embed_questions(self, texts: Sequence[str]) -> Vector:
        """Shape (len(texts), dims)."""
        ...

    def is_word(self, word: str) -> bool:
        """Whether a lower-case word is a common one."""
        ...


@dataclass(frozen=True, slots=True)
class Match:
    """An editor's answer to a question, the phrasing that is like it, and how likely they ask the same."""

    answer: CuratedAnswer
    phrasing: str
    similarity: float


@dataclass(frozen=True, slots=True)
class _Page:
    """What the book knew at one version; row i of `vectors` is the phrasing `rows[i]`: (answer, which)."""

    answers: tuple[CuratedAnswer, ...] = ()
    subjects: tuple[Subject, ...] = ()
    notices: tuple[Notice, ...] = ()
    rows: tuple[tuple[int, int], ...] = ()
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
        embedder: PhrasingEmbedder,
        *,
        look_every_s: float = LOOK_EVERY_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._source = source
        self._embedder = embedder
        self._pages = Following(
            _Page(), source.curation_version, self._read, look_every_s=look_every_s, clock=clock
        )

    def look_soon(self) -> None:
        """Whoever asks next looks first: this process has made a change itself."""
        self._pages.look_soon()

    def match(
        self, text: str, vector: Vector | None, site: str, topics: Collection[str] | None, today: date
    ) -> Match | None:
        """The editor's answer to a question, or None.

        `vector` is the question's unit vector, of shape (dims,), where there is one. `topics` are those that
        it sounds like; None or empty: unknown, and any topic will do.
        """
        page = self._pages.now()
        wanted = {i for i, answer in enumerate(page.answers) if _may_answer(answer, site, topics, today)}
        if not wanted:
            return None
        corrections = correct_spelling(text, page.words, self._embedder)
        if corrections or vector is None:
            text = replace_words(text, corrections)
            vector = self._embedder.embed_question(text)
        likely = list(_likely(page, wanted, text, vector, today))
        return max(likely, key=lambda match: match.similarity, default=None)

    def notices(self, site: str, now: datetime) -> tuple[Notice, ...]:
        """The notices of a site that are not over."""
        moment = now.astimezone(UTC)
        return tuple(
            notice
            for notice in self._pages.now().notices
            if notice.site == site and moment < datetime.fromisoformat(notice.until)
        )

    def _read(self, old: _Page) -> _Page:
        """Everything anew, but for the vectors of phrasings that were there before."""
        answers, notices = tuple(self._source.curated()), tuple(self._source.notices())
        rows = tuple((i, k) for i, answer in enumerate(answers) for k in range(len(answer.phrasings)))
        phrasings = [answers[i].phrasings[k] for i, k in rows]
        return _Page(
            answers,
            tuple(subject_of(answer.phrasings) for answer in answers),
            notices,
            rows,
            self._embed(phrasings, old),
            PhrasingWords(phrasings),
        )

    def _embed(self, phrasings: Sequence[str], old: _Page) -> Vector:
        known = {
            old.answers[i].phrasings[k]: vector for (i, k), vector in zip(old.rows, old.vectors, strict=True)
        }
        new = [phrasing for phrasing in dict.fromkeys(phrasings) if phrasing not in known]
        if new:
            known |= dict(zip(new, self._embedder.embed_questions(new), strict=True))
        return np.array([known[phrasing] for phrasing in phrasings], np.float32)


def _may_answer(answer: CuratedAnswer, site: str, topics: Collection[str] | None, today: date) -> bool:
    on_topic = not topics or answer.topic is None or answer.topic in topics
    return answer.site == site and on_topic and answer.valid_on(today.isoformat())


def _likely(page: _Page, wanted: set[int], text: str, vector: Vector, today: date) -> Iterator[Match]:
    """Every phrasing that likely asks what the question does."""
    question, least = read(text), least_cosine(LIKELY)
    for (i, k), cosine in zip(page.rows, page.vectors @ vector, strict=True):
        if i not in wanted or cosine < least:
            continue
        subject = page.subjects[i]
        phrasing = subject.readings[k]
        if difference(question, phrasing, subject, today) is None:
            similarity = likelihood(measures(question, phrasing, subject, float(cosine)))
            if similarity >= LIKELY:
                yield Match(page.answers[i], phrasing.text, similarity)
