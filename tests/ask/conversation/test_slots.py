from __future__ import annotations

import pytest

from server.ask.conversation.standalone import asked_again, exchange
from server.inference.encoders import Embedder


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("and for graduates?", "for graduates"),
        ("What about the MBA?", "the MBA"),
        ("ok thanks, and on sunday", "on sunday"),
        ("¿y la matrícula?", "la matrícula"),
        ("and even in Scotland?", "in Scotland"),
    ],
)
def test_a_question_that_only_exchanges_something(question: str, asked: str) -> None:
    assert asked_again(question) == asked


@pytest.mark.parametrize(
    "question",
    [
        "and how long?",
        "and if it rains?",
        "a bigger one?",
        "and?",
        "and can I park there overnight or not at all?",
    ],
)
def test_a_question_that_asks_more(question: str) -> None:
    assert asked_again(question) is None


@pytest.mark.parametrize(
    ("asked", "earlier", "text"),
    [
        ("for graduates", "how long can undergraduates keep books?", "how long can graduates keep books?"),
        ("in the spring", "when does add/drop end in the fall?", "when does add/drop end in the spring?"),
        ("CSC 362", "prerequisites for CSC 310?", "prerequisites for CSC 362?"),
        ("the MPH", "how many credits is the MBA?", "how many credits is the MPH?"),
        ("for the MPH", "does the GRE matter for the MBA?", "does the GRE matter for the MPH?"),
        (
            "regular decision",
            "what is the deadline for early action?",
            "what is the deadline for regular decision?",
        ),
        ("Cedar", "does Spruce Hall have air conditioning?", "does Cedar Hall have air conditioning?"),
        ("and biology", "who chairs computer science?", None),
    ],
)
def test_the_phrase_that_is_exchanged(asked: str, earlier: str, text: str | None, embedder: Embedder) -> None:
    found = exchange(asked, earlier, embedder)
    assert found is not None
    assert text is None or found.text == text
    assert found.old not in found.text.replace(found.new, "")


@pytest.mark.parametrize(
    ("asked", "earlier"), [("on sunday", "when is the library open?"), ("graduates", "why?")]
)
def test_nothing_is_exchanged_where_there_is_no_such_thing(
    asked: str, earlier: str, embedder: Embedder
) -> None:
    assert exchange(asked, earlier, embedder) is None


def test_in_a_question_of_hundreds_of_words_nothing_is_exchanged(embedder: Embedder) -> None:
    """Each run of its words would be embedded: a minute's work for one visitor's second question."""
    assert exchange("for graduates", "weekends parking " * 120, embedder) is None
