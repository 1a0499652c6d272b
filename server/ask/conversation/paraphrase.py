"""How likely a question asks the same as another, for which somebody has written an answer.

A cosine cannot tell "graduate tuition" from "undergraduate tuition", nor "has AC" from "has no AC". So a
question that differs in a number, a term, a denial, in whom it is asked for or by a word that excludes
another is never the same (`corpus/lexicons/paraphrase.toml`); and of the others a logistic function of a few
measures says how likely it is.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from typing import Literal

from server.academic_terms import Term, terms_asked
from server.ask.conversation.phrases import FUNCTION_WORDS
from server.lexicons import lexicon, word_set

_Lines = tuple[Mapping[str, int], ...]

# Of the last line of `narrowing`: both ends of a time.
BOTH_ENDS = frozenset({0, 1})


@dataclass(frozen=True, slots=True)
class ParaphraseWords:
    """The lexicon, compiled; each line of `narrowing` and `exclusive` has the side on which a word stands."""

    aspects: Mapping[str, re.Pattern[str]]
    akin: tuple[frozenset[str], ...]
    denies: re.Pattern[str]
    no_denial: re.Pattern[str]
    narrowing: _Lines
    exclusive: _Lines
    opposites: tuple[str, ...]
    same: tuple[tuple[re.Pattern[str], str], ...]
    light: frozenset[str]
    numbers: Mapping[str, str]


@cache
def paraphrase_words() -> ParaphraseWords:
    """The lexicon, read and compiled once."""
    words = lexicon("paraphrase")
    aspects = words.part("aspects")
    return ParaphraseWords(
        {name: aspects.pattern(name, r"\b(?:{})\b", flags=0) for name in aspects},
        tuple(map(word_set, words["akin"])),
        words.pattern("denies", flags=0),
        words.pattern("no_denial", flags=0),
        _sides(words["narrowing"]),
        _sides(words["exclusive"]),
        tuple(words["opposites"]),
        tuple(
            (re.compile(rf"\b(?:{'|'.join(others)})(?!\w)"), first) for first, others in words["same"].items()
        ),
        (FUNCTION_WORDS | words.words("light")) - words.words("told_apart"),
        words["numbers"],
    )


def _sides(lines: Iterable[str]) -> _Lines:
    """A comma parts two sides of a line."""
    return tuple(
        {word: side for side, words in enumerate(line.split(",")) for word in words.split()} for line in lines
    )


Difference = Literal["number", "term", "denial", "opposite", "narrower", "broader"]
Sides = tuple[frozenset[int], ...]

MEASURES = ("cosine", "added", "lacking", "unasked")
# Fitted by scripts/research/measure_curated.py on half of corpus/curated_pairs.jsonl.
BIAS = -0.88
WEIGHTS: Mapping[str, float] = {
    "cosine": 4.97,
    "added": -2.12,
    "lacking": -0.91,
    "unasked": -1.76,
}

_YEARS = re.compile(r"(?<![\d/-])(?:19|20)\d\d(?:\s?[-–/]\s?\d{2,4})?(?![\d/-])")
_APART = re.compile(r"[/$-]|(?<=[a-z])(?=\d)|(?<=\d)(?=[a-z]{2})")
_WORD = re.compile(r"[^\W_]+(?:[_'][^\W_]+)*")
_GENITIVE = re.compile(r"'s?$")
_ENDING = re.compile(r"(?<=\w{4})(?:ations?|ments?|ings?|ed|es|(?<!s)s|e|ly|al)$|(?<=\w{3})(?<!s)s$")
# A term that has begun, or begins within so long, goes without saying.
_SOON = timedelta(days=183)


@dataclass(frozen=True, slots=True)
class QuestionReading:
    """A question as it is compared: the stems of the words that count, what it asks for, its numbers but for
    years, whether it denies, and on which side of each line of exclusive words it stands."""

    text: str
    words: frozenset[str]
    aspects: frozenset[str]
    numbers: frozenset[str]
    denies: bool
    narrowing: Sides
    exclusive: Sides


@dataclass(frozen=True, slots=True)
class Subject:
    """The phrasings of one question, each read, and what is in any of them."""

    readings: tuple[QuestionReading, ...]
    words: frozenset[str]
    aspects: frozenset[str]
    narrowing: Sides


def read(text: str) -> QuestionReading:
    """The question, read."""
    known = paraphrase_words()
    plain = text.casefold().replace("’", "'")
    denies = known.denies.search(known.no_denial.sub("", plain)) is not None
    for pattern, same in known.same:
        plain = pattern.sub(same, plain)
    plain = _APART.sub(" ", _YEARS.sub(" ", plain))
    said = frozenset(_words(plain))
    aspects = frozenset(name for name, pattern in known.aspects.items() if pattern.search(plain))
    for name in aspects:
        plain = known.aspects[name].sub(" ", plain)
    keys = [known.numbers.get(key, key) for key in _words(plain)]
    return QuestionReading(
        text=text,
        words=frozenset(stem(key) for key in keys if _counts(key)),
        aspects=aspects,
        numbers=frozenset(key.lstrip("0") for key in keys if key[0].isdigit()),
        denies=denies,
        narrowing=_standing(said, known.narrowing),
        exclusive=_standing(said, known.exclusive),
    )


def subject_of(phrasings: Sequence[str]) -> Subject:
    """The phrasings, read; one at least."""
    readings = tuple(map(read, phrasings))
    aspects = frozenset().union(*(one.aspects for one in readings))
    *sides, ends = (
        frozenset().union(*line) for line in zip(*(one.narrowing for one in readings), strict=True)
    )
    return Subject(
        readings,
        frozenset().union(*(one.words for one in readings)),
        aspects,
        (*sides, BOTH_ENDS if "hours" in aspects else ends),
    )


def difference(
    question: QuestionReading, phrasing: QuestionReading, subject: Subject, today: date
) -> Difference | None:
    """What makes the question another one than the phrasing, whatever else they have in common."""
    if question.numbers != phrasing.numbers:
        return "number"
    if not _terms_agree(terms_asked(question.text, today), terms_asked(phrasing.text, today), today):
        return "term"
    if question.denies != phrasing.denies:
        return "denial"
    if _opposed(question, phrasing):
        return "opposite"
    return _scope(question, phrasing, subject)


def measures(
    question: QuestionReading, phrasing: QuestionReading, subject: Subject, cosine: float
) -> dict[str, float]:
    """What speaks for the two being the same, and against it.

    The `cosine`; whether the question has `added` a word to those of all phrasings, or wants to know what
    none of them does; the share of this phrasing's words `lacking` in the question; and whether this phrasing
    wants to know something `unasked`.
    """
    added = not question.words <= subject.words or _beyond(question.aspects, subject.aspects)
    return {
        "cosine": cosine,
        "added": float(added),
        "lacking": len(phrasing.words - question.words) / max(1, len(phrasing.words)),
        "unasked": float(_beyond(phrasing.aspects, question.aspects)),
    }


def likelihood(known: Mapping[str, float]) -> float:
    """How likely two questions ask the same, 0 to 1, by their measures."""
    log_odds = BIAS + sum(WEIGHTS[name] * known[name] for name in MEASURES)
    return 1 / (1 + math.exp(-log_odds))


def least_cosine(likely: float) -> float:
    """The cosine below which no question is so likely the same."""
    return (math.log(likely / (1 - likely)) - BIAS) / WEIGHTS["cosine"]


def stem(word: str) -> str:
    """The word without its ending; a doubled last letter is one: "cancelling" → cancel."""
    short = _ENDING.sub("", word)
    doubled = len(short) > 4 and short[-1] == short[-2] != "s"
    return short[:-1] if doubled else short


def _words(plain: str) -> list[str]:
    return [_GENITIVE.sub("", match.group()) for match in _WORD.finditer(plain)]


def _counts(key: str) -> bool:
    return key not in paraphrase_words().light and not key[0].isdigit()


def _standing(said: frozenset[str], lines: Sequence[Mapping[str, int]]) -> Sides:
    return tuple(frozenset(line[word] for word in said if word in line) for line in lines)


def _scope(question: QuestionReading, phrasing: QuestionReading, subject: Subject) -> Difference | None:
    """Whether it is asked of fewer people, days or terms than in any phrasing, or of more than in this one.

    "Study rooms" asks for all there is of them.
    """
    if any(asked - known for asked, known in zip(question.narrowing, subject.narrowing, strict=True)):
        return "narrower"
    *lines, _ends = zip(question.narrowing, phrasing.narrowing, strict=True)
    names_a_topic = not question.aspects and question.words < phrasing.words
    return "broader" if names_a_topic or any(told and not asked for asked, told in lines) else None


def _opposed(question: QuestionReading, phrasing: QuestionReading) -> bool:
    """Whether a word of the one excludes a word of the other."""
    pairs = zip(question.narrowing + question.exclusive, phrasing.narrowing + phrasing.exclusive, strict=True)
    if any(one and other and not (one <= other or other <= one) for one, other in pairs):
        return True
    alone, apart = question.words - phrasing.words, phrasing.words - question.words
    return any(
        word == prefix + other or other == prefix + word
        for word in alone
        for other in apart
        for prefix in paraphrase_words().opposites
    )


def _beyond(aspects: frozenset[str], known: frozenset[str]) -> bool:
    """Whether an aspect is neither known nor akin to a known one."""
    return any(
        not any(aspect in akin and akin & known for akin in paraphrase_words().akin)
        for aspect in aspects
        if aspect not in known
    )


def _terms_agree(asked: Sequence[Term], told: Sequence[Term], today: date) -> bool:
    """Whether two questions can be about the same term; one that names none is about the next to come."""
    if asked and told:
        return all(max(one.affinity(other) for other in told) == 1 for one in asked)
    return all(term.end >= today and term.start <= today + _SOON for term in (*asked, *told))
