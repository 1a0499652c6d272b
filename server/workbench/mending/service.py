"""What mending an answer takes: questions that were asked like it, passages by other words, a draft tried."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from server.ask.curated import WeighedQuestion, weigh_questions
from server.masking import Masker
from server.models import ALL_TURNS, MISSING, TO_DO, GapFilter
from server.models.curation import RuleSet
from server.models.golden import GoldenQuestion
from server.storage.conversations import comparable
from server.workbench.answering import AnsweringParts, asked
from server.workbench.curation.preview import PastQuestion
from server.workbench.curation.trial import DraftPreviews
from server.workbench.remembered import Remembered
from server.workbench.traces.table import PassageTable, passage_tables

# Of so many of the latest different questions those of the same meaning are told: their vectors take two
# milliseconds each, once.
LOOKED_AT = 400
REMEMBERED_VECTORS = 4_000
MOST_ALIKE = 8
# So near by cosine they ask about the same matter as often as the questions of one gap do.
ALIKE = 0.6
MOST_TRIED = 12
LOOKED_AT_GAPS = 100  # missing answers, those with most questions; a hundredth of a second each


@dataclass(frozen=True, slots=True)
class AlikeQuestion:
    """A question that visitors asked so often, and how near its meaning is, as a cosine.

    `same`: an answer to the one question would be given to it, too.
    """

    question: str
    times: int
    cosine: float
    same: bool


@dataclass(frozen=True, slots=True)
class MetGap:
    """A missing answer that what was published may give: its question, without what is personal."""

    id: int
    question: str
    questions: int


class Gaps(Protocol):
    """Where missing answers are kept."""

    def all(self, wanted: GapFilter, *, limit: int, offset: int = 0) -> Sequence[Mapping[str, Any]]:
        """Those that are wanted, with most questions first."""


class Rulebooks(Protocol):
    """Where what editors publish is kept."""

    def last_published(self, site: str) -> tuple[RuleSet, RuleSet] | None:
        """What held before the last publishing, and what was published; None: nothing was."""


@dataclass(frozen=True, slots=True)
class MendingService:
    """Looks for what is asked like a question, and tries a site's draft on it, by the live models.

    `past` gives a site's latest different first questions, and how often each was asked. All of it raises
    `NotReadyError` while a part is missing. Questions are without what is personal in them.
    """

    answering: AnsweringParts
    past: Callable[[str, int], Sequence[tuple[str, int]]]
    previews: DraftPreviews
    gaps: Gaps
    rulebooks: Rulebooks
    vectors: Remembered[tuple[str, str], Any] = field(default_factory=lambda: Remembered(REMEMBERED_VECTORS))

    def alike(self, site: str, question: str) -> list[AlikeQuestion]:
        """The past questions nearest to this one in meaning, the nearest first; none in the same words."""
        parts = self.answering()
        past = [
            (text, times)
            for text, times in self.past(site, LOOKED_AT)
            if comparable(text) != comparable(question)
        ]
        if not past:
            return []

        def vector(text: str) -> Any:
            return self.vectors.get(("question", text), lambda: parts.embedder.embed_question(text))

        cosines = np.array([vector(text) for text, _ in past]) @ vector(question)
        nearest = [int(i) for i in np.argsort(-cosines)[:MOST_ALIKE] if cosines[i] >= ALIKE]
        texts = [Masker().masked(past[i][0]) for i in nearest]
        weighed = self.weighed(site, [question], texts) if texts else []
        return [
            AlikeQuestion(text, past[i][1], round(float(cosines[i]), 3), found.matched)
            for i, text, found in zip(nearest, texts, weighed, strict=True)
        ]

    def passages(self, site: str, words: str) -> list[PassageTable]:
        """What the live snapshot has for other words than the visitor's; nothing is recorded."""
        asker = self.answering().asker
        final = asked(asker.otherwise(asker.options, writes=False), words, site)
        return passage_tables(final.trace.as_json() | {"answer": final.answer.as_json()})

    def weighed(
        self, site: str, phrasings: Sequence[str], questions: Sequence[str], answer: str = ""
    ) -> list[WeighedQuestion]:
        """How likely each question would get an answer with these phrasings; nothing is kept."""
        parts = self.answering()
        return weigh_questions(questions, phrasings, parts.paraphraser, parts.asker.day(site), answer)

    def tried(self, book: RuleSet, questions: Sequence[str], right: GoldenQuestion) -> list[dict[str, Any]]:
        """A draft tried on a question and its look-alikes, in their order; the first is judged by `right`."""
        first, *others = questions[:MOST_TRIED]
        judge = right if right.pages or right.answers else None
        return self.previews.tried(
            book, [PastQuestion(first, 1, twin=judge), *(PastQuestion(one) for one in others)]
        )

    def met(self, site: str) -> list[MetGap]:
        """The missing answers still to do that meet what was published last for a site: an answer, a wording,
        or a page put first for some words. Whether it is right for them is seen by asking them again."""
        last = self.rulebooks.last_published(site)
        if last is None:
            return []
        found = self.gaps.all(GapFilter(MISSING, TO_DO, replace(ALL_TURNS, site=site)), limit=LOOKED_AT_GAPS)
        questions = [Masker().masked(one["question"]) for one in found]
        met = self.previews.met(*last, questions)
        return [
            MetGap(one["id"], question, one["questions"])
            for one, question, is_met in zip(found, questions, met, strict=True)
            if is_met
        ]
