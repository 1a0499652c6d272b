from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from server.ask.contextualize import (
    ContextualizedQuestion,
    condensed,
    contextualize,
    parse_condensed,
    without_refused,
)
from server.ask.conversation.standalone import StandaloneQuestion
from server.ask.conversation.turns import ConversationTurn, Memory
from server.errors import LodgeError, NotReadyError
from server.index.search import Index
from server.inference.encoders import Embedder

HISTORY = (("user", "How long may undergraduates keep a book?"), ("assistant", "Four weeks. [1]"))
RULES = ContextualizedQuestion(
    "follow_up",
    StandaloneQuestion("How long may graduates keep a book?", "graduates", "exchanged"),
    "and graduates?",
    Memory((ConversationTurn("How long may undergraduates keep a book?"),)),
)


@dataclass
class Writes:
    """A condenser that writes one thing, or fails."""

    output: str | LodgeError
    asked: int = 0

    def __call__(self, question: str, history: Sequence[tuple[str, str]]) -> str:
        self.asked += 1
        if isinstance(self.output, LodgeError):
            raise self.output
        return self.output


@pytest.mark.parametrize(
    "output",
    [
        "How long may graduate students keep a book?",
        '  "How long may graduate students keep a book?"\n',
        "Standalone question: How long may graduate students keep a book?",
    ],
)
def test_one_question_is_taken(output: str) -> None:
    assert (
        parse_condensed(output, "and for graduates?", HISTORY)
        == "How long may graduate students keep a book?"
    )


@pytest.mark.parametrize(
    "output",
    [
        "",
        "Sure!\nHow long may graduates keep a book?",
        "How long may graduates keep a book? And what is the fine?",
        "What is the capital of Spain?",
        "book",
        "How long may graduates keep a book, " + "and so on, " * 40,
        "?",
    ],
    ids=["empty", "talk", "two", "out of the blue", "one word", "too long", "a mark"],
)
def test_anything_else_is_not(output: str) -> None:
    assert parse_condensed(output, "and for graduates?", HISTORY) is None


def test_the_models_words_replace_the_rules() -> None:
    found = condensed("and for graduates?", HISTORY, RULES, Writes("How long may a graduate keep a book?"))
    assert (found.question, found.standalone.how) == ("How long may a graduate keep a book?", "model")
    assert found.memory == RULES.memory


@pytest.mark.parametrize("output", ["I cannot do that.\nSorry.", NotReadyError("The model is loading.")])
def test_the_rules_stand_in_when_it_cannot_be_parsed_or_is_down(output: str | LodgeError) -> None:
    assert condensed("and for graduates?", HISTORY, RULES, Writes(output)) == RULES


def test_it_is_asked_for_follow_ups_alone() -> None:
    model = Writes("Something about a book?")
    first = ContextualizedQuestion("first", StandaloneQuestion("When is it open?", "", "kept"))
    assert condensed("When is it open?", (), first, model) == first
    assert condensed("and for graduates?", HISTORY, RULES, None) == RULES
    assert model.asked == 0


SOLD = (
    ("user", "How much is a parking permit for commuters?"),
    ("assistant", "It costs $120 a year. [1]"),
)


class Condenses:
    def __call__(self, question: str, history: Sequence[tuple[str, str]]) -> str:
        return "Where can I buy a parking permit for commuters?"


def test_a_follow_up_is_put_into_words_that_stand_alone(embedder: Embedder, index: Index) -> None:
    part = contextualize("where is it sold?", SOLD, index.text, embedder)
    assert part.question == "where is a parking permit for commuters sold?"
    assert part.relation == "follow_up"


def test_a_question_after_one_on_something_else_stands_as_it_is(embedder: Embedder, index: Index) -> None:
    before = (("user", "What is the capital of Spain?"),)
    part = contextualize("when does the gymnasium open?", before, index.text, embedder)
    assert (part.relation, part.question) == ("new_topic", "when does the gymnasium open?")


def test_a_language_model_condenses_follow_ups(embedder: Embedder, index: Index) -> None:
    part = contextualize("where is it sold?", SOLD, index.text, embedder, Condenses())
    assert part.notes["how"] == "model"
    assert part.question == "Where can I buy a parking permit for commuters?"


def refused(answer: str) -> bool:
    return answer == "No."


TOLD = (("user", "when is the library open"), ("assistant", "From 8 to 5. [1]"))
REFUSED = (("user", "who won the world cup"), ("assistant", "No."))


@pytest.mark.parametrize(
    ("question", "kept"),
    [
        ("how much is a parking permit", TOLD),
        ("and where is the gym", TOLD),
        ("why is that", (*TOLD, *REFUSED)),
        ("and for women?", (*TOLD, *REFUSED)),
    ],
)
def test_a_refused_line_is_left_unless_it_is_pointed_at(
    question: str, kept: tuple[tuple[str, str], ...]
) -> None:
    assert without_refused(question, (*TOLD, *REFUSED), refused) == list(kept)


def test_a_chain_that_points_back_stays_and_one_that_does_not_goes() -> None:
    chain = (*REFUSED, ("user", "and for women?"), ("assistant", "No."))
    assert without_refused("why is that", chain, refused) == list(chain)
    assert without_refused("how much is a parking permit", chain, refused) == []
