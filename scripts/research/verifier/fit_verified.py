"""Fit what the verifier's word counts beside the confidence, and measure what it does.

    .venv/bin/python -m scripts.research.verifier.fit_verified --work var/verifier [uci larkmoor …]

A logistic function of two log-odds (`Verification` in server/ask/quoting/verify.py), over the answers that
`quoted` kept of pages that nothing has learnt from; what a site does not say weighs half as much again, as in
`fit_confidence`. Prints it, and of these and every set named, with the confidence alone, with the verifier
as shipped, and as fitted: the AUROC of a right answer; that of a right one against one to what the site does
not say; the calibration error; and at the threshold of an answer the shares of what the site says that are
answered rightly and wrongly, of what it does not say that is answered, and the right ones less three for each
wrong, a question.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tqdm import tqdm

from scripts.logistic import Floats, fit_logistic, sigmoid
from scripts.research.answering.fit_confidence import RIDGE, UNANSWERABLE
from scripts.research.verifier.quoted import Quoted, read_quoted, weighed_by
from server.ask.quoting.verify import SHIPPED, Verification, odds_before
from server.evaluate.significance import auroc
from server.inference.encoders import Reranker
from server.ingest.topics.classifier import calibration_error
from server.settings import PROJECT, Settings

FOLDER = PROJECT / "onnx_models" / "verifier-l6-int8"
WRONG_COSTS = 3
ALONE = Verification(0.0, 1.0, 0.0)


def features(rows: Sequence[Quoted], verifier: Reranker) -> Floats:
    """(answers, 2): the log-odds of the confidence, and the verifier's."""
    return np.array(
        [
            (
                odds_before(one.confidence),
                verifier.read(one.question, [(one.place, one.said)])[0].log_odds,
            )
            for one in tqdm(rows, mininterval=10)
        ]
    )


def fit(measured: Floats, rows: Sequence[Quoted]) -> Verification:
    """The likeliest, by what is right."""
    weights = np.array([1.0 if one.answerable else UNANSWERABLE for one in rows])
    labels = np.array([float(one.right) for one in rows])
    bias, confidence, verified = fit_logistic(measured, labels, weights, ridge=RIDGE)
    return Verification(round(float(bias), 2), round(float(confidence), 2), round(float(verified), 2))


def report(name: str, measured: Floats, rows: Sequence[Quoted], fitted: Verification, least: float) -> None:
    """A row of the table without the verifier, one with it as shipped, and one as fitted."""
    right = np.array([one.right for one in rows])
    said = np.array([one.answerable for one in rows])
    for way, by in (("confidence", ALONE), ("verified", SHIPPED), ("fitted freely", fitted)):
        odds = by.bias + measured @ np.array([by.confidence, by.verified])
        shown, near = sigmoid(odds) >= least, right | ~said
        cells = [
            auroc(odds, right),
            auroc(odds[near], right[near]),
            calibration_error(sigmoid(odds), right),
            (shown & right).sum() / said.sum(),
            (shown & said & ~right).sum() / said.sum(),
            (shown & ~said).sum() / (~said).sum(),
            ((shown & right).sum() - WRONG_COSTS * (shown & ~right).sum()) / len(rows),
        ]
        print(f"| {name} | {way} | {len(rows)} | " + " | ".join(f"{one:.3f}" for one in cells) + " |")


def main() -> None:
    """Fit, print, measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("sets", nargs="*", help="sets to measure, beside those it is fitted to")
    parser.add_argument("--work", type=Path, default=Path("var/verifier"))
    given = parser.parse_args()
    verifier, least = Reranker(FOLDER), Settings().refusal_threshold
    rows = weighed_by(given.work)
    start = time.perf_counter()
    measured = features(rows, verifier)
    print(f"{(time.perf_counter() - start) * 1000 / len(rows):.1f} ms a reading")
    fitted = fit(measured, rows)
    print(f"{fitted}; shipped: {SHIPPED}")
    print("| set | by | n | AUROC | against unsaid | ECE | right | wrong | unsaid, answered | worth |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    report("kept aside", measured, rows, fitted, least)
    for name in given.sets:
        rows = read_quoted([name], given.work)
        report(name, features(rows, verifier), rows, fitted, least)


if __name__ == "__main__":
    main()
