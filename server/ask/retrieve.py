"""Retrieval: by meaning and by words, the two rankings made one, in the light of what was said before.

What was said before counts as light weights in the search: it finds the page without drowning the question.
On doc2dial, all turns in one string find the page (85 % first) and lose the passage on it (16 % of answers
first); the question in full and what was said before at these weights keeps both (`docs/conversation.md`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from server.ask.context import AskContext, RetrieveOptions, Strategy
from server.ask.contextualize import ContextualizedQuestion
from server.ask.conversation.asked_time import AskedTime
from server.ask.conversation.phrases import words_of
from server.ask.expand import ExpandedQuestion
from server.ask.ports import EmbeddingModel, KeywordSearch, SearchIndex, SnapshotText, Vector, VectorSearch
from server.ask.strategy.fusion import FUSIONS, united, with_late_interaction, with_questions
from server.ask.trace import OpenStep, TraceLog
from server.models import Candidate, Hit, Passage, Ranking, Scope


def retrieve(  # noqa: PLR0913, PLR0917  (a search is made of so many things)
    question: str,
    vector: Vector | None,
    strategy: Strategy,
    options: RetrieveOptions,
    index: SearchIndex,
    trace: TraceLog,
    within: Scope | None = None,
    tokens: Vector | None = None,
    said: Mapping[str, str] | None = None,
) -> list[Candidate]:
    """The candidates within a scope, best first. `vector` is the question's; only keyword does without.

    Whatever either search brings is scored by both, so that the fused score compares like with like. With
    `tokens`, the question's words of shape (tokens, token dims), late interaction counts in it too. `said`
    has the visitor's words for which the question has an editor's.
    """
    near: list[Hit] = []
    matching: list[Hit] = []
    if vector is not None and strategy.search != "keyword":
        with trace.step("retrieve.semantic") as step:
            near = index.vector.search(vector, options.candidates, within)
            step.ranking, step.notes = _with_excluded(near), _notes(near)
    if strategy.search != "semantic":
        with trace.step("retrieve.keyword") as step:
            also = [hit.chunk_id for hit in near]
            matching = index.keyword.search(question, options.by_words, also, within, said)
            step.ranking = _with_excluded(matching)[: options.by_words]
            step.notes = _notes(matching)
    _trace_excluded(near, matching, index, trace)
    if vector is not None and strategy.search == "hybrid":
        near = _with_scores(near, matching, vector, index.vector)
    weight = sum(index.text.word_weights(question).values()) if strategy.search == "hybrid" else 0.0
    fused, matched = _fuse(near, matching, strategy, options, weight), list[Hit]()
    if tokens is not None and strategy.search == "hybrid" and options.late_interaction:
        with trace.step("retrieve.late_interaction") as step:
            matched = index.vector.late_interaction(tokens, [hit.chunk_id for hit in fused])
            step.ranking = matched
        fused = with_late_interaction(fused, matched, options.late_interaction)
    passages = index.snapshot.passages([hit.chunk_id for hit in fused])
    trace.add_passages(passages)
    late = {hit.chunk_id: hit.score for hit in matched}
    candidates = _candidates(fused, near, matching, passages)
    return [replace(one, late_score=late.get(one.passage.chunk_id)) for one in candidates]


def _notes(hits: list[Hit]) -> Mapping[str, Any]:
    """What a search says of itself: which engine answered, and why not the one that should have."""
    return hits.notes if isinstance(hits, Ranking) else {}


def _excluded(hits: list[Hit]) -> tuple[Hit, ...]:
    return hits.left_out if isinstance(hits, Ranking) else ()


def _with_excluded(hits: list[Hit]) -> list[Hit]:
    """What a search brought, those that editors leave out in their places."""
    return sorted([*hits, *_excluded(hits)], key=lambda hit: -hit.score) if _excluded(hits) else hits


def _trace_excluded(near: list[Hit], matching: list[Hit], index: SearchIndex, trace: TraceLog) -> None:
    """A step of the trace for what editors leave out, where a search has brought any of it."""
    excluded = {hit.chunk_id for hits in (near, matching) for hit in _excluded(hits)}
    if not excluded:
        return
    with trace.step("retrieve.excluded") as step:
        trace.add_passages(index.snapshot.passages(sorted(excluded)))
        step.ranking = list({hit.chunk_id: hit for hit in [*matching, *near]}.values())
        step.notes = {"left_out": len(excluded)}


def _with_scores(near: list[Hit], matching: list[Hit], vector: Vector, semantic: VectorSearch) -> list[Hit]:
    """`near` and the cosine of every matching chunk that is not among them, best first."""
    have = {hit.chunk_id for hit in near}
    missing = [hit.chunk_id for hit in matching if hit.chunk_id not in have]
    more = semantic.scores(vector, missing) if missing else []
    return sorted([*near, *more], key=lambda hit: (-hit.score, hit.chunk_id))


def _fuse(
    near: list[Hit], matching: list[Hit], strategy: Strategy, options: RetrieveOptions, weight: float
) -> list[Hit]:
    """`weight` is what the question's words weigh together."""
    if strategy.search == "hybrid":
        return FUSIONS[options.fusion](near, matching, options.alpha, weight)
    return near or matching


