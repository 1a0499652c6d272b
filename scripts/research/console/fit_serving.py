"""Fit how likely an editor's answer serves who asked something similar, and from where on it is shown.

    .venv/bin/python -m scripts.research.console.fit_serving

Prints the weights of `SERVING` in server/ask/paraphraser.py, and the least likelihood `SERVES`. The weights
come from *aside* of corpus/asked_alike.jsonl, its answers with eight ways to ask, and from what visitors
asked of one other university, each question beside the answers that are nearest to it. The least likelihood
is the lowest hundredth at which few enough of the past questions of two universities are given or shown what
does not serve them, as somebody has judged by hand (corpus/curated_similar.jsonl); what nobody has judged
counts as if it did not. *Blind* is only measured.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from corpus.visitors.sets import read_page_questions
from scripts.data_files import read_rows
from scripts.logistic import fit_logistic, sigmoid
from scripts.research.console.measure_curated import (
    EDITORS_PHRASINGS,
    FALSE_MATCHES,
    OTHERS,
    SIMILAR_JUDGED,
    TODAY,
    in_ways,
)
from scripts.research.paraphraser.sources import alike_part
from server.ask.conversation.paraphrase import read
from server.ask.conversation.spelling import PhrasingWords
from server.ask.curated import TriedAnswer, heard_question, heard_ways
from server.ask.paraphraser import SERVING, Paraphraser, serving_measures
from server.ask.ports import Vector
from server.settings import Settings
from server.wiring.flow import build_embedder, build_paraphraser, build_verifier

RIDGE = 1.0
FITTED_ON = "hartsgrove"


@dataclass(frozen=True)
class Beside:
    """A question beside an answer: of which set, whether it serves, whether it is given outright or may not
    be shown, and the measures."""

    source: str
    question: str
    serves: bool
    given: bool
    apart: bool
    known: Mapping[str, float]


class Weighing:
    """Weighs questions as the flow would."""

    def __init__(self, paraphraser: Paraphraser, rows: Sequence[Mapping[str, Any]]) -> None:
        self.paraphraser, self.embedder = paraphraser, paraphraser.embedder
        self.words = PhrasingWords(heard_ways([way for row in rows for way in row["phrasings"]]))
        self.answers = {
            row["id"]: TriedAnswer(row["phrasings"], row["answer"], self.embedder) for row in rows
        }

    def nearest(self, question: str) -> list[str]:
        """The answers (ids) that would be weighed for it."""
        text = heard_question(question, self.words, self.embedder)
        vector = self.embedder.embed_question(text)
        ids = list(self.answers)
        best = [max(self.answers[own].beside(text, vector).cosines) for own in ids]
        return [ids[i] for i in self.paraphraser.worth_weighing(best)]

    def weigh(self, source: str, question: str, own: str, *, serves: bool) -> Beside:
        """The question beside the answer of that id."""
        text = heard_question(question, self.words, self.embedder)
        one = self.answers[own].beside(text)
        told = self.paraphraser.readings(read(text), one, TODAY)
        known = serving_measures(read(text), one, told)
        known |= {"verified": self.paraphraser.verified(text, one.answer)}
        given = any(each.same for each in told)
        return Beside(source, question, serves, given, all(each.apart for each in told), known)


def collect(paraphraser: Paraphraser) -> Iterator[Beside]:
    """Every question of both parts beside its own answer, and past questions beside the nearest."""
    parts = {part: in_ways(alike_part(part), EDITORS_PHRASINGS[-1]) for part in ("aside", "blind")}
    weighing = Weighing(paraphraser, [row for rows in parts.values() for row in rows])
    for part, rows in parts.items():
        for row in rows:
            for question in row["same"]:
                yield weighing.weigh(part, question, row["id"], serves=True)
    judged = {(row["question"], row["answer"]): row["serves"] for row in read_rows(SIMILAR_JUDGED)}
    for site in OTHERS:
        for question in sorted({row.question for row in read_page_questions(site)}):
            for own in weighing.nearest(question):
                serves = judged.get((question, own), "no") != "no"
                yield weighing.weigh(site, question, own, serves=serves)


def features(found: Sequence[Beside]) -> Vector:
    """A row for each, in the order of the weights."""
    return np.array([[one.known[name] for name in SERVING.weights] for one in found])


def fit(found: Sequence[Beside]) -> tuple[float, dict[str, float]]:
    """The bias and the weights, on measures of unit variance."""
    given = features(found)
    mean, spread = given.mean(axis=0), given.std(axis=0)
    serves = np.array([one.serves for one in found], float)
    beta = fit_logistic((given - mean) / spread, serves, ridge=RIDGE)
    weights = beta[1:] / spread
    bias = float(beta[0] - mean @ weights)
    return bias, dict(zip(SERVING.weights, weights.tolist(), strict=True))


def main() -> None:
    """Print the weights, the least likelihood, and what they do."""
    settings = Settings.read(os.environ)
    embedder = build_embedder(settings)
    found = list(collect(build_paraphraser(settings, embedder, build_verifier(settings))))
    bias, weights = fit([one for one in found if one.source in ("aside", FITTED_ON)])
    print(f"bias {bias:.2f}", {name: round(weight, 2) for name, weight in weights.items()})
    likely = sigmoid(features(found) @ np.array([*weights.values()]) + bias)
    asked = sum(len({row.question for row in read_page_questions(site)}) for site in OTHERS)
    for hundredth in range(80, 100):
        least = hundredth / 100
        shown = [
            one for one, p in zip(found, likely, strict=True) if one.given or (p >= least and not one.apart)
        ]
        wrong = {one.question for one in shown if one.source in OTHERS and not one.serves}
        share = len(wrong) / asked
        parts = [sum(one.source == part for one in shown) for part in ("aside", "blind")]
        print(f"{least:.2f}: do not serve {len(wrong)} of {asked} ({share:.4f}); aside, blind shown {parts}")
        if share <= FALSE_MATCHES:
            return


if __name__ == "__main__":
    main()
