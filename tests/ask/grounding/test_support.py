from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.ask.grounding.support import THRESHOLD, order_share, read_measures, support_of, word_share
from server.inference.encoders import Reranker
from server.settings import Settings
from tests.ask.grounding.lexicon import LEXICON, claim, source

PAGE = source(
    "The library opens at eight. Books are lent for 28 days. Bring your card!", "Finch Library", "Borrowing"
)


@pytest.fixture(scope="module")
def reader() -> Reranker:
    settings = Settings()
    return Reranker(settings.models_dir / settings.reranker)


def share(sentence: str) -> float:
    return word_share(claim(sentence), [PAGE], LEXICON.word_weights(sentence))


def test_the_share_of_words_and_facts_that_stand_in_the_sources() -> None:
    assert share("Books are lent for 28 days.") == 1.0
    assert share("Books are lent for 27 days.") < share("Books are lent for four weeks.") == 1.0
    assert share("Zebras graze.") == 0.0
    assert share("") == 0.0


def test_words_of_the_headings_count() -> None:
    assert share("Finch lends books.") > share("Quarry lends books.")


def test_words_in_another_order_are_another_sentence() -> None:
    assert order_share(claim("The library opens at eight."), [PAGE]) == 1.0
    assert order_share(claim("At eight opens the library."), [PAGE]) < 1.0
    assert order_share(claim(""), [PAGE]) == 0.0


@settings(deadline=None)
@given(st.lists(st.sampled_from(["the", "library", "opens", "books", "are", "lent"]), max_size=8))
def test_measures_are_shares(words: list[str]) -> None:
    sentence = " ".join(words)
    assert 0.0 <= share(sentence) <= 1.0
    assert 0.0 <= order_share(claim(sentence), [PAGE]) <= 1.0


def test_the_models_of_reading_and_of_words_alone_agree_on_the_clear_cases(reader: Reranker) -> None:
    said, unsaid = "The library opens at eight.", "Students eat lunch in the tall tower."
    for used in (reader, None):
        high, low = (
            support_of(claim(text), [PAGE], LEXICON.word_weights(text), used) for text in (said, unsaid)
        )
        assert low.score < THRESHOLD < high.score
        assert ("relevance" in high.measures) == (used is not None)


def test_the_most_relevant_source_counts(reader: Reranker) -> None:
    other = source("Parking permits are sold at the gate.")
    sentence = claim("Books are lent for 28 days.")
    both, right, wrong = (
        read_measures(sentence, some, reader)["relevance"] for some in ([PAGE, other], [PAGE], [other])
    )
    assert both == pytest.approx(right, abs=0.3)  # int8 activations are scaled by the batch
    assert wrong < right - 1
