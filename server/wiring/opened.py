"""A snapshot as a question meets it, its searches and its classifiers opened together, and the live one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from server.index.manager import SnapshotManager
from server.index.page_questions import Embed, QuestionIndex, SampleQuestion
from server.index.search import Index
from server.index.text import Synonym, load_synonyms
from server.index.wordings import Wordings
from server.inference.encoders import Embedder, SnapshotClassifier
from server.settings import Settings
from server.wiring.page_questions import of_file
from server.wiring.private_copy import private_copy

if TYPE_CHECKING:
    from server.index.typesense.search import Engine


# What pages answer beside their headings, read when a snapshot's sample questions are first looked for.
SampleQuestions = Callable[[], Iterable[SampleQuestion]]


class OpenedSnapshot(Index):
    """An index with the snapshot's classifiers; `SnapshotError` when a part cannot be used. Thread-safe."""

    def __init__(  # noqa: PLR0913  (what a snapshot is opened with, each by its name)
        self,
        folder: Path,
        *,
        threads: int = 2,
        hnsw_from_chunks: int = 100_000,
        synonyms: Iterable[Synonym] = (),
        embed: Embed | None = None,
        more: SampleQuestions = tuple,
    ) -> None:
        """`embed` and `more` are what its second index, of sample questions, is made by."""
        super().__init__(folder, threads=threads, hnsw_from_chunks=hnsw_from_chunks, synonyms=synonyms)
        self._engine: Engine | None = None
        self.wordings = Wordings(self.snapshot, self.text, self.keyword)
        self.questions = QuestionIndex(self.snapshot, embed, more)
        try:
            self.classifier = SnapshotClassifier(folder, self.snapshot.manifest.dims)
        except Exception:
            self.close()
            raise

    def search_by(self, engine: Engine) -> None:
        """Have it searched by an engine in front of its own index, which is closed with it."""
        self._engine, self.keyword, self.vector = engine, engine.keyword, engine.vector

    def close(self) -> None:
        """Let go of the files, and of the engine's connections."""
        if self._engine:
            self._engine.close()
        super().close()


class FixedSnapshot:
    """One opened snapshot in the place of the live one: questions are asked over it whatever is published."""

    def __init__(self, opened: OpenedSnapshot) -> None:
        self._opened = opened

    @contextmanager
    def lease(self) -> Iterator[OpenedSnapshot]:
        """That snapshot."""
        yield self._opened


def build_live(
    settings: Settings, current: Path, embedder: Embedder, more: SampleQuestions = tuple
) -> SnapshotManager[OpenedSnapshot]:
    """The snapshot that `current` names, followed as it changes; one of another embedder is refused.

    `more` are questions that pages answer, beside those of `LODGE_QUESTIONS_FILE`.
    """
    open_engine = _engine_opener(settings, current)
    return SnapshotManager(current, lambda folder: open_folder(settings, folder, embedder, open_engine, more))


def open_folder(
    settings: Settings,
    folder: Path,
    embedder: Embedder,
    open_engine: Callable[[Index], Engine] | None = None,
    more: SampleQuestions = tuple,
) -> OpenedSnapshot:
    """One snapshot, ready for questions; `SnapshotError` when it is damaged, or of another embedder.

    Where the default strategy looks for sample questions, they are embedded before it is.
    """
    with private_copy(settings, folder) as copy:
        opened = OpenedSnapshot(
            copy,
            threads=settings.duckdb_threads,
            hnsw_from_chunks=settings.hnsw_from_chunks,
            synonyms=load_synonyms(settings.synonyms_file),
            embed=embedder.embed_questions,
            more=lambda: (*of_file(settings.questions_file), *more()),
        )
        try:
            opened.require_embedder(embedder.name, embedder.sha256, embedder.projection_sha256)
            opened.warm_up()
            if "questions" in settings.strategy.split("+"):
                opened.questions.warm_up()
            if open_engine is not None:
                opened.search_by(open_engine(opened))
        except Exception:
            opened.close()
            raise
    return opened


def _engine_opener(settings: Settings, current: Path) -> Callable[[Index], Engine] | None:
    """What searches in the snapshot's place: Typesense, which has none but the snapshots of the home."""
    if not settings.typesense_urls or current != settings.current_snapshot:
        return None
    from server.wiring.typesense import engine_opener  # noqa: PLC0415 - a client that few need

    return engine_opener(settings)
