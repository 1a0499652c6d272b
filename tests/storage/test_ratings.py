from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from server.models import Feedback
from server.storage.ratings import RatedAnswer, rated_answers
from server.workbench.records import Records
from tests.storage.exchanges import exchange


def rate(store: Records, number: int, helpful: bool) -> None:
    at = f"2026-03-01T11:{number:02}:00+00:00"
    store.conversations.rate(Feedback("c1", f"m{number}", helpful, "", "", at))


def found(store: Records, most: int = 10) -> list[RatedAnswer]:
    with store.transactions.reading() as connection:
        return rated_answers(connection, most)


def test_ratings_come_with_how_sure_their_answers_were_the_newest_first(store: Records) -> None:
    made = exchange(1)
    corrected = replace(made.trace, settings={"confidence_shift": 0.5, "confidence_scale": 0.8})
    store.conversations.record(replace(made, trace=corrected))
    for number in (2, 3):
        store.conversations.record(exchange(number))
    rate(store, 1, True)
    rate(store, 3, False)
    assert found(store) == [RatedAnswer(0.9, False), RatedAnswer(0.9, True, 0.5, 0.8)]
    assert found(store, most=1) == [RatedAnswer(0.9, False)]


@pytest.mark.parametrize(
    "of_answer", [{"refused": True}, {"answerer": "curated"}, {"answerer": "generative"}]
)
def test_what_was_not_quoted_says_nothing_of_quotes(store: Records, of_answer: dict[str, Any]) -> None:
    store.conversations.record(exchange(1, **of_answer))
    rate(store, 1, True)
    assert found(store) == []


def test_an_answer_to_several_questions_at_once_is_left_out(store: Records) -> None:
    made = exchange(1)
    [extracted] = [step for step in made.trace.steps if step.step == "extract"]
    both = replace(made.trace, steps=(*made.trace.steps, extracted))
    store.conversations.record(replace(made, trace=both))
    rate(store, 1, True)
    assert found(store) == []
