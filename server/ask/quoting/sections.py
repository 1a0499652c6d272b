"""A section put together again from the chunks that it was cut into, so that a list can be quoted whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from server.models import Passage

# So much of a section is put together: chunks on each side of the one that was found, and characters.
MOST_NEIGHBOURS, MOST_CHARS = 4, 3000
# Of a list that is asked for whole, or searched for a subject, chunks on each side of the one that was found.
MOST_CHUNKS = 30
# Chunks that overlap share at least so many characters.
LEAST_OVERLAP = 20

# What the lines of a text are (`Passage.line_kinds`).
Kinds = tuple[str, ...]
# Passages by chunk id; those that are not there are left out.
Passages = Callable[[frozenset[int]], Mapping[int, Passage]]


@dataclass(frozen=True, slots=True)
class SectionText:
    """The text around a chunk, in its section. The chunk's own text begins at `start` of `passage.text`."""

    passage: Passage
    start: int = 0


def sections_of(passages: Sequence[Passage], others: Passages) -> dict[int, SectionText]:
    """The section of each passage, by its chunk id; `others` brings the chunks beside it."""
    own = {passage.chunk_id: passage for passage in passages}
    beside = range(-MOST_NEIGHBOURS, MOST_NEIGHBOURS + 1)
    near = frozenset(id_ + i for id_ in own for i in beside if id_ + i >= 0).difference(own)
    known = {**(others(near) if near else {}), **own}
    return {id_: _section_of(passage, known) for id_, passage in own.items()}


def whole_section(passage: Passage, passages: Passages) -> list[Passage]:
    """The chunks of its section, the first one first; `passages` brings those beside it."""
    known = chunks_beside(passage, MOST_CHUNKS, passages)
    before = list(_following(passage, known, -1))
    return [*reversed(before), passage, *_following(passage, known, 1)]


def chunks_beside(passage: Passage, most: int, passages: Passages) -> dict[int, Passage]:
    """By their ids, so many chunks at most on each side of it, of any section, and itself as it is."""
    near = range(max(0, passage.chunk_id - most), passage.chunk_id + most + 1)
    return {**passages(frozenset(near)), passage.chunk_id: passage}


def _following(passage: Passage, known: Mapping[int, Passage], step: int) -> Iterator[Passage]:
    """The chunks of its section that follow it without a gap, in one direction, the nearest first."""
    id_ = passage.chunk_id + step
    while (one := known.get(id_)) and (one.url, one.heading) == (passage.url, passage.heading):
        yield one
        id_ += step


def _section_of(passage: Passage, known: Mapping[int, Passage]) -> SectionText:
    text, kinds, start = passage.text, passage.line_kinds, 0
    before, after = (islice(_following(passage, known, step), MOST_NEIGHBOURS) for step in (-1, 1))
    for one in after:
        if len(text) + len(one.text) > MOST_CHARS:
            break
        text, kinds = _joined(text, one.text), _kinds_joined((text, kinds), (one.text, one.line_kinds))
    for one in before:
        if len(text) + len(one.text) > MOST_CHARS:
            break
        whole, kinds = _joined(one.text, text), _kinds_joined((one.text, one.line_kinds), (text, kinds))
        start += len(whole) - len(text)
        text = whole
    whole_passage = replace(passage, text=text, line_kinds=kinds)
    return SectionText(passage if text == passage.text else whole_passage, start)


def _joined(one: str, other: str) -> str:
    """Two texts that follow each other as one, what both of them have only once."""
    shared = overlap(one, other)
    return one + other[shared:] if shared else f"{one}\n{other}"


def _kinds_joined(one: tuple[str, Kinds], other: tuple[str, Kinds]) -> Kinds:
    """The kinds of the lines of both texts together; none where those of one are not known.

    Of lines that both of them have, in whole or in part, the first text's count.
    """
    (text, kinds), (below, kinds_below) = one, other
    if not kinds or not kinds_below:
        return ()
    shared = overlap(text, below)
    return kinds + (kinds_below[below.count("\n", 0, shared) + 1 :] if shared else kinds_below)


def overlap(one: str, other: str) -> int:
    """How many characters the one ends in that the other begins with; 0 for fewer than `LEAST_OVERLAP`."""
    lengths = range(min(len(one), len(other)), LEAST_OVERLAP - 1, -1)
    return next((length for length in lengths if one.endswith(other[:length])), 0)
