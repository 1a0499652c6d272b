"""Capitalised names: people, buildings, programmes, acronyms; titles ("Dr.") are no part of them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from server.ask.grounding.spans import DASH, Span, alternatives, blanked
from server.lexicons import lexicon

_LEXICON = lexicon("checking")
_NAMES, _CODES = _LEXICON.part("names"), _LEXICON.part("codes")
_TITLES, _NO_NAMES, _OPENERS = (_NAMES.words(name) for name in ("titles", "no_names", "openers"))
_NO_COURSE, _LABELS = _CODES.words("no_course"), _CODES.words("labels")
_NO_PLACE, _PLAIN = _CODES.words("no_place"), _CODES.words("plain")
_CAPITALISED = r"(?:[^\W\d_a-zà-öø-ÿ][\w'’.&-]*\w|[^\W\d_a-zà-öø-ÿ])"
_NAME = re.compile(
    rf"(?<![\w@./-])(?!(?:The|An?)\s){_CAPITALISED}(?:(?<!['’]s)\s(?:of\s(?:the\s)?)?{_CAPITALISED})*"
)
_WORD = re.compile(r"[^\W_]+")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_POSSESSIVE = re.compile(r"['’]s\b")
_SENTENCE_START = re.compile(
    r"(?:^|(?<!\bDr)(?<!\bM[rsx])(?<!\bMrs)(?<!\bProf)(?<!\bRev)(?<!\bSt)[.!?:]\s+|\n)\W*$"
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


def names(text: str) -> Iterator[Span[Name]]:
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
            yield Span(Name(told, opens, acronym), match.start(), match.end())


def _is_inside(text: str, match: re.Match[str]) -> bool:
    """Whether a combining mark beside it makes it part of a longer word."""
    around = text[max(0, match.start() - 1) : match.start()] + text[match.end() : match.end() + 1]
    return any(map(unicodedata.combining, around))


def plain_words(text: str) -> list[str]:
    """Words in lower case, without accents, possessives and a plural's s: "Okafor-Lindqvist's" is two."""
    plain = _NOT_ASCII.sub(_decomposed, _POSSESSIVE.sub("", text))
    letters = "".join(c for c in plain if not unicodedata.combining(c))
    return [_singular(word) for word in _WORD.findall(letters.lower())]


def _decomposed(match: re.Match[str]) -> str:
    """A letter in its parts; a sign as it is: made of a letter, it would grow onto the word beside it."""
    return unicodedata.normalize("NFKD", match[0]) if match[0].isalnum() else match[0]


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


_LIST = rf"\s?(?:,?\s(?:and|or)\s|/|&|{DASH})\s?"
_LETTER = r"(?:[A-HJ-Z]|[IVX]{1,4})"
_SERIAL = rf"(?:{_LETTER}|\d{{1,4}}[A-Z]?)(?![\w'’%]|[.,]\d)"

_COURSE = re.compile(
    rf"(?<![\w-])(?!(?:{alternatives(_NO_COURSE)})\b)(?P<label>[A-Z]{{2,5}})[ -]?"
    rf"(?P<idents>\d{{2,4}}[A-Z]?(?:(?:{_LIST}|,\s)\d{{3}}[A-Z]?(?!\w))*)(?![\w%]|[.:,]\d)"
)
_COURSE_IN_LOWER_CASE = re.compile(r"(?<![\w.@-])(?P<label>[a-z]{2,4})-?(?P<idents>\d{3})(?![\w-])")
# Letters and digits in one word: DD-214, I-20, 1098-T, G10, 4.12.1, 1930s.
_MIXED = re.compile(
    r"(?<![\w-])(?:(?=[\w-]*\d)(?=[\w-]*[A-Z])[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*|\d+(?:\.\d+){2,}|\d{3}0['’]?s)(?!\w|-\w)"
)
_LABELLED = re.compile(
    rf"\b(?P<label>{alternatives(_LABELS)})s?:?\s(?:no\.?\s)?"
    rf"(?P<idents>(?-i:{_SERIAL}(?:(?:{_LIST}|,\s){_SERIAL})*))(?:,?\s(?:in|of|at)\s(?:the\s)?"
    r"(?P<place>(?-i:[A-Z][\w'’]+(?:\s[A-Z][\w'’]+)*)))?",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"(?<![\w-])(?P<label>(?:[A-Z][\w'’]+\s)*[A-Z][\w'’]+),?\s(?:(?i:room|rm\.?)\s)?"
    rf"(?P<idents>\d{{1,4}}[A-Z]?(?:{_LIST}\d{{2,4}}[A-Z]?)*)(?![\w:%]|[.,]\d|\s?(?:percent|per\scent|[ap]\.?m\b))"
)
_LETTER_ALONE = re.compile(
    r"(?<![\w.'’&-])(?:(?P<letter>[B-HJ-Z])|(?:(?<=\ban\s)|(?<=\bof\s)|(?<=rade:\s)|(?<=rade\s))A|A(?=[+–-](?!\w)))"
    r"(?P<mark>[+–-](?!\w)|-(?:minus|plus)\b)?(?![\w'’&-]|\.\w)"
)
_IDENT = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Code:
    """An identifier in lower case without hyphens ("csc203"), and what it is of: "22" of {"birch"}."""

    ident: str
    label: frozenset[str] = frozenset()

    def bears_out(self, claimed: Code) -> bool:
        """The same identifier, of the same thing as far as both name one."""
        same_thing = not self.label or not claimed.label or bool(self.label & claimed.label)
        return self.ident == claimed.ident and same_thing


