"""Fit what the check goes by: how likely a sentence is supported, and below what it is withheld.

    LODGE_DATA=../shared/data .venv/bin/python -m scripts.research.writing.fit_check

Learns from claims and evidence of WiCE (ODC-BY; CC BY-SA), BEGIN's Wizard of Wikipedia part (CC BY 4.0) and
Falke et al. (CC BY-SA), those evidences whose hash falls into the first six tenths; the rest, and BEGIN's
Topical-Chat part (CDLA-Sharing, never learnt from), are for the test. BEGIN's CMU-DoG part, whose licence is
not stated, is not among the pairs. "Partially supported" counts as not supported. Prints the area under the
ROC curve of each measure alone and of all together, the weights that stand in
server/ask/grounding/support.py,
and the threshold: the highest at which no set loses more than 5 percent of its supported claims held out.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import random
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from scripts.research.answering.fit_answer import fit_balanced
from server.ask.grounding.source import Source
from server.ask.grounding.support import support_of
from server.ask.ports import CrossEncoder, SnapshotText
from server.evaluate.significance import auroc
from server.index.search import Index
from server.inference.encoders import Embedder
from server.ingest.chunk import ChunkSize, chunk
from server.models import Block, Document, Passage, Section
from server.settings import Settings
from server.wiring.flow import build_embedder, build_reranker
from server.wiring.measuring import cached_snapshot

LEARNT_FROM = ("falke", "begin_wow", "wice_oracle")
TESTED_ON = ("begin_tc", *LEARNT_FROM)
SEED, SAMPLE = 20261122, 1500  # of each set; reading the passages is what takes long
LEARNING_TENTHS = 6
SUPPORTED = {"supported", "Fully attributable"}
MODELS = {
    "JUDGED": ("words", "order", "relevance", "supported", "contradicted"),
    "JUDGED by words and verdict": ("words", "order", "supported"),
    "READ": ("words", "order", "relevance"),
    "UNREAD": ("words", "order"),
}
# Of the supported claims of a set that were not learnt from, at most this share may be withheld.
FALSELY_WITHHELD = 0.05

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Judged:
    """A claim with its measures, and whether people found it supported."""

    name: str
    measures: Mapping[str, float]
    supported: bool
    learnt: bool


def read_pairs(data: Path) -> list[dict[str, Any]]:
    """The claims of the sets that are used."""
    with gzip.open(data / "grounding/pairs.jsonl.gz", "rt", encoding="utf-8") as lines:
        pairs = [json.loads(line) for line in lines]
    return [pair for pair in pairs if pair["set"] in TESTED_ON]


def sampled(pairs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Up to `SAMPLE` of each set."""
    rng, kept = random.Random(SEED), []
    for name in TESTED_ON:
        members = [pair for pair in pairs if pair["set"] == name]
        kept += rng.sample(members, min(SAMPLE, len(members)))
    return kept


def passages(evidence: str) -> list[Passage]:
    """An evidence cut as a page is."""
    document = Document("https://evidence.example/", "", (Section((), (Block("paragraph", evidence),)),))
    pieces = chunk(document, ChunkSize(min_words=1))
    return [Passage(i, "https://evidence.example/", "", "", piece.text) for i, piece in enumerate(pieces)]


