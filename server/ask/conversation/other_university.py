"""Another university in a question, known by its name: "UVM", "middlebury college", "University of Vermont".

Names are in `corpus/lexicons/universities.toml`: those known by letters or a word, and what stands before
"university" and "college". A site's own schools have such names as well; what its pages say often is its own.
The university's own name has been taken out before (own_name.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from server.ask.conversation.asking_part import asking_part
from server.ask.conversation.phrases import FUNCTION_WORDS, VERBS, Word, words_of
from server.ask.ports import SnapshotText
from server.lexicons import any_of, lexicon
from server.models import Passage

# A name weighs less than so much, in nats, where one passage in twenty has it: it is the site's own.
OWN_WORD = 3.0
# A name made of a pattern is the site's own where so many pages of those found have it.
OWN_PAGES = 2
# A page that is found speaks of the other university itself when its name is in one of the first.
SPEAKS, PAGES_READ = 3, 10

_LEXICON = lexicon("universities")
SHORT: dict[str, str] = dict(_LEXICON.part("short"))
_PHRASES = _LEXICON.part("phrases")
_NAMES = re.compile(
    rf"\b(?:{any_of(_PHRASES['names'])})\b(?! (?:{_PHRASES['no_state']})\b)(?: university| college)?",
    re.IGNORECASE,
)
_PATTERNS = _LEXICON.part("patterns")
UNIVERSITY = _PATTERNS["university"]  # what a university's name ends in, as a pattern
_KIND = re.compile(rf"\b(?:{UNIVERSITY})\b(?!\s+of\s+\w)", re.IGNORECASE)
_OF = re.compile(
    r"\b(?:university|universidad|college) (?:of|de) (?:the )?(?P<of>[^\W\d_]+"
    r"(?: (?:hampshire|york|jersey|mexico|island|carolina|dakota|virginia|(?-i:[A-Z]\w+)))?)",
    re.IGNORECASE,
)
COMMON, _COMMON_AFTER, PLACES = (_PATTERNS.words(name) for name in ("common", "common_after", "known"))
_RELATED = _LEXICON.part("relation").pattern("asked", r"(?<!\w)(?:{})\b")
_TOLD = _LEXICON.part("relation").pattern("told", r"\b(?:{})")
_ACRONYMS = _PATTERNS.words("acronyms")
_OPEN = frozenset({"state", "community", "technical"})
SMALL_WORDS = frozenset({"of", "the", "and", "at", "de", "in"})


@dataclass(frozen=True, slots=True)
class NamedUniversity:
    """A university by its name: `name` for people, `said` as it was typed, from `start` on; `listed`: not by
    a pattern."""

    name: str
    said: str
    start: int
    listed: bool

    @property
    def end(self) -> int:
        """Where the name ends."""
        return self.start + len(self.said)


def other_university(
    question: str,
    site_name: str,
    text: SnapshotText,
    is_word: Callable[[str], bool],
    found: Sequence[Passage],
) -> NamedUniversity | None:
    """The university that a question is about, where it is not this one.

    None where the visitor comes from there or compares, where only the story around what is asked names it
    ("we heard from Michigan State! how much is …"), and where a page that was found has to do with it.
    """
    named = list(universities_in(question, is_word))
    if named and (asked := asking_part(question)):
        named = [one for one in named if one.said in asked]
    other = next((one for one in named if not _is_own(one, site_name, text, found)), None)
    if other is None or _RELATED.search(question):
        return None
    forms = [form.casefold() for form in (other.name, other.said)]
    for rank, passage in enumerate(found[:PAGES_READ]):
        told = f"{passage.title} {passage.heading} {passage.text}"
        if any(_has(told, form) for form in forms) and (rank < SPEAKS or _TOLD.search(told)):
            return None
    return other


def universities_in(question: str, is_word: Callable[[str], bool]) -> Iterator[NamedUniversity]:
    """Every name of a university in the question, listed ones first."""
    words = words_of(question)
    for word in words:
        if name := SHORT.get(word.key):
            yield NamedUniversity(name, word.text, word.start, listed=True)
    for match in _NAMES.finditer(question):
        yield NamedUniversity(_titled(match[0]), match[0], match.start(), listed=True)
    for match in _OF.finditer(question):
        if match["of"].casefold() not in _COMMON_AFTER:
            yield NamedUniversity(_titled(match[0]), match[0], match.start(), listed=False)
    for match in _KIND.finditer(question):
        before = [word for word in words if word.end <= match.start()]
        if start := _name_start(before, is_word):
            said = question[start.start : match.end()]
            yield NamedUniversity(_titled(said), said, start.start, listed=False)


def _name_start(before: Sequence[Word], is_word: Callable[[str], bool]) -> Word | None:
    """Where a name that ends before "university" begins; None where what stands there is no name."""
    names: list[Word] = []
    for word in reversed(before[-4:]):
        opens = not names and word.key in _OPEN
        if not opens and (word.key in COMMON or word.key in FUNCTION_WORDS | VERBS or word.key.isdigit()):
            break
        names.append(word)
    while names and names[-1].key in _OPEN:
        names.pop()
    sure = [word for word in names if word.key in PLACES or word.is_name or not is_word(word.key)]
    first = next((word for word in names if word.key not in _OPEN), None)
    return sure[-1] if first is not None and first in sure else None


def _is_own(one: NamedUniversity, site_name: str, text: SnapshotText, found: Sequence[Passage]) -> bool:
    """Whether it is a name of the site itself or of one of its schools."""
    own = {word.key for word in words_of(site_name)}
    names = [word.key for word in words_of(one.said) if word.key not in COMMON | {"university", "college"}]
    if names and all(name in own for name in names):
        return True
    weights = text.word_weights(one.said if one.listed else " ".join(names))
    if weights and max(weights.values()) < OWN_WORD:
        return True
    pages = {
        passage.url
        for passage in found
        if _has(f"{passage.title} {passage.heading} {passage.text}", one.said)
    }
    return not one.listed and len(pages) >= OWN_PAGES


def _has(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) is not None


def _titled(name: str) -> str:
    """As it is written: "university of vermont" → "University of Vermont", "uc irvine" → "UC Irvine"."""
    return " ".join(_written(word) for word in name.split())


def _written(word: str) -> str:
    key = word.casefold()
    if key in SMALL_WORDS:
        return key
    return word.upper() if key in _ACRONYMS else word[:1].upper() + word[1:]
