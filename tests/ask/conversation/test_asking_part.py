from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.ask.conversation.asking_part import asking_part


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("lost my bottle, how long do you keep lost stuff", "how long do you keep lost stuff"),
        ("got out in 2021 does my grant expire", "does my grant expire"),
        ("spring break 2027?? planning a trip early", "spring break 2027?"),
        ("need it for a form: what was the last day of class", "what was the last day of class"),
        ("my prof said yes. can the registrar just add me", "can the registrar just add me"),
        ("we drove six hours and now what does parking cost", ""),
        ("how long do you keep lost stuff", ""),
        ("if i drop a class after friday, do i get a refund", ""),
        ("after the deadline, who signs the form", ""),
        ("career center: what floor", ""),
        ("for transfers, when is the deadline", ""),
        ("lost my bottle, can i get it", ""),
        ("did a semester elsewhere, do you need those grades too", ""),
        ("what is the fine? how do i appeal", ""),
        ("is the pool open? and how much is a towel", ""),
        ("gym hours", ""),
        ("", ""),
    ],
)
def test_what_only_tells_is_left_out(question: str, part: str) -> None:
    assert asking_part(question) == part


@given(st.text(max_size=200))
def test_it_is_some_of_the_question_or_nothing(question: str) -> None:
    part = asking_part(question)
    assert part in question
    assert part != question or not question
