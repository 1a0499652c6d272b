"""A follow-up as a question that stands alone: a phrase exchanged, a pronoun replaced, or the topic added.

"And for graduates?" is the same question again with one of its phrases exchanged.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from server.ask.conversation.phrases import (
    AUXILIARIES,
    DETERMINERS,
    FUNCTION_WORDS,
    PREPOSITIONS,
    PRONOUNS,
    QUESTION_WORDS,
    NounPhrase,
    Word,
    noun_phrases,
    sentence,
    topic_of,
    without_lead,
    words_of,
)
from server.ask.conversation.turns import FollowUpCues, Memory
from server.ask.ports import EmbeddingModel, SnapshotText
from server.lexicons import lexicon, word_set

# A phrase is exchanged when its meaning is at least this near to the new one's (cosine); nearer ones first.
ALIKE = 0.2
MOST_WORDS = 6
# A question of so many phrases and words has none that is likely meant; each would have to be embedded.
MOST_CANDIDATES = 150
# What speaks for a candidate beside its meaning: it stands after the same preposition, it is a whole phrase;
# and against it: it is what the earlier question asked for ("the deadline for …").
SAME_PREPOSITION, WHOLE, ASKED_FOR = 0.15, 0.09, -0.15

_ASKED_AGAIN = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|yes|no|sure|so|then|well|oh|thanks|thank you|great|alright|hm+)\b[\s,.!]*)*"
    r"(?:(?:and|or|but|y|o|pero)\b[\s,]*)?(?:(?:what|how) about\b|what of\b|(?:qué|que) tal\b)?\s*"
    r"(?:(?:even|only|just|maybe|also)\b\s*)?",
    re.IGNORECASE,
)
_CLASSES = tuple(map(word_set, lexicon("turns")["exchange"]["classes"]))
# The first of them are times.
_TIMES = _CLASSES[:4]
_ACRONYM = re.compile(r"[A-Z]{2,6}")
_CODE = re.compile(r"[a-z]{2,5}[ -]?\d{2,4}[a-z]?")
_YEAR = re.compile(r"(?:19|20)\d\d(?:[-–/]\d\d(?:\d\d)?)?")


@dataclass(frozen=True, slots=True)
class Substitution:
    """The question with `new` in the place of `old`."""

    text: str
    old: str
    new: str


def asked_again(question: str) -> str | None:
    """What a question such as "and for graduates?" asks about ("for graduates"); None when it asks more."""
    rest = _ASKED_AGAIN.sub("", question).strip(" ?!.¿¡,")
    words = words_of(rest)
    if not words or len(words) > MOST_WORDS or not any(w.key not in FUNCTION_WORDS for w in words):
        return None
    asks_more = any(word.key in AUXILIARIES | PRONOUNS | QUESTION_WORDS for word in words)
    return None if asks_more or set(".?!;") & set(rest) else rest


def exchange(asked: str, earlier: str, embedder: EmbeddingModel) -> Substitution | None:
    """The earlier question with the phrase exchanged that `asked` most likely stands for, if there is one."""
    preposition, new = _split_preposition(asked)
    candidates = _candidates(earlier)
    if not new or not candidates:
        return None
    of_a_kind = [candidate for candidate in candidates if _same_class(candidate.text, new)]
    if of_a_kind:
        length = len(words_of(new)) - any(word.key in DETERMINERS for word in words_of(new))
        old = min(
            of_a_kind,
            key=lambda c: (not _follows(c, preposition, earlier), abs(len(words_of(c.text)) - length)),
        )
        return _exchanged(earlier, old, new)
    if any(kind & {word.key for word in words_of(new)} for kind in _TIMES):
        return None  # "and on sunday?" after a question that names no day adds one
    nearest = _nearest(new, preposition, earlier, candidates, embedder)
    return _exchanged(earlier, nearest, new) if nearest else None


def _split_preposition(asked: str) -> tuple[str, str]:
    words = words_of(asked)
    skip = 0
    while skip < len(words) - 1 and words[skip].key in PREPOSITIONS:
        skip += 1
    before = words[0].key if skip else ""
    return before, asked[words[skip].start :].strip() if words else ""


def _candidates(earlier: str) -> list[NounPhrase]:
    """Whole noun phrases, and the words of each; none where there are too many to choose from."""
    found: dict[tuple[int, int], NounPhrase] = {}
    for phrase in noun_phrases(earlier):
        inner = [w for w in words_of(phrase.text) if w.key not in DETERMINERS]
        if len(found) + len(inner) * (len(inner) + 1) // 2 > MOST_CANDIDATES:
            return []
        spans = [(inner[i], inner[j]) for i in range(len(inner)) for j in range(i, len(inner))]
        for first, last in spans:
            start, end = phrase.start + first.start, phrase.start + last.end
            found[start, end] = NounPhrase(earlier[start:end], start, end)
    return list(found.values())


def _same_class(old: str, new: str) -> bool:
    """Two terms, two weekdays, two course codes: a word of the one is of the kind of a word of the other."""
    ours, theirs = ({word.key for word in words_of(text)} for text in (old, new))
    if any(ours & kind and theirs & kind for kind in _CLASSES):
        return True
    if any(pattern.search(old.casefold()) and pattern.search(new.casefold()) for pattern in (_CODE, _YEAR)):
        return True
    return bool(_ACRONYM.fullmatch(old) and _ACRONYM.fullmatch(words_of(new)[-1].text))


def _nearest(
    new: str, preposition: str, earlier: str, candidates: Sequence[NounPhrase], embedder: EmbeddingModel
) -> NounPhrase | None:
    """The candidate that means most nearly the same, if any is near enough."""
    wanted = embedder.embed_question(new)
    whole = {phrase.end: phrase for phrase in noun_phrases(earlier)}
    asked_for = min(whole) if len(whole) > 1 else 0

    def fitness(candidate: NounPhrase) -> float:
        near = float(embedder.embed_question(candidate.text) @ wanted)
        is_whole = (
            candidate.end in whole and _determined_from(earlier, candidate) <= whole[candidate.end].start
        )
        return (
            near
            + SAME_PREPOSITION * _follows(candidate, preposition, earlier)
            + WHOLE * is_whole
            + ASKED_FOR * (candidate.end <= asked_for)
        )

    score, best = max(((fitness(c), c) for c in candidates), key=lambda pair: (pair[0], -pair[1].start))
    return best if score >= ALIKE else None


def _follows(phrase: NounPhrase, preposition: str, earlier: str) -> bool:
    before = [word for word in words_of(earlier[: phrase.start]) if word.key not in DETERMINERS]
    return bool(preposition and before) and before[-1].key == preposition


def _exchanged(earlier: str, old: NounPhrase, new: str) -> Substitution:
    start = _determined_from(earlier, old) if words_of(new)[0].key in DETERMINERS else old.start
    return Substitution(earlier[:start] + new + earlier[old.end :], old.text, new)


def _determined_from(earlier: str, old: NounPhrase) -> int:
    """Where the phrase begins with its determiner, for "the MPH" in the place of "the MBA"."""
    before: list[Word] = words_of(earlier[: old.start])
    return before[-1].start if before and before[-1].key in DETERMINERS else old.start


How = Literal["exchanged", "replaced", "appended", "kept", "model"]

# A longer topic is put in brackets at the end, where it does not tear the sentence.
MOST_WORDS_INSIDE = 7
_LEAD = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|yes|yeah|no|so|then|well|oh|hm+|thanks|thank you|great|alright|and|or|but|also"
    r"|y|pero)\b[\s,.!]*)+",
    re.IGNORECASE,
)
_POSSESSIVE = lexicon("turns").part("pronouns").words("possessive")


@dataclass(frozen=True, slots=True)
class StandaloneQuestion:
    """A question that stands alone, what it is about, and how it was made; `gone` is what was exchanged."""

    text: str
    topic: str
    how: How
    gone: str = ""


def rewrite_standalone(
    question: str, marks: FollowUpCues, memory: Memory, keyword: SnapshotText, embedder: EmbeddingModel
) -> StandaloneQuestion:
    """The follow-up with what it leaves out: a phrase exchanged, a pronoun replaced, or the topic added."""
    again = asked_again(question)
    if again and "lead" in marks.kinds and (changed := exchange(again, memory.question, embedder)):
        text = sentence(changed.text)
        return StandaloneQuestion(text, topic_of(text, keyword), "exchanged", changed.old)
    bare = _LEAD.sub("", question).strip() or question
    word = next((word for word in marks.pronouns if _can_be_replaced(bare, word)), None)
    if word and memory.topic and len(words_of(memory.topic)) <= MOST_WORDS_INSIDE:
        return StandaloneQuestion(
            sentence(_replaced(bare, word.text, memory.topic)), memory.topic, "replaced"
        )
    points = any(word.key not in ("then", "there") for word in marks.pronouns)
    about = memory.topic if points and memory.topic else without_lead(memory.question)
    return StandaloneQuestion(f"{sentence(bare)[:-1]} ({about})?", memory.topic, "appended")


def _can_be_replaced(question: str, word: Word) -> bool:
    """A pronoun that stands for a thing by itself: "it", "them", "about that", "their"; not "that permit"."""
    words = words_of(question)
    if word.key in ("one", "ones", "there", "then", "such"):
        return False
    i = next((i for i, other in enumerate(words) if other.text == word.text), None)
    if i is None:
        return False
    following = words[i + 1].key if i + 1 < len(words) else ""
    if word.key in DETERMINERS - _POSSESSIVE:
        return not following or following in FUNCTION_WORDS
    return True


def _replaced(question: str, pronoun: str, topic: str) -> str:
    word = next(word for word in words_of(question) if word.text == pronoun)
    clitic = pronoun[len(word.key) :]
    is_possessive = word.key in _POSSESSIVE and not _ends(question, word)
    return (
        question[: word.start]
        + topic
        + (_genitive(topic) if is_possessive else clitic)
        + question[word.end :]
    )


def _genitive(topic: str) -> str:
    return "'" if topic.endswith("s") else "'s"


def _ends(question: str, word: Word) -> bool:
    """Whether nothing that could be possessed follows: "ask her", "about her?"."""
    following = words_of(question[word.end :])
    return not following or following[0].key in FUNCTION_WORDS
