"""Examples as the network's batches: a window of each passage, tokenised, the answer's tokens found."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import torch
from tokenizers import Tokenizer
from torch import Tensor

from scripts.research.reader.claims import Claim
from scripts.research.reader.examples import Example, Text
from server.inference.encoders import with_lead
from server.sentences import sentences

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Recipe:
    """How examples become batches. `short` is the share of passages cut to a few sentences (1 to 3).

    Negatives are drawn from the `nearest` of an example: the reader is asked about what is found first.
    """

    examples: int = 12
    negatives: int = 3
    nearest: int = 30
    unanswerable_passages: int = 2
    short: float = 0.6
    max_tokens: int = 256
    rows: int = 16  # sequences of like length that go through the network together


@dataclass(frozen=True, slots=True)
class Pair:
    """One tokenised pair. `body` is the first token of the passage's own text; answer tokens 0, 0: none."""

    ids: list[int]
    types: list[int]
    body: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Rows:
    """Sequences of like length, padded: (rows, tokens). `allowed` marks where an answer may start or end."""

    ids: Tensor
    mask: Tensor
    types: Tensor
    allowed: Tensor


@dataclass(frozen=True, slots=True)
class Batch:
    """Some examples. Everything below `parts` is per sequence, in the order of the parts' rows.

    `group` numbers the example, `positive` is 1 where the passage answers it; `span_weight` says how much its
    answer's place counts (0: it may not be learnt).
    """

    parts: list[Rows]
    group: Tensor
    positive: Tensor
    start: Tensor
    end: Tensor
    span_weight: Tensor

    @property
    def tokens(self) -> int:
        """Padded tokens, what the batch costs."""
        return sum(part.ids.numel() for part in self.parts)


def window(text: Text, rng: random.Random, short: float) -> Text:
    """The passage, or with the chance `short` one to three sentences of it, the answer's among them."""
    cuts = sentences(text.body)
    if rng.random() >= short or len(cuts) < 2:
        return text
    size = rng.choice((1, 2, 2, 3))
    holds = [i for i, (start, end) in enumerate(cuts) if start < text.end and text.start < end]
    if holds:
        first = max(0, holds[0] - rng.randrange(size))
        last = max(holds[-1], first + size - 1)
    else:
        first = rng.randrange(max(1, len(cuts) - size + 1))
        last = first + size - 1
    begin, end = cuts[first][0], cuts[min(last, len(cuts) - 1)][1]
    if text.start < 0:
        return Text(text.lead, text.body[begin:end])
    return Text(text.lead, text.body[begin:end], text.start - begin, text.end - begin)


def tokenised(tokenizer: Tokenizer, question: str, text: Text) -> Pair:
    """`[CLS] question [SEP] lead, body [SEP]` and where in it the answer lies."""
    whole, lead = with_lead(text.lead, text.body)
    encoding = tokenizer.encode(question, whole)
    body, start, end = len(encoding.ids) - 1, 0, 0
    for i, (offset, type_) in enumerate(zip(encoding.offsets, encoding.type_ids, strict=True)):
        if not type_ or offset[0] == offset[1]:
            continue
        if offset[0] >= lead:
            body = min(body, i)
        if text.start >= 0:
            if offset[0] <= text.start + lead < offset[1]:
                start = i
            if offset[0] < text.end + lead <= offset[1]:
                end = i
    if not start or not end:
        start = end = 0
    return Pair(encoding.ids, encoding.type_ids, body, start, end)


def batch(examples: Sequence[Example], tokenizer: Tokenizer, recipe: Recipe, rng: random.Random) -> Batch:
    """Each example's passage that answers it and some that do not, or only the latter."""
    rows: list[tuple[Pair, int, int, float]] = []
    for group, example in enumerate(examples):
        wanted = recipe.negatives if example.positives else recipe.unanswerable_passages
        near = example.negatives[: recipe.nearest]
        picked = some_of(near, wanted, rng, nearest=not example.positives)
        texts = [(rng.choice(example.positives), 1)] if example.positives else []
        for text, positive in [*texts, *((text, 0) for text in picked)]:
            sequence = tokenised(tokenizer, example.question, window(text, rng, recipe.short))
            weight = span_weight(sequence, positive, spans=example.spans, answered=bool(example.positives))
            rows.append((sequence, group, positive, weight))
    rows.sort(key=lambda row: len(row[0].ids))
    return assembled(rows, recipe.rows)


