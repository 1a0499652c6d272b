"""`+questions`: what pages are known to answer counts beside what they say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from server.ask.context import QuestionOptions, ScopeOptions
from server.index.page_questions import SampleQuestion
from server.inference.encoders import Embedder
from server.models import Final, Scope, TraceStep
from server.wiring.opened import OpenedSnapshot
from tests.ask.asking import Flow, question
from tests.small_site import SITE

QUESTION = "who feeds the college cat"
OPEN: dict[str, Any] = {"gate": ScopeOptions(threshold=-100.0)}


@pytest.fixture(scope="module")
def flow(snapshot_folder: Path, embedder: Embedder) -> Iterator[Flow]:
    more = (SampleQuestion("who gives the cat its food", f"{SITE}/parking"),)
    opened = OpenedSnapshot(snapshot_folder, threads=1, embed=embedder.embed_questions, more=lambda: more)
    yield Flow(opened, embedder)
    opened.close()


def step(final: Final, name: str) -> TraceStep:
    return next(step for step in final.trace.steps if step.step == name)


def first_url(final: Final) -> str:
    found = [final.trace.passages[hit.chunk_id].url for hit in step(final, "retrieve").ranking]
    return found[0] if found else ""


@pytest.mark.parametrize("search", ["semantic", "keyword", "hybrid"])
def test_a_page_is_found_by_a_question_that_its_words_do_not_have(flow: Flow, search: str) -> None:
    assert first_url(flow.final(QUESTION, search, **OPEN)) != f"{SITE}/parking"
    shares = QuestionOptions(share=0.7)
    final = flow.final(QUESTION, f"{search}+questions", questions=shares, **OPEN)
    assert first_url(final) == f"{SITE}/parking"
    assert final.trace.settings["question_share"] == 0.7


def test_the_scores_are_the_published_sum(flow: Flow) -> None:
    plain, final = (flow.final(QUESTION, name, **OPEN) for name in ("hybrid", "hybrid+questions"))
    content = {hit.chunk_id: hit.score for hit in step(plain, "retrieve").ranking}
    asked = {hit.chunk_id: hit.score for hit in step(final, "retrieve.questions").ranking}
    for hit in step(final, "retrieve").ranking:
        assert hit.score == pytest.approx(0.7 * content[hit.chunk_id] + 0.3 * asked.get(hit.chunk_id, 0.0))


def test_a_question_that_is_not_alike_enough_counts_for_nothing(flow: Flow) -> None:
    plain = flow.final(QUESTION, "hybrid", **OPEN)
    final = flow.final(QUESTION, "hybrid+questions", questions=QuestionOptions(least=1.0), **OPEN)
    assert step(final, "retrieve.questions").ranking == ()
    order = [[hit.chunk_id for hit in step(one, "retrieve").ranking] for one in (plain, final)]
    assert order[0] == order[1]


def test_what_is_held_to_some_pages_stays_there(flow: Flow) -> None:
    asked = question(QUESTION, "keyword+questions", within=Scope(prefix=f"{SITE}/dining"))
    *_, final = flow.asker(**OPEN).ask(asked)
    assert isinstance(final, Final)
    assert {one.url for one in final.trace.passages.values()} <= {f"{SITE}/dining"}
