from __future__ import annotations

import pytest

from server.ask.retrieve import adaptive_alpha

KNOWN = {"library", "open", "professor"}


@pytest.mark.parametrize(
    ("words", "alpha"),
    [
        (["library", "open"], 0.3),
        (["ravi", "netravali"], 0.8),
        (["professor", "netravali"], 0.425),
        (["2026", "library"], 0.3),
        (["2026"], 0.3),
        ([], 0.3),
    ],
)
def test_the_keyword_score_counts_more_where_words_are_unknown(words: list[str], alpha: float) -> None:
    assert adaptive_alpha(0.3, words, KNOWN.__contains__) == pytest.approx(alpha)


def test_a_larger_alpha_stays_as_it_was_set() -> None:
    assert adaptive_alpha(0.9, ["ravi"], KNOWN.__contains__) == 0.9
