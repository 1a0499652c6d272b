from __future__ import annotations

import pytest

from server.training.asking import GeneratedQuestion
from server.training.keeping import REASONS, is_found, rephrasings, why_dropped, with_typo
from tests.training.pages import CARDS, ELSEWHERE, HOURS, PAGE, URL, finds

GOOD = GeneratedQuestion("When does the library open?", "nine on weekdays")


def test_a_question_that_finds_its_answer_again_is_kept() -> None:
    assert why_dropped(GOOD, PAGE, [], finds(ELSEWHERE, HOURS)) is None


@pytest.mark.parametrize(
    ("question", "answer", "reason"),
    [
        ("The library opens", "at nine", "malformed"),
        ("When?", "nine", "malformed"),
        ("So the library card is free, is it?", "library card is free", "malformed"),
        ("What does this page say of hours?", "nine", "about_the_page"),
        ("According to the rules, when does it open?", "nine", "about_the_page"),
        ("when does the LIBRARY open", "nine", "repeated"),
        ("What are all the rules of the library?", "nine " * 41, "answer_too_long"),
        ("How much is parking?", "$30", "answer_not_on_page"),
        ("How much do others pay?", "$20 a year", "not_found_again"),
    ],
)
def test_why_a_question_is_dropped(question: str, answer: str, reason: str) -> None:
    one = GeneratedQuestion(question, answer)
    assert why_dropped(one, PAGE, [GOOD], finds(HOURS, ELSEWHERE)) == reason
    assert reason in REASONS


def test_its_page_without_the_answer_is_no_round_trip() -> None:
    assert not is_found("How much do others pay?", "$20", URL, finds(HOURS, ELSEWHERE))
    assert is_found("How much do others pay?", "$20", URL, finds(HOURS, CARDS))


def test_a_page_that_comes_sixth_is_not_found() -> None:
    assert not is_found("When?", "nine", URL, finds(*[ELSEWHERE] * 5, HOURS))


def test_rephrasings_are_those_of_a_hurried_thumb() -> None:
    said = dict(rephrasings("What information do you need for the application?"))
    assert said["slang"] == "wat info do u need 4 the app"
    assert sorted(said["typo"]) == sorted("what information do you need for the application")
    assert said["typo"] != "what information do you need for the application"
    assert dict(rephrasings("What information do you need for the application?")) == said


def test_a_short_word_gets_no_typo() -> None:
    assert with_typo("is it open") == "is it open"
