"""Who works on a subject, over a site of its own, indexed and asked for real."""

from __future__ import annotations

import pytest

from server.ask.quoting.workers import asked_subject
from tests.ask.asking import Flow, fixture_over

FACULTY = """
<h1>Research interests of the faculty</h1>
<p>What each of the faculty of geology works on, and where more of it is told.</p>
<dl><dt>Ada Bell</dt><dd>(Annual report): Glaciers, rivers, the history of climate.</dd>
<dt>Bo T. Cole</dt><dd>(Personal): Volcanoes, the chemistry of magma.</dd>
<dt>Cy van Dray</dt><dd>(Personal): Rivers and floods, sediment.</dd>
<dt>Di Elm</dt><dd>(Annual report): Minerals, crystals.</dd></dl>
"""
GROUPS = """
<h1>Laboratories</h1><p>Groups of the department, each with a room in Kiln Hall and a seminar of its own.</p>
<ul><li>Fossil Group (headed by Eve Finch)</li><li>Quake Lab (headed by Flo Gale and Gil Hart)</li>
<li>Mineral Lab (headed by Di Elm)</li></ul>
"""
BOOKS = """
<h1>Books for rivers and lakes</h1><p>A course on rivers and what works on them, by ice and by wind.</p>
<p>Rivers of the World, by Hal Ives, is on reserve.</p><p>River Works, second edition.</p>
"""
PAGES = {"/faculty": FACULTY, "/labs": GROUPS, "/books": BOOKS}


flow = fixture_over(PAGES)


def test_everybody_is_named_who_works_on_it_each_on_a_line(flow: Flow) -> None:
    answer = flow.ungated("who works on rivers?").answer
    assert answer.tier == "answer"
    name, *lines = answer.answer.split("\n")
    assert name == "Research interests of the faculty:"
    assert [line.partition(":")[0] for line in lines] == ["Ada Bell", "Cy van Dray"]


def test_so_are_groups_with_who_heads_them(flow: Flow) -> None:
    answer = flow.ungated("which groups work on fossils").answer
    assert answer.tier == "answer"
    assert answer.answer.startswith("Laboratories:\nFossil Group (headed by Eve Finch)")
    assert "Quake" not in answer.answer


def test_where_nobody_is_named_with_it_it_is_asked_as_any_other_question(flow: Flow) -> None:
    trace = flow.ungated("who works on dinosaurs").trace
    assert not any("workers" in step.notes for step in trace.steps)


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("who works on rivers?", "rivers"),
        ("which professors are working on machine learning", "machine learning"),
        ("Which faculty members specialize in optics", "optics"),
        ("who does research on sleep", "sleep"),
        ("who works in the library", ""),
        ("who does financial aid", ""),
        ("how does the shuttle work on sundays", ""),
    ],
)
def test_on_what_a_question_asks_who_works(question: str, subject: str) -> None:
    assert asked_subject(question) == subject
