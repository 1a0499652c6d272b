"""Fit what the extractive answer goes by: the weights of a sentence's measures, and the evidence model.

    LODGE_DATA=../shared/data .venv/bin/python -m scripts.research.answering.fit_answer [squad doc2dial
        quennell …]

Answerable questions: those of half of the SQuAD articles that no model of ours learnt from, whose pages are
indexed; first turns of doc2dial. Unanswerable: those of the other half, whose pages are not; off-topic ones;
those of SQuAD 2.0 that are beside the point of indexed pages. Visitors' questions over our own sites, of the
pages that nothing was learnt from. Nothing of the demo university is seen, so its golden questions are a fair
test. Where `LODGE_RERANKER` names a reader, it has read the passages. Prints
figures, and the coefficients that stand in server/ask/quoting/score.py and confidence.py.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

from scripts.data_files import read_rows
from scripts.logistic import Floats, fit_logistic
from scripts.research.reader.mining import holds_most
from scripts.research.reader.sources import OWN_SITES, VALIDATION_ARTICLES, own_site_visitors, paragraphs
from server.ask.context import RerankOptions, RetrieveOptions, parse_strategy
from server.ask.ports import CrossEncoder
from server.ask.quoting import choose as choosing
from server.ask.quoting import score as scoring
from server.ask.quoting.confidence import evidence_measures
from server.ask.quoting.score import QuestionFeatures, ScoredSentence, SentenceWeights, expected_answer_types
from server.ask.rerank import rerank
from server.ask.retrieve import retrieve
from server.ask.trace import OpenStep, TraceLog
from server.evaluate.questions import contains_any
from server.evaluate.significance import auroc
from server.index.search import Index
from server.inference.encoders import Embedder
from server.settings import Settings
from server.wiring.flow import build_embedder, build_reranker
from server.wiring.measuring import cached_snapshot

SEED = 20261122
SAMPLE = 400
RIDGE = 0.5
PASSAGES = 5


@dataclass(frozen=True)
class Asked:
    """One question, every sentence that could answer it, and whether it can be answered."""

    question: dict[str, Any]
    quoted: list[ScoredSentence]
    measures: dict[str, float]
    answerable: bool


def sets(
    data: Path,
) -> Iterator[tuple[str, list[dict[str, Any]], list[dict[str, Any]], list[dict[str, Any]]]]:
    """(name, pages, answerable, unanswerable) for each collection."""
    rng = random.Random(SEED)
    pages, questions = read_rows(data / "squad/pages.jsonl.gz"), read_rows(data / "squad/questions.jsonl.gz")
    inside, outside = set(VALIDATION_ARTICLES[::2]), set(VALIDATION_ARTICLES[1::2])
    indexed = [page for page in pages if page["url"].split("/")[3] not in outside]
    off_topic = rng.sample(read_rows(data / "off-topic/questions.jsonl.gz"), SAMPLE)
    known = [q for q in questions if q["gold_urls"][0].split("/")[3] in inside]
    unknown = [q for q in questions if q["gold_urls"][0].split("/")[3] in outside]
    third = SAMPLE // 3
    unanswerable = [
        *rng.sample(unknown, third),
        *off_topic[:third],
        *rng.sample(list(beside_the_point(data, inside)), third),
    ]
    yield "squad", indexed, rng.sample(known, SAMPLE), unanswerable
    first_turns = [q for q in read_rows(data / "doc2dial/questions.jsonl.gz") if not q.get("history")]
    pages = read_rows(data / "doc2dial/pages.jsonl.gz")
    yield "doc2dial", pages, first_turns[:SAMPLE], off_topic[third:]
    for name in OWN_SITES:
        source = own_site_visitors(name, kept_aside=True)
        asked = [
            {"question": one.question, "answers": [text for text, _ in one.answers], "quote": one.quote}
            for one in source.asked
        ]
        yield (
            name,
            list(source.pages),
            [one for one in asked if one["answers"]],
            [one for one in asked if not one["answers"]],
        )


def beside_the_point(data: Path, titles: set[str]) -> Iterator[dict[str, Any]]:
    """SQuAD 2.0's unanswerable questions on articles of these titles."""
    for title, _, paragraph in paragraphs(data / "squad/open-v2.0.json.gz"):
        for qa in paragraph["qas"] if title in titles else ():
            if qa["is_impossible"]:
                yield {"question": qa["question"], "answers": []}


def ask_all(  # noqa: PLR0913, PLR0917  (all that a question meets)
    settings: Settings,
    index: Index,
    embedder: Embedder,
    reader: CrossEncoder | None,
    questions: Sequence[dict[str, Any]],
    answerable: bool,
) -> list[Asked]:
    """Retrieve for each question, have it read, and measure every sentence."""
    strategy, asked = parse_strategy("hybrid"), []
    options = RetrieveOptions(alpha=settings.fusion_alpha, late_interaction=settings.late_interaction)
    for question in questions:
        text = question["question"]
        vector, tokens = embedder.encode_question(text)
        found = retrieve(text, vector, strategy, options, index, TraceLog(), tokens=tokens)
        if reader is not None:
            found = rerank(text, found, reader, RerankOptions(), OpenStep())
        found = found[:PASSAGES]
        wanted = QuestionFeatures(
            index.text.word_weights(text), expected_answer_types(text), index.text.stems
        )
        quoted = scoring.score_sentences(found, wanted)
        if quoted:
            measures = evidence_measures(found, wanted)
            asked.append(Asked(question, quoted, measures, answerable))
    return asked


