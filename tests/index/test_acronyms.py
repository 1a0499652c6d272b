from __future__ import annotations

from pathlib import Path

import pytest

from server.index.acronyms import Acronyms, definitions
from server.index.text import Synonym
from tests.index.small_index import opened


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Keep a grade point average (GPA) of 2.0.", [("GPA", "grade point average")]),
        ("Your GPA (grade point average) counts.", [("GPA", "grade point average")]),
        ("File the Free Application for Federal Student Aid (FAFSA).",
         [("FAFSA", "Free Application for Federal Student Aid")]),
        ("Ask the Office of Disability Services (ODS).", [("ODS", "Office of Disability Services")]),
        ("Optional Practical Training (OPT) and curricular practical training (CPT).",
         [("OPT", "Optional Practical Training"), ("CPT", "curricular practical training")]),
        ("The generative modeling (GRAD) course, arts transfer (AA).", []),
        ("The library (open late) and the gym (see map).", []),
        ("Courses in fall (CSC 101) and spring (BIO).", []),
        ("The dean (Finch Hall) said so. Then (GPA) came.", []),
        ("Classes on Monday (MWF) only.", []),
        ("()", []),
    ],
)  # fmt: skip
def test_a_definition_is_found_by_the_letters_of_the_acronym(text: str, found: list[tuple[str, str]]) -> None:
    assert list(definitions(text)) == found


def test_an_acronym_and_its_meaning_stand_for_each_other() -> None:
    acronyms = Acronyms()
    acronyms.add_page(["A grade point average (GPA).", "The grade point averages (GPA) of all."])
    acronyms.add_page(["Grade Point Average (GPA)"])
    assert acronyms.synonyms() == [Synonym(("gpa", "grade point average"))]


def test_an_acronym_of_two_meanings_is_asked_for_with_both() -> None:
    acronyms = Acronyms()
    for page in ("teaching assistants (TA)", "the transit authority (TA)", "a Teaching Assistant (TA)"):
        acronyms.add_page([page])
    both = Synonym(("teaching assistants", "transit authority"), "ta")
    assert acronyms.synonyms()[0] == both
    assert Synonym(("ta",), "transit authority") in acronyms.synonyms()


def test_a_meaning_that_nearly_all_pages_give_is_the_only_one() -> None:
    acronyms = Acronyms()
    for page in ["teaching assistant (TA)"] * 3 + ["transit authority (TA)"]:
        acronyms.add_page([page])
    assert acronyms.synonyms() == [Synonym(("ta", "teaching assistant"))]


def test_a_snapshot_keeps_what_its_pages_explain(tmp_path: Path) -> None:
    index = opened(tmp_path / "s", ["A grade point average (GPA) of 2.0.", "The GPA is on the transcript."])
    assert index.snapshot.rows("SELECT words, asked FROM synonyms") == [
        (["gpa", "grade point average"], None)
    ]
