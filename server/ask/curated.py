"""The words of curated questions, to which a visitor's slips are put right."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from server.ask.conversation.phrases import words_of
from server.ask.paraphrase import Subject, difference, least_cosine, likelihood, measures, read, subject_of
from server.ask.rewrite import correct_spelling, replace_words
from server.cache import LOOK_EVERY_S, PolledCache
from server.models.curation import CuratedAnswer, Notice


class PhrasingWords:
    """The words of all phrasings, for `correct_spelling`."""

    def __init__(self, phrasings: Iterable[str]) -> None:
        words = sorted({word.key for phrasing in phrasings for word in words_of(phrasing)})
        self._letters = {word: frozenset(word) for word in words}

    def knows(self, words: Sequence[str]) -> set[str]:
        """Those of the lower-case words that stand in a phrasing."""
        return set(words).intersection(self._letters)

    def nearest_word(self, word: str, max_edits: int) -> str | None:
        """The nearest word of a phrasing, within so many edits."""
        letters = frozenset(word)
        # Each edit changes the length by one at most, and the letters that only one has by two.
        near = [
            known
            for known, its_letters in self._letters.items()
            if abs(len(known) - len(word)) <= max_edits and len(letters ^ its_letters) <= 2 * max_edits
        ]
        nearest = min(near, key=lambda known: edits(word, known), default=None)
        return nearest if nearest is not None and edits(word, nearest) <= max_edits else None


def edits(word: str, other: str) -> int:
    """How many letters are put in, left out, exchanged or swapped with the next between two words."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, letter in enumerate(word, 1):
        row = [i]
        for j, other_letter in enumerate(other, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != other_letter))
            if i > 1 and j > 1 and letter == other[j - 2] and word[i - 2] == other_letter:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, last = last, row
    return last[-1]


Vector = npt.NDArray[np.float32]

# So likely must a question and a phrasing ask the same. Chosen by scripts/research/measure_curated.py on
# half of
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
class CuratedMatch:
    """An editor's answer to a question, the phrasing that is like it, and how likely they ask the same."""

    answer: CuratedAnswer
    phrasing: str
    similarity: float

    @property
    def notes(self) -> dict[str, Any]:
        """For the trace."""
        return {"id": self.answer.id, "phrasing": self.phrasing, "similarity": round(self.similarity, 3)}


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
        self._pages = PolledCache(
            _Page(), source.curation_version, self._read, look_every_s=look_every_s, clock=clock
        )

    def look_soon(self) -> None:
        """Whoever asks next looks first: this process has made a change itself."""
        self._pages.look_soon()

    def match(
        self, text: str, vector: Vector | None, site: str, topics: Collection[str] | None, today: date
    ) -> CuratedMatch | None:
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


def _likely(page: _Page, wanted: set[int], text: str, vector: Vector, today: date) -> Iterator[CuratedMatch]:
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
                yield CuratedMatch(page.answers[i], phrasing.text, similarity)
