"""A rulebook laid over one snapshot: made once, and asked by every question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

import numpy as np
import numpy.typing as npt

from server.ask.ruling.leave_out import left_out
from server.records import PageFacts
from server.rulebook import LeaveOut, Rulebook

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
class Ruling:
    """What a rulebook means for one snapshot.

    `pages` are those left out, by page id, each with the rule that does it; `hidden` says of each chunk
    whether it is left out, shape (chunks,).
    """

    book: Rulebook
    pages: Mapping[int, LeaveOut]
    hidden: Mask

    @property
    def hides(self) -> bool:
        """Whether anything is left out."""
        return bool(self.pages)


# Nobody has set anything.
UNRULED = Ruling(Rulebook(""), {}, np.empty(0, np.bool_))


def lay_over(book: Rulebook, pages: PublishedPages, today: date) -> Ruling:
    """A rulebook over a snapshot's pages. A rule by age takes them as they are on that day."""
    out = left_out(book.leave_out, pages.page_facts, today) if book.leave_out else {}
    chunk_pages = pages.chunk_pages if out else np.empty(0, np.int32)
    hidden = np.isin(chunk_pages, np.fromiter(out, np.int32, len(out)))
    return Ruling(book, out, hidden)
