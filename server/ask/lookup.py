"""From one question to its passages: rewrite → classify → retrieve → gate → prefer → favour → rerank.

A question that the gate turns away is read no further.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from server.ask.boost import Favoured, favoured_for, prefer, put_first
from server.ask.classify import Classification, classify
from server.ask.contextualize import Understood
from server.ask.conversation.context_weights import Context, ContextIndex, blended, context_of
from server.ask.conversation.language import is_english
from server.ask.conversation.smalltalk import small_talk
from server.ask.conversation.standalone import Turn, turns_of
from server.ask.occasion import Occasion
from server.ask.options import QuestionEmbedder
from server.ask.rerank import rerank
from server.ask.retrieve import Vector, retrieve
from server.ask.rewrite import correct_spelling, lean_on_words, replace_words, reworded
from server.ask.scope import PASSING, Seen, Verdict, belongs, judge, standing_after
from server.ask.strategy import Strategy
from server.masking import without_masks
from server.models import Candidate, Question, Scope


@dataclass(frozen=True, slots=True)
class Found:
    """What was found for one question: as it was searched, best passages first, and the gate's verdict."""

    question: str
    candidates: tuple[Candidate, ...] = ()
    about: Classification = field(default_factory=Classification)
    verdict: Verdict = "in_scope"
    favoured: Favoured = field(default_factory=Favoured)

    @property
    def belongs(self) -> bool:
        """Whether it is the site's business."""
        return self.verdict in PASSING

    @property
    def closest(self) -> tuple[Candidate, ...]:
        """The candidates as they are shown where nothing is answered: pinned pages first."""
        return tuple(sorted(self.candidates, key=lambda one: not self.favoured.pins(one.passage.url)))


class Remembering:
    """An embedder that embeds each text of one question once."""

    def __init__(self, embedder: QuestionEmbedder) -> None:
        self._embedder = embedder
        self._known: dict[str, Vector] = {}
        self.is_word = embedder.is_word

    def embed_question(self, text: str) -> Vector:
        """A unit vector of shape (dims,)."""
        if text not in self._known:
            self._known[text] = self._embedder.embed_question(text)
        return self._known[text]


