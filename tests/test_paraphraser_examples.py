"""What the paraphraser learns from."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np

from scripts.data_files import read_rows
from scripts.research.paraphraser.examples import Mix, examples, examples_of_book, name_of, nearest_others
from server.settings import PROJECT

ROWS = read_rows(PROJECT / "corpus/asked_alike.jsonl")


def test_the_committed_questions_are_whole_and_in_one_part_each() -> None:
    assert Counter(row["part"] for row in ROWS) == {"learnt": 780, "aside": 40, "blind": 40}
    assert len({row["id"] for row in ROWS}) == len(ROWS)
    for row in ROWS:
        assert len(row["phrasings"]) == 2
        assert len(row["same"]) == 10
        assert len(row["near"]) == 8
        assert row["answer"].strip()


def test_no_question_kept_aside_is_learnt_from() -> None:
    asked = {
        part: {one.casefold() for row in ROWS if row["part"] == part for one in row["same"]}
        for part in ("learnt", "aside", "blind")
    }
    assert not asked["learnt"] & (asked["aside"] | asked["blind"])


def test_every_question_stands_beside_its_own_answer_and_an_order_comes_again() -> None:
    made = examples(ROWS[:5], Mix(), random.Random(1))
    assert made == examples(ROWS[:5], Mix(), random.Random(1))
    served = {question for question, _, serves in made if serves}
    assert served >= {one for row in ROWS[:5] for one in row["same"]}
    assert not served & {one["question"] for row in ROWS[:5] for one in row["near"]}
    plain = examples(ROWS[:5], Mix(answers=0.0, names=0), random.Random(1))
    assert not any(" | " in told for _, told, _ in plain)


def test_in_a_book_a_question_also_stands_beside_another_answer_that_is_near_but_not_the_same() -> None:
    rows = [
        {"phrasings": [name], "same": [name + "?"], "near": [], "answer": name}
        for name in ("right", "beside", "behind", "twin")
    ]
    angles = {"right": 0.0, "beside": 1.0, "behind": 2.5, "twin": 0.05}

    def embed(texts: list[str]) -> np.ndarray:
        at = np.array([angles[one.rstrip("?")] for one in texts])
        return np.stack([np.cos(at), np.sin(at)], axis=1).astype(np.float32)

    nearest = nearest_others(rows, embed)  # type: ignore[arg-type]
    assert nearest["right?"] == [1, 2]  # not the twin, which may ask the same
    made = examples_of_book(rows, Mix(answers=1.0, names=0, book=1), random.Random(3), nearest)
    assert ("right?", "right | right", 1) in made
    assert sum(serves for *_, serves in made) == len(rows)
    assert len(made) == 2 * len(rows)


def test_a_matters_name_is_of_its_phrasing() -> None:
    row = {"phrasings": ["How do I reserve a study room?"], "same": ["book a study room", "room to study"]}
    for seed in range(9):
        assert set(name_of(row, random.Random(seed)).split()) <= {"study", "room", "reserve"}
