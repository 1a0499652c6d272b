"""What a question wants to know: a price, a day, a place, a yes or no (`corpus/lexicons/paraphrase.toml`)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from server.lexicons import Lexicon, lexicon, word_set

YES_NO = "yes_no"
# Whoever only names a matter may well want to know whether and how: "payment plan", "study rooms".
OF_A_MATTER = frozenset({YES_NO, "way", "rule"})
_CLAUSE_END = re.compile(r"(?<=[.?!;])\s+|\s*[,:]\s+|\s+-+\s+")
# A clause of fewer words says too little to be the question: "is that ok".
_LEAST_WORDS = 3


@dataclass(frozen=True, slots=True)
class Wanted:
    """The kinds of answer that a question asks for; `said`: by how it asks, and not by a noun alone.

    Of no kind, and said: something that no kind is known of ("what GPA", "which form").
    """

    kinds: frozenset[str]
    said: bool


@dataclass(frozen=True, slots=True)
class _Words:
    asked: Mapping[str, re.Pattern[str]]
    named: Mapping[str, re.Pattern[str]]
    what: re.Pattern[str]
    yes_no: re.Pattern[str]
    there_is: re.Pattern[str]
    akin: tuple[frozenset[str], ...]
    lead: re.Pattern[str]


@cache
def _words() -> _Words:
    words = lexicon("paraphrase").part("wanted")
    return _Words(
        _patterns(words.part("asked")),
        _patterns(words.part("named")),
        words.pattern("what", r"\b(?:{})\b", flags=0),
        words.pattern("yes_no", flags=0),
        words.pattern("there_is", flags=0),
        tuple(map(word_set, words["akin"])),
        words.pattern("lead", flags=0),
    )


def _patterns(words: Lexicon) -> dict[str, re.Pattern[str]]:
    return {name: words.pattern(name, r"\b(?:{})\b", flags=0) for name in words}


def wanted(text: str) -> Wanted:
    """What the question wants to know; of no kind where it does not say."""
    known = _words()
    plain = known.lead.sub("", text.casefold().replace("’", "'"))
    if kinds := _kinds(known.asked, plain):
        return Wanted(kinds, said=True)
    if known.yes_no.search(plain):
        there_is = known.there_is.search(plain)
        named = _kinds(known.named, there_is[1]) if there_is else frozenset[str]()
        return Wanted(named | {YES_NO}, said=True)
    if known.what.search(plain):
        return Wanted(frozenset(), said=True)
    return Wanted(_kinds(known.named, plain), said=False)


def wants_another(question: Wanted, told: Sequence[Wanted]) -> bool:
    """Whether the question says what it wants, and none of those told wants anything like it."""
    kinds = frozenset().union(*(one.kinds for one in told))
    says = question.said and bool(question.kinds)
    return says and bool(kinds) and not any(_is_akin(kind, kinds) for kind in question.kinds)


def main_clause(text: str) -> str:
    """The clause that asks, without what a visitor tells before: "I have a cat, are pets allowed?"."""
    clauses = [clause for clause in _CLAUSE_END.split(text) if len(clause.split()) >= _LEAST_WORDS]
    asking = [clause for clause in clauses if wanted(clause).said]
    return asking[-1] if asking else text


def _kinds(patterns: Mapping[str, re.Pattern[str]], plain: str) -> frozenset[str]:
    return frozenset(name for name, pattern in patterns.items() if pattern.search(plain))


def _is_akin(kind: str, kinds: frozenset[str]) -> bool:
    return kind in kinds or any(kind in akin and akin & kinds for akin in _words().akin)