def share_right(
    asked: Sequence[Asked], weights: SentenceWeights, nearly: float
) -> tuple[float, float, float]:
    """Shares with the answer in the first sentence, and in all quoted; sentences a question."""
    first, quoted, lengths = 0, 0, 0
    for one in asked:
        ranked = sorted(one.quoted, key=lambda quote: -quote.score(weights))
        least = nearly * ranked[0].score(weights)
        kept = [quote for quote in ranked[: choosing.MAX_SENTENCES] if quote.score(weights) >= least]
        first += says(ranked[0].text, one.question)
        quoted += says(" ".join(quote.text for quote in kept), one.question)
        lengths += len(kept)
    return first / len(asked), quoted / len(asked), lengths / len(asked)


def says(text: str, question: dict[str, Any]) -> bool:
    """Whether a text has an answer, or most of the words of the quote it stands in."""
    quote = question.get("quote", "")
    return contains_any(text, question["answers"]) or bool(quote and holds_most(text, quote))


def fit_balanced(features: Floats, labels: Floats) -> Floats:
    """Coefficients, the bias first; with a small ridge, and classes weigh the same."""
    balance = np.where(labels == 1, 0.5 / labels.mean(), 0.5 / (1 - labels.mean()))
    return fit_logistic(features, labels, balance, ridge=1e-3)


def report_weights(name: str, asked: Sequence[Asked]) -> None:
    """The best weights of a grid, and the shipped ones."""
    marked = (0.0, 0.5, 1.0, 2.0, 4.0) if any(q.marked for one in asked for q in one.quoted) else (0.0,)
    grid = itertools.product((0.1, 0.3), (0.0, 0.25, 0.75, 1.5), (0.0, 0.2), marked)
    rows = [
        (*share_right(asked, weights, choosing.NEARLY), weights)
        for weights in itertools.starmap(_weights, grid)
    ]
    best = sorted(rows, key=lambda row: -row[0])[:5]
    for first, quoted, length, weights in [
        *best,
        (*share_right(asked, scoring.WEIGHTS, choosing.NEARLY), scoring.WEIGHTS),
    ]:
        print(f"{name}: first {first:.3f}, quoted {quoted:.3f}, {length:.2f} sentences: {weights}")


MEASURES = ("words", "heading", "share", "fits", "marked")


def report_fit(sites: Mapping[str, Sequence[Asked]]) -> None:
    """Weights, in those of `words`, by which the sentences that answer are the likeliest of each question
    (a conditional logit), fitted without each site and to all; with the shares on the site left out."""
    for name in [*sites, "all"]:
        rows = [one for other, asked in sites.items() if other != name for one in asked]
        fitted = _conditional_logit(rows)
        heading, passage, kind, marked = (float(weight / fitted[0]) for weight in fitted[1:])
        weights = _weights(heading, passage, kind, marked)
        shares = share_right(sites.get(name, rows), weights, choosing.NEARLY)
        told = f"without {name}:" if name in sites else "all:"
        print(told, weights, *(f"{share:.3f}" for share in shares))


def _conditional_logit(asked: Sequence[Asked]) -> Floats:
    """One coefficient a measure; of questions that some sentences answer and others do not."""
    rows = []
    for one in asked:
        right = np.array([says(quote.text, one.question) for quote in one.quoted])
        if right.any() and not right.all():
            rows.append((np.array([[float(getattr(q, m)) for m in MEASURES] for q in one.quoted]), right))

    def loss(beta: Floats) -> tuple[float, Floats]:
        total, slope = float(RIDGE * beta @ beta), 2 * RIDGE * beta
        for features, right in rows:
            odds = features @ beta
            chances = np.exp(odds - odds.max())
            chances /= chances.sum()
            of_right = chances * right
            total -= np.log(of_right.sum())
            slope -= features.T @ (of_right / of_right.sum() - chances)
        return total, slope

    fitted: Floats = minimize(loss, np.zeros(len(MEASURES)), jac=True, method="L-BFGS-B").x
    return fitted


def _weights(heading: float, passage: float, kind: float, marked: float) -> SentenceWeights:
    return SentenceWeights(1.0, heading, passage, kind, marked, scoring.WEIGHTS.day)


def main() -> None:
    """Ask, fit, print."""
    settings = Settings.read(os.environ)
    embedder, reader = build_embedder(settings), build_reranker(settings)
    everything: list[list[Asked]] = []
    own_sites: dict[str, Sequence[Asked]] = {}
    only = set(sys.argv[1:])
    for name, pages, answerable, unanswerable in sets(Path(os.environ["LODGE_DATA"])):
        if only and name not in only:
            continue
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            file.writelines(json.dumps(page) + "\n" for page in pages)
            file.flush()
            current = cached_snapshot(settings, Path(file.name), embedder, print)
        index = Index(current.parent / current.readlink().name)
        good = ask_all(settings, index, embedder, reader, answerable, True)
        everything.append(good + ask_all(settings, index, embedder, reader, unanswerable, False))
        asked = [one for one in good if one.question["answers"]]
        report_weights(name, asked)
        if name in OWN_SITES:
            own_sites[name] = asked
        index.close()
    report_fit(own_sites)
    combinations = [("cosine", "words"), ("words",)]
    if reader is not None:
        combinations += [("relevance",), ("relevance", "margin"), ("relevance", "cosine", "words")]
    for columns in combinations:
        for asked in [*everything, list(itertools.chain(*everything))]:
            features = np.array([[one.measures[c] for c in columns] for one in asked])
            positive = np.array([one.answerable for one in asked])
            beta = fit_balanced(features, positive.astype(float))
            singles = {c: round(auroc(features[:, i], positive), 3) for i, c in enumerate(columns)}
            together = auroc(features @ beta[1:], positive)
            print(columns, "beta", beta.round(2), f"AUROC {together:.3f}", singles)


if __name__ == "__main__":
    main()
