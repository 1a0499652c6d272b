import time

import pytest
from lxml import html

from server.ingest.extract.beside import beside
from server.ingest.extract.extract import extract
from server.ingest.extract.main_content import main_container, prune, text_of
from server.models import Section, SourcePage

MAIN = "<main><h1>Registrar</h1><p>We keep the records of all students and help with enrolling.</p></main>"


def sides(markup: str) -> tuple[list[str], list[str]]:
    """The texts that are told before the main part, and after it."""
    body = html.document_fromstring(f"<title>Visit | Larkmoor</title><body>{markup}").find("body")
    assert body is not None
    prune(body, {})
    before, after = beside(body, main_container(body))
    return [text_of(one) for one in before], [text_of(one) for one in after]


@pytest.mark.parametrize(
    "box",
    [
        "Room 101, (740) 555-0100",
        "Write to reg@larkmoor.example",
        "Open Monday to Friday, 9 a.m. to 4 p.m.",
        "From abroad +1 740 555 0100",
    ],
)
def test_a_box_at_the_side_is_told_where_it_says_whom_to_reach_or_when(box: str) -> None:
    assert sides(f"{MAIN}<div class=sidebar><h2>Office</h2> <p>{box}</p></div>") == ([], [f"Office {box}"])
    assert sides(f"<div><div>{MAIN}</div><div><p>{box}</p></div></div>") == ([], [box])


@pytest.mark.parametrize(
    "box",
    [
        "<div class=promo><p>Give today, and change a life.</p></div>",
        "<div class=site-footer><p>Larkmoor, 1 Quarry Road, (740) 555-0100</p></div>",
        "<div class=sidebar><ul><li><a href=/a>News of 8 p.m.</a><li><a href=/b>Forms</a></ul></div>",
        f"<div><p>{'Our story is long. ' * 100}</p><p>It goes on. {'And on. ' * 300}</p></div>",
    ],
)
def test_what_else_stands_beside_is_not(box: str) -> None:
    assert sides(MAIN + box) == ([], [])


def test_of_a_long_side_the_parts_that_tell_it_are_kept() -> None:
    story = f"<div><p>{'Our story is long. ' * 100}</p></div>"
    main = MAIN.replace("enrolling.", "enrolling, " * 200)
    assert sides(f"{main}<div>{story}<div><b>Call</b> (740) 555-0100</div></div>") == (
        [],
        ["Call (740) 555-0100"],
    )


def test_the_pages_own_header_is_told_first() -> None:
    logo = "<header><a href=/><h1>Larkmoor</h1></a><p>Founded in 1850.</p></header>"
    hero = "<header class=hero><h1>Visit</h1> <p>Tours leave daily.</p></header>"
    assert sides(logo + hero + MAIN) == (["Visit Tours leave daily."], [])


def test_a_deep_side_is_read_in_seconds() -> None:
    start = time.process_time()
    deep = "<div>" * 200 + "<p>Call (740) 555-0100. " + "word " * 100_000
    sides(MAIN + deep)
    assert time.process_time() - start < 10


def section_list(markup: str) -> list[Section]:
    page = SourcePage("https://www.x.example/", f"<title>Registrar</title><body>{markup}")
    return list(extract(page).sections)


def test_a_document_has_its_sides_last_and_marked() -> None:
    found = section_list(f"<div class=side><h2>Contact</h2><p>(740) 555-0100</p></div>{MAIN}")
    assert [(one.heading_path, one.beside) for one in found] == [
        (("Registrar",), False),
        (("Contact",), True),
    ]
