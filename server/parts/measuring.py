"""The parts that evaluate: question sets over the live snapshot or a cached one."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from server.errors import BadInputError
from server.evaluate.evaluate import evaluate
from server.evaluate.questions import read_questions, unknown_gold_urls
from server.evaluate.report import Evaluation
from server.inference.embedder import Embedder
from server.ingest.pages_file import read_pages_file
from server.ingest.publish import SnapshotShelf
from server.parts.answering import build_asker, build_embedder, build_live
from server.parts.indexing import build_indexer
from server.settings import PROJECT, Settings


def run_eval(  # noqa: PLR0913  (what the command line may say, each by its name)
    settings: Settings,
    questions_file: Path,
    pages_file: Path | None,
    strategies: Sequence[str],
    *,
    warn: Callable[[str], None],
    on_progress: Callable[[int, int], None],
) -> Evaluation:
    """Score strategies on a questions file, over the live snapshot or a cached one of a pages file."""
    questions = read_questions(questions_file, _line_warner(questions_file, warn))
    embedder = build_embedder(settings)
    current = settings.current_snapshot
    if pages_file is not None:
        current = cached_snapshot(settings, pages_file, embedder, warn)
    live = build_live(settings, current, embedder)
    # Questions of a set are answered whatever their length, and never enter the visitors' records.
    asker = build_asker(replace(settings, max_question_chars=100_000), live, embedder, None)
    try:
        with live.lease() as index:
            unknown = unknown_gold_urls(questions, index.snapshot.urls())
        if unknown:
            warn(f"{unknown} gold URLs are not in the snapshot; their questions count as missed.")
        return evaluate(asker, questions, strategies, on_progress)
    finally:
        live.close()


def cached_snapshot(
    settings: Settings, pages_file: Path, embedder: Embedder, warn: Callable[[str], None]
) -> Path:
    """The `current` link of a snapshot of these pages, built unless one made just so is at hand."""
    if not pages_file.is_file():
        raise BadInputError(f"There is no pages file {pages_file}.")
    into = SnapshotShelf(settings.home / "eval" / _cache_key(settings, pages_file, embedder))
    if into.current_name is None:
        pages = read_pages_file(pages_file, _line_warner(pages_file, warn))
        build_indexer(settings, into, embedder).index(pages)
    return into.current


def _line_warner(file: Path, warn: Callable[[str], None]) -> Callable[[int, str], None]:
    """What a reader of `file` tells of a broken line, as a warning that names both."""

    def on_broken(line: int, why: str) -> None:
        warn(f"{file.name}, line {line}: {why}")

    return on_broken


def _cache_key(settings: Settings, pages_file: Path, embedder: Embedder) -> str:
    """Everything a snapshot of a pages file depends on: the pages, the settings, the model, our own code."""
    digest = hashlib.blake2b(digest_size=12)
    digest.update(pages_file.read_bytes())
    for file in (settings.filters_file, settings.topics_file, settings.general_questions_file):
        digest.update(file.read_bytes() if file.is_file() else b"")
    made_with = (
        settings.chunk_chars,
        settings.chunk_overlap_chars,
        settings.min_chunk_words,
        settings.min_page_chars,
        settings.near_duplicate_jaccard,
        embedder.sha256,
    )
    digest.update(repr(made_with).encode())
    for room in ("ingest", "search"):
        for path in sorted((PROJECT / "server" / room).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()
