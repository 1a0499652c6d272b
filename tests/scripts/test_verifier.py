"""What the verifier learns from, and what is fitted to its word."""

from __future__ import annotations

import json
import random
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np

from scripts.data_files import read_rows
from scripts.research.paraphraser.sources import ASKED_ALIKE
from scripts.research.retrieval.measure_retrieval import Asked
from scripts.research.verifier.examples import examples, told
from scripts.research.verifier.fit_verified import fit
from scripts.research.verifier.quoted import (
    LEARNT,
    READ,
    WEIGHED,
    Quoted,
    learnt_from,
    quoted,
    weighed_by,
)
from server.settings import Settings

ROWS = read_rows(ASKED_ALIKE)[:20]
QUOTED = [
    Quoted("when is the pool open", "Pool › Hours", "Open 6 to 8.", True, True, 0.7),
    Quoted("who runs the pool", "Pool › Hours", "Open 6 to 8.", False, True, 0.2),
    Quoted("is there a sauna", "Pool", "Open 6 to 8.", False, False, 0.3),
]


def test_every_quoted_answer_is_learnt_from_and_an_order_comes_again() -> None:
    made = examples(QUOTED, ROWS, 7, random.Random(1))
    assert made == examples(QUOTED, ROWS, 7, random.Random(1))
    assert made[0] == ("when is the pool open", "Pool › Hours\nOpen 6 to 8.", 1)
    assert [serves for *_, serves in made[:3]] == [1, 0, 0]
    assert len(made) == len(QUOTED) + 7


def test_what_people_wrote_is_served_by_its_own_answer_alone() -> None:
    same = {question for row in ROWS for question in row["same"]}
    near = {one["question"] for row in ROWS for one in row["near"]}
    for question, text, serves in examples((), ROWS, 10_000, random.Random(1)):
        assert question in (same if serves else near)
        assert any(text.endswith(row["answer"]) for row in ROWS)


def test_an_answer_without_a_place_is_its_words() -> None:
    assert told("", "Open 6 to 8.") == "Open 6 to 8."


def test_the_word_of_a_verifier_that_knows_counts_and_that_of_one_that_does_not_hardly_does() -> None:
    rows = [replace(QUOTED[i % 2], confidence=0.5) for i in range(200)]
    knows = np.array([(0.0, 2.0 if one.right else -2.0) for one in rows])
    guesses = np.array([(0.0, 2.0 if i % 4 < 2 else -2.0) for i in range(200)])
    assert fit(knows, rows).verified > 1.0
    assert abs(fit(guesses, rows).verified) < 0.1


def test_its_word_is_weighed_by_what_it_has_not_learnt_from(tmp_path: Path) -> None:
    for name in (*LEARNT, WEIGHED, *READ):
        rows = [replace(QUOTED[0], question=f"{name} {aside}", aside=aside) for aside in (True, False)]
        text = "".join(json.dumps(asdict(row)) + "\n" for row in rows)
        (tmp_path / f"{name}.jsonl").write_text(text, encoding="utf-8")
    learnt = {row.question for row in learnt_from(tmp_path)}
    weighed = [row.question for row in weighed_by(tmp_path)]
    assert learnt == {f"{name} False" for name in LEARNT}
    both = [f"{name} {aside}" for name in (WEIGHED, *READ) for aside in (True, False)]
    assert sorted(weighed) == sorted([*both, *(f"{name} True" for name in LEARNT)])


def test_what_lodge_quotes_is_kept_as_the_verifier_would_read_it(small_home: Settings) -> None:
    asked = [
        Asked("1", "When does the library open?", "plain", True, frozenset(), ("library",)),
        Asked("2", "Who painted the ceiling of the library?", "plain", False, frozenset(), ()),
    ]
    rows = list(quoted(small_home, None, asked))
    assert rows
    for row in rows:
        assert row.place
        assert "[1]" not in row.said
        assert 0.0 < row.confidence < 1.0
        assert row.answerable or not row.right
