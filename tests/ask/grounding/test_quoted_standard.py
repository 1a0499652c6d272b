"""What a written answer must have of the quoted one."""

from __future__ import annotations

import pytest

from server.ask.grounding.check_sentence import Evidence
from server.ask.grounding.quoted_standard import QuotedStandard
from server.ask.quoting.score import AnswerPlace
from tests.ask.grounding.lexicon import LEXICON

HOURS = AnswerPlace(
    "On Saturdays the library is open from 10 a.m. to 5 p.m.", "10 a.m. to 5 p.m.", ("hours",)
)
UNMARKED = AnswerPlace("A resident permit costs $160 a year, payable in 2 parts.", "", ("money",))
HALF_MARKED = AnswerPlace("On Saturdays the library opens at 10 a.m.", "Saturdays", ("hours",))
WORDS = AnswerPlace("Appeal within the parking portal, choosing “contest this citation”.", "", ())
NO = AnswerPlace("There are no interviews for the honors program.", "no", ())
NAMED = AnswerPlace("The shuttle is free for anyone, with or without a card.", "a card", ())
WHO = AnswerPlace("Philippa Osgood answers questions about laptops.", "Philippa Osgood", ("person",))


@pytest.mark.parametrize(
    ("place", "written", "meets"),
    [
        (HOURS, ["It opens at 10:00 and closes at 5 p.m. on Saturday. [1]"], True),
        (HOURS, ["It opens at 10 a.m. [1]", "It closes at 5 p.m. [1]"], True),
        (HOURS, ["It opens at 10 a.m. [1]"], False),
        (HOURS, ["The library is a quiet place on Saturdays. [1]"], False),
        (UNMARKED, ["You pay $160 for a resident permit. [1]"], True),
        (UNMARKED, ["A resident permit can be paid in two parts. [1]"], False),
        (HALF_MARKED, ["The library opens on Saturdays. [1]"], False),
        (HALF_MARKED, ["On Saturdays it is open from 10 a.m. [1]"], True),
        (WORDS, ["Contest the citation in the parking portal. [1]"], True),
        (WORDS, ["The parking office is in Tannery Hall. [1]"], False),
        (NO, ["The honors program has no interviews. [1]"], True),
        (NO, ["There is no Music. [1]"], False),
        (NAMED, ["A card is no parking permit. [1]"], False),
        (NAMED, ["The shuttle is free without a card. [1]"], True),
        (WHO, ["Ask Philippa Osgood. [1]"], True),
        (WHO, ["The desk answers questions about laptops. [1]"], False),
    ],
)
def test_it_has_what_the_quoted_one_answers_with(place: AnswerPlace, written: list[str], meets: bool) -> None:
    assert QuotedStandard(place, Evidence(LEXICON)).met_by(written) is meets


def test_nothing_written_meets_no_standard() -> None:
    assert not QuotedStandard(AnswerPlace(), Evidence(LEXICON)).met_by([])
