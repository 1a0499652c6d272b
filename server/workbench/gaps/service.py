"""Groups questions by meaning, one after the other: each joins the nearest group, or begins one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from server.errors import BadInputError, ConflictError, NotReadyError
from server.masking import Masker, without_masks
from server.models import Placement, Waiting
from server.storage.conversations import comparable
from server.workbench.answering import AnsweringParts, asked
from server.workbench.gaps.store import GapStore
from server.workbench.jobs import JobProgress, Jobs

Vectors = npt.NDArray[np.float32]

# A question belongs to a group whose middle it is so near to, by cosine. Of the pairs of golden paraphrases
# two thirds come together then, and three of four pairs that come together ask about the same matter; at .5
# one of two does, at .7 half of the paraphrases stay apart (`scripts/research/console/measure_grouping.py`).
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


def _middle(vectors: Vectors) -> bytes:
    summed: Vectors = vectors.sum(axis=0, dtype="<f4")
    return summed.tobytes()


def _unit(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    unit: Vectors = vectors / np.maximum(lengths, np.float32(1e-12))
    return unit


AT_ONCE = 200  # wordings; each piece is a transaction of some hundredths of a second
ASKED_AT_ONCE = 20
GAP_WORK = "gaps"  # the kind of the job


class GapService:
    """The gaps of all sites, grouped by the live parts and asked again over the live snapshot.

    Thread-safe, and safe to use from several processes.
    """

    def __init__(self, store: GapStore, answering: AnsweringParts) -> None:
        self._store = store
        self._answering = answering

    @property
    def live(self) -> str | None:
        """The name of the live snapshot, if there is one."""
        try:
            return self._answering().snapshot
        except NotReadyError:
            return None

    def has_work(self) -> bool:
        """Whether a question waits for its gap, or a gap to be asked again; False while a part is missing."""
        try:
            self._answering()
        except NotReadyError:
            return False
        return bool(self._store.count_waiting() or self._mended())

    def begin(self, jobs: Jobs, by: str) -> None:
        """Have it done aside, where there is work and nobody at it."""
        if self.has_work():
            with suppress(ConflictError):
                jobs.start(GAP_WORK, "all sites", by, self.work)

    def work(self, progress: JobProgress) -> None:
        """Do all of it. Raises what asking raises; what is done until then stays done."""
        self._store.join_known()
        total = self._store.count_waiting()
        while left := self._store.count_waiting():
            progress.at(max(total - left, 0), total, "Putting questions of one meaning together")
            self._place(self._store.waiting(AT_ONCE))
        while mended := self._mended():
            progress.at(0, len(mended), "Asking again what was mended")
            self._store.note_again(mended[0], self._answer(mended[0]))

    def ask_again(self, gap_id: int, by: str) -> None:
        """Ask a gap's question now, for somebody; `NotFoundError`."""
        self._store.note_again(gap_id, self._answer(gap_id), by=by)

    def set_apart(self, gap_id: int, trace_id: str, by: str) -> int:
        """Puts a question of a gap, and what is nearer to it than to the heading, into a gap of its own.

        Returns the new gap's id. `NotFoundError`; `BadInputError` for the heading itself; `NotReadyError`.
        """
        wordings, chosen = self._store.wordings(gap_id, trace_id)
        heading = comparable(self._store.get(gap_id)["question"])
        at = [one.key for one in wordings].index(chosen)
        if comparable(wordings[at].question) == heading:
            raise BadInputError("This is the question that the missing answer is called by; choose another.")
        texts = [_impersonal(one.question) for one in wordings]
        vectors = self._answering().embedder.embed_questions([heading, *texts])
        called, own = vectors[0], vectors[1:]
        goes = own @ own[at] > own @ called
        goes[at] = True
        stays = called[None] if goes.all() else own[~goes]
        keys = [one.key for one, moved in zip(wordings, goes, strict=True) if moved]
        return self._store.set_apart(gap_id, keys, (_middle(stays), _middle(own[goes])), by=by)

    def _mended(self) -> Sequence[int]:
        live = self.live
        return self._store.mended(live, limit=ASKED_AT_ONCE) if live else []

    def _place(self, waiting: Sequence[Waiting]) -> None:
        of_site: dict[str, list[Waiting]] = defaultdict(list)
        for one in waiting:
            of_site[one.site].append(one)
        for site, ones in of_site.items():
            vectors = self._answering().embedder.embed_questions([_impersonal(one.question) for one in ones])
            self._store.place(site, [one.key for one in ones], partial(place, vectors))

    def _answer(self, gap_id: int) -> dict[str, Any]:
        gap = self._store.get(gap_id)
        asker = self._answering().asker
        quiet = asker.otherwise(asker.options)
        return asked(quiet, _impersonal(gap["question"]), gap["site"]).answer.as_json()


def _impersonal(question: str) -> str:
    """Without what is personal in it, which is no part of its meaning; never empty."""
    masked = Masker().masked(question)
    return " ".join(without_masks(masked).split()) or masked
