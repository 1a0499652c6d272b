"""What measuring by a question set needs: the set, and the snapshot it is asked over."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from server.ask.pipeline import Asker
from server.errors import BadInputError
from server.evaluate.questions import EvalQuestion, read_questions, unknown_gold_urls
from server.evaluate.retrieval_metrics import unknown_gold_chunks
from server.inference.embedder import Embedder
from server.ingest.pages_file import read_pages_file
from server.ingest.publish import SnapshotShelf
from server.parts.flow import build_asker
from server.parts.indexing import build_indexer
from server.parts.models import build_embedder
from server.parts.opened import OpenedSnapshot
from server.parts.opening import build_live
from server.records import Passage
from server.search.live import Live
from server.search.snapshot import Snapshot
from server.settings import PROJECT, Settings

Tell = Callable[[str], None]

# Questions of a set are answered whatever their length.
ANY_LENGTH = 100_000
PASSAGES_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """A questions file as it was read; `broken_lines` are those that could not be used."""

    file: Path
    questions: tuple[EvalQuestion, ...]
    broken_lines: int


def read_question_set(file: Path, warn: Tell) -> QuestionSet:
    """The questions of a file; each broken line is named, all are counted, and the rest is kept."""
    broken: list[int] = []

    def on_broken(line: int, why: str) -> None:
        broken.append(line)
        warn(f"{file.name}, line {line}: {why}")

    questions = read_questions(file, on_broken)
    if broken:
        warn(
            f"{file.name}: {_count(len(broken), 'line')} left out, {_count(len(questions), 'question')} kept."
        )
    return QuestionSet(file, questions, len(broken))


@dataclass(frozen=True, slots=True)
class Ground:
    """The snapshot that questions are asked over, which `prepare` makes where it is one of a pages file."""

    settings: Settings
    pages_file: Path | None
    embedder: Embedder
    current: Path
    live: Live[OpenedSnapshot]

    def asker(self, settings: Settings) -> Asker:
        """The flow by these settings over the same snapshot; nothing is recorded."""
        return build_asker(replace(settings, max_question_chars=ANY_LENGTH), self.live, self.embedder, None)

    def prepare(self, warn: Tell, note: Tell) -> None:
        """Index the pages file, unless a snapshot made just so is at hand."""
        if self.pages_file is not None:
            if SnapshotShelf(self.current.parent).current_name is None:
                note(f"Indexing {self.pages_file.name}, once; this may take minutes.")
            cached_snapshot(self.settings, self.pages_file, self.embedder, warn)


@contextmanager
def open_ground(settings: Settings, pages_file: Path | None) -> Iterator[Ground]:
    """The live snapshot, or a cached one of a pages file."""
    embedder = build_embedder(settings)
    current = settings.current_snapshot
    if pages_file is not None:
        current = _cache(settings, pages_file, embedder).current
    live = build_live(settings, current, embedder)
    try:
        yield Ground(settings, pages_file, embedder, current, live)
    finally:
        live.close()


def cached_snapshot(settings: Settings, pages_file: Path, embedder: Embedder, warn: Tell) -> Path:
    """The `current` link of a snapshot of these pages, built unless one made just so is at hand."""
    into = _cache(settings, pages_file, embedder)
    if into.current_name is None:
        pages = read_pages_file(pages_file, lambda line, why: warn(f"{pages_file.name}, line {line}: {why}"))
        build_indexer(settings, into, embedder).index(pages)
    return into.current


def warn_of_unknown_gold(questions: Sequence[EvalQuestion], live: Live[OpenedSnapshot], warn: Tell) -> None:
    """Count the gold that the snapshot does not have; the questions stay, and count as missed."""
    with live.lease() as index:
        urls = unknown_gold_urls(questions, index.snapshot.urls())
        golds = {gold for question in questions for gold in question.gold_chunks}
        chunks = unknown_gold_chunks(golds, _passages(index.snapshot)) if golds else 0
    for count, noun in ((urls, "gold URL"), (chunks, "gold chunk")):
        if count:
            verb = "is" if count == 1 else "are"
            warn(f"{_count(count, noun)} {verb} not in the snapshot; what they belong to counts as missed.")


def _passages(snapshot: Snapshot) -> Iterator[Passage]:
    """Every passage."""
    for start in range(0, snapshot.manifest.chunks + 1, PASSAGES_AT_ONCE):
        yield from snapshot.passages(range(start, start + PASSAGES_AT_ONCE)).values()


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _cache(settings: Settings, pages_file: Path, embedder: Embedder) -> SnapshotShelf:
    if not pages_file.is_file():
        raise BadInputError(f"There is no pages file {pages_file}.")
    return SnapshotShelf(settings.home / "eval" / _cache_key(settings, pages_file, embedder))


def _cache_key(settings: Settings, pages_file: Path, embedder: Embedder) -> str:
    """What a snapshot of a pages file depends on: the pages, the settings, the model, our own code but the
    crawler's."""
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
    server = PROJECT / "server"
    rooms = (path for room in ("ingest", "search") for path in sorted((server / room).rglob("*.py")))
    makers = (path for path in rooms if not path.relative_to(server).as_posix().startswith("ingest/crawl"))
    for path in (*makers, server / "sentences.py", server / "terms.py"):
        digest.update(path.read_bytes())
    return digest.hexdigest()
