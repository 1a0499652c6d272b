"""The committed dialogues are what measuring needs them to be."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from corpus.demo_site.site import DEFAULT_ORIGIN, Site
from server.evaluate.questions import read_questions
from server.settings import PROJECT

FILE = PROJECT / "corpus" / "dialogues.jsonl"


@pytest.fixture(scope="module")
def dialogues() -> list[dict[str, Any]]:
    return [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


def test_they_are_a_questions_file(dialogues: list[dict[str, Any]]) -> None:
    broken: list[str] = []
    questions = read_questions(FILE, lambda line, why: broken.append(why))
    assert (len(questions), broken) == (len(dialogues), [])
    assert all(question.history and question.gold_urls and question.answers for question in questions)


def test_there_are_enough_of_each_kind_and_a_part_is_held_out(dialogues: list[dict[str, Any]]) -> None:
    kinds = Counter(line["id"].split("-")[1] for line in dialogues)
    assert len(dialogues) >= 60
    assert min(kinds.values()) >= 5
    assert sum(line["held_out"] for line in dialogues) >= 20
    assert len({line["id"] for line in dialogues}) == len(dialogues)


def test_turns_alternate_and_end_with_an_answer(dialogues: list[dict[str, Any]]) -> None:
    for line in dialogues:
        roles = [role for role, _ in line["history"]]
        assert roles == ["user", "assistant"] * (len(roles) // 2), line["id"]
        assert len(roles) in (2, 4), line["id"]


def test_every_gold_page_is_one_of_the_demo_site(dialogues: list[dict[str, Any]]) -> None:
    pages = {DEFAULT_ORIGIN + path for path in Site().pages}
    assert {url for line in dialogues for url in line["gold_urls"]} <= pages
