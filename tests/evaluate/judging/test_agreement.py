from __future__ import annotations

import pytest

from server.evaluate.judging.agreement import cohen_kappa, fleiss_kappa


def test_cohens_kappa_by_hand() -> None:
    """50 things: both yes 20, both no 15, and 5 and 10 in which they differ: 0.7 agreed, 0.5 by chance."""
    pairs = [("y", "y")] * 20 + [("n", "n")] * 15 + [("y", "n")] * 5 + [("n", "y")] * 10
    assert cohen_kappa(pairs) == pytest.approx(0.4)


def test_kappa_of_all_of_none_and_of_one_word() -> None:
    assert cohen_kappa([(0, 0), (1, 1), (2, 2)]) == 1
    assert cohen_kappa([(0, 1), (1, 0)]) == -1
    assert cohen_kappa([(1, 1), (1, 1)]) == 1


def test_fleiss_kappa_of_his_own_example() -> None:
    """Fleiss 1971, as it is told everywhere: 14 judges, 10 things, 5 words: 0.210."""
    table = [
        (0, 0, 0, 0, 14),
        (0, 2, 6, 4, 2),
        (0, 0, 3, 5, 6),
        (0, 3, 9, 2, 0),
        (2, 2, 8, 1, 1),
        (7, 7, 0, 0, 0),
        (3, 2, 6, 3, 0),
        (2, 5, 3, 2, 2),
        (6, 5, 2, 1, 0),
        (0, 2, 2, 3, 7),
    ]
    ratings = [[word for word, n in enumerate(row) for _ in range(n)] for row in table]
    assert fleiss_kappa(ratings) == pytest.approx(0.210, abs=5e-4)
    assert fleiss_kappa([[1, 1], [1, 1]]) == 1
