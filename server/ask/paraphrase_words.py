"""The words by which two questions are told to ask the same or not (`corpus/lexicons/paraphrase.toml`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from server.ask.conversation.phrases import FUNCTION_WORDS, word_set
from server.lexicons import lexicon

Sides = tuple[Mapping[str, int], ...]

# Of the last line of `narrowing`: both ends of a time.
BOTH_ENDS = frozenset({0, 1})
NUMBERS = {
    "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
    "ten": "10", "eleven": "11", "twelve": "12",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ParaphraseWords:
    """The lexicon, compiled; each line of `narrowing` and `exclusive` has the side on which a word stands."""

    aspects: Mapping[str, re.Pattern[str]]
    akin: tuple[frozenset[str], ...]
    denies: re.Pattern[str]
    no_denial: re.Pattern[str]
    narrowing: Sides
    exclusive: Sides
    opposites: tuple[str, ...]
    same: tuple[tuple[re.Pattern[str], str], ...]
    light: frozenset[str]


@cache
def paraphrase_words() -> ParaphraseWords:
    """The lexicon, read and compiled once."""
    words = lexicon("paraphrase")
    told_apart = word_set("no not before after more less fewer under over most least id")
    return ParaphraseWords(
        {name: re.compile(rf"\b(?:{pattern})\b") for name, pattern in words["aspects"].items()},
        tuple(map(word_set, words["akin"])),
        re.compile(words["denies"]),
        re.compile(words["no_denial"]),
        _sides(words["narrowing"]),
        _sides(words["exclusive"]),
        tuple(words["opposites"]),
        tuple(
            (re.compile(rf"\b(?:{'|'.join(others)})(?!\w)"), first) for first, others in words["same"].items()
        ),
        (FUNCTION_WORDS | word_set(words["light"])) - told_apart,
    )


def _sides(lines: Iterable[str]) -> Sides:
    """A comma parts two sides of a line."""
    return tuple(
        {word: side for side, words in enumerate(line.split(",")) for word in words.split()} for line in lines
    )
