"""Fit the confidence in an extractive answer: how likely it is right, by what was measured on the way.

    python -m scripts.research.answering.fit_confidence quennell=var/quennell.jsonl
        tamsettferry=var/tamsettferry.jsonl
        handbook=var/handbook.jsonl [larkmoor] [--off-topic F] [--check] [--strategy hybrid+rerank]

Asks the visitors' questions of those pages that nothing was learnt from (`is_kept_aside`), none refused, and
takes an answer for right that has the words that answer, or most of the quote's. A question that the site
does not answer is answered wrong, and so is one of `--off-topic`, of which each set is asked a few. Fits a
logistic model to each combination of measures, with weights of 0 or more: a better measure is never worse
evidence. What a site does not say weighs half as much again. Prints AUROC and expected calibration error by
five folds of pages, and, with `--check`, those on the demo's working half, where the fit has not seen it.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from corpus.visitors.sets import PageQuestion, read_page_questions
from scripts.data_files import read_rows
from scripts.logistic import Floats, fit_logistic, sigmoid
from scripts.research.reader.mining import find_words, holds_most
from scripts.research.retrieval.measure_retrieval import (
    Asked,
    ask_with_trace,
    larkmoor_questions,
    page_questions,
)
from server.evaluate.questions import holds_all
from server.evaluate.significance import auroc
from server.ingest.topics.classifier import calibration_error
from server.models import Answer
from server.settings import Settings
from server.wiring.measuring import open_ground

COMBINATIONS = (
    ("words",),
    ("words", "cosine"),
    ("words", "late"),
    ("words", "relevance"),
    ("marked", "lead"),
    ("marked", "lead", "late"),
    ("marked", "lead", "late", "cosine"),
    ("marked", "lead", "late", "relevance"),
    ("marked", "lead", "late", "late_lead", "relevance"),
    ("marked", "lead", "late", "cosine", "words", "relevance"),
    ("words", "cosine", "late"),
    ("words", "cosine", "late", "late_lead"),
)
FOLDS, RIDGE = 5, 1e-2
# So many of a site's questions are none of its business.
OFF_TOPIC = 0.1
# An answer to what the site does not say does more harm than a wrong one to what it says.
UNANSWERABLE = 1.5


@dataclass(frozen=True, slots=True)
class Judged:
    """An answer: what was measured on the way, whether it is right, and its question's page."""

    measures: dict[str, float]
    right: bool
    answerable: bool
    page: str


def judged_answers(
    settings: Settings,
    pages: Path | None,
    questions: Sequence[tuple[Asked, PageQuestion | None]],
    strategy: str,
) -> Iterator[Judged]:
    """Every question that was answered, none being refused for want of evidence."""
    with open_ground(settings, pages) as ground:
        ground.prepare(print, print)
        asker = ground.asker(settings)
        for one, row in questions:
            answer, trace = ask_with_trace(asker, one, strategy)
            extracted = [step for step in trace.steps if step.step == "extract"]
            if answer.refused or len(extracted) != 1 or "words" not in extracted[0].notes:
                continue
            notes = extracted[0].notes
            measures = {
                name: float(notes[name]) for name in {n for c in COMBINATIONS for n in c} & set(notes)
            }
            right = one.answerable and is_right(answer, one, row)
            yield Judged(measures, right, one.answerable, min(one.urls, default=""))


def is_right(answer: Answer, one: Asked, row: PageQuestion | None) -> bool:
    """Whether the answer says what the question's writer found on the page."""
    if row is None:
        return holds_all(answer.answer, one.must_have)
    short = row.cell or row.answer
    return bool(find_words(answer.answer, short)) or holds_most(answer.answer, row.quote)


def fit(features: Floats, labels: Floats, weights: Floats) -> Floats:
    """Coefficients, the bias first; a measure whose weight would be negative is left out (0)."""
    kept = list(range(features.shape[1]))
    while True:
        beta = fit_logistic(features[:, kept], labels, weights, ridge=RIDGE)
        if not kept or beta[1:].min() >= 0:
            break
        kept.pop(int(np.argmin(beta[1:])))
    found = np.zeros(features.shape[1] + 1)
    found[[0, *(i + 1 for i in kept)]] = beta
    return found


