"""What is said of an answer: numbers in brackets are marks only where there is such a source."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.ask.trace import AnswerBuilder
from server.models import Citation, Cited, Token

# What marks, Markdown and prose are made of.
WRITTEN = st.lists(
    st.sampled_from(["[", "]", "(", ")", "1", "2", "2026", "[1]", "[2026]", "[٢]", "[0]", "[²]", " ",
                     "\n", "*", "**", "_", "`", "- ", "1. ", "# ", "\\", "![", "](https://x.example)", "http://[",
                     "{answer}", "See", ".", "<b>", "&amp;", "【1】"])
    | st.text(st.characters(exclude_categories=["C", "Z"]), max_size=3),
    min_size=1,
    max_size=12,
).map(lambda pieces: "".join(pieces).strip()).filter(bool)  # fmt: skip


def sources(count: int) -> dict[int, Citation]:
    return {n: Citation(n, f"https://x.example/{n}", str(n), "", "") for n in range(1, count + 1)}


def said(text: str, count: int) -> tuple[str, list[int]]:
    """The text of a speech that quotes this with so many sources, and the sources it tells."""
    speech = AnswerBuilder()
    events = list(speech.quote(text, sources(count)))
    return speech.text, [event.citation.n for event in events if isinstance(event, Cited)]


@pytest.mark.parametrize(
    ("text", "count", "numbers"),
    [
        ("Applications open in spring [2026]", 0, []),
        ("Applications open in spring [2026] [1]", 1, [1]),
        ("See the list [2]", 1, []),
        ("See the list [٢]", 2, []),
        ("[1]", 0, []),
        ("Both say so. [1][2]", 2, [1, 2]),
    ],
)
def test_only_numbers_among_the_sources_are_marks(text: str, count: int, numbers: list[int]) -> None:
    assert said(text, count) == (text, numbers)


def test_a_number_that_is_no_sources_stands_before_one_that_is() -> None:
    assert said("Applications open in spring [2026][1]", 1) == ("Applications open in spring [2026] [1]", [1])


@given(WRITTEN, st.integers(0, 3))
def test_whatever_is_written_before_the_marks_is_said_to_the_letter(text: str, count: int) -> None:
    marks = "".join(f"[{n}]" for n in range(1, count + 1))
    assert said(f"{text} {marks}".rstrip(), count) == (f"{text} {marks}".rstrip(), list(range(1, count + 1)))


def test_a_head_stands_above_what_is_said_next_and_above_nothing() -> None:
    answer = AnswerBuilder()
    answer.head("“when”")
    answer.head("“where”")
    assert answer.text == ""
    events = [*answer.say("In the hall."), *answer.say("Below.")]
    answer.head("“how”")
    assert answer.text == "“where”\nIn the hall. Below."
    assert "".join(event.text for event in events if isinstance(event, Token)) == answer.text
