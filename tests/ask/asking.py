"""A whole question's way over the small college, and a recorder that keeps what it is given."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from server.ask.context import AskOptions, Models, ScopeOptions
from server.ask.curated import SiteConfig
from server.ask.pipeline import Asker
from server.ask.ports import AnswerGenerator, CrossEncoder
from server.inference.encoders import Embedder
from server.messages.catalogue import shipped
from server.models import Event, Exchange, Final, Question
from server.models.routing import WAYS, Routing, Way
from server.wiring.flow import build_reranker
from server.wiring.opened import OpenedSnapshot
from tests import small_site

# What is said of a site without a name.
ENGLISH, SPANISH = (shipped().spoken(lang, "the university") for lang in ("en", "es"))
OPEN_GATE = ScopeOptions(threshold=-100.0)


@dataclass
class OneSnapshot:
    """Leases one open snapshot, and counts the leases that have not ended."""

    index: OpenedSnapshot
    leases: int = 0

    @contextmanager
    def lease(self) -> Iterator[OpenedSnapshot]:
        self.leases += 1
        try:
            yield self.index
        finally:
            self.leases -= 1


@dataclass
class Notebook:
    """A recorder in memory."""

    exchanges: list[Exchange] = field(default_factory=list)

    def record(self, exchange: Exchange) -> None:
        self.exchanges.append(exchange)


class Routes:
    """A router that takes every line for what it is told, and words of it to begin a question, to be shared
    by others, or to begin one that leaves something out."""

    def __init__(self, way: Way, *words: str, shared: Sequence[str] = (), lacks: Sequence[str] = ()) -> None:
        self.way, self.told = way, (words, shared, lacks)
        self.lines: list[str] = []

    def route(self, line: str) -> Routing:
        self.lines.append(line)
        ways = {way: 0.94 if way == self.way else 0.02 for way in WAYS}
        return Routing(ways, *({line.index(word): 0.9 for word in own if word in line} for own in self.told))


def question(text: str, strategy: str | None = None, **fields: Any) -> Question:
    return Question(text, "c1", "m1", "t1", strategy=strategy, **fields)


@dataclass
class Flow:
    """An asker over one snapshot, with its notebook."""

    index: OpenedSnapshot
    embedder: Embedder
    cross_encoder: CrossEncoder | None = None
    writer: AnswerGenerator | None = None
    site_config: SiteConfig | None = None
    notebook: Notebook = field(default_factory=Notebook)

    def asker(self, **options: Any) -> Asker:
        return Asker(
            OneSnapshot(self.index).lease,
            Models(self.embedder, self.cross_encoder, self.writer),
            AskOptions(**options),
            self.notebook.record,
            self.site_config,
        )

    def events(self, text: str, strategy: str | None = None, **options: Any) -> list[Event]:
        return list(self.asker(**options).ask(question(text, strategy)))

    def final(self, text: str, strategy: str | None = None, **options: Any) -> Final:
        final = self.events(text, strategy, **options)[-1]
        assert isinstance(final, Final)
        return final

    def ungated(self, text: str) -> Final:
        """What becomes of a question that no gate turns away."""
        return self.final(text, gate=OPEN_GATE)

    def converse(self, *lines: str, **options: Any) -> list[Final]:
        """The finals of a conversation's lines, each with those before it as its history."""
        history: tuple[tuple[str, str], ...] = ()
        finals: list[Final] = []
        for line in lines:
            cited = finals[-1].answer.citations if finals else ()
            *_, final = self.asker(**options).ask(question(line, history=history, cited=cited))
            assert isinstance(final, Final)
            history += (("user", line), ("assistant", final.answer.answer))
            finals.append(final)
        return finals


@contextmanager
def flow_over(folder: Path, bodies: Mapping[str, str], embedder: Embedder) -> Iterator[Flow]:
    """The small college with pages of these HTML bodies, by path, indexed in `folder` and read by the shipped
    reader."""
    settings, pages = small_site.settings_for(folder), small_site.kept_pages()
    for path, body in bodies.items():
        page = small_site.page(path, path.strip("/").title(), "")
        page["html"] = f"<html lang=en><title>{page['title']}</title><body><main>{body}</main></body></html>"
        pages.append(page)
    small_site.index_pages(settings, pages)
    with closing(OpenedSnapshot((settings.snapshots_dir / "current").resolve(), threads=1)) as snapshot:
        yield Flow(snapshot, embedder, build_reranker(settings))


def fixture_over(bodies: Mapping[str, str]) -> Callable[..., Iterator[Flow]]:
    """A module's fixture `flow`, over the small college with these pages."""

    @pytest.fixture(scope="module")
    def flow(tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> Iterator[Flow]:
        with flow_over(tmp_path_factory.mktemp("pages"), bodies, embedder) as flow:
            yield flow

    return flow
