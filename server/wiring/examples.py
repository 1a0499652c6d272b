"""Dynamic few-shot: golden questions that were answered rightly when last asked, for others' prompts."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from server.workbench.golden.store import GoldenStore
from server.workbench.records import open_existing

Vectors = npt.NDArray[np.float32]
Embed = Callable[[Sequence[str]], Vectors]


@dataclass(frozen=True, slots=True)
class AnsweredExample:
    """A golden question of a site with the answer that it was given."""

    site: str
    question: str
    answer: str


class GoldenExamples:
    """The examples, read and embedded when one is first looked for. Thread-safe.

    What passes in a later run is seen by the next process.
    """

    def __init__(self, read: Callable[[], Iterable[AnsweredExample]], embed: Embed) -> None:
        self._read = read
        self._embed = embed
        self._lock = threading.Lock()
        self._known: tuple[list[AnsweredExample], Vectors] | None = None

    @property
    def are_there(self) -> bool:
        """Whether there is any."""
        return bool(self._all()[0])

    def nearest(self, question: str, vector: Vectors, most: int, site: str) -> list[tuple[str, str]]:
        """At most so many of a site, the nearest to the question's unit vector first; never the question
        itself: its answer is not to be copied."""
        examples, vectors = self._all()
        if not examples:
            return []
        asked = _plain(question)
        order = np.argsort(-(vectors @ vector), kind="stable")
        of_site = (examples[i] for i in order if examples[i].site == site)
        others = [(one.question, one.answer) for one in of_site if _plain(one.question) != asked]
        return others[:most]

    def _all(self) -> tuple[list[AnsweredExample], Vectors]:
        with self._lock:
            if self._known is None:
                examples = [*self._read()]
                vectors = self._embed([one.question for one in examples]) if examples else np.empty((0, 0))
                self._known = examples, vectors.astype(np.float32)
            return self._known


def passed_answers(golden: GoldenStore) -> Iterable[AnsweredExample]:
    """The golden questions that were answered rightly when they were last asked, each with that answer."""
    for one in golden.all():
        last = golden.history(one.id, limit=1)
        if last and last[0].failure is None and not one.refuse and last[0].answer:
            yield AnsweredExample(one.site, one.question, last[0].answer)


def kept_examples(records_url: str) -> list[AnsweredExample]:
    """Those of the records at a URL, read now; none where there are no records yet."""
    records = open_existing(records_url)
    if records is None:
        return []
    with closing(records):
        return [*passed_answers(records.golden)]


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip("?!. ")
