"""Query rules over one snapshot: which pages a rulebook leaves out, and the index without them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt

from server.ask.ports import (
    KeywordSearch,
    OpenSnapshot,
    PageQuestions,
    PassageStore,
    Vector,
    VectorSearch,
)
from server.errors import BadInputError
from server.models import Hit, PageFacts, Ranking, Scope
from server.models.curation import LeaveOut, RuleSet

Mask = npt.NDArray[np.bool_]
Matches = Callable[[PageFacts], bool]


def left_out(rules: Sequence[LeaveOut], pages: Iterable[PageFacts], today: date) -> dict[int, LeaveOut]:
    """By page id, the first rule that leaves it out; `BadInputError` for a rule that cannot be used."""
    tests = [(rule, page_test(rule, today)) for rule in rules]
    found: dict[int, LeaveOut] = {}
    for page in pages:
        rule = next((rule for rule, matches in tests if matches(page)), None)
        if rule:
            found[page.page_id] = rule
    return found


def page_test(rule: LeaveOut, today: date) -> Matches:
    """Whether a page is one of those that a rule means."""
    value = rule.value.strip()
    if rule.kind == "prefix":
        return lambda page: begins(page.url, value)
    if rule.kind == "pattern":
        pieces = value.lower().split("*")
        return lambda page: holds(page.url.lower(), pieces)
    if rule.kind == "pages":
        pages = {bare(line) for line in value.splitlines() if line.strip()}
        return lambda page: bare(page.url) in pages
    number = _number(value)
    if rule.kind == "older":
        oldest = months_before(today, number)
        return lambda page: page.day is not None and page.day < oldest
    return lambda page: page.chars < number


def begins(url: str, prefix: str) -> bool:
    """Whether an address begins so; a prefix that begins with a slash is one of the path, on any host."""
    if not prefix.startswith("/"):
        return url.startswith(prefix)
    parts = urlsplit(url)
    return ((parts.path or "/") + (f"?{parts.query}" if parts.query else "")).startswith(prefix)


def holds(url: str, pieces: Sequence[str]) -> bool:
    """Whether an address has these pieces one after another: `*/news/20*`, parted at its stars.

    The first place of each will do, so that no number of stars makes it slow.
    """
    place = 0
    for piece in pieces:
        found = url.find(piece, place)
        if found < 0:
            return False
        place = found + len(piece)
    return True


def months_before(day: date, months: int) -> str:
    """The ISO day so many months before; the 31st of a short month is its first days' neighbour, the 28th."""
    year, month = divmod(day.year * 12 + day.month - 1 - months, 12)
    if year < 1:
        return date.min.isoformat()
    return date(year, month + 1, min(day.day, 28)).isoformat()


def _number(value: str) -> int:
    if not (value.isascii() and value.isdigit() and len(value) <= 6):
        raise BadInputError(f"{value!r} is no whole number.")
    return int(value)


def bare(url: str) -> str:
    """An address without its fragment and its last slash: what tells one page from another."""
    return url.strip().partition("#")[0].rstrip("/")


@dataclass(frozen=True, slots=True)
class CompiledRules:
    """What a rulebook means for one snapshot.

    `pages` are those left out, by page id, each with the rule that does it; `hidden` says of each chunk
    whether it is left out, shape (chunks,).
    """

    book: RuleSet
    pages: Mapping[int, LeaveOut]
    hidden: Mask


# Nobody has set anything.
NO_RULES = CompiledRules(RuleSet(""), {}, np.empty(0, np.bool_))


def compile_rules(book: RuleSet, pages: PassageStore, today: date) -> CompiledRules:
    """A rulebook over a snapshot's pages. A rule by age takes them as they are on that day."""
    out = left_out(book.leave_out, pages.page_facts, today) if book.leave_out else {}
    chunk_pages = pages.chunk_pages if out else np.empty(0, np.int32)
    hidden = np.isin(chunk_pages, np.fromiter(out, np.int32, len(out)))
    return CompiledRules(book, out, hidden)


MORE = 4  # times as many are asked for where too few were left


class FilteredIndex:
    """An open snapshot without the hidden passages. `hidden` is of shape (chunks,).

    `snapshot` has all its passages, the hidden ones too: who has an id may read it.
    """

    def __init__(self, index: OpenSnapshot, hidden: Mask) -> None:
        self.name = index.name
        self.keyword = _Keyword(index.keyword, hidden)
        self.vector = _Vector(index.vector, hidden)
        self.text = index.text
        self.snapshot = index.snapshot
        self.classifier = index.classifier
        self.wordings = index.wordings
        self.questions = _Questions(index.questions, hidden)


class _Vector:
    def __init__(self, search: VectorSearch, hidden: Mask) -> None:
        self._search = search
        self._hidden = hidden

    def search(self, vector: Vector, limit: int, within: Scope | None = None) -> list[Hit]:
        """The nearest chunks that are not hidden."""
        return _sieved(lambda most: self._search.search(vector, most, within), limit, self._hidden)

    def scores(self, vector: Vector, chunk_ids: Sequence[int]) -> list[Hit]:
        """The cosines of these chunks, the hidden ones left out."""
        return self._search.scores(vector, [one for one in chunk_ids if not self._hidden[one]])

    def late_interaction(self, tokens: Vector, chunk_ids: Sequence[int]) -> list[Hit]:
        """How well these chunks match a question's words, the hidden ones left out."""
        return self._search.late_interaction(tokens, [one for one in chunk_ids if not self._hidden[one]])


class _Questions:
    def __init__(self, questions: PageQuestions, hidden: Mask) -> None:
        self._questions = questions
        self._hidden = hidden

    def search(self, vector: Vector, limit: int) -> list[Hit]:
        """The nearest chunks that are not hidden."""
        return _sieved(lambda most: self._questions.search(vector, most), limit, self._hidden)

    def scores(self, vector: Vector, chunk_ids: Sequence[int]) -> list[Hit]:
        """The scores of these chunks, the hidden ones left out."""
        return self._questions.scores(vector, [one for one in chunk_ids if not self._hidden[one]])


class _Keyword:
    def __init__(self, search: KeywordSearch, hidden: Mask) -> None:
        self._search = search
        self._hidden = hidden

    def search(
        self,
        question: str,
        limit: int,
        also: Sequence[int] = (),
        within: Scope | None = None,
        said: Mapping[str, str] | None = None,
    ) -> list[Hit]:
        """The best chunks that are not hidden, and those of `also`."""

        def search(most: int) -> list[Hit]:
            return self._search.search(question, most, also, within, said)

        return _sieved(search, limit, self._hidden, set(also))


def _sieved(
    search: Callable[[int], list[Hit]], limit: int, hidden: Mask, also: set[int] | None = None
) -> list[Hit]:
    """The `limit` best that are not hidden and, further down, those of `also`.

    What a search brings beyond the number asked for is of `also`; the hidden ones among the best go with it.
    """
    most = limit
    while True:
        hits = search(most)
        first = [hit for hit in hits[:most] if not hidden[hit.chunk_id]]
        if len(first) >= limit or len(hits) < most or most >= len(hidden):
            break
        most = min(most * MORE, len(hidden))
    wanted = {hit.chunk_id for hit in first[:limit]} | (also or set())
    kept = [hit for hit in hits if hit.chunk_id in wanted and not hidden[hit.chunk_id]]
    fell = tuple(hit for hit in hits[:limit] if hidden[hit.chunk_id])
    return Ranking(kept, hits.notes if isinstance(hits, Ranking) else {}, fell)
