"""Marks of sites' passages: the reader's own log-odds, and beside them a larger embedder's similarity.

    .venv-train/bin/python -m scripts.research.reader.together.marks --pack var/pack \\
        --begin onnx_models/reader-l6-int8 --config MINILM --tokenizer MINILM/tokenizer.json \\
        --models var/models --out var/together

What the two put first is right more often than what the reader alone does
(`scripts.research.retrieval.measure_larger_embedder`), so it is an order to learn from where no GPU trains a
teacher. Passages of other people's texts get no mark. A mark is the log-odds that the reader gives, no more
than `MOST_ODDS` from even, and `COSINES` times the cosine of all-mpnet-base-v2.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from scripts.larger_embedder import PASSAGE_CHARS, embedder_of, fetch_embedder
from scripts.research.reader.together.rows import Packed
from scripts.research.reader.together.run import (
    PASSES,
    begun_reader,
    read_all,
    reader_rows,
    relevance_by,
    whole_texts,
)

COSINES, MOST_ODDS = 4.0, 7.0


def main() -> None:
    """Mark, and tell for how many questions the marks put a right passage first."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("pack", "begin", "config", "tokenizer", "models", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    args = parser.parse_args()
    packed = Packed.read(args.pack)
    wanted = [
        []
        if one["source"] in PASSES
        else sorted({*(place[0] for place in one["positives"]), *one["negatives"]})
        for one in packed.examples
    ]
    odds = read_odds(packed, wanted, args.begin, args.config, args.tokenizer)
    near = cosines(packed, wanted, fetch_embedder(args.models))
    marks = [
        {text: round(a + COSINES * b, 3) for text, a, b in zip(texts, own, like, strict=True)}
        for texts, own, like in zip(wanted, odds, near, strict=True)
    ]
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / "marks.json").write_text(json.dumps(marks), encoding="utf-8")
    for weight in (0.0, 2.0, COSINES, 2 * COSINES):
        print(weight, round(right_first(packed, wanted, odds, near, weight), 3))


def right_first(
    packed: Packed,
    wanted: Sequence[Sequence[int]],
    odds: Sequence[Sequence[float]],
    near: Sequence[Sequence[float]],
    weight: float,
) -> float:
    """The share of the answerable examples for which a right passage has most of both."""
    right = []
    for one, texts, own, like in zip(packed.examples, wanted, odds, near, strict=True):
        if one["positives"] and texts:
            sums = [a + weight * b for a, b in zip(own, like, strict=True)]
            right.append(texts[sums.index(max(sums))] in {place[0] for place in one["positives"]})
    return sum(right) / len(right)


def read_odds(
    packed: Packed, wanted: Sequence[Sequence[int]], begin: Path, config: Path, tokenizer: Path
) -> list[list[float]]:
    """The reader's log-odds of each wanted passage."""
    rows = reader_rows(packed, whole_texts(tokenizer))
    device = torch.device("cpu")
    read = relevance_by(begun_reader(config, begin).eval(), device)
    pairs = [
        rows.whole(question, text)
        for question, texts in zip(rows.questions, wanted, strict=True)
        for text in texts
    ]
    said = read_all(pairs, read, device, rows=64)
    return [[max(-MOST_ODDS, min(MOST_ODDS, next(said))) for _ in texts] for texts in wanted]


def cosines(packed: Packed, wanted: Sequence[Sequence[int]], folder: Path) -> list[list[float]]:
    """The larger embedder's cosine of each question and wanted passage."""
    embed = embedder_of(folder)
    needed = sorted({text for texts in wanted for text in texts})
    written = [f"{packed.texts[i]['lead']} {packed.texts[i]['body']}"[:PASSAGE_CHARS] for i in needed]
    vectors = dict(zip(needed, embed(written), strict=True))
    asked = [number for number, texts in enumerate(wanted) if texts]
    questions = dict(zip(asked, embed([packed.examples[i]["question"] for i in asked]), strict=True))
    return [
        [float(np.dot(questions[number], vectors[text])) for text in texts]
        for number, texts in enumerate(wanted)
    ]


if __name__ == "__main__":
    main()
