"""The training road's parts: the pages of a snapshot, its search, and a model that is given time."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from server.ask.context import RetrieveOptions, parse_strategy
from server.ask.retrieve import retrieve
from server.ask.trace import TraceLog
from server.errors import BadInputError
from server.index.snapshot import Snapshot
from server.inference.encoders import Embedder
from server.llm.client import ChatClient
from server.llm.options import ChatOptions
from server.models import Passage
from server.settings import Settings
from server.training.asking import PageChunks
from server.training.keeping import Search
from server.training.questions import OnProgress, QuestionReport, WritingOptions, write_questions
from server.wiring.measuring import open_ground
from server.wiring.opened import OpenedSnapshot

__all__ = ["WritingOptions", "open_site", "run_questions"]

Tell = Callable[[str], None]

# Nobody waits for a question that is written on a page; a model on a CPU takes its time.
PATIENT_FIRST_S, PATIENT_STALL_S, PATIENT_TOTAL_S = 300.0, 60.0, 900.0


def run_questions(  # noqa: PLR0913  (what the command line may say, each by its name)
    settings: Settings,
    file: Path,
    pages_file: Path | None,
    options: WritingOptions,
    *,
    most_pages: int | None,
    warn: Tell,
    note: Tell,
    on_progress: OnProgress,
) -> QuestionReport:
    """Questions on the live snapshot's pages, or a pages file's, by the model of `LODGE_LLM_URL`."""
    if not settings.llm_url:
        raise BadInputError("LODGE_LLM_URL names the model that writes the questions; it is not set.")
    chat = patient(ChatOptions.of(settings))
    options = replace(options, room=min(options.room, chat.context_tokens // 2))
    with open_site(settings, pages_file, warn, note) as site, closing(ChatClient(chat)) as client:
        pages = site.pages[:most_pages]
        return write_questions(
            pages,
            file,
            options,
            lambda messages, tokens: client.complete(messages, answer_tokens=tokens),
            client.count_tokens,
            site.search,
            on_progress,
        )


def patient(options: ChatOptions) -> ChatOptions:
    """The options of a client whose answers nobody waits for."""
    return replace(
        options,
        first_token_s=PATIENT_FIRST_S,
        stall_s=PATIENT_STALL_S,
        total_s=PATIENT_TOTAL_S,
        tokenize_s=10.0,
        connect_s=5.0,
    )


@dataclass(frozen=True, slots=True)
class SearchableSite:
    """A snapshot's pages, and its hybrid search as a question has it."""

    pages: Sequence[PageChunks]
    search: Search


@contextmanager
def open_site(
    settings: Settings, pages_file: Path | None, warn: Tell, note: Tell
) -> Iterator[SearchableSite]:
    """The live snapshot, or a cached one of a pages file."""
    with open_ground(settings, pages_file) as ground:
        ground.prepare(warn, note)
        with ground.live.lease() as index:
            yield SearchableSite(pages_of(index.snapshot), hybrid_search(index, ground.embedder))


def pages_of(snapshot: Snapshot) -> list[PageChunks]:
    """Every page with its chunks, in the order they were indexed."""
    passages = snapshot.passages(range(snapshot.manifest.chunks)).values()
    by_page = itertools.groupby(passages, key=operator.attrgetter("url"))
    grouped: dict[str, list[Passage]] = {}
    for url, chunks in by_page:
        grouped.setdefault(url, []).extend(chunks)
    return [PageChunks(url, chunks[0].title, tuple(chunks)) for url, chunks in grouped.items()]


def hybrid_search(index: OpenedSnapshot, embedder: Embedder) -> Search:
    """Passages by meaning and words, fused, best first."""
    strategy, options = parse_strategy("hybrid"), RetrieveOptions()

    def search(question: str) -> list[Passage]:
        vector = embedder.embed_question(question)
        found = retrieve(question, vector, strategy, options, index, TraceLog())
        return [candidate.passage for candidate in found]

    return search
