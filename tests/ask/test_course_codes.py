from __future__ import annotations

import pytest

from server.ask.course_codes import course_fits, page_courses
from server.models import Passage

SITE = "https://cs.u.example"


def page(
    title: str, text: str = "Late homework costs a point.", heading: str = "", path: str = ""
) -> Passage:
    return Passage(1, f"{SITE}/{path}", title, heading, text)


OF_212 = page("Computer Science 212")
OF_314 = page("CS 314 Course Information")
OF_BOTH = page("CS381/481 Fall 96")
BY_ADDRESS = page("Homework 3", path="courses/cs631/hw3.html")
OF_NONE = page("Undergraduate handbook")


def fits(question: str, *passages: Passage) -> list[int]:
    return course_fits(question, passages)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("cs212 late homework?", [1, -1, -1, -1, 0]),
        ("CS 212 late homework?", [1, -1, -1, -1, 0]),
        ("314 hw two days late", [-1, 1, -1, -1, 0]),
        ("481 final open book?", [-1, -1, 1, -1, 0]),
        ("is cs 381 harder than 481", [-1, -1, 1, -1, 0]),
        ("multimedia systems 631 exams", [-1, -1, -1, 1, 0]),
        ("cs410 late homework policy", [-1, -1, -1, -1, 0]),  # no page of it: none of these is meant
        ("cs212 or 314", [1, 1, -1, -1, 0]),
        ("math 221 late homework", [0, 0, 0, 0, 0]),  # another subject: nothing is known of its pages
        ("late homework", [0, 0, 0, 0, 0]),
        ("upson 314 after 212 days", [0, 0, 0, 0, 0]),
        ("room 314 key", [0, 0, 0, 0, 0]),
        ("over 212 people, $314, 314 points", [0, 0, 0, 0, 0]),
        ("fall 1996, calc 2", [0, 0, 0, 0, 0]),
    ],
)
def test_which_pages_are_about_the_course_that_is_named(question: str, expected: list[int]) -> None:
    assert fits(question, OF_212, OF_314, OF_BOTH, BY_ADDRESS, OF_NONE) == expected


def test_a_number_with_a_letter_is_a_course_without_its_subject() -> None:
    pages = page("ICS 45C Placement Exam"), page("ICS 45J Placement Exam"), OF_NONE
    assert fits("is there a guide for the 45c test", *pages) == [1, -1, 0]
    assert fits("the 24h rule", *pages) == [0, 0, 0]


def test_a_course_may_be_called_by_figures_alone() -> None:
    pages = [page("11-711: Advanced NLP"), page("11-785 Deep Learning"), page("10-601/701")]
    assert fits("late days in 11-711", *pages) == [1, -1, 0]
    assert fits("is 785 on campus", *pages) == [-1, 1, 0]
    assert fits("10-701 final", *pages) == [0, 0, 1]
    assert fits("10-601/701 final", page("15-701"), *pages) == [0, 0, 0, 1]
    assert fits("call 55-010 or 412-268-2000 on 11-12, pp. 11-785b", *pages) == [0, 0, 0]


def test_a_page_of_another_course_that_names_this_one_is_not_held_against() -> None:
    needs = page("CS 314 Course Information", "Prerequisite: CS 212.")
    assert fits("what comes after cs212", OF_212, needs) == [1, 0]


def test_a_section_of_a_catalog_is_about_its_course() -> None:
    section = page("Course descriptions", heading="Undergraduate › CS 212 Programming")
    other = page("Course descriptions", heading="Undergraduate › CS 314 Systems")
    assert fits("credits of 212", section, other) == [1, -1]


@pytest.mark.parametrize(
    ("title", "path", "numbers"),
    [
        ("Bio 101 and Chem 202", "", {"101", "202"}),
        ("CSE 110, 120 and 230", "", {"110", "120", "230"}),
        ("Syllabus", "Courses/Spring-96/CS211/index.html", {"96", "211"}),
        ("Welcome", "advising/ICS%2045J%20Credit%20by%20Exam.php", {"45j"}),
        ("Classes of Fall 2026", "", set()),
        ("The 3rd floor, room 404", "", set()),
        ("CS 314: Systems, 212:30", "", {"314"}),
    ],
)
def test_the_courses_of_a_page(title: str, path: str, numbers: set[str]) -> None:
    assert {code.number for code in page_courses(title, "", f"{SITE}/{path}")} == numbers
