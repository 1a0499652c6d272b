"""What a language model's hidden states are worth as embeddings, in the LMTutor experiment.

    .venv-train/bin/python -m scripts.research.retrieval.llm_embeddings --model var/base \\
        var/lmtutor-0 var/lmtutor-0.5 var/lmtutor-1

`--model` is a folder in transformers' format (scripts/training/unpack_base.py makes one of a GGUF file); the
others are what `scripts.research.retrieval.lmtutor` wrote. A text is embedded in three ways, as "LMTutor" (UC
San Diego, DSC 250, 2023) tried them: `mean` of the last layer's states over its tokens, `last`, the last
layer's state of its last token, and `layers`, the sum of all layers' states, averaged over the tokens. Each
also less the mean of all passages ("centred"), for such states share a direction (Ethayarajh, "How Contextual
are Contextualized Word Representations?", 2019). A document is as near as the nearest of its paragraphs.
Printed: recall and MRR.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scripts.batching import by_length
from scripts.data_files import read_rows

Floats = NDArray[np.float32]
Ways = Mapping[str, Floats]  # way → a row a text, of length 1

DEPTHS = (1, 5, 10)
MOST_TOKENS = 384  # of a text; SQuAD's longest paragraphs go on
BATCH = 8  # texts of about one length


@dataclass(frozen=True, slots=True)
class Documents:
    """The paragraphs of a folder's pages with their pages' addresses, and the questions with their golds'."""

    urls: tuple[str, ...]
    texts: tuple[str, ...]
    questions: tuple[str, ...]
    golds: tuple[str, ...]


def read_folder(folder: Path) -> Documents:
    """What lmtutor.py wrote there; `OSError`, `ValueError` or `KeyError` of anything else."""
    pages, questions = (read_rows(folder / name) for name in ("pages.jsonl", "questions.jsonl"))
    parts = [
        (page["url"], f"{page['title']}\n{text}") for page in pages for text in page["text"].split("\n\n")
    ]
    urls, texts = zip(*parts, strict=True)
    return Documents(
        urls,
        texts,
        tuple(row["question"] for row in questions),
        tuple(row["gold_urls"][0] for row in questions),
    )


def pooled(states: Sequence[Floats], mask: NDArray[np.bool_]) -> dict[str, Floats]:
    """A batch's embeddings in each way, of no particular length.

    `states`: a layer each, (texts, tokens, width), the last layer last. `mask`: (texts, tokens), false at
    the padding, which comes last.
    """
    counts = mask.sum(axis=1, keepdims=True)
    shown = mask[:, :, None]
    last = states[-1]
    return {
        "mean": (last * shown).sum(axis=1) / counts,
        "last": last[np.arange(len(last)), mask.sum(axis=1) - 1],
        "layers": (np.sum(states, axis=0) * shown).sum(axis=1) / counts,
    }


def with_centred(passages: Ways, questions: Ways) -> Iterator[tuple[str, Floats, Floats]]:
    """Each way, passages and questions as unit vectors: as it is, and less the passages' mean."""
    for way, rows in passages.items():
        mean = rows.mean(axis=0)
        yield way, unit(rows), unit(questions[way])
        yield f"{way}, centred", unit(rows - mean), unit(questions[way] - mean)


def unit(rows: Floats) -> Floats:
    """The rows at length 1; one of zeros stays so."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1), dtype=np.float32)


def ranks(documents: Documents, passages: Floats, questions: Floats) -> NDArray[np.int64]:
    """The place, from 1, of each question's gold document; documents that are as near come before it."""
    names = {url: number for number, url in enumerate(dict.fromkeys(documents.urls))}
    of = np.array([names[url] for url in documents.urls])
    places = []
    for vector, gold in zip(questions, documents.golds, strict=True):
        nearest = np.full(len(names), -np.inf)
        np.maximum.at(nearest, of, passages @ vector)
        places.append(int((nearest >= nearest[names[gold]]).sum()))
    return np.array(places)


def figures(places: NDArray[np.int64]) -> list[float]:
    """Recall at each depth, then MRR."""
    return [*(float((places <= depth).mean()) for depth in DEPTHS), float((1 / places).mean())]


def embedded(
    texts: Sequence[str], states_of: Callable[[Sequence[str]], tuple[Any, Any]]
) -> dict[str, Floats]:
    """The texts' embeddings in each way, a row a text, in their order."""
    found: dict[int, dict[str, Floats]] = {}
    for batch in by_length([len(text) for text in texts], BATCH):
        ways = pooled(*states_of([texts[number] for number in batch]))
        found |= {number: {way: rows[n] for way, rows in ways.items()} for n, number in enumerate(batch)}
        print(f"\r{len(found)} of {len(texts)} texts", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return {way: np.stack([found[number][way] for number in range(len(texts))]) for way in found[0]}


def states_by(folder: Path, threads: int) -> Callable[[Sequence[str]], tuple[Any, Any]]:
    """All layers' states of a batch of texts, and which are no padding, by the model of a folder."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    torch.set_num_threads(threads)
    tokenizer = AutoTokenizer.from_pretrained(folder, padding_side="right")
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    model = AutoModel.from_pretrained(folder, dtype=torch.float32).eval()

    def states(texts: Sequence[str]) -> tuple[Any, Any]:
        batch = tokenizer(
            list(texts), padding=True, truncation=True, max_length=MOST_TOKENS, return_tensors="pt"
        )
        with torch.no_grad():
            layers = model(**batch, output_hidden_states=True).hidden_states[1:]  # the first: no layer's
        return [layer.numpy() for layer in layers], batch["attention_mask"].numpy().astype(bool)

    return states


def main(arguments: Sequence[str] | None = None) -> None:
    """Embed each text once, and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, required=True, help="a folder in transformers' format")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("folders", type=Path, nargs="+")
    args = parser.parse_args(arguments)
    try:
        read = {folder.name: read_folder(folder) for folder in args.folders}
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"Error: {error!r} is what reading the experiment's files came to.")
    began = time.monotonic()
    texts = list(dict.fromkeys(text for one in read.values() for text in (*one.texts, *one.questions)))
    ways = embedded(texts, states_by(args.model, args.threads))
    print(f"{len(texts)} texts in {time.monotonic() - began:.0f} s")
    row_of = {text: number for number, text in enumerate(texts)}
    print("\n| documents | embedding | recall@1 | recall@5 | recall@10 | MRR |\n|---|---|---|---|---|---|")
    for one in read.values():
        asked, shown = ([row_of[text] for text in of] for of in (one.questions, one.texts))
        of_passages, of_questions = ({way: rows[at] for way, rows in ways.items()} for at in (shown, asked))
        for way, passages, questions in with_centred(of_passages, of_questions):
            told = " | ".join(f"{value:.3f}" for value in figures(ranks(one, passages, questions)))
            print(f"| {len(set(one.urls)):,} | {way} | {told} |")


if __name__ == "__main__":
    main()
