"""Scope detection, after the search: is a question this site's business, in the light of the conversation?

It is a soft one (Salerno's algorithm 1): a follow-up that seems to be none of the site's business passes on
the strength of the question before it; at the third strike in a row the conversation is closed for what is
off topic, and any question that belongs here opens it again.

Another university in a question is known by its name: "UVM", "middlebury college", "University of Vermont".
Names are in `corpus/lexicons/universities.toml`: those known by letters or a word, and what stands before
"university" and "college". A site's own schools have such names as well; what its pages say often is its own.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from server.ask.context import AskContext, ScopeOptions
from server.ask.contextualize import ContextualizedQuestion
from server.ask.conversation.phrases import FUNCTION_WORDS, VERBS, Word, is_english, is_spanish, words_of
from server.ask.conversation.turns import ConversationTurn, small_talk, turns_of
from server.ask.course_codes import course_fits
from server.ask.ports import OpenSnapshot, SnapshotText
from server.lexicons import any_of, lexicon
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
    in_scope: float | None,
    nearest: float | None,
    candidates: Sequence[Candidate],
    ask: AskContext,
) -> ScopeDecision:
    """Whether a question, searched as `text`, belongs to the site, in the light of its conversation.

    `in_scope` is the classifier's probability, `nearest` the best cosine to a passage. A question in another
    language, or with a name or a course that the pages know, is never off topic. Where the conversation
    stands is looked up only for what seems not to belong here; what falls little short is doubtful where
    passages are read.
    """
    options, verdict, named = ask.options.gate, _IN_SCOPE, list[str]()
    found = [one.passage for one in candidates[:READ]]
    if (
        not belongs(in_scope, nearest, options)
        and is_english(text)
        and not is_spanish(text)
        and not (named := _known_names(text, ask) or known_courses(text, found))
    ):
        goes_on = part.relation in ("follow_up", "related")
        judged = judged_by(in_scope, nearest, ask)
        doubtful = judged.doubtful or (ask.reads and names_heading(text, found, ask.index))
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


# A name weighs less than so much, in nats, where one passage in twenty has it: it is the site's own.
OWN_WORD = 3.0
# A name made of a pattern is the site's own where so many pages of those found have it.
OWN_PAGES = 2
# A page that is found speaks of the other university itself when its name is in one of the first.
SPEAKS, READ = 3, 10

_LEXICON = lexicon("universities")
_SHORT: dict[str, str] = dict(_LEXICON.part("short"))
_PHRASES = _LEXICON.part("phrases")
_NAMES = re.compile(
    rf"\b(?:{any_of(_PHRASES['names'])})\b(?! (?:{_PHRASES['no_state']})\b)(?: university| college)?",
    re.IGNORECASE,
)
_PATTERNS = _LEXICON.part("patterns")
_KIND = re.compile(rf"\b(?:{_PATTERNS['university']})\b(?!\s+of\s+\w)", re.IGNORECASE)
_OF = re.compile(
    r"\b(?:university|universidad|college) (?:of|de) (?:the )?(?P<of>[^\W\d_]+"
    r"(?: (?:hampshire|york|jersey|mexico|island|carolina|dakota|virginia|(?-i:[A-Z]\w+)))?)",
    re.IGNORECASE,
)
_COMMON, _COMMON_AFTER, _KNOWN = (_PATTERNS.words(name) for name in ("common", "common_after", "known"))
_RELATED = _LEXICON.part("relation").pattern("asked", r"(?<!\w)(?:{})\b")
_TOLD = _LEXICON.part("relation").pattern("told", r"\b(?:{})")
_OPEN = frozenset({"state", "community", "technical"})


@dataclass(frozen=True, slots=True)
class OtherUniversity:
    """Another university: `name` for people, `said` as it was typed; `listed`: not by a pattern."""

    name: str
    said: str
    listed: bool


def other_university(
    question: str,
    site_name: str,
    text: SnapshotText,
    is_word: Callable[[str], bool],
    found: Sequence[Passage],
) -> OtherUniversity | None:
    """The university that a question is about, where it is not this one.

    None where the visitor comes from there or compares, and where a page that was found has to do with it.
    """
    named = next((one for one in _named(question, is_word) if not _is_own(one, site_name, text, found)), None)
    if named is None or _RELATED.search(question):
        return None
    forms = [form.casefold() for form in (named.name, named.said)]
    for rank, passage in enumerate(found[:READ]):
        told = f"{passage.title} {passage.heading} {passage.text}"
        if any(_has(told, form) for form in forms) and (rank < SPEAKS or _TOLD.search(told)):
            return None
    return named


def _named(question: str, is_word: Callable[[str], bool]) -> Iterator[OtherUniversity]:
    """Every name of a university in the question, listed ones first."""
    words = words_of(question)
    for word in words:
        if name := _SHORT.get(word.key):
            yield OtherUniversity(name, word.text, listed=True)
    for match in _NAMES.finditer(question):
        yield OtherUniversity(_titled(match[0]), match[0], listed=True)
    for match in _OF.finditer(question):
        if match["of"].casefold() not in _COMMON_AFTER:
            yield OtherUniversity(_titled(match[0]), match[0], listed=False)
    for match in _KIND.finditer(question):
        before = [word for word in words if word.end <= match.start()]
        if start := _name_start(before, is_word):
            said = question[start.start : match.end()]
            yield OtherUniversity(_titled(said), said, listed=False)


def _name_start(before: Sequence[Word], is_word: Callable[[str], bool]) -> Word | None:
    """Where a name that ends before "university" begins; None where what stands there is no name."""
    names: list[Word] = []
    for word in reversed(before[-4:]):
        opens = not names and word.key in _OPEN
        if not opens and (word.key in _COMMON or word.key in FUNCTION_WORDS | VERBS or word.key.isdigit()):
            break
        names.append(word)
    while names and names[-1].key in _OPEN:
        names.pop()
    sure = [word for word in names if word.key in _KNOWN or word.is_name or not is_word(word.key)]
    first = next((word for word in names if word.key not in _OPEN), None)
    return sure[-1] if first is not None and first in sure else None


def _is_own(one: OtherUniversity, site_name: str, text: SnapshotText, found: Sequence[Passage]) -> bool:
    """Whether it is a name of the site itself or of one of its schools."""
    own = {word.key for word in words_of(site_name)}
    names = [word.key for word in words_of(one.said) if word.key not in _COMMON | {"university", "college"}]
    if names and all(name in own for name in names):
        return True
    weights = text.word_weights(one.said if one.listed else " ".join(names))
    if weights and max(weights.values()) < OWN_WORD:
        return True
    pages = {
        passage.url
        for passage in found
        if _has(f"{passage.title} {passage.heading} {passage.text}", one.said)
    }
    return not one.listed and len(pages) >= OWN_PAGES


def _has(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) is not None


def _titled(name: str) -> str:
    """As it is written: "university of vermont" → "University of Vermont"."""
    small = {"of", "the", "and", "at", "de"}
    words = (word if word.casefold() in small else word[:1].upper() + word[1:] for word in name.split())
    return " ".join(words)
