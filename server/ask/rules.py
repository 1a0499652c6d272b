"""The rulebooks that are live, and what they mean for the snapshot of the moment."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Protocol

from server.ask.following import LOOK_EVERY_S, Following
from server.ask.ruling.ruling import PublishedPages, Ruling, lay_over
from server.rulebook import Rulebook

REMEMBERED = 16  # rulings: the sites of a server, over the snapshot of the moment and the one before


class RulebookSource(Protocol):
    """Where rulebooks are kept."""

    def live(self) -> Sequence[Rulebook]:
        """The live rulebook of every site that has one."""
        ...

    def version(self) -> str:
        """Another value after every change."""
        ...


class Rules:
    """All live rulebooks, in memory. Thread-safe."""

    def __init__(
        self,
        source: RulebookSource,
        *,
        look_every_s: float = LOOK_EVERY_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        first: Mapping[str, Rulebook] = {}
        self._books = Following(
            first,
            source.version,
            lambda _: {book.site: book for book in source.live()},
            look_every_s=look_every_s,
            clock=clock,
        )
        self._shelf = _Rulings()

    def book(self, site: str) -> Rulebook:
        """What holds for a site; an empty one where nothing was ever set."""
        return self._books.now().get(site) or Rulebook(site)

    def look_soon(self) -> None:
        """Whoever asks next looks first: this process has made a change itself."""
        self._books.look_soon()

    def ruling(self, site: str, snapshot: str, pages: PublishedPages, today: date) -> Ruling:
        """The site's rulebook over the snapshot of that name."""
        return self._shelf.ruling(self.book(site), snapshot, pages, today)


class FixedRules:
    """One rulebook that is not live, for every site: a draft that is tried."""

    def __init__(self, book: Rulebook) -> None:
        self._book = book
        self._shelf = _Rulings()

    def book(self, site: str) -> Rulebook:
        """The draft."""
        return self._book

    def ruling(self, site: str, snapshot: str, pages: PublishedPages, today: date) -> Ruling:
        """The draft over the snapshot of that name."""
        return self._shelf.ruling(self._book, snapshot, pages, today)


class _Rulings:
    """The last rulings that were asked for."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, date], Ruling] = OrderedDict()
        self._lock = threading.Lock()

    def ruling(self, book: Rulebook, snapshot: str, pages: PublishedPages, today: date) -> Ruling:
        key = (f"{book.site}\0{snapshot}", today)
        with self._lock:
            kept = self._kept.get(key)
            if kept is None or kept.book is not book:
                kept = self._kept[key] = lay_over(book, pages, today)
                while len(self._kept) > REMEMBERED:
                    self._kept.popitem(last=False)
        return kept
