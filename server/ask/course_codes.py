"""Which courses a question names, and whether a page is about one of them or about another.

A department has a site for each of its courses, and they are as like as twins: late homework, office hours,
the book. What tells them apart is a code that stands in the title, a heading or the address and seldom in the
sentence that answers; and visitors write it in ways of their own: "cs212", "CS 212", "212 hw".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from string import ascii_lowercase
from urllib.parse import unquote, urlsplit

from server.ask.conversation.phrases import FUNCTION_WORDS, VERBS
from server.lexicons import any_of, lexicon
from server.models import Passage

_LEXICON = lexicon("checking")
_CODES, _DATES = _LEXICON.part("codes"), _LEXICON.part("dates")
_LABELS = _CODES.words("labels")
# Before a number that is no course's: a room's, an exam's, a season's year.
_NO_SUBJECT = frozenset(
    {
        *FUNCTION_WORDS,
        *VERBS,
        *(word.casefold() for word in _CODES.words("no_course")),
        *_LABELS,
        *_CODES.words("no_place"),
        *_DATES.words("months"),
        *_DATES["seasons"],
    }
)
_UNITS = [*_LEXICON.part("quantities").words("each"), "word", "dollar", "buck", "people", "point"]
_COUNTED = re.compile(rf"\s(?:{any_of(_UNITS)})s?\b")
_CODE = re.compile(
    r"(?<![\w$€£#.,:-])(?:(?P<subject>[A-Za-z]{2,8})(?P<glue> ?-?))?"
    r"(?P<number>[0-9]{1,4}(?!(?:st|nd|rd|th|am|pm|k)\b)[A-Za-z]?)(?![\w%]|[.,:][0-9]|-[0-9])",
    re.IGNORECASE,
)
# Both parts are figures: "11-711" is of subject "11", "10-601/701" are two of subject "10".
_OF_FIGURES = re.compile(r"(?<![\w$€£#.,:/-])([0-9]{2})-([0-9]{3}(?:/[0-9]{3})*)(?![\w%-]|[.,:][0-9])")
_IN_ADDRESS = re.compile(r"(?<![a-z])([a-z]{2,8})[-_ ]?([0-9]{1,3}[a-z]?)(?![a-z0-9])")
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_CAPITALISED = re.compile(r"(?:\b[A-Z][a-z]+[ ]+){1,3}$")
_ALSO = re.compile(r"\s*(?:/|,|&|and|or|vs\.?|versus)?\s*", re.IGNORECASE)
DIGITS = 3  # of a number that is a course's without its subject; with a letter ("45c") one fewer
LONGEST = 5  # letters of a subject in small letters that stands apart: "math 221", not "systems 631"
LEAST_ALIKE = 2  # letters of a subject: "cs" is "csc", "bio" is "biology"


@dataclass(frozen=True, slots=True)
class CourseCode:
    """A course's code: its `number` in lower case ("304p"), and the `subjects` that it may be of, each in
    lower case; none where the number stands alone."""

    number: str
    subjects: frozenset[str] = field(default_factory=frozenset)

    def is_of(self, other: CourseCode) -> bool:
        """Whether both are of one subject, as far as they say."""
        return any(_alike(one, two) for one in self.subjects for two in other.subjects)

    def means(self, other: CourseCode) -> bool:
        """Whether both may be one course."""
        return self.number == other.number and (not self.subjects or not other.subjects or self.is_of(other))


def course_fits(question: str, passages: Sequence[Passage]) -> list[int]:
    """Of each passage 1: its page or section is about a course that the question names; −1: it is about
    another course of that subject and does not name this one; else 0.

    A number alone is a course where one of the pages that are found is about one of that number.
    """
    asked = list(codes_in(question))
    if not asked:
        return [0] * len(passages)
    about = [page_courses(one.title, one.heading, one.url) for one in passages]
    named = _resolved(asked, {code for codes in about for code in codes if code.subjects})
    return [_fit(named, codes, one) for codes, one in zip(about, passages, strict=True)]


@lru_cache(maxsize=4096)
def page_courses(title: str, heading: str, url: str) -> frozenset[CourseCode]:
    """The courses that a page or one of its sections is about, by its title, its headings and its address."""
    parts = urlsplit(url)
    address = f"{(parts.hostname or '').partition('.')[0]}/{unquote(parts.path)}".casefold()
    found = {CourseCode(number, frozenset({subject})) for subject, number in _IN_ADDRESS.findall(address)}
    return frozenset({*found, *codes_in(title), *codes_in(heading)})


def codes_in(text: str) -> Iterator[CourseCode]:
    """What may be codes in a text; in "CS 381/481" and "csc 110 or 120" both are of that subject."""
    for subject, numbers in _OF_FIGURES.findall(text):
        yield from (CourseCode(number, frozenset({subject})) for number in numbers.split("/"))
    text = _OF_FIGURES.sub(" ", text)
    before, end = frozenset[str](), 0
    for match in _CODE.finditer(text):
        number, subject = match["number"].casefold(), (match["subject"] or "").casefold()
        is_glued = bool(subject) and "-" not in match["glue"] and " " not in match["glue"]
        if subject in _LABELS or (_YEAR.fullmatch(number) and not is_glued):
            continue
        goes_on = bool(_ALSO.fullmatch(text[end : match.start("number")]))
        is_name = is_glued or len(subject) <= LONGEST or not match["subject"].islower()
        if subject and subject not in _NO_SUBJECT and is_name:
            before = frozenset({subject, *_initials(text[: match.end("subject")])})
        elif not goes_on:
            before = frozenset()
        end = match.end()
        digits = len(number.rstrip(ascii_lowercase))
        least = DIGITS if number.isdigit() else DIGITS - 1
        is_long = least <= digits <= DIGITS and not _COUNTED.match(text, end)
        if before or is_long:
            yield CourseCode(number, before)


def _initials(text: str) -> Iterator[str]:
    """Of the capitalised words that end there: "cs" of "Computer Science"."""
    run = _CAPITALISED.search(f"{text} ")
    names = run[0].split() if run else []
    for first in range(len(names) - 1):
        yield "".join(name[0] for name in names[first:]).casefold()


def _resolved(asked: Iterable[CourseCode], known: Collection[CourseCode]) -> list[CourseCode]:
    """Those of the codes that are a course's, by the courses that pages are about.

    "Calc 2" has no page of its own and is seldom a code.
    """
    found: list[CourseCode] = []
    for code in asked:
        same = [one for one in known if code.means(one)]
        if not code.subjects:
            found += same
        elif same or (len(code.number) > 1 and any(code.is_of(one) for one in known)):
            found.append(code)
    return found


def _fit(named: Sequence[CourseCode], about: Collection[CourseCode], passage: Passage) -> int:
    if any(code.means(one) for code in named for one in about):
        return 1
    is_another = any(code.is_of(one) for code in named for one in about)
    if not is_another or any(code.means(one) for code in named for one in codes_in(passage.text)):
        return 0
    return -1


def _alike(one: str, two: str) -> bool:
    short, long = sorted((one, two), key=len)
    return len(short) >= LEAST_ALIKE and long.startswith(short)
