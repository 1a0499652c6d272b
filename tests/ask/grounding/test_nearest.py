from __future__ import annotations

from server.ask.grounding.source import Source
from server.ask.grounding.support import nearest_sentence
from tests.ask.grounding.lexicon import LEXICON, claim, source

FEES = source("How much is it?\nApplication fee: $45\nThe paper transcript costs $12.", "Charges")


def nearest(sentence: str, *sources: Source, but: tuple[str, ...] = ()) -> str | None:
    found = nearest_sentence(claim(sentence), sources, LEXICON.word_weights(sentence), but)
    return found.text if found else None


def test_the_sentence_that_shares_the_most_is_the_nearest() -> None:
    assert nearest("A paper transcript costs $20.", FEES) == "The paper transcript costs $12."
    assert nearest("The application fee is $20.", FEES) == "Application fee: $45"


def test_the_best_source_gives_it() -> None:
    other = source("The application fee is $60 for graduate students.")
    assert nearest("The graduate students' application fee is $45.", FEES, other) == other.text.strip()


def test_nothing_near_is_nothing() -> None:
    assert nearest("Zebras graze in the tall tower.", FEES) is None
    assert nearest("", FEES) is None


def test_headings_questions_and_long_texts_are_not_shown() -> None:
    assert nearest("Charges are low.", FEES) is None
    assert nearest("How much is it?", FEES) is None
    assert nearest("zebra", source("zebra " * 100)) is None


def test_one_that_is_excluded_is_passed_over() -> None:
    assert nearest("The application fee is $20.", FEES, but=("Application fee: $45",)) is None
