"""Capitalised names: people, buildings, programmes, acronyms; titles ("Dr.") are no part of them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from server.ask.checking.spans import Found, listed

_TITLES = frozenset(
    listed(
        """
    dr mr mrs ms mx prof professor sir madam dean director chair president provost vice associate
    assistant adviser advisor coach chief officer rev reverend emeritus emerita phd md
    """
    )
)
_CAPITALISED = r"(?:[^\W\d_a-zà-öø-ÿ][\w'’.&-]*\w|[^\W\d_a-zà-öø-ÿ])"
_NAME = re.compile(
    rf"(?<![\w@./-])(?!(?:The|An?)\s){_CAPITALISED}(?:(?<!['’]s)\s(?:of\s(?:the\s)?)?{_CAPITALISED})*"
)
_WORD = re.compile(r"[^\W_]+")
_POSSESSIVE = re.compile(r"['’]s\b")
_SENTENCE_START = re.compile(
    r"(?:^|(?<!\bDr)(?<!\bM[rsx])(?<!\bMrs)(?<!\bProf)(?<!\bRev)(?<!\bSt)[.!?:]\s+|\n)\W*$"
)
# Written with capitals everywhere, and nobody's name.
_NO_NAMES = frozenset(listed("i am pm ok faq gpa pin id pdf tv us usa uk a the an q yes no url usb ceo"))
# What a sentence may begin with before a name: "Contact Tess Arguello".
_OPENERS = frozenset(
    listed(
        """
    a about according after all also although an and another any apply are as ask at because before
    besides both bring but by call can check choose click complete contact current each either email every
    few first for from further get go have he her here his how however if in is it its later many may meet
    more most must my neither new no nor not note now of on once only open or other otherwise our over
    phone please pick see send she should since so some speak such take talk than that the their then
    there these they this those through to under undergraduate unlike until up use visit we what when
    where whether which while who why will with within without write you your
    """
    )
)
_VERB_ENDINGS = ("ing", "ed", "ly")
_REACH = 3  # so many other words may stand between the words of a name


@dataclass(frozen=True, slots=True)
class Name:
    """A name's words, as `plain_words` makes them. `opens`: the first stands where any word has a capital."""

    words: tuple[str, ...]
    opens: bool = False
    acronym: bool = False

    @property
    def needed(self) -> tuple[str, ...]:
        """Its words without a first one that only opens the sentence."""
        first = self.words[0]
        ordinary = first in _OPENERS or first.endswith(_VERB_ENDINGS)
        return self.words[1:] if self.opens and len(self.words) > 1 and ordinary else self.words


def names(text: str) -> Iterator[Found[Name]]:
    """Every name, but a single capitalised word at the beginning of a sentence, which may be any word."""
    if _shouts(text):
        return
    for match in _NAME.finditer(text):
        words = tuple(plain_words(match.group()))
        told = tuple(word for word in words if word not in _TITLES) or words
        told = tuple(word for word in told if word not in _NO_NAMES and word != "of")
        opens = bool(_SENTENCE_START.search(text, max(0, match.start() - 12), match.start()))
        opens = opens and told[:1] == words[:1]
        first = match.group().split()[0]
        alone = told == tuple(plain_words(first))
        if told and not _is_inside(text, match) and not (opens and alone and first[1:].islower()):
            acronym = len(words) == 1 and first.isupper() and len(first) > 1
            yield Found(Name(told, opens, acronym), match.start(), match.end())


def _is_inside(text: str, match: re.Match[str]) -> bool:
    """Whether a combining mark beside it makes it part of a longer word."""
    around = text[max(0, match.start() - 1) : match.start()] + text[match.end() : match.end() + 1]
    return any(map(unicodedata.combining, around))


def plain_words(text: str) -> list[str]:
    """Words in lower case, without accents, possessives and a plural's s: "Okafor-Lindqvist's" is two."""
    plain = unicodedata.normalize("NFKD", _POSSESSIVE.sub("", text))
    letters = "".join(c for c in plain if not unicodedata.combining(c))
    return [_singular(word) for word in _WORD.findall(letters.lower())]


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word[-1] == "s" and word[-2] not in "su" else word


def _shouts(text: str) -> bool:
    """Whether most words have capitals, so that they tell nothing."""
    words = re.findall(r"[^\W\d_]{2,}", text)
    return len(words) > 7 and sum(word[0].isupper() for word in words) > 0.9 * len(words)


class NameIndex:
    """The words of a passage, to look names up in."""

    def __init__(self, text: str) -> None:
        self._words = plain_words(text)
        self._places: dict[str, list[int]] = {}
        for place, word in enumerate(self._words):
            self._places.setdefault(word, []).append(place)
        self._initials = "".join(word[0] for word in self._words)

    def __contains__(self, word: str) -> bool:
        return word in self._places

    def has(self, name: Name) -> bool:
        """Whether the words of a name stand together, in any order; of an acronym, the words it is made
        of.
        """
        if self._together(name.needed):
            return True
        if name.opens and len(name.words) > 1 and name.words[0] in self:
            return self._together(name.words[1:])
        return name.acronym and self._spells(name.words[0])

    def _together(self, words: tuple[str, ...]) -> bool:
        if not all(word in self._places for word in words):
            return False
        reach = len(words) - 1 + _REACH
        rarest = min(words, key=lambda word: len(self._places[word]))
        return any(
            all(any(abs(place - at) <= reach for place in self._places[word]) for word in words)
            for at in self._places[rarest]
        )

    def _spells(self, acronym: str) -> bool:
        """ "irb" of "Institutional Review Board", "tb" of "tuberculosis"."""
        if len(acronym) > 2 and acronym in self._initials:
            return True
        return any(
            len(word) > 7 and word[0] == acronym[0] and _within(acronym, word) for word in self._places
        )


def _within(letters: str, word: str) -> bool:
    rest = iter(word)
    return all(letter in rest for letter in letters)
