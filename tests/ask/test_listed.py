"""A list that is asked for by what it lists, over a site of its own, indexed and asked for real."""

from __future__ import annotations

import pytest

from server.ask.quoting.listed import asked_list
from tests.ask.asking import Flow, fixture_over

NAMES = (
    "Ames",
    "Bell",
    "Cole",
    "Dray",
    "Elm",
    "Finch",
    "Gale",
    "Hart",
    "Ives",
    "Jute",
    "Kerr",
    "Lund",
    "Moss",
    "Noon",
    "Orr",
    "Pike",
    "Quist",
    "Reed",
)
FACULTY = "<br>".join(
    f"{name}, Ada ({name.lower()}) Kiln Hall 1{n:02} 555-01{n:02}" for n, name in enumerate(NAMES)
)
STAFF = "<br>".join(
    f"{name}, Bo ({name.lower()}2) Kiln Hall 2{n:02} 555-02{n:02}" for n, name in enumerate(NAMES[:4])
)
PEOPLE = f"""
<h1>Directory of the department</h1>
<p>Who works in the department of geology, and how each of them is reached.</p>
<h2>FACULTY</h2><p>{FACULTY}</p>
<h2>Staff and assistants</h2><p>{STAFF}</p>
<h2>Visitors</h2>
<p>Two visitors come each year, for a term; who they are is told in the newsletter of spring.</p>
"""
MAJORS = "".join(
    f"<tr><td>{name} Studies</td><td>BA</td><td>{30 + n}</td></tr>" for n, name in enumerate(NAMES)
)
PROGRAMS = f"""
<h1>Majors and minors</h1>
<p>The college has twelve majors, and each of them may be a minor, too, if you like.</p>
<table><tr><th>Major</th><th>Degree</th><th>Credits</th></tr>{MAJORS}</table>
"""
SPEECHES = """
<h1>What the faculty said</h1>
<p>The faculty met in May and said that the list of wishes is long this year.</p>
"""
PAGES = {"/people": PEOPLE, "/programs": PROGRAMS, "/speeches": SPEECHES}


flow = fixture_over(PAGES)


@pytest.mark.parametrize("question", ["list of faculty", "faculty list", "who are the faculty?"])
def test_the_section_that_is_called_so_is_shown_from_its_top_and_its_rest_counted(
    flow: Flow, question: str
) -> None:
    answer = flow.ungated(question).answer
    assert answer.tier == "answer"
    assert answer.answer.startswith("FACULTY:\nAmes, Ada (ames) Kiln Hall 100 555-0100\nBell, Ada")
    shown = answer.answer.count("Kiln Hall")
    assert 1 < shown < len(NAMES)
    assert f"There are {len(NAMES) - shown} more on the page." in answer.answer


@pytest.mark.parametrize("question", ["list of majors", "what majors do you have", "which minors are there"])
def test_so_is_the_table_of_a_page_that_is_called_so(flow: Flow, question: str) -> None:
    answer = flow.ungated(question).answer
    assert answer.tier == "answer"
    assert answer.answer.startswith("Majors and minors:\nMajor: Ames Studies — Degree: BA; Credits: 30")
    assert "more on the page" in answer.answer
    [citation] = answer.citations
    assert citation.table
    assert len(citation.table.rows) == len(NAMES)
    [table] = [block for block in answer.blocks if block.kind == "table"]
    assert table.marked == ()


@pytest.mark.parametrize("question", ["list of visitors", "list of staff", "list of graduates"])
def test_a_section_of_prose_is_no_list_and_one_of_more_is_another(flow: Flow, question: str) -> None:
    trace = flow.ungated(question).trace
    assert not any("listed" in step.notes for step in trace.steps)


@pytest.mark.parametrize(
    ("question", "what"),
    [
        ("list of faculty", "faculty"),
        ("can i see a list of all the clubs", "clubs"),
        ("who are your advisors", "advisors"),
        ("what majors do you have? What majors and degree programs are offered?", "majors"),
        ("staff directory", "staff"),
        ("am i on the waiting list for housing", ""),
        ("what do you have", ""),
    ],
)
def test_what_a_question_asks_for_a_list_of(question: str, what: str) -> None:
    assert asked_list(question) == what
