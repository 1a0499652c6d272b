from __future__ import annotations

import pytest

from server.ask.grounding.source import Source
from server.ask.grounding.support import free_unheard_of
from tests.ask.grounding.lexicon import LEXICON


def heard(claim: str, source: str) -> bool:
    return free_unheard_of(Source(claim, LEXICON), [Source(source, LEXICON)]) is None


@pytest.mark.parametrize(
    "source",
    [
        "The shuttle is free.",
        "There is no charge for the shuttle.",
        "The shuttle costs riders nothing.",
        "Riders are not charged.",
        "Shuttle: $0",
        "The fee is waived.",
        "Your card is included in the comprehensive fee.",
    ],
)
def test_what_is_free_may_be_called_so(source: str) -> None:
    assert heard("The shuttle is free.", source)


@pytest.mark.parametrize("claim", ["Tuition is free.", "La matrícula es gratis.", "Residents ride for free."])
def test_what_has_a_price_may_not(claim: str) -> None:
    assert not heard(claim, "Tuition for residents — Per year: $9,240")


@pytest.mark.parametrize(
    "claim",
    ["The plan is interest-free.", "You are free to leave.", "Keep it free of dust.", "A smoke-free campus."],
)
def test_another_kind_of_free_is_no_price(claim: str) -> None:
    assert heard(claim, "Tuition — Per year: $9,240")
