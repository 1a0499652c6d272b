"""A PDF as a page of the site: reading order, headings, lists, tables, pages."""

from __future__ import annotations

import shutil
from collections.abc import Sequence

import pytest
from PIL import Image, ImageDraw, ImageFont

from server.ingest.chunk import ChunkSize, chunk
from server.ingest.documents.pdf import FORM, SCANNED
from server.ingest.extract.extract import extract
from server.models import Document, SourcePage
from tests.ingest.documents.pdf_file import Picture, Text, grid, paragraph, pdf_of

LEFT, RIGHT = 60, 330


def read(body: bytes) -> Document:
    page = SourcePage("https://a.example/handbook.pdf", body, is_html=False, content_type="application/pdf")
    return extract(page)


def texts(document: Document) -> list[str]:
    return [block.text for section in document.sections for block in section.blocks]


def spaced(y: float, rows: Sequence[tuple[str, str]]) -> list[Text]:
    """A table made by spacing, its headers bold."""
    return [
        Text(x, y + 14 * place, cell, bold=not place)
        for place, row in enumerate(rows)
        for x, cell in zip((LEFT, 240), row, strict=True)
    ]


def test_headings_by_type_size_and_paragraphs_on_one_line() -> None:
    told = (
        "Students are expected to come to every class of a course, and to tell",
        "their instructor before they miss one.",
    )
    page = [
        Text(LEFT, 80, "Student Handbook", 22),
        Text(LEFT, 120, "Attendance", 15),
        *paragraph(LEFT, 145, *told),
        Text(LEFT, 200, "Excused absences", bold=True),
        *paragraph(LEFT, 216, "Jury duty, military duty and religious holidays are excused."),
    ]
    document = read(pdf_of(page))
    assert document.title == "Student Handbook"
    assert [(one.heading_path, [block.text for block in one.blocks]) for one in document.sections] == [
        (("Student Handbook", "Attendance"), [" ".join(told)]),
        (
            ("Student Handbook", "Attendance", "Excused absences"),
            ["Jury duty, military duty and religious holidays are excused."],
        ),
    ]


def test_columns_are_read_one_after_the_other() -> None:
    left = (
        "The library lends books to all students of",
        "the college for four weeks at a time, and for",
        "longer over the summer. A book that is asked",
        "for by another reader is called back at once.",
    )
    right = (
        "Laptops are lent for a day at the desk in the",
        "hall. Whoever brings one back late pays five",
        "dollars for each day, up to its whole price. A",
        "charger is lent with every one of the laptops.",
    )
    columns = [*paragraph(LEFT, 100, *left, size=10), *paragraph(RIGHT, 103, *right, size=10)]
    assert texts(read(pdf_of(columns))) == [" ".join(left), " ".join(right)]


def test_a_table_made_by_spacing() -> None:
    rows = (
        ("Date", "Event"),
        ("August 28", "Classes begin"),
        ("September 4", "Labor Day; no classes"),
        ("December 8", "Last day of classes"),
    )
    document = read(pdf_of([Text(LEFT, 90, "Fall 2026", 16), *spaced(120, rows)]))
    assert texts(document) == [
        "Date: August 28 — Event: Classes begin",
        "Date: September 4 — Event: Labor Day; no classes",
        "Date: December 8 — Event: Last day of classes",
    ]
    assert document.sections[0].heading_path == ("Fall 2026",)


def test_a_cell_may_have_several_lines() -> None:
    page = []
    for place, cells in enumerate(
        (
            ("2", "Founders House", "President, Alumni Relations. Step-free: side"),
            ("", "", "door on the green; ring the bell."),
            ("3", "Quarry Hall", "Registrar 204, Financial Aid 118. Elevator to"),
            ("", "", "all floors."),
        )
    ):
        page += [
            Text(x, 100 + 14.5 * place, cell) for x, cell in zip((60, 90, 220), cells, strict=True) if cell
        ]
    assert texts(read(pdf_of(page))) == [
        "2 Founders House: President, Alumni Relations. Step-free: side door on the green; ring the bell.",
        "3 Quarry Hall: Registrar 204, Financial Aid 118. Elevator to all floors.",
    ]


