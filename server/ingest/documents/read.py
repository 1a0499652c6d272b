"""A document's bytes as HTML, a feed's as its items, by a process with limits of time and memory.

Whatever a document does to its reader, it ends with a reason, and the run that found it goes on.
"""

from __future__ import annotations

import logging
import re
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
PLAIN = ("text/plain", "text/csv", "text/tab-separated-values")  # read as they are, their tables too
CALENDAR, RSS, ATOM = "text/calendar", "application/rss+xml", "application/atom+xml"
FEEDS = (CALENDAR, RSS, ATOM)
XML_TYPES = ("application/xml", "text/xml", "application/rdf+xml")  # what servers call a feed, too
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # an encrypted DOCX or PPTX is such a file, and no archive
OFFICE_FILES = (b"PK\x03\x04", OLE[:4])  # how DOCX and PPTX begin

_CALENDAR_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*BEGIN:VCALENDAR\b", re.IGNORECASE)
_FEED_ROOT = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<[?!][^>]{0,2000}>\s*){0,20}<(?:[\w-]{1,20}:)?(?:(?P<rss>rss|rdf)|feed)[\s>]",
    re.IGNORECASE,
)

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


def feed_type(body: bytes, kind: str | None) -> str | None:
    """One of `FEEDS` by its beginning, whatever the server calls it; None for what is none."""
    kind = (kind or "").partition(";")[0].strip().casefold()
    if kind in ("", "text/plain", CALENDAR) and _CALENDAR_START.match(body):
        return CALENDAR
    if kind in ("", "text/plain", RSS, ATOM, *XML_TYPES) and (root := _FEED_ROOT.match(body)):
        return RSS if root["rss"] else ATOM
    return None


def as_html(body: bytes, kind: str) -> str:
    """The document as HTML; `UnreadableDocumentError` says why it cannot be."""
    return converted(body, kind)


def converted(body: bytes, kind: str, *given: str) -> str:
    """What `convert.py` makes of a file of that kind and what else it is given; errors as `as_html`."""
    command = [sys.executable, "-m", "server.ingest.documents.convert", kind, *given]
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