def words_of(settings: Settings, evidences: Iterable[str], embedder: Embedder) -> SnapshotText:
    """The rarity of words among all the evidences, as a snapshot of them knows it."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        for i, text in enumerate(sorted(set(evidences))):
            file.write(json.dumps({"url": f"https://evidence.example/{i}", "title": "", "text": text}) + "\n")
        file.flush()
        current = cached_snapshot(settings, Path(file.name), embedder, print)
    return Index(current.parent / current.readlink().name).text


def judge(
    pair: Mapping[str, Any], words: SnapshotText, reader: CrossEncoder | None, embedder: Embedder
) -> Judged:
    """One claim, measured as the check measures it, and by the embedder."""
    claim = Source(pair["claim"], words)
    sources = [Source.of(passage, words) for passage in passages(pair["evidence"])]
    measures = dict(support_of(claim, sources, words.word_weights(claim.text), reader).measures)
    measures["cosine"] = nearest(claim, sources, embedder)
    tenth = int(hashlib.sha256(pair["evidence"].encode()).hexdigest(), 16) % 10
    learnt = pair["set"] in LEARNT_FROM and tenth < LEARNING_TENTHS
    return Judged(pair["set"], measures, pair["label"] in SUPPORTED, learnt)


def nearest(claim: Source, sources: Sequence[Source], embedder: Embedder) -> float:
    """The highest cosine of the claim with a sentence of its evidence, of those that share the most words."""
    words = {token.stem for token in claim.tokens}
    spans = [(source, span) for source in sources for span in source.spans]
    spans.sort(
        key=lambda one: -sum(t.stem in words for t in one[0].tokens if one[1][0] <= t.start < one[1][1])
    )
    vectors = embedder.embed_passages([source.text[start:end] for source, (start, end) in spans[:5]])
    return float((vectors @ embedder.embed_questions([claim.text])[0]).max())


def columns(judged: Sequence[Judged], names: Sequence[str]) -> Numbers:
    """The measures as a matrix, a row a claim."""
    return np.array([[one.measures[name] for name in names] for one in judged])


def labels(judged: Sequence[Judged]) -> Numbers:
    """1 for supported."""
    return np.array([float(one.supported) for one in judged])


def fit(learnt: Sequence[Judged], names: Sequence[str]) -> Numbers:
    """The weights of the measures; each set has a bias of its own, as less is supported in some."""
    sets = np.array([[float(one.name == name) for name in LEARNT_FROM[1:]] for one in learnt])
    beta = fit_balanced(np.hstack([columns(learnt, names), sets]), labels(learnt))
    weights: Numbers = beta[1 : len(names) + 1]
    return weights


def report(judged: Sequence[Judged], names: Sequence[str], title: str) -> None:
    """Fit on what is learnt from; print the weights, and of what is not the areas and the threshold."""
    weights = fit([one for one in judged if one.learnt], names)
    print(
        f"\n{title}: "
        + ", ".join(f"{name} {weight:.2f}" for name, weight in zip(names, weights, strict=True))
    )
    held_out = {name: [one for one in judged if one.name == name and not one.learnt] for name in TESTED_ON}
    scores = {
        name: (columns(members, names) @ weights, labels(members)) for name, members in held_out.items()
    }
    least = {name: float(np.quantile(s[y == 1], FALSELY_WITHHELD)) for name, (s, y) in scores.items()}
    threshold = min(least.values())
    print(
        f"  threshold {threshold:.2f}: no set loses more than {FALSELY_WITHHELD:.0%} of its supported claims"
    )
    for name, (s, y) in scores.items():
        lost, caught = (s[y == 1] < threshold).mean(), (s[y == 0] < threshold).mean()
        area = auroc(s, y == 1)
        print(f"  {name:12} {len(y)} claims held out: AUROC {area:.3f}, withheld {lost:.3f} and {caught:.3f}")


def main() -> None:
    """Measure, fit, print."""
    settings = Settings.read(os.environ)
    embedder, reader = build_embedder(settings), build_reranker(settings)
    pairs = read_pairs(Path(os.environ["LODGE_DATA"]))
    words = words_of(settings, (pair["evidence"] for pair in pairs), embedder)
    judged = [judge(pair, words, reader, embedder) for pair in tqdm(sampled(pairs))]
    known = judged[0].measures
    for measure in (*MODELS["JUDGED"], "cosine"):
        if measure not in known:
            continue
        areas = {}
        for name in TESTED_ON:
            held_out = [one for one in judged if one.name == name and not one.learnt]
            areas[name] = round(auroc(columns(held_out, [measure])[:, 0], labels(held_out) == 1), 3)
        print(measure, areas)
    for title, names in MODELS.items():
        if set(names) <= set(known):
            report(judged, names, title)


if __name__ == "__main__":
    main()
