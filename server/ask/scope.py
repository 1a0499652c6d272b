"""Scope detection, after the search: is a question this site's business, in the light of the conversation?

It is a soft one (Salerno's algorithm 1): a follow-up that seems to be none of the site's business passes on
the strength of the question before it; at the third strike in a row the conversation is closed for what is
off topic, and any question that belongs here opens it again. Another university is told apart by its name
(conversation/other_university.py).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from server.ask.classify import Classification
from server.ask.context import AskContext, ScopeOptions
from server.ask.contextualize import ContextualizedQuestion
from server.ask.conversation.other_university import PAGES_READ, other_university
from server.ask.conversation.phrases import is_english, is_spanish
from server.ask.conversation.turns import ConversationTurn, small_talk, turns_of
from server.ask.course_codes import course_fits
from server.ask.ports import OpenSnapshot
from server.models import Candidate, Passage

# "doubtful": the pages decide whether it belongs here. "unlikely": it is refused, but not called off topic.
# "elsewhere": it is about another university.
ScopeVerdict = Literal["in_scope", "on_the_last", "doubtful", "unlikely", "off_topic", "closed", "elsewhere"]
# The verdicts with which a question goes on its way.
PASSING: tuple[ScopeVerdict, ...] = ("in_scope", "on_the_last", "doubtful")
_IN_SCOPE: ScopeVerdict = "in_scope"
_CLIP = 1e-4
LEAST_CALLED = 2  # words of a heading that say more than "Hours" and "News"


@dataclass(frozen=True, slots=True)
class ScopeHistory:
    """Where a conversation stands: strikes in a row, and whether its last question passed."""

    strikes: int = 0
    last_passed: bool = False


@dataclass(frozen=True, slots=True)
class JudgedQuestion:
    """A question at the gate: whether it seems to belong here, whether it goes on from the last, and whether
    it falls so little short that the pages are to decide, or too little to be called off topic."""

    belongs: bool
    goes_on: bool = False
    doubtful: bool = False
    unlikely: bool = False


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


def detect_scope(  # noqa: PLR0913, PLR0917  (a question, and all that it is judged by)
    text: str,
    part: ContextualizedQuestion,
    about: Classification,
    nearest: float | None,
    candidates: Sequence[Candidate],
    ask: AskContext,
) -> ScopeDecision:
    """Whether a question, searched as `text`, belongs to the site, in the light of its conversation.

    `about` is what the classifiers say of it, `nearest` the best cosine to a passage. A question in another
    language, or with a name or a course that the pages know, is never off topic. Where the conversation
    stands is looked up only for what seems not to belong here; what falls little short, or is asked of any
    university, is doubtful where passages are read.
    """
    options, verdict, named = ask.options.gate, _IN_SCOPE, list[str]()
    in_scope = about.in_scope
    found = [one.passage for one in candidates[:PAGES_READ]]
    if (
        not belongs(in_scope, nearest, options)
        and is_english(text)
        and not is_spanish(text)
        and not (named := _known_names(text, ask) or known_courses(text, found))
    ):
        goes_on = part.relation in ("follow_up", "related")
        judged = judged_by(in_scope, nearest, ask)
        is_usual = (about.usual or 0.0) >= options.usual
        doubtful = judged.doubtful or (ask.reads and (is_usual or names_heading(text, found, ask.index)))
        judged = replace(judged, goes_on=goes_on, doubtful=doubtful)
        earlier = (_judged(turn, ask) for turn in turns_of(ask.question.history))
        verdict, _ = decide_scope(judged, standing_after(earlier, options), options)
    is_word = ask.models.embedder.is_word
    other = other_university(part.question, ask.site_name, ask.index.text, is_word, found)
    if other:
        verdict = "elsewhere"
    notes: dict[str, object] = {
        "in_scope": None if in_scope is None else round(in_scope, 3),
        "nearest": None if nearest is None else round(nearest, 3),
        "names": named,
        "verdict": verdict,
    } | ({"another": other.name} if other else {})
    # A question that is turned away has no evidence.
    notes |= {} if verdict in PASSING else {"evidence": 0.0}
    return ScopeDecision(verdict, notes, other.name if other else "")


def names_heading(question: str, found: Iterable[Passage], index: OpenSnapshot) -> bool:
    """Whether a page or section that was found is called by words of the question ("Lost and found"), or has
    in its name what is another wording of some: "Lactation room (DBH 6101)" for who asks where to pump."""
    asked = index.text.word_weights(question).keys()
    others = [other for _, other in index.wordings.synonyms_of(question) if other]
    headings = {heading for passage in found for heading in (passage.section, passage.title)}
    called = [index.text.word_weights(heading).keys() for heading in headings]
    return any(
        (len(words) >= LEAST_CALLED and words <= asked) or any(other <= words for other in others)
        for words in called
    )


def known_courses(question: str, found: Iterable[Passage]) -> list[str]:
    """What those pages or sections are called that are about a course of the question: "244P"."""
    passages = list(found)
    fits = course_fits(question, passages)
    return [one.section or one.title for one, fit in zip(passages, fits, strict=True) if fit > 0]


def _known_names(text: str, ask: AskContext) -> list[str]:
    """The question's words that are no common ones and stand on the site's pages."""
    own, is_word = ask.index.text, ask.models.embedder.is_word
    words = [word for word in own.content_words(text) if not word.isdigit() and not is_word(word)]
    known = own.knows(words) if words else set()
    return [word for word in words if word in known]


def _judged(turn: ConversationTurn, ask: AskContext) -> JudgedQuestion:
    """How an earlier question of the conversation was judged."""
    if small_talk(turn.question):
        return JudgedQuestion(belongs=True)
    vector = ask.models.embedder.embed_question(turn.question)
    hits = ask.index.vector.search(vector, 1)
    return judged_by(ask.index.classifier.in_scope(vector), hits[0].score if hits else None, ask)


def judged_by(in_scope: float | None, nearest: float | None, ask: AskContext) -> JudgedQuestion:
    """A question judged by itself; where nothing reads passages, none is doubtful."""
    options = ask.options.gate
    return JudgedQuestion(
        belongs(in_scope, nearest, options),
        doubtful=ask.reads and falls_short(in_scope, nearest, options, options.doubt),
        unlikely=falls_short(in_scope, nearest, options, options.unlikely),
    )


def belongs(in_scope: float | None, nearest: float | None, options: ScopeOptions | None = None) -> bool:
    """Whether a question seems to be the site's business.

    `in_scope` is the classifier's probability, `nearest` the best cosine to a passage; where one is not
    known, the question is let through.
    """
    if in_scope is None or nearest is None:
        return True
    options = options or ScopeOptions()
    return score(in_scope, nearest, options) >= options.threshold


def falls_short(in_scope: float | None, nearest: float | None, options: ScopeOptions, by: float) -> bool:
    """Whether a question does not seem to belong here, by so little at most."""
    if in_scope is None or nearest is None or belongs(in_scope, nearest, options):
        return False
    return score(in_scope, nearest, options) >= options.threshold - by


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
    if seen.doubtful and standing.strikes < most:
        return "doubtful", standing
    if seen.unlikely and standing.strikes < most:
        return "unlikely", standing
    strikes = min(standing.strikes + 1, most)
    return ("closed" if strikes >= most else "off_topic"), ScopeHistory(strikes)


def standing_after(questions: Iterable[JudgedQuestion], options: ScopeOptions | None = None) -> ScopeHistory:
    """Where a conversation stands after these questions, oldest first."""
    standing = ScopeHistory()
    for seen in questions:
        _, standing = decide_scope(seen, standing, options)
    return standing
