"""The search with a language model behind real HTTP: a server on loopback that follows a script."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from server.ask.context import AskOptions, Models, RetrieveOptions, ScopeOptions
from server.ask.pipeline import Asker
from server.inference.encoders import Embedder
from server.llm.options import ChatOptions
from server.models import Final, TraceStep
from server.wiring.generation import ChatWriter
from server.wiring.opened import OpenedSnapshot
from tests.ask.asking import OneSnapshot, question
from tests.llm.scripted import Script, ScriptedServer, hangs, says, serving, status

QUESTION = "where do guests leave their car"
OPEN = ScopeOptions(threshold=-100.0)


class Search:
    """A flow over the small college that quotes, and whose search a scripted model helps."""

    def __init__(self, opened: OpenedSnapshot, embedder: Embedder) -> None:
        self._lease, self._embedder = OneSnapshot(opened).lease, embedder

    @contextmanager
    def helped(self, *scripts: Script, **options: object) -> Iterator[tuple[Asker, ScriptedServer]]:
        with serving(*scripts) as server:
            given = ChatOptions(server.url, connect_s=0.3, first_token_s=0.4, stall_s=0.4, retries=0)
            writer = ChatWriter(given, "Brackwater College")
            models = Models(self._embedder, search_llm=writer.search(lambda text: text.replace("555", "***")))
            try:
                yield Asker(self._lease, models, AskOptions(gate=OPEN, **options)), server  # type: ignore[arg-type]  # as the test names them
            finally:
                writer.close()


@pytest.fixture
def search(opened: OpenedSnapshot, embedder: Embedder) -> Search:
    return Search(opened, embedder)


def final(asker: Asker, strategy: str, text: str = QUESTION, **fields: bool) -> Final:
    *_, last = asker.ask(question(text, strategy, **fields))
    assert isinstance(last, Final)
    return last


def step(of: Final, name: str) -> TraceStep:
    return next(step for step in of.trace.steps if step.step == name)


def ranked(of: Final, name: str = "retrieve") -> list[int]:
    return [hit.chunk_id for hit in step(of, name).ranking]


# --- multi-query --------------------------------------------------------------------------------


def test_the_models_wordings_are_searched(search: Search) -> None:
    written = says("1. Where can visitors park?\n", "2. Is parking free? Call 555")
    with search.helped(written) as (asker, server):
        found = final(asker, "hybrid+multiquery")
        [chat] = server.chats
    assert QUESTION in chat.body["messages"][1]["content"]
    wordings = ["Where can visitors park?", "Is parking free? Call ***"]
    assert step(found, "expand").notes == {"by": "model", "wordings": wordings}
    assert step(found, "retrieve.multiquery").notes["brought"] == [len(ranked(found)), len(ranked(found))]
    assert found.trace.passages[ranked(found)[0]].url.endswith("/parking")


def test_what_only_another_wording_brings_is_a_candidate(search: Search) -> None:
    few = RetrieveOptions(candidates=1)
    with search.helped(says("Where can visitors park?"), retrieve=few) as (asker, _):
        found = final(asker, "semantic+multiquery", "how much is tuition")
    brought = [found.trace.passages[chunk].url.rsplit("/")[-1] for chunk in ranked(found)]
    assert brought == ["tuition", "parking"]
    assert step(found, "retrieve.multiquery").notes == {"brought": [1], "new": 1}


@pytest.mark.parametrize(
    ("script", "trouble"), [(hangs(), "slow"), (status(500), "broken"), (status(401), "refused")]
)
def test_when_the_model_is_away_the_search_is_by_rules(search: Search, script: Script, trouble: str) -> None:
    with search.helped(script) as (asker, _):
        plain, found = final(asker, "hybrid"), final(asker, "hybrid+multiquery")
    assert step(found, "expand").notes == {"by": "rules", "wordings": [], "trouble": trouble}
    assert ranked(found) == ranked(plain)
    assert found.answer.answer == plain.answer.answer


def test_a_model_that_writes_nothing_of_use_is_as_none(search: Search) -> None:
    with search.helped(says("Sure!")) as (asker, _):
        assert step(final(asker, "hybrid+multiquery"), "expand").notes["by"] == "rules"


def test_under_load_the_model_is_not_asked(search: Search) -> None:
    with search.helped(says("Where can visitors park?")) as (asker, server):
        found = final(asker, "hybrid+multiquery", load_shed=True)
        assert (found.answer.strategy, server.chats) == ("keyword", [])
