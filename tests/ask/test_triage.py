from __future__ import annotations

from collections.abc import Sequence

import pytest

from server.ask.conversation.crisis import Distress
from server.ask.conversation.smalltalk import small_talk
from server.ask.triage import Receiver
from server.index.index import Index
from server.inference.embedder import Embedder, Vectors
from server.models import HelpLine, Phrase

SITE = "Brackwater College"
PARKING = (
    ("user", "How much is a parking permit for commuters?"),
    ("assistant", "It costs $120 a year. [1]"),
)


class Condenses:
    def condense(self, question: str, history: Sequence[tuple[str, str]]) -> str:
        return "Where can I buy a parking permit for commuters?"


class AlwaysLike:
    def distress_in(self, text: str, vector: Vectors) -> Distress | None:
        return Distress("distress", "self_harm", "en", "an example") if vector.shape == (384,) else None


@pytest.fixture
def receiver(embedder: Embedder) -> Receiver:
    return Receiver(embedder, SITE, (HelpLine(Phrase((("", "Public Safety"),)), phone="555-0100"),))


def test_an_emergency_gets_the_help_lines_and_nothing_else(receiver: Receiver, index: Index) -> None:
    found = receiver.receive("there is a fire in Quarry Hall, when does the gym open?", (), index.keyword)
    assert "555-0100" in found.help
    assert (found.parts, found.line, found.doubts) == ((), "", False)
    assert found.notes["distress"] == "emergency"


def test_distress_gets_the_help_lines_first_and_its_question_too(receiver: Receiver, index: Index) -> None:
    found = receiver.receive("I was assaulted. Where is the health centre?", (), index.keyword)
    assert "555-0100" in found.help
    assert [part.question for part in found.parts] == ["I was assaulted. Where is the health centre?"]


def test_what_is_like_distress_is_heard_too(embedder: Embedder, index: Index) -> None:
    found = Receiver(embedder, SITE, likeness=AlwaysLike()).receive("all is grey", (), index.keyword)
    assert "988" in found.help
    assert found.notes["heard"] == "an example"


@pytest.mark.parametrize("text", ["Hello!", "gracias", "are you a bot?"])
def test_small_talk_gets_its_line(text: str, receiver: Receiver, index: Index) -> None:
    assert small_talk(text)
    found = receiver.receive(text, PARKING, index.keyword)
    assert SITE in found.line
    assert found.parts == ()


def test_a_doubt_is_one_only_after_an_answer(receiver: Receiver, index: Index) -> None:
    assert receiver.receive("are you sure?", PARKING, index.keyword).doubts
    assert not receiver.receive("are you sure?", (), index.keyword).doubts


def test_a_follow_up_is_put_into_words_that_stand_alone(receiver: Receiver, index: Index) -> None:
    [part] = receiver.receive("where is it sold?", PARKING, index.keyword).parts
    assert part.question == "where is a parking permit for commuters sold?"
    assert part.relation == "follow_up"


def test_each_part_of_a_question_follows_the_one_before(receiver: Receiver, index: Index) -> None:
    found = receiver.receive(
        "What is the capital of Spain? And when does the gymnasium open?", (), index.keyword
    )
    assert [(part.relation, part.question) for part in found.parts] == [
        ("first", "What is the capital of Spain?"),
        ("new_topic", "when does the gymnasium open?"),
    ]
    assert len(found.notes["parts"]) == 2


def test_a_language_model_condenses_follow_ups(embedder: Embedder, index: Index) -> None:
    receiver = Receiver(embedder, SITE, condenser=Condenses())
    [part] = receiver.receive("where is it sold?", PARKING, index.keyword).parts
    assert part.notes["how"] == "model"
    assert part.question == "Where can I buy a parking permit for commuters?"
