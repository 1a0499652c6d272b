from __future__ import annotations

import pytest

from server.ask.normalize import normalize
from server.errors import BadInputError, TooLargeError


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("When is the library open?", "When is the library open?"),
        ("  two\n lines\tand \u00a0 spaces ", "two lines and spaces"),
        ("lib\x00ra\x07ry\x7f hours\x1b[31m", "library hours[31m"),
        ("zero\u200bwidth \u202eturned\ufeff", "zerowidth turned"),
        ("cafe\u0301", "caf\u00e9"),
        ("half a pair \ud800 of surrogates", "half a pair  of surrogates"),
        ("¿Dónde está? 图书馆 5", "¿Dónde está? 图书馆 5"),
    ],
)
def test_a_question_becomes_one_clean_composed_line(text: str, line: str) -> None:
    assert normalize(text, 100) == line


@pytest.mark.parametrize("text", ["", "   \n", "?!…", "\x00\x01", "\u200b", "🙂"])
def test_a_text_that_asks_nothing_is_bad_input(text: str) -> None:
    with pytest.raises(BadInputError, match="Please type a question") as caught:
        normalize(text, 100)
    assert caught.value.code == "empty_question"


def test_a_question_may_be_just_as_long_as_the_limit_and_no_longer() -> None:
    assert normalize("x" * 2000, 2000) == "x" * 2000
    with pytest.raises(TooLargeError, match=r"has 100,000 characters; 2,000 are the most") as caught:
        normalize("x" * 100_000, 2000)
    assert caught.value.code == "question_too_long"
