"""Acronyms that a site's pages explain: "grade point average (GPA)", "GPA (grade point average)".

Schwartz & Hearst 2003, "A simple algorithm for identifying abbreviation definitions in biomedical text": the
letters of the short form are looked for in the words beside the parenthesis, from the last one backwards, the
first of them at the beginning of a word. Here a short form has two capitals at least.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from server.index.text import Synonym, words

_PARENTHESIS = re.compile(r"\(([^()]{2,80})\)")
_SHORT = re.compile(r"(?:[A-Za-z][A-Za-z0-9&./-]{1,9})\Z")
_BEFORE = re.compile(r"([A-Za-z][A-Za-z0-9&./-]{1,9})\s*\Z")
_SENTENCE = re.compile(r"[.!?:;]\s|[\n,(]")
_SMALL = frozenset(["a", "an", "and", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"])
# A meaning is the only one of an acronym when it has so many times the pages of all others.
CLEARLY = 3


def definitions(text: str) -> Iterator[tuple[str, str]]:
    """Each acronym that the text explains, with its long form, as they are written."""
    for match in _PARENTHESIS.finditer(text):
        inner, before = match[1].strip(), text[max(0, match.start() - 160) : match.start()]
        if _is_short(inner):
            short, beside = inner, _SENTENCE.split(before)[-1].split()
            size = len(short)
            long = _long_form(short, " ".join(beside[-min(size + 5, 2 * size) :]))
        elif (named := _BEFORE.search(before)) and _is_short(named[1]):
            short, long = named[1], _long_form(named[1], re.split(r"[;,]", inner)[0].strip())
            if long is not None and not inner.startswith(long):
                long = None
        else:
            continue
        if long is not None and _is_long(long, short):
            yield short.rstrip("."), long


def _is_short(text: str) -> bool:
    return bool(_SHORT.match(text)) and sum(letter.isupper() for letter in text) >= 2


def _is_long(long: str, short: str) -> bool:
    """Two words or more, not the acronym itself, whose initials are half of its letters and two at least."""
    parts = words(long)
    letters = [letter for letter in short.lower() if letter.isalnum()]
    initials, shared = "".join(part[0] for part in parts), 0
    for letter in letters:
        if letter in initials:
            initials, shared = initials[initials.index(letter) + 1 :], shared + 1
    return len(parts) > 1 and short.lower() not in parts and shared >= max(2, len(letters) / 2)


def _long_form(short: str, text: str) -> str | None:
    """The shortest end of `text` that has the letters of `short` in their order."""
    at = len(text) - 1
    letters = [letter.lower() for letter in short if letter.isalnum()]
    for i, letter in reversed(list(enumerate(letters))):
        while at >= 0 and (text[at].lower() != letter or (not i and not _begins_word(text, at))):
            at -= 1
        if at < 0:
            return None
        at -= 1
    return text[at + 1 :].strip()


def _begins_word(text: str, at: int) -> bool:
    """Whether a word begins there that may be an acronym's first: "Office", not "of"."""
    return (at == 0 or not text[at - 1].isalnum()) and text[at:].split(maxsplit=1)[0].lower() not in _SMALL


class Acronyms:
    """Collects the definitions of a site's pages, and says what they make synonyms."""

    def __init__(self) -> None:
        self._pages: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._written: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def add_page(self, texts: Iterable[str]) -> None:
        """The definitions of one page, each counted once."""
        found = {(short.upper(), long.lower()) for text in texts for short, long in definitions(text)}
        for short, long in sorted(found):
            key = "".join(words(long)).rstrip("s")  # a line of a PDF may be broken in a word
            self._pages[short][key] += 1
            self._written[key][long] += 1

    def synonyms(self) -> list[Synonym]:
        """Acronym and meaning stand for each other; one of several meanings is asked for with them all."""
        found: list[Synonym] = []
        for short, meanings in sorted(self._pages.items()):
            ranked = [(self._as_written(key), pages) for key, pages in meanings.most_common()]
            (first, pages), others = ranked[0], ranked[1:]
            if pages >= CLEARLY * sum(count for _, count in others):
                found.append(Synonym((short.lower(), first)))
                continue
            found.append(Synonym(tuple(long for long, _ in ranked), short.lower()))
            found += [Synonym((short.lower(),), long) for long, _ in ranked]
        return found

    def _as_written(self, key: str) -> str:
        return self._written[key].most_common(1)[0][0]
