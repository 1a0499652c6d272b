"""DOCX and PPTX as pages of the site."""

from __future__ import annotations

import io
import zipfile

import pytest

from server.ingest.documents import office
from server.ingest.documents.failures import UnreadableDocumentError
from server.ingest.documents.office import docx_as_html, pptx_as_html
from server.ingest.documents.read import DOCX, PPTX
from server.ingest.extract.extract import extract
from server.models import SourcePage
from tests.ingest.documents.office_files import docx_of, docx_paragraph, docx_table, pptx_of

FEES = (("Room", "Fee"), ("Single", "$4,100"), ("Double", "$3,250"))
ROWS = ("Room: Single — Fee: $4,100", "Room: Double — Fee: $3,250")


def sections(body: bytes, kind: str) -> list[tuple[tuple[str, ...], list[str]]]:
    document = extract(SourcePage("https://a.example/x", body, is_html=False, content_type=kind))
    return [(one.heading_path, [block.text for block in one.blocks]) for one in document.sections]


def test_a_docx_has_headings_paragraphs_and_tables() -> None:
    body = docx_paragraph("Housing", "Heading1") + docx_paragraph("Every room has a desk.") + docx_table(FEES)
    assert sections(docx_of(body), DOCX) == [(("Housing",), ["Every room has a desk.", *ROWS])]


def test_a_pptx_has_its_slides_as_sections() -> None:
    body = pptx_of(
        ("Move-in day", "Bring your card\nPark in lot C"), ("Fees", "They are due in May."), table=FEES
    )
    assert sections(body, PPTX) == [
        (("Move-in day",), ["Bring your card\nPark in lot C"]),
        (("Fees",), ["They are due in May.", *ROWS]),
    ]


def test_markup_in_a_text_stays_text() -> None:
    assert "&lt;b&gt;" in pptx_as_html(pptx_of(("<b>Title</b>", "text")))
    assert "&lt;b&gt;" in docx_as_html(docx_of(docx_paragraph("&lt;b&gt;x")))


def test_an_archive_that_unpacks_to_too_much_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"0" * 100_000)
    monkeypatch.setattr(office, "MAX_UNPACKED", 50_000)
    with pytest.raises(UnreadableDocumentError) as raised:
        docx_as_html(file.getvalue())
    assert raised.value.reason == "too_large"
