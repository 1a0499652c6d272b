from __future__ import annotations

import pytest

from server.ask.conversation.turns import cues_of, unresolved


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("when is it open?", "pronoun"),
        ("who do I email about that?", "pronoun"),
        ("what are their hours", "pronoun"),
        ("does she have office hours?", "pronoun"),
        ("how do I get there", "pronoun"),
        ("is there a cheaper one?", "pronoun"),
        ("is it easier to learn than Spanish?", "pronoun"),
        ("and for graduates?", "lead"),
        ("What about the MBA?", "lead"),
        ("ok, and on sunday?", "lead"),
        ("what if it rains", "lead"),
        ("¿y la matrícula?", "lead"),
        ("by when?", "bare"),
        ("How much?", "bare"),
        ("anything cheaper?", "comparative"),
        ("which is the fastest way?", "comparative"),
        ("who else?", "else"),
        ("tell me more", "else"),
        ("what's the address again?", "else"),
        ("yes", "reply"),
        ("No, I don't have those", "reply"),
    ],
)
def test_what_points_back(question: str, kind: str) -> None:
    assert kind in cues_of(question).kinds


@pytest.mark.parametrize(
    "question",
    [
        "how long does it take to get an I-20",
        "is it possible to live off campus?",
        "when does classes start this fall",
        "which courses that count for the major are online",
        "is there a shuttle?",
        "how much is one credit",
        "if I drop a class can I get it back",
        "how long is student teaching and is it paid",
        "can students change their major",
        "my mother is 67, can she sit in a course?",
        "is IT help open sundays",
        "When is the library open?",
        "is this university accredited",
        "no one answers the registrar's phone, what now?",
    ],
)
def test_what_stands_alone(question: str) -> None:
    assert not cues_of(question)


def test_the_pronouns_are_named_in_their_order() -> None:
    assert [word.text for word in unresolved("Does it cost more than their others?")] == ["it", "their"]
