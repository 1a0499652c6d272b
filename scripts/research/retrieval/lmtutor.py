"""The LMTutor experiment: SQuAD's contexts as documents, to find the one that a question was asked of.

    .venv/bin/python -m scripts.research.retrieval.lmtutor SQUAD.json.gz --split-probability 0.5 --into
        var/lmtutor

writes `pages.jsonl` and `questions.jsonl` for `lodge eval`, as docs/recipes.md tells. A context is split
off its article with the given probability and is a document of its own; all others of the article are one
document together. So at 1 every context is a document, and its nearest rivals are the others of its
article; at 0 every article is one. The gold of a question is the document that has its context. This is the
experiment of "LMTutor" (UC San Diego, DSC 250, 2023), whose `doc_prob` is 1 − the split probability.

The choices are drawn by the seed alone: a context that is split off at one probability is at every higher
one, and the questions of a sample are the same at all.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import sys
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from server.errors import BadInputError

SITE = "https://squad.example"


@dataclass(frozen=True, slots=True)
class Context:
    """A paragraph of an article with its questions: (id, question, reference answers)."""

    article: str
    text: str
    questions: tuple[tuple[str, str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Experiment:
    """Lines of a pages file and of a questions file."""

    pages: list[dict[str, Any]]
    questions: list[dict[str, Any]]


def read_squad(path: Path) -> list[Context]:
    """The contexts of a SQuAD file (v1.1, or the answerable part of v2.0), also compressed (`.gz`)."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            articles = json.load(file)["data"]
        return [_context(article["title"], part) for article in articles for part in article["paragraphs"]]
    except (OSError, EOFError, zlib.error) as error:
        raise BadInputError(f"{path} cannot be read: {error}.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise BadInputError(f"{path} is not a SQuAD file: {error!r}.") from error


def _context(article: str, paragraph: dict[str, Any]) -> Context:
    asked = (
        (one["id"], one["question"].strip(), tuple(dict.fromkeys(a["text"] for a in one["answers"])))
        for one in paragraph["qas"]
        if one["answers"]
    )
    return Context(article, paragraph["context"], tuple(asked))


def experiment(
    contexts: Sequence[Context], split_probability: float, seed: int, sample: int | None = None
) -> Experiment:
    """The documents, and the questions or a sample of them, each with its document as gold."""
    urls = _document_of(contexts, split_probability, seed)
    documents: dict[str, list[Context]] = {}
    for context, url in zip(contexts, urls, strict=True):
        documents.setdefault(url, []).append(context)
    pages = [
        {
            "url": url,
            "title": parts[0].article.replace("_", " "),
            "text": "\n\n".join(dict.fromkeys(part.text for part in parts)),
        }
        for url, parts in documents.items()
    ]
    questions = [
        {"id": key, "question": text, "answers": list(answers), "gold_urls": [url], "answerable": True}
        for context, url in zip(contexts, urls, strict=True)
        for key, text, answers in context.questions
    ]
    if sample is not None and sample < len(questions):
        questions = random.Random(f"questions {seed}").sample(questions, sample)
    return Experiment(pages, questions)


def _document_of(contexts: Sequence[Context], split_probability: float, seed: int) -> list[str]:
    """The URL of each context's document; a context that stands twice in an article is one."""
    draws, urls = random.Random(f"contexts {seed}"), dict[tuple[str, str], str]()
    for number, context in enumerate(contexts):
        article = f"{SITE}/{quote(context.article, safe='')}"
        split = draws.random() < split_probability
        urls.setdefault((context.article, context.text), f"{article}/{number}" if split else article)
    return [urls[context.article, context.text] for context in contexts]


def write_lines(path: Path, lines: Iterable[dict[str, Any]]) -> None:
    """A JSON line each, in a file that is there whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}-{os.getpid()}")
    with aside.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        file.flush()
        os.fsync(file.fileno())
    aside.replace(path)


def probability(text: str) -> float:
    """An argument from 0 to 1."""
    value = float(text)
    if not 0 <= value <= 1:
        raise ValueError
    return value


def main(arguments: Sequence[str] | None = None) -> None:
    """Write both files and say what is in them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("squad", type=Path, help="a SQuAD file, .json or .json.gz")
    parser.add_argument("--split-probability", type=probability, default=1.0, help="0 to 1; default: 1")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--questions", type=int, help="a sample of so many; default: all")
    parser.add_argument("--into", type=Path, required=True, help="the folder to write to")
    args = parser.parse_args(arguments)
    try:
        made = experiment(read_squad(args.squad), args.split_probability, args.seed, args.questions)
        write_lines(args.into / "pages.jsonl", made.pages)
        write_lines(args.into / "questions.jsonl", made.questions)
    except (BadInputError, OSError) as error:
        sys.exit(f"Error: {error}")
    print(f"Documents: {len(made.pages)}, questions: {len(made.questions)}, in {args.into}")


if __name__ == "__main__":
    main()
