from __future__ import annotations

import pytest

from server.ask.normalize import HeardLine, normalize, written_out
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


@pytest.mark.parametrize(
    ("typed", "heard"),
    [
        ("i cant afford to eat", "i cannot afford to eat"),
        ("I can’t, and I won't", "I cannot, and I will not"),
        ("whens the deadline and wheres the form", "when is the deadline and where is the form"),
        ("r u open tmrw? idk", "are you open tomorrow? I do not know"),
        ("how do i get on wifi w my phone, w/o an app", "how do i get on wifi with my phone, without an app"),
        ("w/my card", "with my card"),
        ("is chem or compsci harder", "is chemistry or computer science harder"),
        ("chem 101 and econ 20a", "chem 101 and econ 20a"),
        ("i dont, id like to", "i do not, I would like to"),
        ("Whats new? DONT ASK ME", "What is new? Do not ASK ME"),
        ("LETS GO", "Let us GO"),
        ("is the lib open on sun or til sat?", "is the library open on Sunday or until Saturday?"),
        ("20 credits next sem, how many yrs", "20 credits next semester, how many years"),
        ("open til 9? need appt w the dept", "open until 9? need appointment with the department"),
        (
            "wheres the lost n found, credits from comm college",
            "where is the lost and found, credits from community college",
        ),
        (
            "is the caf open, p/f or fin aid, max credits",
            "is the cafeteria open, pass/fail or financial aid, maximum credits",
        ),
        ("the rec letter for the rec", "the recommendation letter for the recreation center"),
        ("can my bf stay overnite on wkends", "can my boyfriend stay overnight on weekends"),
    ],
)
def test_what_is_written_short_is_heard_in_full(typed: str, heard: str) -> None:
    line = written_out(typed)
    assert line.text == heard
    assert line.as_typed(heard) == typed


@pytest.mark.parametrize(
    "line",
    [
        "my id card, its fee, the well, were they ill in hell",
        "IM sports and a U of I course in R programming",
        "u of i credits",
        "the library's hours, 5 o'clock, e.g. w. hall",
        "no tengo seguro, u otra cosa para mi hijo",
        "recant, cantor, dontcare",
        "is acct 201 or mgmt 301 full, or the SEM lab",
        "info on sat scores, who sat in the sun, take the sat",
        "gym rec hours, max planck institute",
        "my n number, a sample of size n, pens n paper, the comm major",
    ],
)
def test_words_that_only_look_short_stay(line: str) -> None:
    assert written_out(line) == HeardLine(line)


def test_a_part_of_a_line_is_quoted_as_it_was_typed() -> None:
    line = written_out("whens the fair and whats the fee, I can not say and cant pay")
    assert line.text == "when is the fair and what is the fee, I can not say and cannot pay"
    assert line.as_typed("what is the fee") == "whats the fee"
    assert line.as_typed("the fair") == "the fair"
