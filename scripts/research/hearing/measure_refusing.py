"""Measure what is heard before retrieval: the gate, small talk, and questions of several parts.

    LODGE_DATA=../shared/data .venv/bin/python -m scripts.research.hearing.measure_refusing [gate] [talk]

The gate: each site's answerable questions against the 3,000 of `off-topic`, which no site answers, by the
classifier's probability alone and with the best cosine to a passage; at the default threshold, and at the
one that refuses 2 % of this site's own. The rest: how many everyday questions are wrongly taken for small
talk or several questions. `measure_distress` has what is taken for distress.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from scripts.data_files import read_rows
from scripts.research.retrieval.compare_classifiers import demo_pages
from server.ask.context import ScopeOptions
from server.ask.conversation.turns import small_talk
from server.ask.pipeline import questions_in
from server.ask.scope import belongs, score
from server.inference.encoders import Embedder
from server.ingest.publish import SnapshotStore
from server.settings import PROJECT, Settings
from server.wiring.flow import build_embedder, build_router
from server.wiring.indexing import build_indexer
from server.wiring.measuring import cached_snapshot
from server.wiring.opened import OpenedSnapshot

Vectors = npt.NDArray[np.float32]
Seen = list[tuple[float, float]]

FALSE_REFUSALS = 0.02
SITES = ("demo", "cmu-sai", "cmu-xiaobin", "doc2dial")


def questions_of(name: str, data: Path) -> list[str]:
    """The answerable first questions of a set."""
    path = PROJECT / "corpus/golden_questions.jsonl" if name == "demo" else data / name / "questions.jsonl.gz"
    return [q["question"] for q in read_rows(path) if q["answerable"] is not False and not q.get("history")]


def open_site(name: str, data: Path, settings: Settings, embedder: Embedder) -> OpenedSnapshot:
    """A snapshot of the site's pages, built unless it is at hand."""
    if name == "demo":
        into = SnapshotStore(settings.home / "eval" / "demo-refusing")
        into.publish(build_indexer(settings, into, embedder).index(demo_pages()).snapshot)
        return OpenedSnapshot(into.current.resolve())
    current = cached_snapshot(settings, data / name / "pages.jsonl.gz", embedder, lambda warning: None)
    return OpenedSnapshot(current.resolve())


def gate_row(name: str, opened: OpenedSnapshot, inside: Vectors, outside: Vectors) -> str:
    """Refused and caught by default; caught at this site's own 2 %, by P alone and with the cosine."""
    seen = {"in": _seen(opened, inside), "off": _seen(opened, outside)}
    refused, caught = (1 - np.mean([belongs(*pair) for pair in seen[kind]]) for kind in ("in", "off"))
    own = [
        _caught(*([measure(*pair) for pair in seen[kind]] for kind in ("in", "off")))
        for measure in (lambda p, _: p, _with_cosine)
    ]
    return f"| {name} | {len(inside)} | {refused:.3f} | {caught:.3f} | {own[0]:.3f} | {own[1]:.3f} |"


def _seen(opened: OpenedSnapshot, vectors: Vectors) -> Seen:
    """P(in scope) and the best cosine of each question."""
    return [
        (opened.classifier.in_scope(vector) or 0.0, opened.vector.search(vector, 1)[0].score)
        for vector in vectors
    ]


def _with_cosine(in_scope: float, nearest: float) -> float:
    return score(in_scope, nearest, ScopeOptions())


def _caught(inside: Sequence[float], outside: Sequence[float]) -> float:
    return float(np.mean(np.array(outside) < np.quantile(inside, FALSE_REFUSALS)))


def measure_gate(data: Path, settings: Settings, embedder: Embedder) -> None:
    """Print a row a site."""
    outside = embedder.embed_questions(questions_of_set(data / "off-topic/questions.jsonl.gz"))
    print("| site | questions | refused | caught | caught at its 2 %, P alone | and with the cosine |")
    print("|---|---|---|---|---|---|")
    for name in SITES:
        inside = embedder.embed_questions(questions_of(name, data))
        opened = open_site(name, data, settings, embedder)
        print(gate_row(name, opened, inside, outside), flush=True)
        opened.close()


def questions_of_set(path: Path) -> list[str]:
    """All the questions of a file."""
    return [line["question"] for line in read_rows(path)]


def measure_talk(data: Path) -> None:
    """Print a row a set of everyday questions."""
    sets = {
        "golden": PROJECT / "corpus/golden_questions.jsonl",
        "dialogues": PROJECT / "corpus/dialogues.jsonl",
        **{
            name: data / name / "questions.jsonl.gz"
            for name in ("cmu-sai", "cmu-xiaobin", "doc2dial", "squad")
        },
        "off-topic": data / "off-topic/questions.jsonl.gz",
    }
    router = build_router(Settings.read(os.environ))
    print("| set | questions | small talk | split |\n|---|---|---|---|")
    for name, path in sets.items():
        texts = questions_of_set(path)
        talk = _share(texts, lambda text: small_talk(text) is not None)
        split = _share(texts, lambda text: len(questions_in(text, router)) > 1)
        print(f"| {name} | {len(texts)} | {talk:.4f} | {split:.4f} |", flush=True)


def _share(texts: Sequence[str], test: Callable[[str], bool]) -> float:
    return float(np.mean([test(text) for text in texts]))


def main() -> None:
    """Print what is asked for, or all."""
    wanted = sys.argv[1:] or ["gate", "talk"]
    data = Path(os.environ.get("LODGE_DATA", PROJECT.parent / "shared" / "data"))
    settings = Settings.read(os.environ)
    embedder = build_embedder(settings)
    if "gate" in wanted:
        measure_gate(data, settings, embedder)
    if "talk" in wanted:
        measure_talk(data)


if __name__ == "__main__":
    main()
