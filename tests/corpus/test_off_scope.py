"""The off-scope questions that come with Lodge."""

from __future__ import annotations

from collections import Counter

from server.evaluate.questions import normalised, read_questions
from server.settings import PROJECT

FILE = PROJECT / "corpus" / "off_scope.jsonl"
QUESTIONS = read_questions(FILE, lambda line, why: None)


def test_there_are_many_of_several_kinds_each_once() -> None:
    kinds = Counter(one.kind for one in QUESTIONS)
    assert len(QUESTIONS) >= 120
    assert len(kinds) >= 12
    assert min(kinds.values()) >= 5
    assert len({one.id for one in QUESTIONS}) == len(QUESTIONS)
    assert len({normalised(one.question) for one in QUESTIONS}) == len(QUESTIONS)


def test_none_has_an_answer() -> None:
    assert all(one.answerable is False and not one.answers and not one.gold_urls for one in QUESTIONS)


def test_nothing_was_learnt_from_them() -> None:
    """The scope's classifier learns from the general questions: none of those is asked here."""
    general = (PROJECT / "corpus" / "general_questions.txt").read_text(encoding="utf-8").splitlines()
    known = {normalised(line) for line in general}
    assert known
    assert not [one.question for one in QUESTIONS if normalised(one.question) in known]


def test_those_in_spanish_say_so() -> None:
    assert Counter(one.lang for one in QUESTIONS)["es"] == sum(one.kind == "in Spanish" for one in QUESTIONS)
