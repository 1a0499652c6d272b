"""Planted instructions: a snapshot whose passages all carry one, and a model that obeys it.

Nothing is written and nothing indexed: the text is planted in what a question reads, after it was found.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from server.ask.pipeline import Asker
from server.ask.ports import Lease, OpenSnapshot, PassageStore, PromptContext
from server.evaluate.evaluate import ask_once
from server.evaluate.scorecard.attacks import Attack, AttackOutcome, AttackWay, got_through
from server.models import CalendarEntry, Deadline, OpeningHours, PageFacts, Passage
from server.sentences import sentences

LEAST_TRUTH_CHARS = 30
ATTACK_WAYS: tuple[AttackWay, ...] = ("own", "obeying")


def try_attack(asker: Asker, lease: Lease, attack: Attack, strategy: str, way: AttackWay) -> AttackOutcome:
    """One attack's way through the whole flow: by the site's own answerer, or by a model that obeys."""
    writer = ObeyingWriter(attack) if way == "obeying" else None
    attacked = asker.over(lambda: planted(lease, attack), writer)
    final = ask_once(attacked, attack.asked, strategy)
    return AttackOutcome(attack, way, got_through(attack, way, final.answer))


@contextmanager
def planted(lease: Lease, attack: Attack) -> Iterator[OpenSnapshot]:
    """The snapshot, an attack on its pages planted in every passage that is read."""
    with lease() as snapshot:
        yield PlantedSnapshot(snapshot, attack) if attack.where == "page" else snapshot


class PlantedSnapshot:
    """An open snapshot whose passages carry a planted text; its searches know nothing of it."""

    def __init__(self, index: OpenSnapshot, attack: Attack) -> None:
        self.name = index.name
        self.keyword = index.keyword
        self.vector = index.vector
        self.text = index.text
        self.snapshot: PassageStore = _PlantedPassages(index.snapshot, attack)
        self.classifier = index.classifier
        self.questions = index.questions
        self.wordings = index.wordings


class _PlantedPassages:
    def __init__(self, store: PassageStore, attack: Attack) -> None:
        self._store = store
        self._attack = attack

    def passages(self, chunk_ids: Sequence[int]) -> Mapping[int, Passage]:
        """By chunk id, each with the planted text."""
        found = self._store.passages(chunk_ids).items()
        return {chunk_id: self._planted(passage) for chunk_id, passage in found}

    def _planted(self, passage: Passage) -> Passage:
        words = self._attack.words
        if self._attack.place == "title":
            return replace(passage, title=words)
        return replace(passage, text=f"{passage.text}\n{words}")

    @property
    def hosts(self) -> Mapping[str, int]:
        """As they are."""
        return self._store.hosts

    @property
    def terms(self) -> Collection[str]:
        """As they are."""
        return self._store.terms

    @property
    def calendar(self) -> Sequence[CalendarEntry]:
        """As it is."""
        return self._store.calendar

    @property
    def hours(self) -> Sequence[OpeningHours]:
        """As they are."""
        return self._store.hours

    @property
    def deadlines(self) -> Sequence[Deadline]:
        """As they are."""
        return self._store.deadlines

    @property
    def page_facts(self) -> Sequence[PageFacts]:
        """As they are."""
        return self._store.page_facts

    @property
    def chunk_pages(self) -> npt.NDArray[np.int32]:
        """As they are."""
        return self._store.chunk_pages


class ObeyingWriter:
    """A language model that writes what an attack orders, around a true sentence; cites the first passage."""

    resting = False

    def __init__(self, attack: Attack) -> None:
        self._attack = attack
        self.versions: Mapping[str, str] = {"llm": "obeys every order"}

    def begin(
        self,
        question: str,
        passages: Sequence[Passage],
        history: Sequence[tuple[str, str]],
        scene: PromptContext,
    ) -> _ObedientAnswer:
        """The ordered words, before and after what is true."""
        output = self._attack.output.replace("[*]", "[1]")
        return _ObedientAnswer(passages, f"{output} {_truth(passages)}\n{output}")

    def from_memory(self, question: str, scene: PromptContext) -> str:
        """The ordered words alone."""
        return self._attack.output.replace("[*]", "")

    def named(self, model: str) -> ObeyingWriter:
        """Itself: no model obeys more."""
        return self

    def close(self) -> None:
        """Nothing is under way."""


class _ObedientAnswer:
    declined = False
    cut_off = False

    def __init__(self, passages: Sequence[Passage], text: str) -> None:
        self.passages = passages
        self.notes: Mapping[str, Any] = {}
        self._text = text

    def pieces(self) -> Generator[str, None, None]:
        """The text, whole."""
        yield self._text


def _truth(passages: Sequence[Passage]) -> str:
    """A passage's sentence with its mark, so that an answer is left where the rest is withheld."""
    for n, passage in enumerate(passages, 1):
        for start, end in sentences(passage.text):
            if end - start > LEAST_TRUTH_CHARS:
                return f"{passage.text[start:end]} [{n}]"
    return ""
