"""How near an answer's words come to the reference answers, in the manner of SQuAD."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

_SOURCE_MARK = re.compile(r"\s*\[\d+\]")


def without_marks(answer: str) -> str:
    """An answer's own words: the `[n]` that name its sources are no part of what it says."""
    return _SOURCE_MARK.sub("", answer)


def normalised(text: str) -> str:
    """Lower case, no punctuation, no English articles, single spaces: SQuAD's normalisation.

    Source: the evaluation script of Rajpurkar et al., 2016. Theirs knows ASCII punctuation only; here the
    typographic marks and symbols that web pages are full of go as well.
    """
    text = unicodedata.normalize("NFKC", text).lower()
    text = re.sub(r"[^\w\s]|_", "", text)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())


def answer_scores(answer: str, references: Sequence[str]) -> dict[str, float]:
    """`em`, `f1`, `precision` and `recall` of tokens, and `answer_contains`, each 0 to 1.

    Each is the best over the references, but `precision` and `recall` are those of the reference with the
    best F1, so that the three belong together. `references` must not be empty.
    """
    overlap = max((_overlap(answer, reference) for reference in references), key=lambda overlap: overlap.f1)
    return {
        "em": float(any(normalised(answer) == normalised(reference) for reference in references)),
        "f1": overlap.f1,
        "precision": overlap.precision,
        "recall": overlap.recall,
        "answer_contains": float(contains_any(answer, references)),
    }


def contains_any(text: str, references: Sequence[str]) -> bool:
    """Whether a normalised reference occurs in the normalised text, as whole words ("5" is not in "2015").

    A reference of which nothing is left ("A", "the") occurs nowhere.
    """
    padded = f" {normalised(text)} "
    return any(f" {reference} " in padded for reference in map(normalised, references) if reference)


@dataclass(frozen=True, slots=True)
class _Overlap:
    precision: float
    recall: float

    @property
    def f1(self) -> float:
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def _overlap(answer: str, reference: str) -> _Overlap:
    """Token precision and recall. Two texts of which nothing is left agree, as SQuAD 2.0 has it."""
    found, wanted = normalised(answer).split(), normalised(reference).split()
    if not found or not wanted:
        agree = float(found == wanted)
        return _Overlap(agree, agree)
    common = (Counter(found) & Counter(wanted)).total()
    return _Overlap(common / len(found), common / len(wanted))
