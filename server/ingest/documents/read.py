"""A document's bytes as HTML, by a process that may take so much time and memory and no more.

Whatever a document does to its reader, it ends with a reason, and the run that found it goes on.
"""

from __future__ import annotations

import logging
import signal
import subprocess
import sys

from server.ingest.documents.failures import WHY, UnreadableDocumentError
from server.models import SourcePage

logger = logging.getLogger("lodge.ingest")

PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
DOCUMENTS = (PDF, DOCX, PPTX)
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # an encrypted DOCX or PPTX is such a file, and no archive
OFFICE_FILES = (b"PK\x03\x04", OLE[:4])  # how DOCX and PPTX begin

MAX_SECONDS = 60
MAX_MEMORY = 2 << 30  # bytes of address space, the interpreter's own among them
UNREADABLE = 3


def document_type(page: SourcePage) -> str | None:
    """The media type of a response that is a document; None of any other, and of a text from a pages file."""
    if not isinstance(page.body, bytes):
        return None
    if page.body.startswith(b"%PDF-"):
        return PDF
    kind = (page.content_type or "").partition(";")[0].strip().casefold()
    return kind if kind in DOCUMENTS else None


def as_html(body: bytes, kind: str) -> str:
    """The document as HTML; `UnreadableDocumentError` says why it cannot be."""
    command = [sys.executable, "-m", "server.ingest.documents.convert", kind]
    try:
        done = subprocess.run(command, input=body, capture_output=True, timeout=MAX_SECONDS, check=False)  # noqa: S603
    except subprocess.TimeoutExpired as error:
        raise UnreadableDocumentError("too_slow") from error
    if done.returncode == 0:
        return done.stdout.decode("utf-8", "replace")
    said = done.stdout.decode("ascii", "replace")
    if done.returncode == UNREADABLE and said in WHY:
        raise UnreadableDocumentError(said)
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        raise UnreadableDocumentError("too_slow")
    logger.info("A document could not be read: %s", done.stderr.decode("utf-8", "replace")[-2000:])
    raise UnreadableDocumentError("too_large" if b"MemoryError" in done.stderr else "damaged")
