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
from server.ask.conversation.wanted import OF_A_MATTER, Wanted, main_clause, wanted, wants_another
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


Difference = Literal["number", "term", "denial", "opposite", "wanted", "narrower", "broader"]
Sides = tuple[frozenset[int], ...]

MEASURES = ("cosine", "added", "lacking")
# Fitted by scripts/research/console/measure_curated.py on half of corpus/curated_pairs.jsonl's first answers
# and on those over Quennell. The bias fitted is 1.26; less .94, so that .86 is as certain as .94 was, for an
# answer that has many phrasings knows many words.
BIAS = 0.32
WEIGHTS: Mapping[str, float] = {
    "cosine": 2.94,
    "added": -2.75,
    "lacking": -0.69,
}

_YEARS = re.compile(r"(?<![\d/-])20\d\d(?:\s?[-–/]\s?\d{2,4})?(?![\d/-])")
_APART = re.compile(r"[/$-]|(?<=[a-z])(?=\d)|(?<=\d)(?=[a-z]{2})")
_WORD = re.compile(r"[^\W_]+(?:[_'][^\W_]+)*")
_NON = re.compile(r"\bnon[- ](?=[a-z])")
_HOW_LATE_OPEN = re.compile(r"\b(how late\b.*)\bopen\b")
_FROM_TO = re.compile(r"\bfrom\s+(.+?)\s+to\s+(.+)")
_GENITIVE = re.compile(r"'s?$")
_ENDING = re.compile(r"(?<=\w{4})(?:ations?|ments?|ings?|ed|es|(?<!s)s|e|ly|al)$|(?<=\w{3})(?<!s)s$")
# So many words that count has a clause that asks by itself.
LEAST_ASKING = 2
# A term that has begun, or begins within so long, goes without saying.
_SOON = timedelta(days=183)


@dataclass(frozen=True, slots=True)
class QuestionReading:
    """A question as it is compared: the stems of the words that count, what it asks for, its numbers but for
    years, whether it denies, on which side of each line of exclusive words it stands, and from what to what.

    `clause` has the words of the clause that asks, and `light` those that carry little.
    """

    text: str
    words: frozenset[str]
    light: frozenset[str]
    clause: frozenset[str]
    wanted: Wanted
    turn: tuple[frozenset[str], frozenset[str]]
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
    wanted: tuple[Wanted, ...]


def read(text: str) -> QuestionReading:
    """The question, read."""
    known, plain = paraphrase_words(), _folded(text)
    spelt = _spelt(plain)
    said = frozenset(_words(spelt))
    aspects, keys = _aspects_and_keys(spelt)
    clause = main_clause(text)
    return QuestionReading(
        text=text,
        words=_stems(keys),
        light=frozenset(map(stem, known.light.intersection(keys) - FUNCTION_WORDS)),
        clause=_stems(_aspects_and_keys(_spelt(_folded(clause)))[1]),
        wanted=wanted(clause),
        turn=_turn(plain),
        aspects=aspects,
        numbers=frozenset(key.lstrip("0") for key in keys if key[0].isdigit()),
        denies=known.denies.search(known.no_denial.sub("", plain)) is not None,
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
        (*sides, BOTH_ENDS if any(map(_asks_hours, readings)) else ends),
        tuple(one.wanted for one in readings),
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
    if _opposed(question, phrasing) or _turned(question.turn, phrasing.turn):
        return "opposite"
    if wants_another(question.wanted, subject.wanted):
        return "wanted"
    return _scope(question, phrasing, subject)


def measures(
    question: QuestionReading, phrasing: QuestionReading, subject: Subject, cosine: float
) -> dict[str, float]:
    """What speaks for the two being the same, and against it.

    The `cosine`; whether the question has `added` a word to those of all phrasings, or wants to know what
    none of them does; and the share of this phrasing's words `lacking` in the question. What is told before
    the clause that asks adds nothing, unless it has a word of the phrasings or the clause hardly any. A word
    that carries little adds something where the question says nothing else of its own: "how many classes can
    I take" and "… can I miss".
    """
    told_before = (question.words - question.clause) & subject.words
    asking = question.words if told_before or len(question.clause) < LEAST_ASKING else question.clause
    says_less = question.words < phrasing.words and not question.light <= phrasing.light
    added = says_less or not asking <= subject.words or _beyond(question.aspects, subject.aspects)
    return {
        "cosine": cosine,
        "added": float(added),
        "lacking": len(phrasing.words - question.words) / max(1, len(phrasing.words)),
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


def _folded(text: str) -> str:
    plain = _NON.sub("non", text.casefold().replace("’", "'"))
    return _HOW_LATE_OPEN.sub(r"\1close", plain)


def _spelt(plain: str) -> str:
    """With one word for the same, and the parts of a compound apart."""
    for pattern, same in paraphrase_words().same:
        plain = pattern.sub(same, plain)
    return _APART.sub(" ", _YEARS.sub(" ", plain))


def _aspects_and_keys(plain: str) -> tuple[frozenset[str], list[str]]:
    """What is asked for, and the words that do not say so."""
    known = paraphrase_words()
    aspects = frozenset(name for name, pattern in known.aspects.items() if pattern.search(plain))
    for name in aspects:
        plain = known.aspects[name].sub(" ", plain)
    return aspects, [known.numbers.get(key, key) for key in _words(plain)]


def _stems(keys: Iterable[str]) -> frozenset[str]:
    return frozenset(stem(key) for key in keys if _counts(key))


def _turn(plain: str) -> tuple[frozenset[str], frozenset[str]]:
    """The words after "from" and after "to", where it is asked from one thing to another."""
    match = _FROM_TO.search(plain)
    first, last = match.groups() if match else ("", "")
    return _stems(_words(first)), _stems(_words(last))


def _turned(one: tuple[frozenset[str], frozenset[str]], other: tuple[frozenset[str], frozenset[str]]) -> bool:
    """Whether it is from A to B in the one, and from B to A in the other."""
    return bool((one[0] - one[1]) & other[1] and (one[1] - one[0]) & other[0])


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
    says_less = any(told and not asked for asked, told in lines)
    return "broader" if says_less or _names_a_topic(question, phrasing) else None


def _asks_hours(phrasing: QuestionReading) -> bool:
    """Whether it asks when something is open, and not only for one end of that."""
    return "hours" in phrasing.aspects and not phrasing.narrowing[-1]


def only_names(question: QuestionReading, phrasing: QuestionReading) -> bool:
    """Whether the question is a few of the phrasing's words and wants to know nothing: "study rooms"."""
    asks = question.aspects or question.wanted.said or question.wanted.kinds
    return not asks and question.words < phrasing.words


def _names_a_topic(question: QuestionReading, phrasing: QuestionReading) -> bool:
    """Whether the question says less than the phrasing, or only names what that asks about."""
    if question.aspects:
        return False
    only_names = not (question.wanted.said or question.wanted.kinds)
    return question.words < phrasing.words or (only_names and bool(phrasing.wanted.kinds - OF_A_MATTER))


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
