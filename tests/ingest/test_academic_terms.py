"""Which terms pages and chunks carry, and which pages count as archived."""

from __future__ import annotations

from dataclasses import replace

import pytest

from server.academic_terms import terms_in_url
from server.ingest.academic_terms import is_archived, with_terms
from server.models import Block, Chunk, Document, Section

URL = "https://example.edu/calendar/2026-27/"


def a_chunk(text: str, *headings: str) -> Chunk:
    return Chunk(URL, 0, "Academic calendar", headings, text)


def section(text: str) -> Section:
    return Section((), (Block("paragraph", text),))


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
        ("/seminar-series-2026-2027/", ["2026/27"]),
        ("/reports-2026-2031/", []),
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
        ("/policies/old-versions/repeat", "Repeating a course", True),
        ("/policies/repeat", "Repeating a course (superseded)", True),
        ("/policies/repeat", "Repeating a course (old version)", True),
        ("/old-main", "Old Main", False),
    ],
)
def test_what_a_site_calls_an_archive_is_archived(path: str, title: str, archived: bool) -> None:
    assert is_archived(Document(f"https://example.edu{path}", title, ())) is archived


@pytest.mark.parametrize(
    ("said", "archived"),
    [
        ("This page is no longer maintained. Fees are $40.", True),
        ("You are viewing an archived catalog.", True),
        ("This policy has been replaced by Policy 4.20.", True),
        ("The PIN has been replaced by a code. This page says how.", False),
        ("Old Main is kept for events.", False),
    ],
)
def test_a_page_may_say_of_itself_that_it_is_put_away(said: str, archived: bool) -> None:
    page = Document("https://example.edu/fees", "Fees", (section(said),))
    assert is_archived(page) is archived
    assert is_archived(replace(page, sections=(), description=said)) is archived


def test_a_page_says_so_at_its_top() -> None:
    late = f"{'Fees are paid at the desk. ' * 20}This page is no longer maintained."
    assert not is_archived(Document("https://example.edu/fees", "Fees", (section(late),)))