def test_a_table_made_by_rules() -> None:
    rows = (("Room", "Fee", "Deposit"), ("Single", "$4,100", "$300"), ("Double", "$3,250", "$200"))
    document = read(pdf_of([Text(LEFT, 80, "Room fees", 16), *grid(LEFT, 100, (120, 100, 100), rows)]))
    assert texts(document) == [
        "Room: Single — Fee: $4,100; Deposit: $300",
        "Room: Double — Fee: $3,250; Deposit: $200",
    ]
    assert document.sections[0].heading_path == ("Room fees",)


def test_a_row_of_headers_within_a_table_begins_another() -> None:
    fall = (("Date", "Event"), ("October 9", "Drop deadline"), ("October 16", "Break"))
    spring = (("Date", "Event"), ("May 3", "Drop deadline"), ("May 9", "Break"))
    document = read(
        pdf_of(
            [
                *(Text(LEFT, 100, "Fall 2026 Semester", bold=True), *spaced(114, fall)),
                *(Text(LEFT, 156, "Spring 2027 Semester", bold=True), *spaced(170, spring)),
            ]
        )
    )
    assert [(one.heading_path[-1], one.blocks[0].text) for one in document.sections] == [
        ("Fall 2026 Semester", "Date: October 9 — Event: Drop deadline"),
        ("Spring 2027 Semester", "Date: May 3 — Event: Drop deadline"),
    ]


def test_items_of_a_list_are_one_block() -> None:
    items = ("the syllabus of the course", "the work that was graded", "a letter of one page")
    page = paragraph(LEFT, 90, "To appeal a grade, send the dean three things by the tenth day:")
    for place, item in enumerate(items):
        page += [Text(LEFT + 10, 110 + 14 * place, "•"), Text(LEFT + 28, 110 + 14 * place, item)]
    [section] = read(pdf_of(page)).sections
    assert (section.blocks[1].kind, section.blocks[1].text) == ("list", "\n".join(items))


def test_running_headers_page_numbers_contents_and_line_end_hyphens_are_left_out() -> None:
    def page(number: int, *lines: str) -> list[Text]:
        running = [Text(LEFT, 40, "Student Handbook 2026–2027"), Text(300, 760, f"Page {number} of 3")]
        return [*running, *paragraph(LEFT, 120, *lines)]

    body = pdf_of(
        page(1, f"Housing {'.' * 44} 2", f"Parking {'.' * 44} 3"),
        page(2, "Every first-year student lives in a residence hall, unless the dean of stu-", "dents has"),
        page(3, "excused them."),
    )
    told = "Every first-year student lives in a residence hall, unless the dean of students has excused them."
    assert texts(read(body)) == [told]


def test_lines_that_were_ended_stay_lines() -> None:
    wide = "The office of the registrar answers questions about enrollment, records and transcripts."
    card = ("Office of the Registrar", "Hill Hall 204", "802-555-0142")
    document = read(pdf_of([*paragraph(LEFT, 90, wide), *paragraph(LEFT, 130, *card)]))
    assert texts(document) == [wide, "\n".join(card)]


def test_chunks_know_their_page() -> None:
    rule = "holds for every student of the college in all of its terms, and for guests."
    pages = [
        [
            Text(LEFT, 90, f"Section {n}", 16),
            *paragraph(LEFT, 115, f"Rule number {n} {rule}", f"So it {rule}"),
        ]
        for n in (1, 2, 3)
    ]
    document = read(pdf_of(*pages))
    assert [one.page for one in chunk(document, ChunkSize())] == [1, 2, 3]


def test_the_title_is_its_own_unless_a_program_wrote_it() -> None:
    page = [Text(LEFT, 90, "Parking Rules", 20), *paragraph(LEFT, 130, "Permits are sold at the gate.")]
    assert read(pdf_of(page, title="Parking on campus")).title == "Parking on campus"
    assert read(pdf_of(page, title="Microsoft Word - parking_v3 FINAL.docx")).title == "Parking Rules"


def test_a_form_is_named_so() -> None:
    assert FORM in texts(read(pdf_of(paragraph(LEFT, 90, "Petition to the dean of students"), form=True)))


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="tesseract is not installed")
def test_a_picture_of_text_is_read_and_marked() -> None:
    picture = Image.new("L", (1224, 1584), 255)
    font = ImageFont.load_default(40)
    ImageDraw.Draw(picture).text((120, 200), "The pool opens at seven on weekdays.", 0, font)
    [section] = read(pdf_of([Picture(*picture.size, picture.tobytes())])).sections
    assert section.heading_path[-1] == SCANNED
    assert "pool opens at seven" in section.blocks[0].text