def some_of(negatives: Sequence[T], wanted: int, rng: random.Random, *, nearest: bool) -> list[T]:
    """Some of the passages that do not answer; with `nearest` the first of them is always among these."""
    picked = rng.sample(negatives, min(wanted, len(negatives)))
    if nearest and negatives and negatives[0] not in picked:
        picked[0] = negatives[0]
    return picked


def assembled(rows: Sequence[tuple[Pair, int, int, float]], size: int) -> Batch:
    """The batch of rows (sequence, its example's number, 1 where it answers, what its place counts), in their
    order; `size` sequences a part."""
    parts = [rows[i : i + size] for i in range(0, len(rows), size)]
    return Batch(
        [padded([row[0] for row in part]) for part in parts],
        torch.tensor([row[1] for row in rows]),
        torch.tensor([float(row[2]) for row in rows]),
        torch.tensor([row[0].start for row in rows]),
        torch.tensor([row[0].end for row in rows]),
        torch.tensor([row[3] for row in rows]),
    )


def span_weight(sequence: Pair, positive: int, *, spans: bool, answered: bool) -> float:
    """A found answer counts in full, "none" less, or it would be the answer to everything.

    `spans`: places may be learnt of its example at all; `answered`: a passage of that answers it.
    """
    if not spans:
        return 0.0
    if positive:
        return 1.0 if sequence.start else 0.0
    return 0.25 if answered else 0.5


def padded(sequences: Sequence[Pair]) -> Rows:
    """Sequences as tensors of one width."""
    width = max(len(sequence.ids) for sequence in sequences)
    ids, mask, types, allowed = (torch.zeros(len(sequences), width, dtype=torch.long) for _ in range(4))
    for i, sequence in enumerate(sequences):
        length = len(sequence.ids)
        ids[i, :length] = torch.tensor(sequence.ids)
        types[i, :length] = torch.tensor(sequence.types)
        mask[i, :length] = 1
        allowed[i, 0] = 1
        allowed[i, sequence.body : length - 1] = 1
    return Rows(ids, mask, types, allowed.bool())


@dataclass(frozen=True, slots=True)
class ClaimBatch:
    """Claims beside their texts, and what each text says: `verdict` (claims,), in the order of the rows."""

    parts: list[Rows]
    verdict: Tensor


def claim_batch(claims: Sequence[Claim], tokenizer: Tokenizer, rows: int) -> ClaimBatch:
    """The claims as the reader sees them, those of like length together."""
    made = [(tokenised(tokenizer, one.claim, Text("", one.text)), one.verdict) for one in claims]
    made.sort(key=lambda row: len(row[0].ids))
    parts = [padded([pair for pair, _ in made[i : i + rows]]) for i in range(0, len(made), rows)]
    return ClaimBatch(parts, torch.tensor([int(verdict) for _, verdict in made]))


def plan(sources: Sequence[tuple[str, Sequence[Example], float]], seed: int) -> Iterator[list[Example]]:
    """The order of learning: each row is (stage, examples, passes); rows of one stage are mixed.

    A share of a pass takes that share of the examples, drawn by `seed`.
    """
    rng = random.Random(seed)
    for stage in dict.fromkeys(stage for stage, _, _ in sources):
        order: list[Example] = []
        for _, examples, passes in (row for row in sources if row[0] == stage):
            usable = [e for e in examples if (e.positives if e.answerable else e.negatives)]
            whole, share = divmod(passes, 1.0)
            for _ in range(int(whole)):
                order += rng.sample(usable, len(usable))
            order += rng.sample(usable, round(len(usable) * share))
        rng.shuffle(order)
        yield order
