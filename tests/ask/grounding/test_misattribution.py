from __future__ import annotations

import pytest

from server.ask.grounding.misattribution import misattributed
from server.ask.grounding.source import Source
from tests.ask.grounding.lexicon import LEXICON, claim, source

FEES = source(
    "Application: $45\nTranscript, electronic: $8\nTranscript, paper: $12\nReturned check: $30", "Fees"
)
HOURS = source(
    "Friday — Building: 7 a.m.–8 p.m.; Service desk: 8 a.m.–6 p.m.\n"
    "Saturday — Building: 10 a.m.–8 p.m.; Service desk: noon–5 p.m.",
    "Library",
)
PROSE = source(
    "Per credit, Vermont residents pay $385 in tuition, and everyone else pays $937. "
    "A complaint should be made within 180 days of the event. "
    "The University answers in writing within 45 days."
)


def misplaced(sentence: str, *sources: Source) -> list[tuple[str, str]]:
    weights = LEXICON.word_weights(sentence)
    return [(one.fact.text, one.rival) for one in misattributed(claim(sentence), sources, weights)]


@pytest.mark.parametrize(
    ("sentence", "page"),
    [
        ("A returned check costs $30.", FEES),
        ("It is $8 for an electronic transcript and $12 for a paper one.", FEES),
        ("On Saturdays the service desk is open from noon to 5 p.m.", HOURS),
        ("The building closes at 8 p.m. on Friday.", HOURS),
        ("Residents of Vermont pay $385 a credit.", PROSE),
        ("Complain within 180 days of the event; you get a written answer within 45 days.", PROSE),
        ("It costs $45.", FEES),
    ],
)
def test_a_fact_beside_what_it_is_said_of(sentence: str, page: Source) -> None:
    assert misplaced(sentence, page) == []


@pytest.mark.parametrize(
    ("sentence", "page", "expected"),
    [
        ("A returned check costs $45.", FEES, ("$45", "$30")),
        ("The application fee is $12.", FEES, ("$12", "$45")),
        ("On Saturdays the service desk is open until 6 p.m.", HOURS, ("6 p.m.", "")),
        ("The University answers in writing within 180 days.", PROSE, ("180 days", "45 days")),
    ],
)
def test_a_fact_of_another_row(sentence: str, page: Source, expected: tuple[str, str]) -> None:
    fact, rival = expected
    assert rival in dict(misplaced(sentence, page)).get(fact, "")


def test_two_facts_exchanged() -> None:
    assert misplaced("It is $12 for an electronic transcript and $8 for a paper one.", FEES) == [
        ("$12", "$8")
    ]


def test_a_person_of_another_row() -> None:
    page = source(
        "Librarian: Philippa Osgood — Subjects: English, history; Office: Finch 308\n"
        "Librarian: Ravi Sundaresan — Subjects: Biology, chemistry; Office: Finch 310"
    )
    right = "The librarian for biology and chemistry is Ravi Sundaresan, in Finch 310."
    assert misplaced(right, page) == []
    wrong = right.replace("Ravi Sundaresan", "Philippa Osgood")
    assert ("Philippa Osgood", "Ravi Sundaresan") in misplaced(wrong, page)


def test_a_fact_that_any_of_the_sources_has_in_its_place_is_right() -> None:
    other = source("The late payment fee is $12.")
    assert misplaced("The late payment fee is $12.", FEES, other) == []
