"""Small DOCX and PPTX files."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence

from pptx import Presentation
from pptx.util import Inches

_TYPES = """<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Override PartName="/word/document.xml"
 ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>"""
_RELATIONS = """<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="r1" Target="word/document.xml"
 Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"/></Relationships>"""
_DOCUMENT = """<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">
<w:body>{}</w:body></w:document>"""


def docx_paragraph(text: str, style: str = "") -> str:
    """A paragraph as WordprocessingML (ECMA-376, part 1)."""
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{properties}<w:r><w:t>{text}</w:t></w:r></w:p>"


def docx_table(rows: Sequence[Sequence[str]]) -> str:
    """A table, its first row as one of headers."""
    lines = []
    for place, row in enumerate(rows):
        head = "" if place else "<w:trPr><w:tblHeader/></w:trPr>"
        cells = "".join(f"<w:tc>{docx_paragraph(cell)}</w:tc>" for cell in row)
        lines.append(f"<w:tr>{head}{cells}</w:tr>")
    return f"<w:tbl>{''.join(lines)}</w:tbl>"


def docx_of(body: str) -> bytes:
    """A file with this WordprocessingML in its body."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("[Content_Types].xml", _TYPES)
        archive.writestr("_rels/.rels", _RELATIONS)
        archive.writestr("word/document.xml", _DOCUMENT.format(body))
    return file.getvalue()


def pptx_of(*slides: tuple[str, str], table: Sequence[Sequence[str]] = ()) -> bytes:
    """Slides of a title and lines of text each; the table on the last one."""
    deck = Presentation()
    for title, text in slides:
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text, slide.placeholders[1].text = title, text
    if table:
        place = (len(table), len(table[0]), Inches(1), Inches(4), Inches(6), Inches(1))
        cells = slide.shapes.add_table(*place).table
        for row, line in enumerate(table):
            for column, text in enumerate(line):
                cells.cell(row, column).text = text
    file = io.BytesIO()
    deck.save(file)
    return file.getvalue()
