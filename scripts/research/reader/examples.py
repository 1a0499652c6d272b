"""What is learnt from: a question with passages that answer it and passages that do not; and its file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Text:
    """A passage as the reader sees it: `lead` (title and headings) and the chunk's text, in that order.

    `start` and `end` bound the answer in `body`, in characters; -1: it holds none, or none to be learnt.
    """

    lead: str
    body: str
    start: int = -1
    end: int = -1


@dataclass(frozen=True, slots=True)
class Example:
    """A question, the passages that answer it, and passages that do not, nearest first.

    An answerable one may be without a passage: its page was a double, or a cut ran through the answer. A rank
    is the passage's place in what retrieval brought, from 1; 0: it was not among that.
    """

    id: str
    source: str
    question: str
    answerable: bool
    spans: bool
    positives: tuple[Text, ...]
    negatives: tuple[Text, ...]
    positive_ranks: tuple[int, ...] = ()
    negative_ranks: tuple[int, ...] = ()


def write_examples(examples: Iterator[Example], file: Path) -> None:
    """A JSON line an example; the file appears only when it is whole."""
    unfinished = file.with_suffix(".unfinished")
    with unfinished.open("w", encoding="utf-8") as lines:
        for example in examples:
            lines.write(json.dumps(asdict(example), ensure_ascii=False) + "\n")
    unfinished.rename(file)


def read_examples(file: Path) -> list[Example]:
    """What `write_examples` wrote."""
    with file.open(encoding="utf-8") as lines:
        return [_read(json.loads(line)) for line in lines]


def _read(row: dict[str, Any]) -> Example:
    for name in ("positives", "negatives"):
        row[name] = tuple(Text(**text) for text in row[name])
    return Example(**row)
