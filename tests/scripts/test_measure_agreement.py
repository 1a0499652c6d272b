from __future__ import annotations

from pathlib import Path

import pytest

from corpus.visitors.sets import HERE, read_page_questions
from scripts.data_files import read_rows
from server.evaluate.judging.agreement import cohen_kappa


def test_agreement_beyond_chance() -> None:
    """Cohen's own way: .8 observed, .58 by chance."""
    pairs = [(True, True)] * 6 + [(False, False)] * 2 + [(True, False), (False, True)]
    assert cohen_kappa(pairs) == pytest.approx((0.8 - 0.58) / (1 - 0.58))


def test_judges_who_never_differ_agree_wholly() -> None:
    assert cohen_kappa([(True, True)] * 4) == 1.0
    assert cohen_kappa([(True, True), (False, False)]) == 1.0


@pytest.mark.parametrize("file", sorted((HERE / "second_hand").iterdir()), ids=lambda file: file.stem)
def test_a_second_hand_read_questions_of_its_set(file: Path) -> None:
    rows = read_rows(file)
    ids = {row.id for row in read_page_questions(file.stem)}
    assert {row["id"] for row in rows} <= ids
    assert all(bool(row["urls"]) == row["answerable"] for row in rows)
