"""Scope detection, after the search: is a question this site's business, in the light of the conversation?

It is a soft one (Salerno's algorithm 1): a follow-up that seems to be none of the site's business passes on
the strength of the question before it; at the third strike in a row the conversation is closed for what is
off topic, and any question that belongs here opens it again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from server.ask.context import ScopeOptions
from server.ask.conversation.phrases import is_english, is_spanish
from server.ask.conversation.turns import ConversationTurn, small_talk, turns_of
from server.ask.ports import EmbeddingModel, OpenSnapshot, Vector

# "elsewhere": it is about another university.
ScopeVerdict = Literal["in_scope", "on_the_last", "off_topic", "closed", "elsewhere"]
# The verdicts with which a question goes on its way.
PASSING: tuple[ScopeVerdict, ...] = ("in_scope", "on_the_last")
_IN_SCOPE: ScopeVerdict = "in_scope"
_CLIP = 1e-4


@dataclass(frozen=True, slots=True)
class ScopeHistory:
    """Where a conversation stands: strikes in a row, and whether its last question passed."""

    strikes: int = 0
    last_passed: bool = False


@dataclass(frozen=True, slots=True)
class JudgedQuestion:
    """A question at the gate: whether it seems to belong here, and whether it goes on from the last."""

    belongs: bool
    goes_on: bool = False


@dataclass(frozen=True, slots=True)
class ScopeDecision:
    """Whether a question is answered from this site, and for the trace by what that was decided.

    `another` is the university that it is about, where that is not this one.
    """

    verdict: ScopeVerdict = "in_scope"
    notes: Mapping[str, object] = field(default_factory=dict)
    another: str = ""

    @property
    def passes(self) -> bool:
        """Whether the question goes on its way."""
        return self.verdict in PASSING


class ScopeDetector:
    """Decides whether questions of one conversation belong to one snapshot's site."""

    def __init__(
        self,
        index: OpenSnapshot,
        embedder: EmbeddingModel,
        options: ScopeOptions,
        history: Sequence[tuple[str, str]] = (),
    ) -> None:
        self._index = index
        self._embedder = embedder
        self._options = options
        self._history = history

    def decide(
        self, text: str, in_scope: float | None, nearest: float | None, *, goes_on: bool
    ) -> ScopeDecision:
        """A question in another language, or with a name that the pages know, is never off topic.

        `in_scope` is the classifier's probability, `nearest` the best cosine to a passage. Where the
        conversation stands is looked up only for what seems not to belong here.
        """
        verdict, named = _IN_SCOPE, list[str]()
        if (
            not belongs(in_scope, nearest, self._options)
            and is_english(text)
            and not is_spanish(text)
            and not (named := self._known_names(text))
        ):
            standing = standing_after(map(self._seen, turns_of(self._history)), self._options)
            verdict, _ = decide_scope(JudgedQuestion(belongs=False, goes_on=goes_on), standing, self._options)
        notes: dict[str, object] = {
            "in_scope": None if in_scope is None else round(in_scope, 3),
            "nearest": None if nearest is None else round(nearest, 3),
            "names": named,
            "verdict": verdict,
        }
        # A question that is turned away has no evidence.
        return ScopeDecision(verdict, notes | ({} if verdict in PASSING else {"evidence": 0.0}))

    def nearest(self, vector: Vector | None) -> float | None:
        """A question's best cosine to any passage; None where the search is by words alone."""
        hits = self._index.vector.search(vector, 1) if vector is not None else []
        return hits[0].score if hits else None

    def _known_names(self, text: str) -> list[str]:
        """The question's words that are no common ones and stand on the site's pages."""
        own, is_word = self._index.text, self._embedder.is_word
        words = [word for word in own.content_words(text) if not word.isdigit() and not is_word(word)]
        known = own.knows(words) if words else set()
        return [word for word in words if word in known]

    def _seen(self, turn: ConversationTurn) -> JudgedQuestion:
        """How an earlier question of the conversation was judged."""
        if small_talk(turn.question):
            return JudgedQuestion(belongs=True)
        vector = self._embedder.embed_question(turn.question)
        in_scope = self._index.classifier.in_scope(vector)
        return JudgedQuestion(belongs(in_scope, self.nearest(vector), self._options))


def about_another(university: str, decision: ScopeDecision) -> ScopeDecision:
    """The decision on a question that is about another university."""
    notes = {**decision.notes, "verdict": "elsewhere", "another": university, "evidence": 0.0}
    return ScopeDecision("elsewhere", notes, university)


def belongs(in_scope: float | None, nearest: float | None, options: ScopeOptions | None = None) -> bool:
    """Whether a question seems to be the site's business.

    `in_scope` is the classifier's probability, `nearest` the best cosine to a passage; where one is not
    known, the question is let through.
    """
    if in_scope is None or nearest is None:
        return True
    options = options or ScopeOptions()
    return score(in_scope, nearest, options) >= options.threshold


def score(in_scope: float, nearest: float, options: ScopeOptions) -> float:
    """What is held against the threshold: logit(P(in scope)) + `cosine` · nearest."""
    chance = min(max(in_scope, _CLIP), 1 - _CLIP)
    return math.log(chance / (1 - chance)) + options.cosine * nearest


def decide_scope(
    seen: JudgedQuestion, standing: ScopeHistory, options: ScopeOptions | None = None
) -> tuple[ScopeVerdict, ScopeHistory]:
    """What becomes of a question, and where the conversation stands after it."""
    most = (options or ScopeOptions()).strikes
    if seen.belongs:
        return "in_scope", ScopeHistory(0, last_passed=True)
    if seen.goes_on and standing.last_passed:
        return "on_the_last", standing
    strikes = min(standing.strikes + 1, most)
    return ("closed" if strikes >= most else "off_topic"), ScopeHistory(strikes)


def standing_after(questions: Iterable[JudgedQuestion], options: ScopeOptions | None = None) -> ScopeHistory:
    """Where a conversation stands after these questions, oldest first."""
    standing = ScopeHistory()
    for seen in questions:
        _, standing = decide_scope(seen, standing, options)
    return standing
