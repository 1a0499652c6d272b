"""The questions over two real departments, and what readers made of their answers."""

from __future__ import annotations

from collections import Counter

import pytest

from corpus.visitors.sets import HERE
from scripts.data_files import read_rows
from scripts.research.answering.measure_grades import read_hands
from server.evaluate.questions import read_questions

QUESTIONS = read_questions(HERE / "webkb.jsonl", lambda line, why: None)
README = (HERE / "README.md").read_text(encoding="utf-8")


def test_each_has_an_id_of_its_own_and_a_page_where_it_has_an_answer() -> None:
    assert len({one.id for one in QUESTIONS}) == len(QUESTIONS) == len(read_rows(HERE / "webkb.jsonl"))
    assert all(bool(one.gold_urls) == one.answerable for one in QUESTIONS)
    assert Counter(one.kind for one in QUESTIONS) == {"cornell": 100, "texas": 100}


def test_the_readme_counts_them() -> None:
    pages = {url for one in QUESTIONS for url in one.gold_urls or ()}
    unanswerable = sum(not one.answerable for one in QUESTIONS)
    assert f"| `webkb.jsonl` | {len(QUESTIONS)} | {unanswerable} | {len(pages)} |" in README


@pytest.mark.parametrize("name", ["webkb", "before-webkb"])
def test_hands_graded_the_second_hundred(name: str) -> None:
    fresh = {one.id for one in QUESTIONS if one.id.startswith(("cp-", "ty-"))}
    hands = read_hands(name)
    assert len(hands) >= 2
    assert all({str(row["id"]) for row in rows} == fresh for rows in hands.values())
