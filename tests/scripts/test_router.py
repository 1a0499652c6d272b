"""What the router learns from, and how it is measured."""

from __future__ import annotations

import random

import pytest

from corpus.routing.lines import LEARNT as LEARNT_LINES
from corpus.routing.lines import DemoLine, Line, Told, read_lines
from scripts.research.hearing.measure_routing import AskedLine, print_check, print_demo
from scripts.research.router.examples import QUESTIONS, examples
from server.inference.router import Router
from server.models.routing import WAYS
from server.settings import Settings


def test_every_line_is_learnt_beside_questions_of_one_part_and_an_order_comes_again() -> None:
    made = examples(random.Random(1))
    assert made == examples(random.Random(1))
    lines, questions = made[:-QUESTIONS], made[-QUESTIONS:]
    assert [one.line for one in lines] == [one.line for one in read_lines(LEARNT_LINES)]
    assert {WAYS[one.way] for one in questions} == {"quote"}
    assert not any(one.begins for one in questions)
    assert {WAYS[one.way] for one in lines if one.begins} == {"decompose"}


def test_a_question_begins_at_a_word_whatever_stands_before_it() -> None:
    for one in examples(random.Random(1)):
        for place in one.begins:
            assert one.line[place].isalnum()
            assert not one.line[place - 1].isalnum()


@pytest.fixture(scope="module")
def router() -> Router:
    settings = Settings()
    return Router(settings.models_dir / settings.router)


def test_the_check_counts_ways_and_cuts(router: Router, capsys: pytest.CaptureFixture[str]) -> None:
    parts = ("how do i get a transcript", "whats the fee")
    lines = [
        Line(" and ".join(parts), "decompose", "x", parts, second="decompose"),
        Line("where is the registrar", "quote", "x", second="write"),
    ]
    print_check(router, lines)
    told = capsys.readouterr().out
    assert "| both hands take the same way | 1 of 2 |" in told
    assert "| the router takes the first hand's | 2 of 2 |" in told
    assert "| router: of several, cut | 1 of 1 |" in told
    assert "| router: of others, cut | 0 of 1 |" in told


def test_the_demos_lines_are_counted_by_what_they_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    told = Told("the pool", (("six",),), "/pool/")

    def line(way: str) -> DemoLine:
        return DemoLine("when is the pool open", way, (told, told), "first")  # type: ignore[arg-type]  # as the test names it

    print_demo(
        "x",
        [
            AskedLine(line("decompose"), (True, False), 2),
            AskedLine(line("decompose"), (True, True), 1),
            AskedLine(line("quote"), (True,), 1),
            AskedLine(line("ask_back"), (True, False), 1, asked_back=True, won=True),
        ],
    )
    rows = capsys.readouterr().out
    for row in (
        "questions of lines of several, told | 3 of 4",
        "such lines, told whole | 1 of 2",
        "such lines, cut | 1 of 2",
        "lines of one, told | 1 of 1",
        "wide lines that tell two kinds | 0 of 1",
        "wide lines asked back | 1 of 1",
        "of these, won another kind's | 1 of 1",
    ):
        assert f"x: {row}" in rows
