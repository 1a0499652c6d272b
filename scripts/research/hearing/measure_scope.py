"""Measure the domain gate as a snapshot would hold it.

    LODGE_DATA=../shared/data .venv/bin/python -m scripts.research.hearing.measure_scope [demo] [cmu-sai]
        [cmu-xiaobin] …
    … measure_scope usual

Each site's answerable questions against those of `off-topic`, which no site answers: of these nothing was
learnt, and no choice was made by them. `usual`: how many of what everybody asks
(`corpus/visitors/everybody.jsonl`) are taken for what any university is asked, and of those of `off-topic`.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from corpus.visitors.sets import read_page_questions
from scripts.data_files import read_rows
from scripts.research.retrieval.compare_classifiers import demo_pages, excerpts_of
from server.evaluate.significance import auroc
from server.inference.encoders import Embedder, SnapshotClassifier
from server.ingest.pages_file import read_pages_file
from server.ingest.topics.train import Learning, learn, load_questions
from server.ingest.topics.usual import load_usual
from server.models import SourcePage
from server.settings import PROJECT, Settings
from server.wiring.flow import build_embedder

Vectors = npt.NDArray[np.float32]
Scores = npt.NDArray[np.float64]

MOST_QUESTIONS = 1000
USUAL = (0.5, 0.7, 0.8, 0.9)


def scope_sites(data: Path) -> dict[str, tuple[Callable[[], Iterable[SourcePage]], Path]]:
    """Each site's pages and questions file."""

    def of(name: str) -> tuple[Callable[[], Iterable[SourcePage]], Path]:
        folder = data / name
        return (
            lambda: read_pages_file(folder / "pages.jsonl.gz", lambda line, why: None)
        ), folder / "questions.jsonl.gz"

    sites = {name: of(name) for name in ("cmu-sai", "cmu-xiaobin", "doc2dial", "squad")}
    return {"demo": (demo_pages, PROJECT / "corpus/golden_questions.jsonl")} | sites


def measure_scope(
    name: str, pages: Iterable[SourcePage], questions: Path, off_topic: Vectors, embedder: Embedder
) -> None:
    """Print the row of one site."""
    general = load_questions(PROJECT / "corpus/general_questions.txt")
    answerable = [q["question"] for q in read_rows(questions) if q["answerable"] and not q.get("history")]
    step = max(1, len(answerable) // MOST_QUESTIONS)
    inside = embedder.embed_questions(answerable[::step])
    with tempfile.TemporaryDirectory() as folder:
        learn(
            Path(folder),
            excerpts_of(pages, embedder),
            {},
            Learning(embedder.embed_questions, general_questions=general),
        )
        classifier = SnapshotClassifier(Path(folder), embedder.dims)
        start = time.perf_counter()
        known, unknown = (
            [classifier.in_scope(vector) or 0.0 for vector in some] for some in (inside, off_topic)
        )
        microseconds = (time.perf_counter() - start) / (len(known) + len(unknown)) * 1e6
    print(scope_row(name, np.array(known), np.array(unknown)) + f" {microseconds:.0f} |", flush=True)


def measure_usual(off_topic: Vectors, embedder: Embedder) -> None:
    """Print how many of both kinds are asked of any university, from several probabilities on."""
    general = load_questions(PROJECT / "corpus" / "general_questions.txt")
    usual = load_usual(PROJECT / "corpus" / "usual_questions.toml")
    everybody = embedder.embed_questions([row.question for row in read_page_questions("everybody")])
    with tempfile.TemporaryDirectory() as folder:
        learn(Path(folder), (), {}, Learning(embedder.embed_questions, (), general, usual))
        classifier = SnapshotClassifier(Path(folder), embedder.dims)
        chances = [
            np.array([classifier.usual(one) or 0.0 for one in some]) for some in (everybody, off_topic)
        ]
    print("| usual from | what everybody asks | off-topic |")
    for least in USUAL:
        print(f"| {least} | " + " | ".join(f"{(some >= least).mean():.3f}" for some in chances) + " |")


def scope_row(name: str, inside: Scores, outside: Scores) -> str:
    """AUROC; false refusals where 95 % of the others are caught; both at the threshold ½."""
    scores = np.concatenate([inside, outside])
    told_apart = auroc(scores, np.arange(len(scores)) < len(inside))
    threshold = np.quantile(outside, 0.95)
    return (
        f"| {name} | {len(inside)} | {told_apart:.3f} | {np.mean(inside <= threshold):.3f} | {threshold:.2f} "
        f"| {np.mean(outside < 0.5):.3f} | {np.mean(inside < 0.5):.3f} |"
    )


def main() -> None:
    """Print a row a site."""
    data = Path(os.environ.get("LODGE_DATA", PROJECT.parent / "shared" / "data"))
    embedder = build_embedder(Settings())
    off_topic = embedder.embed_questions(
        [q["question"] for q in read_rows(data / "off-topic/questions.jsonl.gz")]
    )
    if sys.argv[1:] == ["usual"]:
        measure_usual(off_topic, embedder)
        return
    print(
        "| site | questions | AUROC | refused at 95 % caught | threshold | caught at ½ | refused at ½ | µs |"
    )
    print("|---|---|---|---|---|---|---|---|")
    sites = scope_sites(data)
    for name in sys.argv[1:] or sites:
        pages, questions = sites[name]
        measure_scope(name, pages(), questions, off_topic, embedder)


if __name__ == "__main__":
    main()