def _candidates(
    fused: list[Hit], near: list[Hit], matching: list[Hit], passages: Mapping[int, Passage]
) -> list[Candidate]:
    by_meaning = {hit.chunk_id: (hit.score, rank) for rank, hit in enumerate(near, 1)}
    by_words = {hit.chunk_id: (hit.score, rank) for rank, hit in enumerate(matching, 1)}
    nothing = (None, None)
    return [
        Candidate(
            passages[hit.chunk_id],
            hit.score,
            *by_meaning.get(hit.chunk_id, nothing),
            *by_words.get(hit.chunk_id, nothing),
        )
        for hit in fused
    ]


ALPHA_OF_NAMES = 0.8


def adaptive_alpha(alpha: float, content_words: Sequence[str], is_word: Callable[[str], bool]) -> float:
    """The α that these words call for, never less than the given one; numbers are no names."""
    words = [word for word in content_words if not word.isdigit()]
    unknown = sum(not is_word(word) for word in words) / len(words) if words else 0.0
    return round(alpha + max(0.0, ALPHA_OF_NAMES - alpha) * unknown**2, 3)


# What a word said before counts beside one of the question, and what its meaning does; what a word counts
# that a page may have for the days that are meant.
WORDS, MEANING, DAYS = 0.3, 0.5, 0.3
# A related question asks for itself: what was said before counts half.
RELATED = 0.5


@dataclass(frozen=True, slots=True)
class Context:
    """What was said before: the questions, the answers to them, and how much they count (0 to 1).

    `days` are words that a page may have for the days that are meant.
    """

    questions: str
    answers: str
    share: float
    gone: str = ""
    days: str = ""

    def __bool__(self) -> bool:
        return self.share > 0 and bool(self.questions)


def context_of(understood: ContextualizedQuestion, meant: AskedTime | None = None) -> Context:
    """Nothing for a first question or a new topic that means no days."""
    memory = understood.memory
    share = {"follow_up": 1.0, "related": RELATED}.get(understood.relation, 0.0)
    days = meant.written if meant else ""
    return Context(memory.questions, memory.answers, share, understood.standalone.gone, days)


def blended(vector: Vector, context: Context, embedder: EmbeddingModel) -> Vector:
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
    sounds_like: Scope | None,
    step: OpenStep,
    expanded: ExpandedQuestion | None = None,
) -> tuple[list[Candidate], float | None]:
    """The candidates in the light of what was said before, best first, and the question's best cosine.

    `sounds_like` is the scope of its topics, for a strategy that keeps to them.
    The cosine is None where no vector was searched with, and that to any passage of the snapshot where the
    search was held to some passages or moved by the context.
    """
    context, within = context_of(part, ask.asked_time), _where_to_search(ask, sounds_like)
    expanded = expanded or ExpandedQuestion()
    near = vector if expanded.vector is None else expanded.vector
    candidates, options = _search(text, near, context, within, ask, ask.trace, ask.said)
    if expanded.wordings:
        candidates = _with_wordings(candidates, expanded.wordings, context, within, ask)
    if vector is not None and "questions" in ask.config.strategy.steps:
        candidates = _with_questions(candidates, vector, within, ask)
    step.ranking = [Hit(one.passage.chunk_id, one.score) for one in candidates]
    if ask.config.strategy.search == "hybrid":
        step.notes = {"fusion": options.fusion, "alpha": options.alpha, "beta": options.late_interaction}
    if within is None and not context and not expanded:
        cosines = (one.semantic_score for one in candidates if one.semantic_score is not None)
        return candidates, max(cosines, default=None)
    nearest = ask.index.vector.search(vector, 1) if vector is not None else []
    return candidates, nearest[0].score if nearest else None


def _search(  # noqa: PLR0913, PLR0917  (a line, its vector, and all it is looked up in)
    text: str,
    vector: Vector | None,
    context: Context,
    within: Scope | None,
    ask: AskContext,
    trace: TraceLog,
    said: Mapping[str, str] | None = None,
) -> tuple[list[Candidate], RetrieveOptions]:
    """What one line brings in the light of what was said before, and by which numbers."""
    embedder = ask.models.embedder
    index = ContextIndex(ask.index, context) if context or context.days else ask.index
    near = blended(vector, context, embedder) if vector is not None else None
    words = ask.index.text.content_words(text)
    alpha = adaptive_alpha(ask.config.retrieve.alpha, words, embedder.is_word)
    options = replace(ask.config.retrieve, alpha=alpha)
    tokens = embedder.encode_question(text)[1] if vector is not None else None
    return retrieve(text, near, ask.config.strategy, options, index, trace, within, tokens, said), options


