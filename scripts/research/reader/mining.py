"""Hard negatives: what our own hybrid retrieval puts beside the right passage.

For each question the first `DEPTH` chunks it brings; those that hold an answer are set aside, the others are
what a cross-encoder must learn to rank lower (positions 1 to 30 without the gold).
"""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from tqdm import tqdm

from scripts.research.reader.examples import Example, Text
from scripts.research.reader.sources import Asked, Source
from server.ask.context import RetrieveOptions, parse_strategy
from server.ask.rerank import pair
from server.ask.retrieve import retrieve
from server.ask.trace import TraceLog
from server.evaluate.questions import contains_any
from server.index.search import Index
from server.inference.encoders import Embedder
from server.models import Passage
from server.settings import Settings
from server.wiring.flow import build_embedder
from server.wiring.measuring import cached_snapshot

DEPTH = 30


def mine(source: Source, settings: Settings, limit: int | None, seed: int) -> Iterator[Example]:
    """The source's questions, at most `limit` drawn by `seed`, with what retrieval brings for each."""
    asked: Sequence[Asked] = source.asked
    if limit is not None and limit < len(asked):
        asked = random.Random(seed).sample(asked, limit)
    texts = {page["url"]: page["text"] for page in source.pages}
    strategy, options = parse_strategy("hybrid"), RetrieveOptions()
    with searchable(source, settings) as (index, embedder):
        by_page = _chunks_by_page(index)
        vectors = embedder.embed_questions([one.question for one in asked])
        for one, vector in zip(tqdm(asked, desc=f"mine {source.name}"), vectors, strict=True):
            found = retrieve(one.question, vector, strategy, options, index, TraceLog())[:DEPTH]
            yield _example(source.name, one, [c.passage for c in found], by_page, texts[one.gold_url])


@contextmanager
def searchable(source: Source, settings: Settings) -> Iterator[tuple[Index, Embedder]]:
    """The source's pages as a snapshot, built once and kept, and the embedder of questions to ask it."""
    settings = replace(settings, min_page_chars=1, min_chunk_words=1)
    embedder = build_embedder(settings)
    current = _snapshot(source, settings, embedder)
    with closing(Index(current.parent / current.readlink().name, threads=settings.duckdb_threads)) as index:
        yield index, embedder


def _snapshot(source: Source, settings: Settings, embedder: Embedder) -> Path:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, f"{source.name}.jsonl")
        file.write_text("".join(json.dumps(page) + "\n" for page in source.pages), encoding="utf-8")
        return cached_snapshot(settings, file, embedder, print)


def _chunks_by_page(index: Index) -> dict[str, list[Passage]]:
    pages: dict[str, list[Passage]] = {}
    for passage in index.snapshot.passages(range(index.snapshot.manifest.chunks)).values():
        pages.setdefault(passage.url, []).append(passage)
    return pages


def _example(
    source: str, one: Asked, found: Sequence[Passage], by_page: dict[str, list[Passage]], page_text: str
) -> Example:
    own = by_page.get(one.gold_url, [])
    positives = _positives(one, own, page_text)
    right = {id_ for id_, _ in positives}
    answers = [text for text, _ in one.answers] if one.spans else []
    negatives = [
        (passage.chunk_id, _text(passage))
        for passage in _others(one, own, found)
        if passage.chunk_id not in right and not contains_any(passage.text, answers)
    ]
    ranks = {passage.chunk_id: rank for rank, passage in enumerate(found, 1)}
    return Example(
        one.id,
        source,
        one.question,
        one.answerable,
        one.spans,
        tuple(text for _, text in positives),
        tuple(text for _, text in negatives),
        tuple(ranks.get(id_, 0) for id_, _ in positives),
        tuple(ranks.get(id_, 0) for id_, _ in negatives),
    )


def _positives(one: Asked, own: Sequence[Passage], page_text: str) -> list[tuple[int, Text]]:
    """The chunks of the question's page that hold an answer; the first one where places are not known."""
    if not one.spans:
        return [(passage.chunk_id, _text(passage)) for passage in own[:1]]
    marked = ((passage.chunk_id, _with_answer(passage, one, page_text)) for passage in own)
    return [(id_, text) for id_, text in marked if text is not None]


def _others(one: Asked, own: Sequence[Passage], found: Sequence[Passage]) -> list[Passage]:
    """What may be wrong for the question, worst first.

    An unanswerable question's own page speaks of the matter and does not say: nothing is harder. Where
    places are not known, any chunk of the page may be right, so none is called wrong.
    """
    elsewhere = [passage for passage in found if passage.url != one.gold_url]
    if not one.answerable:
        return [*own, *elsewhere]
    return list(found) if one.spans else elsewhere


def _with_answer(passage: Passage, one: Asked, page_text: str) -> Text | None:
    """The passage with the first answer that lies in it, or None."""
    offset = page_text.find(passage.text)
    for answer, start in one.answers if one.spans else ():
        at = start - offset if offset >= 0 and start >= offset else passage.text.find(answer)
        if at >= 0 and passage.text[at : at + len(answer)] == answer:
            return replace(_text(passage), start=at, end=at + len(answer))
    return None


def _text(passage: Passage) -> Text:
    return Text(*pair(passage))