class Lookup:
    """Looks questions of one visitor's line up in one snapshot."""

    def __init__(self, occasion: Occasion) -> None:
        self._way = occasion.way
        self._asked = occasion.question
        self._index = occasion.index
        self._models = occasion.models
        self._options = occasion.options
        self._log = occasion.log
        self._book = occasion.ruling.book

    def find(self, part: Understood) -> Found:
        """What the search finds for a question, and what the gate says of it."""
        text = self._rewrite(part.question)
        vector = self._embed(text)
        about = self._classify(vector)
        scope = _scope(self._asked, about if "topics" in self._way.strategy.steps else None)
        context = context_of(part)
        candidates = self._retrieve(text, vector, context, scope)
        is_whole = scope is None and not context
        nearest = _best_cosine(candidates) if is_whole else self._nearest(vector)
        verdict = self._judge(text, nearest, about, part)
        candidates = prefer(text, candidates, self._index.snapshot.terms, self._options.terms, self._log)
        favoured = favoured_for(text, about.allowed, self._book.favours, self._index.keyword.stems)
        if favoured:
            candidates = put_first(text, vector, candidates, favoured, self._index, self._log)
        return Found(text, tuple(candidates), about, verdict, favoured)

    @property
    def passages(self) -> int:
        """How many of the best passages an answer is made from."""
        return self._way.passages

    @property
    def reads(self) -> bool:
        """Whether the strategy has passages read by a cross-encoder."""
        return "rerank" in self._way.strategy.steps and self._models.cross_encoder is not None

    def read(self, found: Found) -> Found:
        """The same with its best passages read by the cross-encoder, if there is one."""
        reader = self._models.cross_encoder
        if reader is None:
            return found
        candidates = rerank(found.question, found.candidates, reader, self._way.rerank, self._log)
        return replace(found, candidates=tuple(candidates))

    def _rewrite(self, question: str) -> str:
        """In the site's words: as its editors have put some of them, and without slips."""
        with self._log.step("rewrite") as step:
            meant, replaced = reworded(without_masks(question).strip() or question, self._book.wordings)
            corrections = correct_spelling(meant, self._index.keyword, self._models.embedder)
            rewritten = replace_words(meant, corrections)
            step.notes = {"question": rewritten, "corrections": corrections}
            if replaced:
                step.notes = step.notes | {"wordings": replaced}
        return rewritten

    def _embed(self, text: str) -> Vector | None:
        """The question's vector; a keyword strategy without topics does without a model."""
        if _is_by_words_alone(self._way.strategy):
            return None
        with self._log.step("embed"):
            return self._models.embedder.embed_question(text)

    def _classify(self, vector: Vector | None) -> Classification:
        """What the question is about; the trace has it whether or not the strategy filters by it."""
        if vector is None:
            return Classification()
        with self._log.step("classify") as step:
            about = classify(vector, self._index.classifier, self._options.soft_filter)
            step.notes = about.notes
        return about

    def _retrieve(
        self, text: str, vector: Vector | None, context: Context, scope: Scope | None
    ) -> list[Candidate]:
        """The candidates, in the light of what was said before."""
        within = ContextIndex(self._index, context) if context else self._index
        near = blended(vector, context, self._models.embedder) if vector is not None else None
        words = self._index.keyword.content_words(text)
        alpha = lean_on_words(self._way.retrieve.alpha, words, self._models.embedder.is_word)
        found_by = replace(self._way.retrieve, alpha=alpha)
        return retrieve(text, near, self._way.strategy, found_by, within, self._log, scope)

    def _judge(self, text: str, nearest: float | None, about: Classification, part: Understood) -> Verdict:
        """The gate. Where the conversation stands is looked up only for what seems not to belong here."""
        gate, named = self._options.gate, list[str]()
        with self._log.step("gate") as step:
            verdict: Verdict = "in_scope"
            if (
                not belongs(about.in_scope, nearest, gate)
                and is_english(text)
                and not (named := self._names(text))
            ):
                goes_on = part.relation in ("follow_up", "related")
                standing = standing_after(map(self._seen, turns_of(self._asked.history)), gate)
                verdict, _ = judge(Seen(belongs=False, goes_on=goes_on), standing, gate)
            step.notes = _gate_notes(about.in_scope, nearest, named, verdict)
        return verdict

    def _nearest(self, vector: Vector | None) -> float | None:
        """The question's best cosine to any passage, where the search was held to some or leant on others."""
        hits = self._index.vector.search(vector, 1) if vector is not None else []
        return hits[0].score if hits else None

    def _names(self, text: str) -> list[str]:
        """The question's words that are no common ones and stand on the site's pages: the names it knows."""
        keyword, is_word = self._index.keyword, self._models.embedder.is_word
        words = [word for word in keyword.content_words(text) if not word.isdigit() and not is_word(word)]
        known = keyword.knows(words) if words else set()
        return [word for word in words if word in known]

    def _seen(self, turn: Turn) -> Seen:
        """How an earlier question of the conversation stood at the gate."""
        if small_talk(turn.question):
            return Seen(belongs=True)
        vector = self._models.embedder.embed_question(turn.question)
        in_scope = self._index.classifier.in_scope(vector)
        return Seen(belongs(in_scope, self._nearest(vector), self._options.gate))


def _best_cosine(candidates: Sequence[Candidate]) -> float | None:
    """None where the search was by words alone."""
    return max((c.semantic_score for c in candidates if c.semantic_score is not None), default=None)


def _is_by_words_alone(strategy: Strategy) -> bool:
    return strategy.search == "keyword" and "topics" not in strategy.steps


def _gate_notes(
    in_scope: float | None, nearest: float | None, names: Sequence[str], verdict: Verdict
) -> Mapping[str, object]:
    """For the trace; a question that is turned away has no evidence."""
    notes: dict[str, object] = {
        "in_scope": None if in_scope is None else round(in_scope, 3),
        "nearest": None if nearest is None else round(nearest, 3),
        "names": list(names),
        "verdict": verdict,
    }
    return notes | ({} if verdict in PASSING else {"evidence": 0.0})


def _scope(question: Question, about: Classification | None) -> Scope | None:
    """Where to search: what the question was given, and the topics it sounds like where it was given none."""
    sounds_like = about.scope if about else None
    if question.within is None or sounds_like is None or question.within.topics is not None:
        return question.within or sounds_like
    return replace(question.within, topics=sounds_like.topics)
