from __future__ import annotations

from collections.abc import Iterator

import pytest

from server.errors import BadInputError, LodgeError
from server.evaluate.evaluate import ask_once, strategy_names
from server.models import Event, Question, Status
from tests.evaluate.small_asker import SmallAsker


def test_waits_for_the_final_event_and_gives_every_ask_its_own_ids() -> None:
    asker = SmallAsker({"https://u.example/": "The library opens at nine"})
    first, second = (ask_once(asker, "when does the library open", "best") for _ in range(2))
    assert first.answer.answer == "The library opens at nine"
    assert first.trace.trace_id != second.trace.trace_id


def test_history_and_strategy_travel_with_the_question() -> None:
    seen: list[Question] = []

    class Listening(SmallAsker):
        def ask(self, question: Question) -> Iterator[Event]:
            seen.append(question)
            return super().ask(question)

    ask_once(Listening({"https://u.example/": "x"}), "and then", "worst", (("user", "what is x"),))
    assert (seen[0].text, seen[0].strategy, seen[0].history) == (
        "and then",
        "worst",
        (("user", "what is x"),),
    )


def test_a_flow_without_an_end_is_an_error() -> None:
    class Endless:
        def ask(self, question: Question) -> Iterator[Event]:
            yield Status("retrieve")

    with pytest.raises(LodgeError, match="came to no answer"):
        ask_once(Endless(), "when", "best")


def test_strategy_names_are_each_taken_once_and_blanks_left_out() -> None:
    assert strategy_names(["hybrid", " keyword ", "", "hybrid"]) == ("hybrid", "keyword")


@pytest.mark.parametrize("names", [[], [" ", ""]])
def test_an_empty_strategy_list_is_bad_input(names: list[str]) -> None:
    with pytest.raises(BadInputError, match="strategies is empty"):
        strategy_names(names)
