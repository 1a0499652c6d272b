"""The university's own name in a question about it: it does not say which of its pages is meant.

"ms deadline at UC Irvine" is asked of uci.edu as "ms deadline". The name stands on few of the pages that
answer, so that a search by words looks for those that have it, and a cross-encoder misses it in the others.
Where the snapshot has pages of several universities, those of the one that is named are searched.

A name is the site's own where it is in its table, or by the address of its pages: "uci", "UC Irvine" and
"University of California, Irvine" of uci.edu.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from urllib.parse import urlsplit

from server.ask.conversation.other_university import (
    COMMON,
    PLACES,
    SHORT,
    SMALL_WORDS,
    UNIVERSITY,
    NamedUniversity,
    universities_in,
)
from server.ask.conversation.phrases import AUXILIARIES, DETERMINERS, PREPOSITIONS, content_words, words_of
from server.lexicons import lexicon

# Pages at an address that are so large a share of a snapshot's are a university's of its own.
OWN_PAGES = 0.1
# An address is the beginning of a university's name from so many letters on: "wisc" of Wisconsin.
LEAST_BEGUN = 4
# A common word of so few letters may be the university's: "uci", "cmu".
LETTERS_OF_ACRONYM = 4

_UNIVERSITIES = lexicon("universities")
_ALSO_CALLED: Mapping[str, Sequence[str]] = dict(_UNIVERSITIES.part("addresses"))
_OWN = _UNIVERSITIES.part("own")
_AT, _HERE = _OWN.words("at"), _OWN.words("here")
_SUBJECT_AFTER = AUXILIARIES | _OWN.words("subject_after")
_PARTS = {"department": ("department", "dept"), "school": ("school",)}
_PART = re.compile(r"\b(?P<kind>department|school) of (?:the )?(?P<of>.+)", re.IGNORECASE)
_LETTERS = 2  # a name's first word of so few is letters: "UC Irvine", "NC State"
_SECOND_LEVEL = frozenset({"ac", "edu", "co", "com", "gov"})


@dataclass(frozen=True, slots=True)
class OwnName:
    """A question without the university's own name, and `asked` with it.

    `said` are its names as they stood there; `hosts`, where the snapshot has several universities' pages and
    one of them was named, those of that one.
    """

    text: str
    asked: str
    said: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()

    def is_in(self, text: str) -> bool:
        """Whether a text has one of the names as it was said."""
        return any(_whole(name).search(text) for name in self.said)

    @property
    def notes(self) -> dict[str, list[str]]:
        """For the trace."""
        notes = {"own_name": list(self.said), "hosts": list(self.hosts)}
        return {name: told for name, told in notes.items() if told}


def without_own_name(
    question: str, site_name: str, hosts: Mapping[str, int], is_word: Callable[[str], bool]
) -> OwnName:
    """The question without the names of the university whose pages are at these `hosts`, each with its pages.

    "at Cornell" goes as a whole, "does Cornell" becomes "does the university", "a Cornell student" "a
    university student". A question that is nothing but the name keeps it.
    """
    addresses = _addresses(hosts)
    named = {*_by_site_name(question, site_name, is_word), *_by_address(question, addresses, is_word)}
    found = sorted(named, key=lambda span: (span[0], -span[1]))
    spans = [span for i, span in enumerate(found) if not any(_covers(other, span) for other in found[:i])]
    text = question
    for start, end, _ in reversed(spans):
        text = _taken_out(text, start, end)
    text = re.sub(r"\s+(?=[?!.,;:])", "", " ".join(text.split()))
    if not spans or not content_words(text):
        return OwnName(question, question)
    of = {address for *_, address in spans if address}
    is_one_of_several = len(addresses) > 1 and len(of) == 1
    own = tuple(host for host in hosts if is_one_of_several and _address(host) in of)
    return OwnName(text, question, tuple(question[start:end] for start, end, _ in spans), own)


# Where a name begins and ends, and the address that it is known by, if it is.
_Span = tuple[int, int, str]


def _covers(one: _Span, other: _Span) -> bool:
    return one[0] <= other[0] < one[1]


def _by_site_name(question: str, site_name: str, is_word: Callable[[str], bool]) -> Iterator[_Span]:
    """The names that the table of sites has: "Larkmoor", "Bren School", "computer science department"."""
    for form in _forms_of(re.sub(r"^the\s+", "", site_name.strip(), flags=re.IGNORECASE), is_word):
        is_place = form.casefold() in PLACES
        for match in _whole(form).finditer(question):
            if not is_place or _word_before(question, match.start()) in _AT:
                yield *match.span(), ""


def _forms_of(name: str, is_word: Callable[[str], bool]) -> Iterator[str]:
    """How a site's name may be said: whole, without "University" or what a school is of, where a word of
    that is a name; and a department by what it is of."""
    short = re.sub(rf"\s+(?:{UNIVERSITY})$", "", name, flags=re.IGNORECASE)
    parts = _PART.search(name)
    for form in {name, short, name[: parts.end("kind")] if parts else name}:
        if any(word.key in PLACES or not is_word(word.key) for word in words_of(form)):
            yield form
    if parts:
        yield from (f"{parts['of']} {kind}" for kind in _PARTS[parts["kind"].casefold()])


def _by_address(question: str, addresses: Sequence[str], is_word: Callable[[str], bool]) -> Iterator[_Span]:
    """What an address says as it stands ("uci"), and names of universities that are known by it."""
    named = list(universities_in(question, is_word))
    for address in addresses:
        for match in _whole(address).finditer(question):
            if not _says_more(address, is_word) or _word_before(question, match.start()) in _AT:
                yield (*match.span(), address)
        for form in _ALSO_CALLED.get(address, ()):
            yield from ((*match.span(), address) for match in _whole(form).finditer(question))
        for one in named:
            end = _end_of_own(one, question, address)
            if end is not None:
                yield one.start, end, address


def _says_more(address: str, is_word: Callable[[str], bool]) -> bool:
    """Whether an address is a town, or a word of the language like any other: that of library.example."""
    if address in SHORT:
        return False
    return address in PLACES | COMMON or (is_word(address) and len(address) > LETTERS_OF_ACRONYM)


def _end_of_own(one: NamedUniversity, question: str, address: str) -> int | None:
    """Where a name that an address is known by ends, with the place of its campus; None for another's."""
    said = [word.key for word in words_of(one.said) if word.key not in SMALL_WORDS]
    after = re.match(r"(?:\s*,|\s*-|\s+at)?\s*([^\W\d_]+)", question[one.end :])
    campus = after[1].casefold() if after else ""
    with_campus = one.end + after.end() if after else one.end
    if campus and _initials([*said, campus]) == address:
        return with_campus
    if not _is_of(said, address):
        return None
    return with_campus if campus in PLACES and campus not in said else one.end