def _with_wordings(
    own: list[Candidate], wordings: Sequence[str], context: Context, within: Scope | None, ask: AskContext
) -> list[Candidate]:
    """What the question brought and what its other wordings bring, as one list."""
    embeds = ask.config.strategy.search != "keyword"
    with ask.step("retrieve.multiquery") as step:
        brought = []
        for wording in wordings:
            vector = ask.models.embedder.embed_question(wording) if embeds else None
            brought.append(_search(wording, vector, context, within, ask, TraceLog())[0])
        candidates = united(own, brought, ask.config.expand.share)
        ask.trace.add_passages({one.passage.chunk_id: one.passage for one in candidates})
        step.ranking = [Hit(one.passage.chunk_id, one.score) for one in candidates]
        step.notes = {"brought": [len(one) for one in brought], "new": len(candidates) - len(own)}
    return candidates


def _with_questions(
    own: list[Candidate], vector: Vector, within: Scope | None, ask: AskContext
) -> list[Candidate]:
    """What the search brought, and what pages' sample questions say of it and bring beside.

    Where the search is held to some passages, they bring no further ones.
    """
    options, index = ask.config.questions, ask.index.questions
    with ask.step("retrieve.questions") as step:
        near = [] if within else index.search(vector, ask.config.retrieve.candidates)
        of_own = index.scores(vector, [one.passage.chunk_id for one in own])
        alike = {hit.chunk_id: hit.score for hit in (*near, *of_own) if hit.score >= options.least}
        known = {one.passage.chunk_id for one in own}
        found = ask.index.snapshot.passages([chunk for chunk in alike if chunk not in known])
        ask.trace.add_passages(found)
        step.ranking = sorted((Hit(*item) for item in alike.items()), key=lambda hit: -hit.score)
        step.notes = {"new": len(found)}
    return with_questions(own, alike, found.values(), options.share)


def _where_to_search(ask: AskContext, sounds_like: Scope | None) -> Scope | None:
    """Where the question was told to search, and the topics it sounds like where it was told none."""
    given = ask.question.within
    if sounds_like is None or "topics" not in ask.config.strategy.steps:
        return given
    if given is None or given.topics is not None:
        return given or sounds_like
    return replace(given, topics=sounds_like.topics)


class ContextKeywords:
    """A keyword search that also knows, at a lower weight, the words said before and those of days."""

    def __init__(self, keyword: KeywordSearch, text: SnapshotText, context: Context) -> None:
        self._keyword = keyword
        self._text = text
        self._context = context

    def search(
        self,
        question: str,
        limit: int,
        also: Sequence[int] = (),
        within: Scope | None = None,
        said: Mapping[str, str] | None = None,
    ) -> list[Hit]:
        """As the search itself, each score with the context's added to it."""
        own = self._keyword.search(question, limit, also, within, said)
        notes, left_out = _notes(own), _excluded(own)
        context = self._context
        before = self._beside(f"{context.questions} {context.answers}", question) if context else ""
        days = self._beside(context.days, question)
        for words, weight in ((before, WORDS * context.share), (days, DAYS)):
            if words:
                own = self._with(words, weight, own, question, limit, also, within, said)
        return Ranking(own, notes, left_out)

    def _with(  # noqa: PLR0913, PLR0917  (a search, and what is added to it)
        self,
        words: str,
        weight: float,
        own: list[Hit],
        question: str,
        limit: int,
        also: Sequence[int],
        within: Scope | None,
        said: Mapping[str, str] | None,
    ) -> list[Hit]:
        """The hits with so much of the words' scores added, and those that the words find."""
        wanted = [*also, *(hit.chunk_id for hit in own)]
        beside = self._keyword.search(words, limit, wanted, within)
        more = [hit.chunk_id for hit in beside if hit.chunk_id not in set(wanted)]
        own = own + (self._keyword.search(question, 1, more, within, said) if more else [])
        return _best(_added(own, beside, weight), limit, also)

    def _beside(self, said: str, question: str) -> str:
        """The words of `said` that neither the question has nor an exchange took out."""
        known = self._text.stems([question, self._context.gone])
        words = dict.fromkeys(w.key for w in words_of(said))
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


class ContextIndex:
    """A snapshot whose keyword search knows the context; everything else is the snapshot's own."""

    def __init__(self, index: SearchIndex, context: Context) -> None:
        self.name = index.name
        self.keyword = ContextKeywords(index.keyword, index.text, context)
        self.text = index.text
        self.vector = index.vector
        self.snapshot = index.snapshot
