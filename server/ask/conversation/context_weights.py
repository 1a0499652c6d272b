"""What was said before, as light weights in the search: it finds the page without drowning the question.

On doc2dial, all turns in one string find the page (85 % first) and lose the passage on it (16 % of answers
first); the question in full and what was said before at these weights keeps both (`docs/conversation.md`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from server.ask.context import AskContext
from server.ask.contextualize import ContextualizedQuestion
from server.ask.conversation.phrases import words_of
from server.ask.ports import (
    KeywordSearch,
    PassageStore,
    QuestionEmbedder,
    SearchIndex,
    SnapshotText,
    Vector,
    VectorSearch,
)
from server.ask.retrieve import retrieve
from server.ask.rewrite import adaptive_alpha
from server.ask.trace import OpenStep
from server.models import Candidate, Hit, Scope

# What a word said before counts beside one of the question, and what its meaning does.
WORDS, MEANING = 0.3, 0.5
# A related question asks for itself: what was said before counts half.
RELATED = 0.5


@dataclass(frozen=True, slots=True)
class Context:
    """What was said before: the questions, the answers to them, and how much they count (0 to 1)."""

    questions: str
    answers: str
    share: float
    gone: str = ""

    def __bool__(self) -> bool:
        return self.share > 0 and bool(self.questions)


def context_of(understood: ContextualizedQuestion) -> Context:
    """Nothing for a first question or a new topic."""
    memory = understood.memory
    share = {"follow_up": 1.0, "related": RELATED}.get(understood.relation, 0.0)
    return Context(memory.questions, memory.answers, share, understood.standalone.gone)


def blended(vector: Vector, context: Context, embedder: QuestionEmbedder) -> Vector:
    """The question's unit vector, moved towards what was said before; a unit vector again."""
    if not context:
        return vector
    moved = vector.copy()
    for text in (context.questions, context.answers):
        if text:
            moved += context.share * MEANING * embedder.embed_question(text)
    unit: Vector = (moved / np.linalg.norm(moved)).astype(np.float32)
    return unit


def retrieve_in_context(  # noqa: PLR0913, PLR0917  (a question, its vector, and all it is looked up in)
    text: str,
    vector: Vector | None,
    part: ContextualizedQuestion,
    ask: AskContext,
    within: Scope | None,
    step: OpenStep,
) -> tuple[list[Candidate], float | None]:
    """The candidates in the light of what was said before, best first, and the question's best cosine.

    The cosine is None where no vector was searched with, and that to any passage of the snapshot where the
    search was held to some passages or moved by the context.
    """
    context, embedder = context_of(part), ask.models.embedder
    index = ContextIndex(ask.index, context) if context else ask.index
    near = blended(vector, context, embedder) if vector is not None else None
    words = ask.index.text.content_words(text)
    alpha = adaptive_alpha(ask.config.retrieve.alpha, words, embedder.is_word)
    options = replace(ask.config.retrieve, alpha=alpha)
    strategy = ask.config.strategy
    candidates = retrieve(text, near, strategy, options, index, ask.trace, within)
    step.ranking = [Hit(one.passage.chunk_id, one.score) for one in candidates]
    step.notes = {"fusion": options.fusion, "alpha": alpha} if strategy.search == "hybrid" else {}
    if within is None and not context:
        cosines = (one.semantic_score for one in candidates if one.semantic_score is not None)
        return candidates, max(cosines, default=None)
    nearest = ask.index.vector.search(vector, 1) if vector is not None else []
    return candidates, nearest[0].score if nearest else None


class ContextKeywords:
    """A keyword search that also knows, at a lower weight, the words said before."""

    def __init__(self, keyword: KeywordSearch, text: SnapshotText, context: Context) -> None:
        self._keyword = keyword
        self._text = text
        self._context = context

    def search(
        self, question: str, limit: int, also: Sequence[int] = (), within: Scope | None = None
    ) -> list[Hit]:
        """As the search itself, each score with the context's added to it."""
        own = self._keyword.search(question, limit, also, within)
        said = self._said(question)
        if not said:
            return own
        wanted = [*also, *(hit.chunk_id for hit in own)]
        before = self._keyword.search(said, limit, wanted, within)
        more = [hit.chunk_id for hit in before if hit.chunk_id not in set(wanted)]
        own += self._keyword.search(question, 1, more, within) if more else []
        return _best(_added(own, before, WORDS * self._context.share), limit, also)

    def _said(self, question: str) -> str:
        """The words said before that neither the question has nor an exchange took out."""
        known = self._text.stems([question, self._context.gone])
        words = dict.fromkeys(w.key for w in words_of(f"{self._context.questions} {self._context.answers}"))
        stems = self._text.stems(list(words))
        return " ".join(word for word, own in zip(words, stems, strict=True) if not own <= set.union(*known))


def _added(own: Sequence[Hit], before: Sequence[Hit], weight: float) -> dict[int, float]:
    scores = {hit.chunk_id: hit.score for hit in own}
    for hit in before:
        scores[hit.chunk_id] = scores.get(hit.chunk_id, 0.0) + weight * hit.score
    return scores


def _best(scores: dict[int, float], limit: int, also: Sequence[int]) -> list[Hit]:
    ranked = sorted((Hit(*item) for item in scores.items()), key=lambda hit: (-hit.score, hit.chunk_id))
    kept = set(also)
    return [hit for i, hit in enumerate(ranked) if i < limit or hit.chunk_id in kept]


@dataclass(frozen=True, slots=True)
class ContextIndex:
    """A snapshot whose keyword search knows the context; everything else is the snapshot's own."""

    index: SearchIndex
    context: Context

    @property
    def name(self) -> str:
        """The snapshot's name."""
        return self.index.name

    @property
    def keyword(self) -> KeywordSearch:
        """Its full-text search, with the context."""
        return ContextKeywords(self.index.keyword, self.index.text, self.context)

    @property
    def vector(self) -> VectorSearch:
        """Its vector search."""
        return self.index.vector

    @property
    def text(self) -> SnapshotText:
        """Its words."""
        return self.index.text

    @property
    def snapshot(self) -> PassageStore:
        """Its passages."""
        return self.index.snapshot
