from __future__ import annotations

import json

import pytest

from server.ask.contextualize import ContextualizedQuestion, contextualize_by_rules, questions_of
from server.index.search import Index
from server.inference.encoders import Embedder

LIBRARY = (
    ("user", "When is the Harbour Library open?"),
    ("assistant", "It is open from 8 a.m. to midnight. [1]"),
)


def ask(
    question: str, history: tuple[tuple[str, str], ...], index: Index, embedder: Embedder
) -> ContextualizedQuestion:
    return contextualize_by_rules(question, history, index.text, embedder)


def test_a_first_question_is_left_as_it_is(index: Index, embedder: Embedder) -> None:
    found = ask("and for graduates?", (), index, embedder)
    assert (found.relation, found.question, bool(found.memory)) == ("first", "and for graduates?", False)


@pytest.mark.parametrize(
    "question", ["and at weekends?", "how many books can I borrow there?", "until when?"]
)
def test_a_follow_up_carries_what_was_said(question: str, index: Index, embedder: Embedder) -> None:
    found = ask(question, LIBRARY, index, embedder)
    assert found.relation == "follow_up"
    assert found.memory.questions == "When is the Harbour Library open?"


@pytest.mark.parametrize(
    "question", ["What does the Ferrier Scholarship pay?", "How much is a parking permit for commuters?"]
)
def test_a_new_topic_clears_the_memory(question: str, index: Index, embedder: Embedder) -> None:
    found = ask(question, LIBRARY, index, embedder)
    assert (found.relation, found.question, bool(found.memory)) == ("new_topic", question, False)


def test_a_question_on_the_same_topic_stands_as_it_is_and_keeps_the_memory(
    index: Index, embedder: Embedder
) -> None:
    question = "Is the Harbour Library open during the weeks of final examinations?"
    found = ask(question, LIBRARY, index, embedder)
    assert (found.relation, found.question) == ("related", question)
    assert found.memory.turns


def test_a_chain_of_follow_ups_keeps_its_topic(index: Index, embedder: Embedder) -> None:
    history = (*LIBRARY, ("user", "and at weekends?"), ("assistant", "From 10 a.m. [1]"), ("user", "thanks!"))
    found = ask("is it open all night in the weeks of examinations?", history, index, embedder)
    assert "Library" in found.question
    assert len(found.memory.turns) == 2


def test_after_a_new_topic_a_follow_up_goes_on_from_that(index: Index, embedder: Embedder) -> None:
    history = (
        *LIBRARY,
        ("user", "How much is a parking permit for commuters?"),
        ("assistant", "$120 a year. [1]"),
    )
    found = ask("where is it sold?", history, index, embedder)
    assert found.question == "where is a parking permit for commuters sold?"
    assert "Library" not in found.memory.questions


def test_thanks_and_doubts_are_no_questions() -> None:
    history = (*LIBRARY, ("user", "are you sure?"), ("assistant", "Yes."), ("user", "ok thanks"))
    assert [turn.question for turn in questions_of(history)] == ["When is the Harbour Library open?"]


def test_it_is_the_same_every_time_and_the_trace_can_keep_it(index: Index, embedder: Embedder) -> None:
    one, other = (ask("and at weekends?", LIBRARY, index, embedder) for _ in range(2))
    assert one == other
    notes = json.loads(json.dumps(one.notes))
    assert notes["relation"] == "follow_up"
    assert notes["question"] == one.question
    assert notes["marks"] == ["lead"]
