"""Answered golden questions as examples, from the records to the prompt."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from server.ask.context import AskOptions, Models, ScopeOptions
from server.ask.pipeline import Asker
from server.inference.encoders import Embedder
from server.llm.options import ChatOptions
from server.models.golden import GoldenOutcome, GoldenQuestion
from server.settings import Settings
from server.wiring.examples import AnsweredExample, GoldenExamples, passed_answers
from server.wiring.generation import ChatWriter
from server.wiring.measuring import WITHOUT_EXAMPLES, run_eval
from server.wiring.opened import OpenedSnapshot
from server.workbench.records import Records, open_records
from tests.ask.asking import OneSnapshot, question
from tests.llm.scripted import says, serving
from tests.wiring.question_files import write_questions

TUITION = "How much is tuition for residents of the state?"
TEXTS = ("Where is it?", "When is it?", "Why?")
PARKING = AnsweredExample("main", "What does a permit for my car cost?", "A permit costs $120 a year. [1]")
LIBRARY = AnsweredExample("main", "Is the library open at night?", "It is open until midnight. [2]")
SAME = AnsweredExample("main", TUITION.upper(), "It is $1. [1]")
OTHER_SITE = AnsweredExample("law", "How much is tuition?", "It is $33,750. [1]")


@pytest.fixture
def records(tmp_path: Path) -> Iterator[Records]:
    opened = open_records(f"sqlite:///{tmp_path / 'records.sqlite'}")
    yield opened
    opened.close()


@pytest.fixture
def examples(embedder: Embedder) -> GoldenExamples:
    return GoldenExamples(lambda: (LIBRARY, PARKING, SAME, OTHER_SITE), embedder.embed_questions)


def test_the_nearest_of_the_site_and_never_the_question_itself(
    examples: GoldenExamples, embedder: Embedder
) -> None:
    found = examples.nearest(TUITION, embedder.embed_question(TUITION), 3, "main")
    assert found == [(one.question, one.answer) for one in (PARKING, LIBRARY)]
    assert len(examples.nearest(TUITION, embedder.embed_question(TUITION), 1, "main")) == 1


def test_there_need_be_none(embedder: Embedder) -> None:
    none = GoldenExamples(tuple, embedder.embed_questions)
    assert none.nearest(TUITION, embedder.embed_question(TUITION), 3, "main") == []


def test_only_what_passed_when_it_was_last_asked(records: Records) -> None:
    golden = records.golden
    ids = [
        golden.add(GoldenQuestion("", "main", text)).id for text in ("Where is it?", "When is it?", "Why?")
    ]
    refused = golden.add(GoldenQuestion("", "main", "Who won?", refuse=True)).id
    run = {"site": "main", "occasion": "asked", "snapshot": "s", "strategy": "hybrid", "by": "t"}
    golden.note_run([GoldenOutcome(one, None, "Here. [1]") for one in (*ids[:2], refused)], **run)
    golden.note_run([GoldenOutcome(ids[1], "It is not answered.", "")], **run)
    assert [*passed_answers(golden)] == [AnsweredExample("main", "Where is it?", "Here. [1]")]


@pytest.mark.parametrize(("strategy", "shown"), [("hybrid+fewshot", True), ("hybrid", False)])
def test_the_prompt_has_them_where_the_strategy_does(
    examples: GoldenExamples, opened: OpenedSnapshot, embedder: Embedder, strategy: str, shown: bool
) -> None:
    with serving(says("Undergraduate tuition for residents of the state is $9,240 a year. [1]")) as server:
        writer = ChatWriter(ChatOptions(server.url, retries=0), "Brackwater College")
        models = Models(embedder, writer=writer, examples=examples)
        options = AskOptions(gate=ScopeOptions(threshold=-100.0), refusal_threshold=0.2)
        [*_] = Asker(OneSnapshot(opened).lease, models, options).ask(question(TUITION, strategy))
        writer.close()
        [chat] = server.chats
    prompt = chat.body["messages"][1]["content"]
    assert (f"Question: {PARKING.question}\nAnswer: {PARKING.answer}" in prompt) is shown
    assert ("<examples>" in prompt) is shown
    assert SAME.answer not in prompt


@pytest.mark.parametrize("is_asked", [True, False])
def test_an_evaluation_has_them_too_or_says_that_there_are_none(
    own_snapshots: Settings, tmp_path: Path, is_asked: bool
) -> None:
    home = replace(own_snapshots, refusal_threshold=0.2)
    if is_asked:
        with closing(open_records(home.records_database_url)) as records:
            one = records.golden.add(GoldenQuestion("", "main", PARKING.question))
            run = {"site": "main", "occasion": "asked", "snapshot": "s", "strategy": "hybrid", "by": "t"}
            records.golden.note_run([GoldenOutcome(one.id, None, PARKING.answer)], **run)
    lines = [{"id": "1", "question": TUITION, "gold_urls": []}]
    questions = write_questions(tmp_path / "questions.jsonl", lines=lines)
    warnings: list[str] = []
    with serving(says("Undergraduate tuition for residents of the state is $9,240 a year. [1]")) as server:
        home = replace(home, llm_url=server.url, llm_retries=0)
        run_eval(
            home, questions, None, ["hybrid+fewshot"],
            warn=warnings.append, note=lambda _: None, on_progress=lambda *_: None,
        )  # fmt: skip
        chat, *_ = server.chats
    assert (PARKING.answer in chat.body["messages"][1]["content"]) is is_asked
    assert (WITHOUT_EXAMPLES in warnings) is not is_asked
    assert home.home.joinpath("records.sqlite").exists() is is_asked


def test_an_evaluation_without_them_does_not_look_into_the_records(
    own_snapshots: Settings, tmp_path: Path
) -> None:
    (own_snapshots.home / "records.sqlite").write_bytes(b"no database at all" * 100)
    run = run_eval(
        own_snapshots, write_questions(tmp_path / "questions.jsonl"), None, ["keyword"],
        warn=lambda _: None, note=lambda _: None, on_progress=lambda *_: None,
    )  # fmt: skip
    assert len(run.evaluation.strategies) == 1
