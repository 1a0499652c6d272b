"""Measure what the masking of personal data finds, misses and masks wrongly, on `corpus/personal_data.jsonl`.

.venv/bin/python -m scripts.research.measure_masking [--show]

The patterns were written with the half `tune` in view; the half `measure` is only measured. `--show` prints
what goes wrong in `tune`.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from server.masking import Masker

SET = Path(__file__).resolve().parents[2] / "corpus" / "personal_data.jsonl"
HALVES = ("tune", "measure", "tune-typography", "measure-typography")
_MASK = re.compile(r"\[([a-z][a-z -]*) \d+\]")

Span = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A visitor's sentence; `personal` holds (start, end, kind) of what is personal in it."""

    half: str
    text: str
    personal: tuple[Span, ...]


@dataclass(slots=True)
class Tally:
    """Counts by kind: `found` (nothing of it is left), `named` (of these, by the right kind), `missed`.

    `wrong` counts masks that stand on nothing personal, by their kind; `maimed` are sentences with no
    personal data that were changed, of `plain` in all.
    """

    found: Counter[str] = field(default_factory=Counter)
    named: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    plain: int = 0
    maimed: int = 0
    shown: list[str] = field(default_factory=list)

    @property
    def recall(self) -> float:
        """The share of what is personal that was masked."""
        return self.found.total() / max(1, self.found.total() + self.missed.total())

    @property
    def precision(self) -> float:
        """The share of the masks that stand on something personal."""
        return self.found.total() / max(1, self.found.total() + self.wrong.total())


def sentences(path: Path = SET) -> list[Sentence]:
    """The committed set."""
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [
        Sentence(row["half"], row["text"], tuple((a, b, kind) for a, b, kind in row["personal"]))
        for row in rows
    ]


def masks_of(text: str, masked: str) -> list[Span]:
    """Where in a text its masks stand: what is between them is the text's own."""
    spans, at = [], 0
    pieces = _MASK.split(masked)
    for number in range(1, len(pieces), 2):
        start = at + len(pieces[number - 1])
        following = pieces[number + 1]
        at = text.index(following, start + 1) if following else len(text)
        if number + 2 == len(pieces):
            at = len(text) - len(following)
        spans.append((start, at, pieces[number]))
    return spans


def tally_of(those: list[Sentence]) -> Tally:
    """What became of these sentences. Personal data counts as found when all of it is under masks."""
    tally = Tally()
    for sentence in those:
        masked = Masker().masked(sentence.text)
        masks = masks_of(sentence.text, masked)
        _count(tally, sentence, masks)
        tally.plain += not sentence.personal
        tally.maimed += not sentence.personal and bool(masks)
        if [kind for *_, kind in masks] != [kind for *_, kind in sentence.personal]:
            tally.shown.append(f"{sentence.text}\n    {masked}")
    return tally


def _count(tally: Tally, sentence: Sentence, masks: list[Span]) -> None:
    for start, end, kind in sentence.personal:
        over = [mask for mask in masks if mask[0] < end and start < mask[1]]
        left = "".join(
            one
            for place, one in enumerate(sentence.text[start:end], start)
            if not any(a <= place < b for a, b, _ in over)
        )
        if any(one.isalnum() for one in left):
            tally.missed[kind] += 1
        else:
            tally.found[kind] += 1
            tally.named[kind] += any(mask[2] == kind for mask in over)
    for start, end, kind in masks:
        if not any(start < b and a < end for a, b, _ in sentence.personal):
            tally.wrong[kind] += 1


def main() -> None:
    """Print the figures of both halves."""
    everything = sentences()
    for half in HALVES:
        tally = tally_of([one for one in everything if one.half == half])
        print(f"{half}: recall {tally.recall:.3f}, precision {tally.precision:.3f};", end=" ")
        print(f"{tally.maimed} of {tally.plain} sentences without personal data changed")
        print(f"  {'kind':<16}{'found':>7}{'so named':>10}{'missed':>8}{'wrongly':>9}")
        for kind in sorted({*tally.found, *tally.missed, *tally.wrong}):
            counts = (tally.found[kind], tally.named[kind], tally.missed[kind], tally.wrong[kind])
            print("  {:<16}{:>7}{:>10}{:>8}{:>9}".format(kind, *counts))
        if half == "tune" and "--show" in sys.argv:
            print("\n".join(tally.shown))


if __name__ == "__main__":
    main()
