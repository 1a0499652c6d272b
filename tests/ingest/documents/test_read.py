"""Documents that cannot be read: a reason, never a crash, and no more time and memory than one may take."""

from __future__ import annotations

from contextlib import suppress

import pytest

from server.ingest.documents import read
from server.ingest.documents.failures import UnreadableDocumentError
from server.ingest.documents.read import DOCX, PDF, PPTX, as_html
from tests.ingest.documents.office_files import docx_of, pptx_of
from tests.ingest.documents.pdf_file import Text, paragraph, pdf_of

GOOD = pdf_of(paragraph(60, 90, "The office is open on weekdays from nine to five."))
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600


def reason(body: bytes, kind: str) -> str:
    with pytest.raises(UnreadableDocumentError) as raised:
        as_html(body, kind)
    assert raised.value.message.endswith(".")
    return raised.value.reason


def test_a_good_one_is_read() -> None:
    assert "open on weekdays" in as_html(GOOD, PDF)


@pytest.mark.parametrize(
    ("body", "kind", "expected"),
    [
        (b"%PDF-1.4\nnothing of the kind", PDF, "damaged"),
        (GOOD[: len(GOOD) // 3], PDF, "damaged"),
        (pdf_of([Text(60, 90, "secret")], locked=True), PDF, "encrypted"),
        (pdf_of([]), PDF, "scanned"),
        (pdf_of(), PDF, "empty"),
        (OLE, DOCX, "encrypted"),
        (b"PK\x03\x04 and no more", DOCX, "damaged"),
        (pptx_of(("Title", "text")), DOCX, "damaged"),
        (docx_of("<w:p/>"), PPTX, "damaged"),
    ],
)
def test_what_cannot_be_read_has_a_reason(body: bytes, kind: str, expected: str) -> None:
    assert reason(body, kind) == expected


def test_one_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read, "MAX_SECONDS", 0.01)
    assert reason(GOOD, PDF) == "too_slow"


@pytest.mark.parametrize("length", range(0, len(GOOD), 191))
def test_every_beginning_of_a_good_one_ends_with_text_or_a_reason(length: int) -> None:
    with suppress(UnreadableDocumentError):
        assert as_html(GOOD[:length], PDF).endswith("</body>")
