"""Multi-query without a language model: other wordings by rules, what they bring in one list."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from server.ask.context import ScopeOptions
from server.index.text import Synonym
from server.inference.encoders import Embedder
from server.models import Final, TraceStep
from server.wiring.opened import OpenedSnapshot
from tests.ask.asking import Flow

QUESTION = "what can someone with a nut allergy have for supper"
OPEN: dict[str, Any] = {"gate": ScopeOptions(threshold=-100.0)}


@pytest.fixture(scope="module")
def snapshot(snapshot_folder: Path) -> Iterator[OpenedSnapshot]:
    opened = OpenedSnapshot(snapshot_folder, threads=1, synonyms=[Synonym(("supper", "meal plan"))])
    yield opened
    opened.close()


@pytest.fixture
def flow(snapshot: OpenedSnapshot, embedder: Embedder) -> Flow:
    return Flow(snapshot, embedder)


def step(final: Final, name: str) -> TraceStep:
    return next(step for step in final.trace.steps if step.step == name)


@pytest.mark.parametrize("search", ["semantic", "keyword", "hybrid"])
def test_other_wordings_are_searched_and_each_passage_stands_once(flow: Flow, search: str) -> None:
    final = flow.final(QUESTION, f"{search}+multiquery", **OPEN)
    wordings = ["what can someone with a nut allergy have for meal plan"]
    assert step(final, "expand").notes == {"by": "rules", "wordings": wordings}
    found = [hit.chunk_id for hit in step(final, "retrieve").ranking]
    assert len(found) == len(set(found))
    assert step(final, "retrieve").ranking == step(final, "retrieve.multiquery").ranking
    assert final.answer.strategy == f"{search}+multiquery"


def test_a_question_without_other_wordings_is_searched_as_ever(flow: Flow) -> None:
    question = "where can visitors park"
    plain, final = (flow.final(question, name, **OPEN) for name in ("hybrid", "hybrid+multiquery"))
    assert step(final, "expand").notes == {"by": "rules", "wordings": []}
    assert step(final, "retrieve").ranking == step(plain, "retrieve").ranking
    assert final.answer.answer == plain.answer.answer


def test_a_strategy_without_it_has_no_such_step(flow: Flow) -> None:
    names = {step.step for step in flow.final(QUESTION, "hybrid", **OPEN).trace.steps}
    assert not names & {"expand", "retrieve.multiquery"}


def test_the_share_of_the_other_wordings_is_in_the_trace(flow: Flow) -> None:
    settings = flow.final(QUESTION, "hybrid+multiquery", **OPEN).trace.settings
    assert (settings["wordings"], settings["wording_share"]) == (3, 0.2)
