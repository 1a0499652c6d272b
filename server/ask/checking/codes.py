"""Codes: courses (CSC 203 = CSC203 = csc-203), forms, rooms (Birch Hall 22), lots, chapters, letter
grades.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from server.ask.checking.names import plain_words
from server.ask.checking.spans import DASH, Found, alternatives, blanked, listed

# Capitals before a number that is no course's: scores, currencies, states.
_NO_COURSE = listed(
    """
    GPA SAT ACT GRE GMAT LSAT MCAT TOEFL IELTS AP IB US USD EUR GBP UK VT NY AM PM AD BC PO NO
    """
)
_LABELS = listed(
    """
    lot gate exit route session chapter title section form division level option type group phase unit bus
    line platform track zone wing entrance door locker article appendix room rm suite step part volume
    plan highway hwy ext extension policy
    """
)
# Before a number that is no room's, at the beginning of a sentence or elsewhere.
_NO_PLACE = frozenset(
    listed(
        """
    about above after all almost an and another any around as at before below between both but by during
    each either every except for from have in just last less more most nearly next no not now of on once
    one only or our over some that the their these they this those under until up we when with within you
    your
    """
    )
)
# What many places are called says nothing of which one is meant.
_PLAIN = frozenset(listed("hall building bldg house center centre room rooms suite office library the"))

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


def course_codes(text: str) -> list[Found[Code]]:
    """Codes that are no mistaking: CSC 110 (of "CSC 110, 120 and 230" each), DD-214, G10."""
    return _read(text, (_courses, _mixed))


def place_codes(text: str) -> list[Found[Code]]:
    """Numbers and letters that belong to a name or a label: Birch Hall 22, Lots A and B, Title IX, a
    C-minus.
    """
    return _read(text, (_places, _labelled, _letters))


def _read(text: str, readers: Sequence[Callable[[str], Iterator[Found[Code]]]]) -> list[Found[Code]]:
    found: list[Found[Code]] = []
    for reader in readers:
        found += list(reader(blanked(text, ((one.start, one.end) for one in found))))
    return sorted(found, key=lambda one: one.start)


def _courses(text: str) -> Iterator[Found[Code]]:
    for pattern in (_COURSE, _COURSE_IN_LOWER_CASE):
        for match in pattern.finditer(text):
            for ident, start, end in _idents(match):
                yield Found(Code(match["label"].lower() + ident), start, end)


def _mixed(text: str) -> Iterator[Found[Code]]:
    for match in _MIXED.finditer(text):
        yield Found(Code(re.sub(r"[-'’]", "", match.group()).lower()), match.start(), match.end())


def _labelled(text: str) -> Iterator[Found[Code]]:
    for match in _LABELLED.finditer(text):
        label = frozenset((match["label"].lower(),)) - _PLAIN | _words(match["place"] or "")
        for ident, start, end in _idents(match):
            yield Found(Code(ident, label), start, end)


def _places(text: str) -> Iterator[Found[Code]]:
    for match in _PLACE.finditer(text):
        label = _words(match["label"])
        alone = " " not in match["label"]
        if label and not label <= _NO_PLACE and not (alone and _begins_sentence(text, match.start())):
            for ident, start, end in _idents(match):
                yield Found(Code(ident, label), start, end)


def _letters(text: str) -> Iterator[Found[Code]]:
    """Letters that stand alone, as grades do; C- = C– = C-minus."""
    for match in _LETTER_ALONE.finditer(text):
        if _is_initial(text, match.start(), match.end()):
            continue
        mark = (match["mark"] or "").replace("–", "-").replace("-minus", "-").replace("-plus", "+")
        yield Found(Code((match["letter"] or "A").lower() + mark), match.start(), match.end())


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
