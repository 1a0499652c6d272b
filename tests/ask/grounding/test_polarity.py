from __future__ import annotations

import pytest

from server.ask.grounding.polarity import clauses, contradictions
from server.ask.grounding.source import Source
from tests.ask.grounding.lexicon import LEXICON, claim, source

POLICY = source(
    "Early action is not binding; you have until May 1 to answer. We do not offer early decision. "
    "The TEAS test is not required. The application fee is $45 and cannot be refunded. "
    "Larkmoor is test-optional. Lockouts: the first one is free, then $10 each. "
    "Spring break: no classes, offices open. "
    "No more than 16 credits may be repeated. You may ask for another adviser without giving a reason.",
    "Policies",
)


def contradicted(sentence: str, page: Source = POLICY) -> bool:
    return bool(contradictions(claim(sentence), [page], LEXICON.word_weights(sentence)))


@pytest.mark.parametrize(
    "sentence",
    [
        "Early action does not bind you, and you can wait until May 1 to answer.",
        "There is no early decision.",
        "You don't have to take the TEAS test.",
        "The $45 application fee is non-refundable.",
        "The first lockout is free.",
        "At most 16 credits may be repeated.",
        "No reason is needed to ask for another adviser.",
        "You answer by May 1.",
        "During spring break there are no classes.",
    ],
)
def test_what_has_the_sign_of_its_source(sentence: str) -> None:
    assert not contradicted(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "We offer early decision.",
        "The TEAS test is required.",
        "The application fee can be refunded.",
        "The $45 application fee is refundable.",
        "Larkmoor is not test-optional.",
    ],
)
def test_what_has_the_other(sentence: str) -> None:
    assert contradicted(sentence)


@pytest.mark.parametrize(
    "sentence", ["There is no sauna in the Heron Center.", "The university does not own a ship."]
)
def test_a_denial_needs_a_passage_that_makes_it(sentence: str) -> None:
    page = source("The Heron Center has a pool, a climbing wall and courts.", "Recreation at the university")
    assert contradicted(sentence, page)
    assert not contradicted(sentence, source("There is no sauna. The university does not own a ship."))


def test_a_question_in_a_heading_has_the_sign_of_its_answer() -> None:
    no = source("No. Larkmoor is test-optional.", "FAQ", "Do I have to submit SAT scores?")
    assert not contradicted("You do not have to submit SAT scores.", no)
    assert contradicted("You have to submit SAT scores.", no)
    yes = source("Yes, by June.", "FAQ", "Do I have to submit SAT scores?")
    assert contradicted("You do not have to submit SAT scores.", yes)


def test_under_a_heading_that_denies_a_list_may_be_denied() -> None:
    page = source("Application fee\nOrientation fee", "Refunds", "Never refunded")
    assert not contradicted("The application fee is never refunded.", page)


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        ("It is free.", [None]),
        ("It is not free.", [True]),
        ("No more than two.", [True]),
        ("They can't, but we can.", [False, True]),
        ("Unless it rains.", [None]),
        ("Nobody may, and you must.", [False, True]),
        ("Phones, tablets, and laptops are not repaired.", [False]),
        ("", []),
    ],
)
def test_clauses_and_their_signs(text: str, signs: list[bool | None]) -> None:
    assert [clause.sign for clause in clauses(claim(text))] == signs
