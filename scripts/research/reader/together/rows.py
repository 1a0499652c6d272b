"""Packed examples as a network's batches: every text is tokenised once, and a step only puts rows together.

A row is tokenised as it is where Lodge serves (`tokenised` of batches.py makes the same of the same text); a
test holds the two together.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from tokenizers import Tokenizer

from scripts.data_files import read_rows
from scripts.research.reader.batches import Batch, Pair, assembled, some_of, span_weight

PARTS = 4  # a batch goes through the network in so many, those of like length together


@dataclass(frozen=True, slots=True)
class Packed:
    """A folder of pack.py: rows of its files."""

    texts: Sequence[dict[str, Any]]
    examples: Sequence[dict[str, Any]]
    lists: Sequence[dict[str, Any]]
    claims: Sequence[dict[str, Any]]

    @staticmethod
    def read(folder: Path) -> Packed:
        """What pack.py wrote."""
        return Packed(
            *(read_rows(folder / f"{name}.jsonl.gz") for name in ("texts", "examples", "lists", "claims"))
        )


@dataclass(frozen=True, slots=True)
class Tokens:
    """A passage's tokens: its lead's, its own, where each of the latter lies, and its sentences in tokens."""

    lead: list[int]
    body: list[int]
    offsets: list[tuple[int, int]]
    cuts: list[tuple[int, int]]

    def window(self, rng: random.Random, short: float, place: tuple[int, int] | None) -> tuple[int, int]:
        """The passage's own tokens from and to; with the chance `short` one to three of its sentences, among
        them those of `place` (first and last token)."""
        if rng.random() >= short or len(self.cuts) < 2:
            return 0, len(self.body)
        size = rng.choice((1, 2, 2, 3))
        first = rng.randrange(max(1, len(self.cuts) - size + 1))
        last = first + size - 1
        if place:
            holds = [i for i, (start, end) in enumerate(self.cuts) if start <= place[1] and place[0] < end]
            if not holds:
                return 0, len(self.body)
            first = max(0, holds[0] - rng.randrange(size))
            last = max(holds[-1], first + size - 1)
        return self.cuts[first][0], self.cuts[min(last, len(self.cuts) - 1)][1]

    def place(self, start: int, end: int) -> tuple[int, int] | None:
        """The first and last token of an answer that stands at these characters."""
        if start < 0:
            return None
        inside = [i for i, (first, last) in enumerate(self.offsets) if first < end and start < last]
        return (inside[0], inside[-1]) if inside else None


class Form(Protocol):
    """How a network reads a question beside a passage."""

    def row(
        self, question: list[int], lead: list[int], body: list[int], place: tuple[int, int] | None
    ) -> Pair:
        """The tokens, and where the answer lies in them; 0, 0: nowhere."""


@dataclass(frozen=True, slots=True)
class BertForm:
    """`[CLS] question [SEP] lead, body [SEP]`, the passage cut where it is too long."""

    first: int
    between: int
    longest: int = 256

    def row(
        self, question: list[int], lead: list[int], body: list[int], place: tuple[int, int] | None
    ) -> Pair:
        """A row in BERT's form."""
        head = [self.first, *question, self.between]
        passage = [*lead, *body][: self.longest - len(head) - 1]
        at = min(len(head) + len(lead), len(head) + len(passage))
        start, end = (at + place[0], at + place[1]) if place else (0, 0)
        if end >= len(head) + len(passage):
            start = end = 0
        types = [0] * len(head) + [1] * (len(passage) + 1)
        return Pair([*head, *passage, self.between], types, at, start, end)


@dataclass(frozen=True, slots=True)
class EchoForm:
    """Question, passage and question again, for a network that reads from left to right and is asked at the
    end (Springer et al. 2024, echo embeddings)."""

    between: int
    end: int
    longest: int = 288

    def row(
        self, question: list[int], lead: list[int], body: list[int], place: tuple[int, int] | None
    ) -> Pair:
        """A row for a decoder; it marks no answer."""
        spent = 2 * len(question) + 3
        passage = [*lead, *body][: self.longest - spent]
        ids = [*question, self.between, *passage, self.between, *question, self.end]
        return Pair(ids, [0] * len(ids), len(question) + 1, 0, 0)


class Rows:
    """The packed texts and questions, tokenised once for one network."""

    def __init__(self, packed: Packed, tokenizer: Tokenizer, form: Form) -> None:
        self.packed, self.form = packed, form
        leads = _ids(tokenizer, [text["lead"] for text in packed.texts])
        bodies = tokenizer.encode_batch([text["body"] for text in packed.texts], add_special_tokens=False)
        self.texts = [
            Tokens(lead, body.ids, body.offsets, _in_tokens(text["cuts"], body.offsets))
            for lead, body, text in zip(leads, bodies, packed.texts, strict=True)
        ]
        self.questions = _ids(tokenizer, [row["question"] for row in packed.examples])
        self.listed = _ids(tokenizer, [row["question"] for row in packed.lists])

    def whole(self, question: list[int], text: int) -> Pair:
        """A passage uncut beside a question, no answer marked."""
        tokens = self.texts[text]
        return self.form.row(question, tokens.lead, tokens.body, None)

    def batch(
        self, numbers: Sequence[int], negatives: int, short: float, rng: random.Random
    ) -> tuple[Batch, list[tuple[int, int]]]:
        """Examples by number, each with one passage that answers it and some that do not; and per row, the
        example's number and the passage's."""
        made: list[tuple[tuple[Pair, int, int, float], tuple[int, int]]] = []
        for group, number in enumerate(numbers):
            example = self.packed.examples[number]
            answered = bool(example["positives"])
            negative = some_of(example["negatives"], negatives, rng, nearest=not answered)
            picked = [(text, -1, -1, 0) for text in negative]
            if answered:
                picked.insert(0, (*rng.choice(example["positives"]), 1))
            for text, start, end, positive in picked:
                tokens = self.texts[text]
                place = tokens.place(start, end)
                begin, stop = tokens.window(rng, short, place)
                inside = (place[0] - begin, place[1] - begin) if place else None
                pair = self.form.row(self.questions[number], tokens.lead, tokens.body[begin:stop], inside)
                weight = span_weight(pair, positive, spans=example["spans"], answered=answered)
                made.append(((pair, group, positive, weight), (number, text)))
        made.sort(key=lambda one: len(one[0][0].ids))
        return assembled([row for row, _ in made], -(-len(made) // PARTS)), [of for _, of in made]


def _ids(tokenizer: Tokenizer, texts: Sequence[str]) -> list[list[int]]:
    return [one.ids for one in tokenizer.encode_batch(list(texts), add_special_tokens=False)]


def _in_tokens(cuts: Sequence[Sequence[int]], offsets: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Sentences' places in characters as places in tokens, those without a token left out."""
    found, at = [], 0
    for _, end in cuts:
        first = at
        while at < len(offsets) and offsets[at][1] <= end:
            at += 1
        if at > first:
            found.append((first, at))
    return found
