import pytest
from lxml import html

from server.ingest.extract.blocks import sections_of
from server.ingest.extract.fields import field_of


@pytest.mark.parametrize(
    "markup",
    [
        "<div class=field><div class=field__label>Due</div><div class=field__item>May 1</div></div>",
        "<div><div class=field-label>Due:&nbsp;</div><div><div class=even>May 1</div></div></div>",
        "<div><span class='views-label views-label-due'>Due: </span> <span>May 1</span></div>",
        "<div class=row><div class=col><strong>Due</strong></div><div class=col>May 1</div></div>",
        "<li><b>Due</b><span>May 1</span></li>",
        "<div><div>Due:</div><div>May 1</div></div>",
    ],
)
def test_a_label_and_its_value_are_one_line(markup: str) -> None:
    assert field_of(html.fragment_fromstring(markup)) == "Due: May 1"


@pytest.mark.parametrize(
    ("markup", "line"),
    [
        ("<div><div>Monday</div><div>8am–5pm</div></div>", "Monday: 8am–5pm"),
        ("<div><div>Front desk</div><div>8 a.m. to 5 p.m.</div></div>", "Front desk: 8 a.m. to 5 p.m."),
        ("<div><div>Sunday</div><div>Closed</div></div>", "Sunday: Closed"),
        ("<div><span>2,366</span><span>undergraduates</span></div>", "2,366 undergraduates"),
        ("<div><div>14:1</div><div>students to a teacher</div></div>", "14:1 students to a teacher"),
        ("<div><div>2026</div><div>$400</div></div>", ""),
    ],
)
def test_hours_and_figures_are_told_with_what_they_are_of(markup: str, line: str) -> None:
    assert field_of(html.fragment_fromstring(markup)) == line


@pytest.mark.parametrize(
    "markup",
    [
        "<div><div>Fall</div><div>Spring</div></div>",  # no label
        "<div><div class=label>Due</div></div>",
        "<div><div class=label>Due</div><div></div></div>",
        "<div><div class=label>Due</div><div><p>May 1</p><p>June 1</p></div></div>",
        "<div><div class=label>Due</div><div>May 1<br>June 1</div></div>",
        "<div>By <b>May 1</b> <span>or later</span></div>",
        "<div><b>May 1</b> <span>or later</span>, by mail</div>",
        f"<div><div class=label>Due</div><div>{'May 1, ' * 50}</div></div>",
        f"<div><div class=label>{'Due ' * 20}</div><div>May 1</div></div>",
    ],
)
def test_anything_else_is_none(markup: str) -> None:
    assert not field_of(html.fragment_fromstring(markup))


def test_a_page_has_its_fields_as_definitions() -> None:
    row = "<div class=field><div class=field__label>{}</div><div class=field__item>{}</div></div>"
    body = html.document_fromstring(
        f"<h1>Aid</h1>{row.format('Due', 'May 1')}{row.format('Where', 'Lee 12')}"
    )
    [section] = sections_of(body, {})
    assert [(one.kind, one.text) for one in section.blocks] == [
        ("definition", "Due: May 1"),
        ("definition", "Where: Lee 12"),
    ]
