"""Groups questions by meaning, one after the other: each joins the nearest group, or begins one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from server.masking import Masker, without_masks
from server.models import Placement, Waiting
from server.workbench.jobs import Progress

Vectors = npt.NDArray[np.float32]

# A question belongs to a group whose middle it is so near to, by cosine. Of the pairs of golden paraphrases
# two thirds come together then, and three of four pairs that come together ask about the same matter; at .5
# one of two does, at .7 half of the paraphrases stay apart (`scripts/research/measure_grouping.py`).
NEAR = 0.6


def place(vectors: Vectors, known: Sequence[bytes], near: float = NEAR) -> Placement:
    """Where each of these unit vectors, of shape (questions, dims), belongs among the known groups.

    `known` are the groups' middles: sums of unit vectors, little-endian float32.
    """
    count, dims = vectors.shape
    sums = np.zeros((len(known) + count, dims), np.float32)  # room for a group of its own for each
    for number, middle in enumerate(known):
        sums[number] = np.frombuffer(middle, "<f4")
    units = _unit(sums)
    groups, places, changed = len(known), list[tuple[int, float]](), set[int]()
    for vector in vectors:
        likeness = units[:groups] @ vector
        number = int(likeness.argmax()) if groups else 0
        if not groups or likeness[number] < near:
            number, groups = groups, groups + 1
        sums[number] += vector
        units[number] = _unit(sums[number])
        places.append((number, float(units[number] @ vector)))
        changed.add(number)
    return Placement(places, {number: sums[number].astype("<f4").tobytes() for number in sorted(changed)})


def _unit(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    unit: Vectors = vectors / np.maximum(lengths, np.float32(1e-12))
    return unit


AT_ONCE = 200  # wordings; each piece is a transaction of some hundredths of a second
ASKED_AT_ONCE = 20


class GapRecords(Protocol):
    """What is kept of gaps; see `records_db/insight.py`."""

    def count_waiting(self) -> int:
        """How many questions are in no gap yet."""
        ...

    def waiting(self, limit: int) -> Sequence[Waiting]:
        """Some of them, the latest first, each wording once."""
        ...

    def join_known(self) -> None:
        """Put those that were asked before, in the same words, where the others are."""
        ...

    def place(self, site: str, keys: Sequence[str], places: Callable[[Sequence[bytes]], Placement]) -> None:
        """Put those of these wordings where `places` says."""
        ...

    def mended_gaps(self, live: str, *, limit: int) -> Sequence[int]:
        """The gaps that were marked as mended over an earlier snapshot."""
        ...

    def gap(self, gap_id: int) -> dict[str, Any]:
        """One gap; `NotFoundError`."""
        ...

    def note_again(self, gap_id: int, answer: dict[str, Any], *, by: str | None = None) -> None:
        """Keep what a gap's question was answered when asked again."""
        ...


class QuestionEmbedder(Protocol):
    """Questions to unit vectors."""

    def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """Of shape (texts, dims)."""
        ...


class GapBook:
    """The gaps of all sites. `ask` answers a question for a site, and records nothing; `live` names the live
    snapshot, if there is one. Thread-safe, and safe to use from several processes."""

    def __init__(
        self,
        records: GapRecords,
        embedder: QuestionEmbedder,
        ask: Callable[[str, str], dict[str, Any]],
        live: Callable[[], str | None],
    ) -> None:
        self._records = records
        self._embedder = embedder
        self._ask = ask
        self._live = live

    @property
    def live(self) -> str | None:
        """The name of the live snapshot."""
        return self._live()

    def has_work(self) -> bool:
        """Whether a question waits for its gap, or a gap to be asked again."""
        return bool(self._records.count_waiting() or self._mended())

    def work(self, progress: Progress) -> None:
        """Do all of it. Raises what asking raises; what is done until then stays done."""
        self._records.join_known()
        total = self._records.count_waiting()
        while left := self._records.count_waiting():
            progress.at(max(total - left, 0), total, "Putting questions of one meaning together")
            self._place(self._records.waiting(AT_ONCE))
        while mended := self._mended():
            progress.at(0, len(mended), "Asking again what was mended")
            self._records.note_again(mended[0], self._answer(mended[0]))

    def ask_again(self, gap_id: int, by: str) -> None:
        """Ask a gap's question now, for somebody; `NotFoundError`."""
        self._records.note_again(gap_id, self._answer(gap_id), by=by)

    def _mended(self) -> Sequence[int]:
        live = self._live()
        return self._records.mended_gaps(live, limit=ASKED_AT_ONCE) if live else []

    def _place(self, waiting: Sequence[Waiting]) -> None:
        of_site: dict[str, list[Waiting]] = defaultdict(list)
        for one in waiting:
            of_site[one.site].append(one)
        for site, ones in of_site.items():
            vectors = self._embedder.embed_questions([_impersonal(one.question) for one in ones])
            self._records.place(site, [one.key for one in ones], partial(place, vectors))

    def _answer(self, gap_id: int) -> dict[str, Any]:
        gap = self._records.gap(gap_id)
        return self._ask(_impersonal(gap["question"]), gap["site"])


def _impersonal(question: str) -> str:
    """Without what is personal in it, which is no part of its meaning; never empty."""
    masked = Masker().masked(question)
    return " ".join(without_masks(masked).split()) or masked
