"""Which terms pages and chunks carry, and which pages count as archived."""

from __future__ import annotations

import pytest

from server.academic_terms import terms_in_url
from server.ingest.academic_terms import is_archived, with_terms
from server.models import Chunk, Document

URL = "https://example.edu/calendar/2026-27/"


def a_chunk(text: str, *headings: str) -> Chunk:
    return Chunk(URL, 0, "Academic calendar", headings, text)


def test_a_chunk_speaks_of_what_it_names_and_else_of_what_its_page_is_called() -> None:
    chunks = [
        a_chunk("Classes begin on August 24.", "Fall 2026"),
        a_chunk("The deadlines of spring 2027 follow."),
        a_chunk("Offices are closed on holidays.", "Holidays"),
    ]
    page, found = with_terms(Document(URL, "Academic calendar", ()), chunks)
    assert [chunk.terms for chunk in found] == [("2026-fall",), ("2027-spring",), ("2026/27",)]
    assert page.terms == ("2026/27", "2026-fall", "2027-spring")


def test_what_is_below_a_terms_heading_is_of_that_term_whatever_it_mentions() -> None:
    """The academic year above is wider, and registration for fall is one of a spring's dates."""
    year, spring = "Academic calendar 2026–27", "Spring 2027"
    chunk = a_chunk("April 5: Registration for fall 2027", year, spring, "Dates")
    _, [found] = with_terms(Document(URL, year, ()), [chunk])
    assert found.terms == ("2027-spring",)


def test_another_section_says_nothing_about_a_chunk() -> None:
    url = "https://example.edu/fees"
    chunks = [Chunk(url, 0, "Fees", ("Fall 2020",), "It was $10."), Chunk(url, 1, "Fees", (), "It is $20.")]
    page, found = with_terms(Document(url, "Fees", ()), chunks)
    assert [chunk.terms for chunk in found] == [("2020-fall",), ()]
    assert page.terms == ("2020-fall",)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/calendar/2026-27/", ["2026/27"]),
        ("/schedule/fall-2026.html", ["2026-fall"]),
        ("/schedule_spring_2027", ["2027-spring"]),
        ("/news/2026/11/22/fall-fair", []),
        ("/Fall%202026", ["2026-fall"]),
        ("", []),
    ],
)
def test_an_address_names_terms(path: str, expected: list[str]) -> None:
    assert [term.name for term in terms_in_url(f"https://example.edu{path}")] == expected


@pytest.mark.parametrize(
    ("path", "title", "archived"),
    [
        ("/archive/2020/", "Fees", True),
        ("/fees/Archived", "Fees", True),
        ("/archives-and-special-collections/", "University archives", False),
        ("/fees", "ARCHIVED: Fees of 2020", True),
        ("/fees", "Fees of 2020 (archive)", True),
        ("/history", "History", False),
    ],
)
def test_what_a_site_calls_an_archive_is_archived(path: str, title: str, archived: bool) -> None:
    assert is_archived(Document(f"https://example.edu{path}", title, ())) is archived
