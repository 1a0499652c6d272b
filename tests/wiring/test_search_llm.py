"""The search with a language model behind real HTTP: a server on loopback that follows a script."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from server.ask.context import (
    AskOptions,
    ExpandOptions,
    LlmRerankOptions,
    Models,
    RetrieveOptions,
    ScopeOptions,
)
from server.ask.pipeline import Asker
from server.inference.encoders import Embedder
from server.llm.options import ChatOptions
from server.models import Final, TraceStep
from server.wiring.generation import ChatWriter
from server.wiring.opened import OpenedSnapshot
from tests.ask.asking import OneSnapshot, question
from tests.llm.scripted import STREAM, Script, ScriptedServer, event, hangs, says, sends, serving, status

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


# --- HyDE ---------------------------------------------------------------------------------------

MADE_UP = "Guests leave their car in the garage of the library, which costs $3 an hour."


def test_passages_like_a_made_up_answer_are_looked_for(search: Search) -> None:
    with search.helped(says("The library is open until ", "midnight on weekdays.")) as (asker, server):
        found = final(asker, "semantic+hyde")
        [chat] = server.chats
    assert QUESTION in chat.body["messages"][1]["content"]
    assert step(found, "expand").notes == {"answers": ["The library is open until midnight on weekdays."]}
    assert found.trace.passages[ranked(found)[0]].url.endswith("/library")
    assert found.answer.strategy == "semantic+hyde"


def test_of_several_answers_the_mean_is_looked_for(search: Search, embedder: Embedder) -> None:
    scripts = says("Tuition is $9,240 a year."), says("Tuition is due.")
    several = ExpandOptions(answers=2)
    with search.helped(*scripts, expand=several) as (asker, server):
        found = final(asker, "semantic+hyde", "what does it cost")
        assert [chat.body["temperature"] for chat in server.chats] == [0.7, 0.7]
    mean = embedder.embed_passages(["Tuition is $9,240 a year.", "Tuition is due."]).mean(axis=0)
    best = step(found, "retrieve.semantic").ranking[0]
    passage = found.trace.passages[best.chunk_id]
    of_best = embedder.embed_passages([f"{passage.title} {passage.text}"])[0]
    assert best.score > float(mean @ of_best) - 0.2
    assert len(step(found, "expand").notes["answers"]) == 2


def test_the_scope_is_judged_by_the_question_and_not_by_what_was_made_up(search: Search) -> None:
    with search.helped(says(MADE_UP)) as (asker, _):
        plain, found = final(asker, "hybrid"), final(asker, "hybrid+hyde")
    assert step(found, "scope").notes["nearest"] == pytest.approx(step(plain, "scope").notes["nearest"])


@pytest.mark.parametrize(("script", "trouble"), [(hangs(), "slow"), (status(500), "broken")])
def test_without_a_made_up_answer_the_question_is_looked_for(
    search: Search, script: Script, trouble: str
) -> None:
    with search.helped(script) as (asker, _):
        plain, found = final(asker, "hybrid"), final(asker, "hybrid+hyde")
    assert step(found, "expand").notes == {"answers": [], "no_answers": trouble}
    assert step(found, "retrieve").ranking == step(plain, "retrieve").ranking


def test_a_search_by_words_makes_nothing_up(search: Search) -> None:
    with search.helped(says(MADE_UP)) as (asker, server):
        assert step(final(asker, "keyword+hyde"), "expand").notes == {}
        assert server.chats == []


# --- reranking ----------------------------------------------------------------------------------

FOUR = LlmRerankOptions(candidates=4, window=2, stride=1)


def test_windows_from_the_last_to_the_first_are_put_in_order(search: Search) -> None:
    """Each turns its window round: the last of four climbs to the top, the others keep their order."""
    with search.helped(says("[2] > [1]"), llm_rerank=FOUR) as (asker, server):
        plain, found = final(asker, "hybrid"), final(asker, "hybrid+llmrerank")
        assert len(server.chats) == 3
    a, b, c, d, *rest = ranked(plain, "boost")
    assert ranked(found, "llmrerank") == [d, a, b, c, *rest]
    scores = [
        [hit.score for hit in step(one, name).ranking]
        for one, name in ((plain, "boost"), (found, "llmrerank"))
    ]
    assert scores[0] == scores[1]
    assert step(found, "llmrerank").notes == {"how": "listwise", "of": 4}


def says_likely(text: str, **likely: float) -> Script:
    """One token, and the log-probabilities of those it was chosen among."""
    top = [{"token": token, "logprob": logprob} for token, logprob in likely.items()]
    told = event(text, "stop").replace(
        '"finish_reason"',
        f'"logprobs": {{"content": [{{"top_logprobs": {json.dumps(top)}}}]}}, "finish_reason"',
    )
    return sends(STREAM, told, "data: [DONE]\n\n")


def test_passages_stand_by_the_probability_of_yes(search: Search) -> None:
    scripts = (
        says_likely("No", No=-0.1, Yes=-2.4),
        says_likely("Yes", Yes=-0.01, No=-5.0),
        says("I cannot tell"),
    )
    pointwise = LlmRerankOptions("pointwise", candidates=3)
    with search.helped(*scripts, llm_rerank=pointwise) as (asker, server):
        plain, found = final(asker, "hybrid"), final(asker, "hybrid+llmrerank")
        assert [chat.body["top_logprobs"] for chat in server.chats] == [10, 10, 10]
        assert {chat.body["max_tokens"] for chat in server.chats} == {1}
    a, b, c, *rest = ranked(plain, "boost")
    assert ranked(found, "llmrerank") == [b, c, a, *rest]
    first, second, third = step(found, "llmrerank").notes["yes"]
    assert first == pytest.approx(0.0911, abs=1e-3)
    assert second == pytest.approx(0.9932, abs=1e-3)
    assert third is None


@pytest.mark.parametrize("how", ["listwise", "pointwise"])
@pytest.mark.parametrize(("script", "trouble"), [(hangs(), "slow"), (status(401), "refused")])
def test_the_order_stays_when_the_model_is_away(
    search: Search, how: str, script: Script, trouble: str
) -> None:
    with search.helped(script, llm_rerank=LlmRerankOptions(how)) as (asker, _):
        plain, found = final(asker, "hybrid"), final(asker, "hybrid+llmrerank")
    assert step(found, "llmrerank").ranking == step(plain, "boost").ranking
    assert step(found, "llmrerank").notes["trouble"] == trouble
    assert found.answer.answer == plain.answer.answer