def course_codes(text: str) -> list[Span[Code]]:
    """Codes that are no mistaking: CSC 110 (of "CSC 110, 120 and 230" each), DD-214, G10."""
    return _read(text, (_courses, _mixed))


def place_codes(text: str) -> list[Span[Code]]:
    """Numbers and letters that belong to a name or a label: Birch Hall 22, Lots A and B, Title IX, a
    C-minus.
    """
    return _read(text, (_places, _labelled, _letters))


def _read(text: str, readers: Sequence[Callable[[str], Iterator[Span[Code]]]]) -> list[Span[Code]]:
    found: list[Span[Code]] = []
    for reader in readers:
        found += list(reader(blanked(text, ((one.start, one.end) for one in found))))
    return sorted(found, key=lambda one: one.start)


def _courses(text: str) -> Iterator[Span[Code]]:
    for pattern in (_COURSE, _COURSE_IN_LOWER_CASE):
        for match in pattern.finditer(text):
            for ident, start, end in _idents(match):
                yield Span(Code(match["label"].lower() + ident), start, end)


def _mixed(text: str) -> Iterator[Span[Code]]:
    for match in _MIXED.finditer(text):
        yield Span(Code(re.sub(r"[-'’]", "", match.group()).lower()), match.start(), match.end())


def _labelled(text: str) -> Iterator[Span[Code]]:
    for match in _LABELLED.finditer(text):
        label = frozenset((match["label"].lower(),)) - _PLAIN | _words(match["place"] or "")
        for ident, start, end in _idents(match):
            yield Span(Code(ident, label), start, end)


def _places(text: str) -> Iterator[Span[Code]]:
    for match in _PLACE.finditer(text):
        label = _words(match["label"])
        alone = " " not in match["label"]
        if label and not label <= _NO_PLACE and not (alone and _begins_sentence(text, match.start())):
            for ident, start, end in _idents(match):
                yield Span(Code(ident, label), start, end)


def _letters(text: str) -> Iterator[Span[Code]]:
    """Letters that stand alone, as grades do; C- = C– = C-minus."""
    for match in _LETTER_ALONE.finditer(text):
        if _is_initial(text, match.start(), match.end()):
            continue
        mark = (match["mark"] or "").replace("–", "-").replace("-minus", "-").replace("-plus", "+")
        yield Span(Code((match["letter"] or "A").lower() + mark), match.start(), match.end())


def _is_initial(text: str, start: int, end: int) -> bool:
    """ "J. Moor", but not the C of "at least a C. The next"."""
    named = re.match(r"\.\s[A-Z][a-z]", text[end : end + 4])
    return bool(named) and not text[:start].rstrip()[-1:].islower()


def _idents(match: re.Match[str]) -> Iterator[tuple[str, int, int]]:
    """Each identifier and its span; the first one's takes in the label."""
    offset, start = match.start("idents"), match.start()
    for ident in _IDENT.finditer(match["idents"]):
        if ident.group() not in ("and", "or"):
            yield ident.group().lower(), start, offset + ident.end()
        start = offset + ident.end() + 1


def _begins_sentence(text: str, place: int) -> bool:
    return text[:place].rstrip()[-1:] in ("", ".", "!", "?")


def _words(label: str) -> frozenset[str]:
    return frozenset(plain_words(label)) - _PLAIN
