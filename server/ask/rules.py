"""A rulebook laid over one snapshot: made once, and asked by every question."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from server.ask.exclusion import left_out
from server.cache import LOOK_EVERY_S, PolledCache
from server.models import Hit, PageFacts, Ranking, Scope
from server.models.curation import LeaveOut, RuleSet

if TYPE_CHECKING:
    from server.ask.ports import (
        KeywordSearch,
        OpenSnapshot,
        PassageStore,
        QuestionClassifier,
        SnapshotText,
        Vector,
        VectorSearch,
    )


Mask = npt.NDArray[np.bool_]


class PublishedPages(Protocol):
    """The pages of one snapshot."""

    @property
    def page_facts(self) -> Sequence[PageFacts]:
        """What is known of each, by page id."""
        ...

    @property
    def chunk_pages(self) -> npt.NDArray[np.int32]:
        """The page id of each chunk; shape (chunks,)."""
        ...


@dataclass(frozen=True, slots=True)
class CompiledRules:
    """What a rulebook means for one snapshot.

    `pages` are those left out, by page id, each with the rule that does it; `hidden` says of each chunk
    whether it is left out, shape (chunks,).
    """

    book: RuleSet
    pages: Mapping[int, LeaveOut]
    hidden: Mask

    @property
    def hides(self) -> bool:
        """Whether anything is left out."""
        return bool(self.pages)


# Nobody has set anything.
NO_RULES = CompiledRules(RuleSet(""), {}, np.empty(0, np.bool_))


def compile_rules(book: RuleSet, pages: PublishedPages, today: date) -> CompiledRules:
    """A rulebook over a snapshot's pages. A rule by age takes them as they are on that day."""
    out = left_out(book.leave_out, pages.page_facts, today) if book.leave_out else {}
    chunk_pages = pages.chunk_pages if out else np.empty(0, np.int32)
    hidden = np.isin(chunk_pages, np.fromiter(out, np.int32, len(out)))
    return CompiledRules(book, out, hidden)


MORE = 4  # times as many are asked for where too few were left


class FilteredIndex:
    """An open snapshot without the hidden passages. `hidden` is of shape (chunks,)."""

    def __init__(self, index: OpenSnapshot, hidden: Mask) -> None:
        self._index = index
        self.keyword = _Keyword(index.keyword, hidden)
        self.vector = _Vector(index.vector, hidden)

    @property
    def name(self) -> str:
        """The snapshot's name."""
        return self._index.name

    @property
    def text(self) -> SnapshotText:
        """Its words, those of hidden passages too."""
        return self._index.text

    @property
    def snapshot(self) -> PassageStore:
        """All its passages, the hidden ones too: who has an id may read it."""
        return self._index.snapshot

    @property
    def classifier(self) -> QuestionClassifier:
        """What it learnt when it was built."""
        return self._index.classifier


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


class _Keyword:
    def __init__(self, search: KeywordSearch, hidden: Mask) -> None:
        self._search = search
        self._hidden = hidden

    def search(
        self, question: str, limit: int, also: Sequence[int] = (), within: Scope | None = None
    ) -> list[Hit]:
        """The best chunks that are not hidden, and those of `also`."""
        return _sieved(
            lambda most: self._search.search(question, most, also, within), limit, self._hidden, set(also)
        )


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


REMEMBERED = 16  # rulings: the sites of a server, over the snapshot of the moment and the one before


class RulebookSource(Protocol):
    """Where rulebooks are kept."""

    def live(self) -> Sequence[RuleSet]:
        """The live rulebook of every site that has one."""
        ...

    def version(self) -> str:
        """Another value after every change."""
        ...


class LiveRules:
    """All live rulebooks, in memory. Thread-safe."""

    def __init__(
        self,
        source: RulebookSource,
        *,
        look_every_s: float = LOOK_EVERY_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        first: Mapping[str, RuleSet] = {}
        self._books = PolledCache(
            first,
            source.version,
            lambda _: {book.site: book for book in source.live()},
            look_every_s=look_every_s,
            clock=clock,
        )
        self._shelf = _Rulings()

    def book(self, site: str) -> RuleSet:
        """What holds for a site; an empty one where nothing was ever set."""
        return self._books.now().get(site) or RuleSet(site)

    def look_soon(self) -> None:
        """Whoever asks next looks first: this process has made a change itself."""
        self._books.look_soon()

    def ruling(self, site: str, snapshot: str, pages: PublishedPages, today: date) -> CompiledRules:
        """The site's rulebook over the snapshot of that name."""
        return self._shelf.ruling(self.book(site), snapshot, pages, today)


class FixedRules:
    """One rulebook that is not live, for every site: a draft that is tried."""

    def __init__(self, book: RuleSet) -> None:
        self._book = book
        self._shelf = _Rulings()

    def book(self, site: str) -> RuleSet:
        """The draft."""
        return self._book

    def ruling(self, site: str, snapshot: str, pages: PublishedPages, today: date) -> CompiledRules:
        """The draft over the snapshot of that name."""
        return self._shelf.ruling(self._book, snapshot, pages, today)


class _Rulings:
    """The last rulings that were asked for."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, date], CompiledRules] = OrderedDict()
        self._lock = threading.Lock()

    def ruling(self, book: RuleSet, snapshot: str, pages: PublishedPages, today: date) -> CompiledRules:
        key = (f"{book.site}\0{snapshot}", today)
        with self._lock:
            kept = self._kept.get(key)
            if kept is None or kept.book is not book:
                kept = self._kept[key] = compile_rules(book, pages, today)
                while len(self._kept) > REMEMBERED:
                    self._kept.popitem(last=False)
        return kept
