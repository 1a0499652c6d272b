"""What a question wants to know, and the clause that asks."""

from __future__ import annotations

import pytest

from server.ask.conversation.wanted import Wanted, main_clause, wanted, wants_another


@pytest.mark.parametrize(
    ("text", "kinds", "said"),
    [
        ("How much is a permit?", {"cost"}, True),
        ("what is the late fee", {"cost"}, True),
        ("whats the health fee for", set(), True),
        ("Can I opt out of the fee?", {"yes_no"}, True),
        ("Is there a fee for a card?", {"yes_no", "cost"}, True),
        ("can you tell me the hours of the registrar", {"hours"}, True),
        ("who do I call at night", {"person", "contact"}, True),
        ("Is campus open when it snows?", {"yes_no"}, True),
        ("registration opens when", {"when"}, True),
        ("transcript fee", {"cost"}, False),
        ("payment plan", set(), False),
        ("what GPA do I need", set(), True),
    ],
)
def test_a_question_says_what_it_wants(text: str, kinds: set[str], said: bool) -> None:
    assert wanted(text) == Wanted(frozenset(kinds), said)


def test_only_a_question_that_says_so_wants_something_else() -> None:
    told = [wanted("Can I get a permit?"), wanted("How do I get a permit?")]
    assert wants_another(wanted("how much is a permit"), told)
    assert not wants_another(wanted("permit price"), told)
    assert not wants_another(wanted("am I allowed a permit"), told)
    assert not wants_another(wanted("when do I get it"), [wanted("permit")])


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ("I have a cat. Are pets allowed?", "Are pets allowed?"),
        ("we live in Ohio, how much is tuition", "how much is tuition"),
        ("permit, lot B", "permit, lot B"),
        ("how much is a permit", "how much is a permit"),
    ],
)
def test_the_clause_that_asks_stands_alone(text: str, clause: str) -> None:
    assert main_clause(text) == clause