def report(names: Sequence[str], rows: Sequence[Judged], check: Sequence[Judged]) -> None:
    """One combination: figures over folds, coefficients of the whole, figures of another site."""
    rows = [row for row in rows if set(names) <= set(row.measures)]
    if not rows:
        return
    features, labels = _arrays(names, rows)
    weights = np.array([1.0 if row.answerable else UNANSWERABLE for row in rows])
    folds = np.array([hash_of(row.page) % FOLDS for row in rows])
    held_out = np.empty(len(rows))
    for fold in range(FOLDS):
        inside = folds != fold
        beta = fit(features[inside], labels[inside], weights[inside])
        held_out[~inside] = beta[0] + features[~inside] @ beta[1:]
    beta = fit(features, labels, weights)
    told = ", ".join(f'"{name}": {weight:.2f}' for name, weight in zip(names, beta[1:], strict=True))
    print(f"EvidenceModel({beta[0]:.2f}, {{{told}}})")
    print(f"  folds: {_figures(held_out, labels)}")
    if other := [row for row in check if set(names) <= set(row.measures)]:
        features, labels = _arrays(names, other)
        print(f"  check: {_figures(beta[0] + features @ beta[1:], labels)}")


def _arrays(names: Sequence[str], rows: Sequence[Judged]) -> tuple[Floats, Floats]:
    features = np.array([[row.measures[name] for name in names] for row in rows])
    return features, np.array([float(row.right) for row in rows])


def _figures(odds: Floats, labels: Floats) -> str:
    probabilities = sigmoid(odds)
    error = calibration_error(probabilities, labels > 0)
    cuts = []
    for least in (0.2, 0.3, 0.4, 0.5):
        shown = probabilities >= least
        right, wrong = (labels[shown] > 0).mean() if shown.any() else 0.0, shown.mean()
        cuts.append(f"≥{least}: {wrong:.2f} shown, {right:.2f} of them right")
    share = labels.mean()
    return (
        f"n {len(labels)}, right {share:.3f}, AUROC {auroc(odds, labels > 0):.3f}, ECE {error:.3f}; "
        + "; ".join(cuts)
    )


def hash_of(page: str) -> int:
    """The same for the same page, in every process."""
    return int.from_bytes(page.encode()[-8:], "big")


def questions_of(name: str) -> list[tuple[Asked, PageQuestion | None]]:
    """A set's questions over pages that nothing was learnt from; of the demo its working half."""
    if name == "larkmoor":
        return [(one, None) for one in larkmoor_questions("work")]
    rows = {row.id: row for row in read_page_questions(name)}
    return [(one, rows[one.id]) for one in page_questions(name, {}, unseen=True)]


def off_topic(file: Path, count: int) -> list[tuple[Asked, PageQuestion | None]]:
    """So many of a file's questions, spread over it, each as of a page of its own."""
    rows = read_rows(file)
    return [
        (Asked(row["id"], row["question"], "off_topic", False, frozenset([row["id"]]), ()), None)
        for row in rows[:: max(1, len(rows) // count)]
    ]


def main() -> None:
    """Ask, fit, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "sets", nargs="+", metavar="SET=PAGES", help="a set and its pages file; larkmoor alone: LODGE_HOME"
    )
    parser.add_argument("--off-topic", type=Path, help="questions that no site answers")
    parser.add_argument("--check", action="store_true", help="also over the demo site of LODGE_HOME")
    parser.add_argument("--strategy", default="hybrid+rerank")
    given = parser.parse_args()
    settings = replace(Settings.read(os.environ), refusal_threshold=0.0)
    rows: list[Judged] = []
    for one in given.sets:
        name, _, pages = one.partition("=")
        questions = questions_of(name)
        if given.off_topic:
            questions += off_topic(given.off_topic, round(OFF_TOPIC * len(questions)))
        rows += judged_answers(settings, Path(pages) if pages else None, questions, given.strategy)
        print(name, len(rows), file=sys.stderr)
    check = (
        list(judged_answers(settings, None, questions_of("larkmoor"), given.strategy)) if given.check else []
    )
    for names in COMBINATIONS:
        report(names, rows, check)


if __name__ == "__main__":
    main()
