from __future__ import annotations

import pytest

from server.ask.conversation.phrases import topic_of
from server.ask.conversation.standalone import rewrite_standalone
from server.ask.conversation.turns import ConversationTurn, Memory, cues_of
from server.index.search import Index
from server.inference.encoders import Embedder


@pytest.mark.parametrize(
    ("earlier", "question", "alone", "how"),
    [
        ("Where is the health centre?", "When is it open?", "When is the health centre open?", "replaced"),
        (
            "Tell me about the Ferrier Scholarship",
            "who do I write to about that?",
            "who do I write to about the Ferrier Scholarship?",
            "replaced",
        ),
        ("Who runs the clubs?", "what are their hours", "what are the clubs' hours?", "replaced"),
        (
            "what does a permit for commuters cost?",
            "and for residents?",
            "what does a permit for residents cost?",
            "exchanged",
        ),
        ("can I borrow a laptop?", "how long?", "how long (borrow a laptop)?", "appended"),
        (
            "how much is the plan of ten meals?",
            "is there a cheaper one?",
            "is there a cheaper one (the plan of ten meals)?",
            "appended",
        ),
    ],
)
def test_a_follow_up_is_put_into_words_that_stand_alone(  # noqa: PLR0917
    earlier: str, question: str, alone: str, how: str, index: Index, embedder: Embedder
) -> None:
    memory = Memory().with_turn(ConversationTurn(earlier), earlier, topic_of(earlier, index.text))
    found = rewrite_standalone(question, cues_of(question), memory, index.text, embedder)
    assert (found.text, found.how) == (alone, how)


def test_an_exchange_says_what_went_and_changes_the_topic(index: Index, embedder: Embedder) -> None:
    earlier = "when do classes begin in the fall?"
    memory = Memory().with_turn(ConversationTurn(earlier), earlier, "the fall")
    found = rewrite_standalone(
        "and in the spring?", cues_of("and in the spring?"), memory, index.text, embedder
    )
    assert (found.gone, "spring" in found.text) == ("fall", True)
    assert "fall" not in found.topic


def test_the_topic_is_the_phrase_whose_words_are_rarest(index: Index) -> None:
    assert (
        topic_of("is the fee for the climbing wall due each term?", index.text)
        == "the fee for the climbing wall"
    )
    assert topic_of("how so?", index.text) == "how so"
