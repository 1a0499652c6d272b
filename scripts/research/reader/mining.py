"""Hard negatives: what our own hybrid retrieval puts beside the right passage.

For each question the first `DEPTH` chunks it brings, ordered with late interaction, as the reader will get
them; those that hold an answer are set aside, the others are what a cross-encoder must learn to rank lower.
"""

from __future__ import annotations

import json
import random
import re
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
from server.models import Candidate, Passage
from server.settings import Settings
from server.wiring.flow import build_embedder
from server.wiring.measuring import cached_snapshot

DEPTH = 30
MOST_OF_QUOTE = 0.8  # a passage with so many of its words holds a quote
WORDS_OF_A_ROW = 12  # a longer quote with cells may be several rows
SHORT_ANSWER = 120  # characters; a longer one is no place to be learnt
_WORD = re.compile(r"\w+")


def mine(source: Source, settings: Settings, limit: int | None, seed: int) -> Iterator[Example]:
    """The source's questions, at most `limit` drawn by `seed`, with what retrieval brings for each."""
    asked: Sequence[Asked] = source.asked
    if limit is not None and limit < len(asked):
        asked = random.Random(seed).sample(asked, limit)
    texts = {page["url"]: page.get("text", "") for page in source.pages}
    options = RetrieveOptions(late_interaction=settings.late_interaction)
    with searchable(source, settings) as (index, embedder):
        by_page = _chunks_by_page(index)
        for one in tqdm(asked, desc=f"mine {source.name}", mininterval=10):
            found = hybrid(one.question, options, index, embedder)
            passages = [candidate.passage for candidate in found[:DEPTH]]
            yield _example(source.name, one, passages, by_page, texts[one.gold_url])


def hybrid(question: str, options: RetrieveOptions, index: Index, embedder: Embedder) -> Sequence[Candidate]:
    """What hybrid retrieval brings for a question, best first."""
    vector, tokens = embedder.encode_question(question)
    strategy = parse_strategy("hybrid")
    return retrieve(question, vector, strategy, options, index, TraceLog(), tokens=tokens)


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
    own = [passage for url in (one.gold_url, *one.other_urls) for passage in by_page.get(url, [])]
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
    elsewhere = [passage for passage in found if passage.url not in (one.gold_url, *one.other_urls)]
    if not one.answerable:
        return [*own, *elsewhere]
    if one.other_urls:  # a page that answers it too, in other words than the quote's
        return [passage for passage in found if passage.url not in one.other_urls]
    return list(found) if one.spans else elsewhere


def _with_answer(passage: Passage, one: Asked, page_text: str) -> Text | None:
    """The passage with the first answer that lies in it, or None.

    An answer that counts in its quote alone is looked for there; its quote is the answer where it has none.
    """
    if one.quote:
        return _with_quote(passage, one)
    offset = page_text.find(passage.text)
    for answer, start in one.answers if one.spans else ():
        at = start - offset if offset >= 0 and start >= offset else passage.text.find(answer)
        if at >= 0 and passage.text[at : at + len(answer)] == answer:
            return replace(_text(passage), start=at, end=at + len(answer))
    return None


def _with_quote(passage: Passage, one: Asked) -> Text | None:
    """The passage with the answer inside the quote where that stands, as a sentence or as a table's row.

    Where the quote was cut or set in another way and most of its words are there, the place is not known.
    """
    quote = find_words(passage.text, one.quote) or _find_row(passage.text, one.quote)
    if quote is None:
        return _text(passage) if holds_most(passage.text, one.quote) else None
    start, end = quote
    inner = find_words(passage.text[start:end], one.answers[0][0])
    if inner:
        return replace(_text(passage), start=start + inner[0], end=start + inner[1])
    is_short = end - start <= SHORT_ANSWER
    return replace(_text(passage), start=start, end=end) if is_short else _text(passage)


def _find_row(text: str, row: str) -> tuple[int, int] | None:
    """The line in which a table's cells stand in their order, with their headers between them."""
    cells = [cell for cell in row.split(" | ") if _WORD.search(cell)]
    if len(cells) < 2:
        return None
    at = 0
    for line in text.splitlines(keepends=True):
        place = 0
        for cell in cells:
            found = find_words(line[place:], cell)
            if found is None:
                break
            place += found[1]
        else:
            return at, at + len(line.rstrip())
        at += len(line)
    return None


def holds_quote(text: str, quote: str) -> bool:
    """Whether a quote stands in a text, as a sentence, as a table's row, or with most of its words."""
    return bool(find_words(text, quote) or _find_row(text, quote)) or holds_most(text, quote)


def holds_most(text: str, quote: str) -> bool:
    """Whether most of a quote's words, more than three, are in a text; of a short row, in one line."""
    words = _WORD.findall(quote.casefold())
    is_row = " | " in quote and len(words) <= WORDS_OF_A_ROW
    lines = text.casefold().splitlines() if is_row else [text.casefold()]
    known = [set(_WORD.findall(line)) for line in lines]
    counts = [sum(word in own for word in words) for own in known]
    return len(words) > 3 and max(counts, default=0) >= MOST_OF_QUOTE * len(words)


def find_words(text: str, wanted: str) -> tuple[int, int] | None:
    """Where the words of `wanted` stand in a row in a text, whatever signs and spaces are between them."""
    words = [(match.group().casefold(), match.start(), match.end()) for match in _WORD.finditer(text)]
    row = [match.group().casefold() for match in _WORD.finditer(wanted)]
    for i in range(len(words) - len(row) + 1 if row else 0):
        if all(words[i + k][0] == word for k, word in enumerate(row)):
            return words[i][1], words[i + len(row) - 1][2]
    return None


def _text(passage: Passage) -> Text:
    return Text(*pair(passage))