def _is_of(said: Sequence[str], address: str) -> bool:
    """Whether the pages of a university of this name have the address: by its initials, or a word of it."""
    initials = {_initials(said), _initials(said) + "u"}
    return address in initials or any(map(partial(_begins, address), said))


def _begins(address: str, word: str) -> bool:
    """Whether an address is a name's word, begins it, or does so after the "u" of a university."""
    begun = address if word.startswith(address) else address.removeprefix("u")
    return word == address or (len(begun) >= LEAST_BEGUN and word.startswith(begun) and word not in COMMON)


def _initials(words: Sequence[str]) -> str:
    """Of its words, and letters as they are: "uci" of "uc irvine"."""
    return "".join(word if len(word) <= _LETTERS else word[0] for word in words)


def _taken_out(text: str, start: int, end: int) -> str:
    """The text without the name between the two, or with words in its place that any university has."""
    before, after = text[:start], text[end:]
    if article := re.search(r"\bthe\s+$", before, re.IGNORECASE):
        before = before[: article.start()]
    if owns := re.match(r"['’]s\b", after):
        return f"{before}{_OWN['university']}'s{after[owns.end() :]}"
    word = _word_before(before, len(before))
    if word in _HERE:
        where = before.rstrip()[: -len(word)]
        if _word_before(where, len(where)) not in AUXILIARIES:  # "once I'm at Cornell"
            return where + after.lstrip(" ,")
    if word in DETERMINERS:
        return f"{before}{_OWN['kind']}{after}"
    if word in _SUBJECT_AFTER | PREPOSITIONS:
        return f"{before}{_OWN['university']}{after}"
    return before + after.lstrip(" ,")


def _word_before(text: str, at: int) -> str:
    """The word that ends before a place in the text, in small letters; empty where a mark is between."""
    match = re.search(r"([^\W\d_]+)\s+$", text[:at])
    return match[1].casefold() if match else ""


def _addresses(hosts: Mapping[str, int]) -> list[str]:
    """The addresses that a good part of the pages have."""
    counts = Counter[str]()
    for host, pages in hosts.items():
        counts[_address(host)] += pages
    least = OWN_PAGES * sum(counts.values())
    return [address for address, pages in counts.items() if address and pages >= least]


def _address(host: str) -> str:
    """What a university registered in its pages' host: "utexas" of cs.utexas.edu, "bath" of bath.ac.uk."""
    labels = (urlsplit(f"//{host}").hostname or "").split(".")[:-1]
    while len(labels) > 1 and labels[-1] in _SECOND_LEVEL:
        labels.pop()
    return labels[-1] if labels and not labels[-1].isdigit() else ""


@lru_cache(maxsize=1024)
def _whole(form: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w@./-]){re.escape(form)}(?![\w@/]|\.\w)", re.IGNORECASE)
