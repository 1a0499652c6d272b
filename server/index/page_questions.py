"""Sample questions of pages: a second index, beside that of their passages (Salerno).

A page is known by questions that it answers as well: its headings, and questions of people or of a model for
which it is the right page. A visitor's question is held against them by meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from server.index.search import best
from server.index.snapshot import Snapshot
from server.models import Hit

Vectors = npt.NDArray[np.float32]
Embed = Callable[[Sequence[str]], Vectors]


@dataclass(frozen=True, slots=True)
class SampleQuestion:
    """A question that a page answers, by the page's address."""

    text: str
    url: str


class QuestionIndex:
    """The sample questions of one snapshot. Thread-safe.

    A heading asks for its own section, any other question for all of its page. The questions are embedded
    when one is first looked for, or by `warm_up`: about 2 ms each.
    """

    def __init__(
        self, snapshot: Snapshot, embed: Embed | None, more: Callable[[], Iterable[SampleQuestion]]
    ) -> None:
        """`more` gives the questions beside the headings; it is called once. None without `embed`."""
        self._snapshot = snapshot
        self._embed = embed
        self._more = more

    def search(self, vector: Vectors, limit: int) -> list[Hit]:
        """The chunks whose questions are nearest to a unit vector of shape (dims,), best first."""
        scores = self._scores(vector)
        return best(scores, np.arange(len(scores), dtype=np.int32), limit)

    def scores(self, vector: Vectors, chunk_ids: Sequence[int]) -> list[Hit]:
        """The best cosine of each of these chunks' questions, best first."""
        ids = np.unique(np.asarray(chunk_ids, dtype=np.int32))
        return best(self._scores(vector)[ids], ids, len(ids))

    def warm_up(self) -> None:
        """Embed the questions now."""
        _ = self._entries

    def _scores(self, vector: Vectors) -> Vectors:
        """The best cosine of each chunk's questions, by chunk id; shape (chunks,)."""
        vectors, asks, chunks = self._entries
        scores = np.full(self._snapshot.manifest.chunks, -1.0, dtype=np.float32)
        np.maximum.at(scores, chunks, (vectors @ vector)[asks])
        return scores

    @cached_property
    def _entries(self) -> tuple[Vectors, npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Unit vectors of the texts, (texts, dims), and pairs: which text asks for which chunk."""
        pairs = [*self._of_headings(), *self._of_pages()] if self._embed else []
        texts = {text: row for row, text in enumerate(dict.fromkeys(text for text, _ in pairs))}
        nothing = np.empty((0, self._snapshot.manifest.dims), np.float32)
        vectors = self._embed([*texts]) if self._embed and texts else nothing
        asks = np.array([texts[text] for text, _ in pairs], dtype=np.int32)
        return vectors, asks, np.array([chunk for _, chunk in pairs], dtype=np.int32)

    def _of_headings(self) -> Iterable[tuple[str, int]]:
        """A text for each chunk: what its page is called and its own heading."""
        rows = self._snapshot.rows("SELECT chunk_id, title, heading FROM chunks ORDER BY chunk_id")
        return ((question_of(title or "", heading or ""), chunk) for chunk, title, heading in rows)

    def _of_pages(self) -> Iterable[tuple[str, int]]:
        """Every other question with each chunk of its page; pages that the snapshot has not have none."""
        rows = self._snapshot.rows(
            "SELECT url, chunk_id FROM chunks JOIN pages USING (page_id) ORDER BY chunk_id"
        )
        of_page: dict[str, list[int]] = {}
        for url, chunk in rows:
            of_page.setdefault(_bare(url), []).append(chunk)
        return ((one.text, chunk) for one in self._more() for chunk in of_page.get(_bare(one.url), ()))


def question_of(title: str, heading: str) -> str:
    """What a section answers: its page's title and its last heading, or that alone where it is a question."""
    last = heading.rpartition(" › ")[2]
    return last if last.endswith("?") else f"{title} {last}".strip()


def _bare(url: str) -> str:
    """An address without its fragment and its last slash: what tells one page from another."""
    return url.partition("#")[0].rstrip("/")
