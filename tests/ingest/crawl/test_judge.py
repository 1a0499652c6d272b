"""What a reply means."""

from __future__ import annotations

import dataclasses

import pytest

from server.ingest.crawl.fetch import FetchedResponse
from server.ingest.crawl.nouns import QueuedUrl
from server.ingest.crawl.parse import judge, page_type
from server.ingest.documents.read import DOCX, PPTX

NEW = QueuedUrl(1, "http://h/a", "page", "/a", 1, 0, 0, 0.0, None, None, None)
KNOWN = dataclasses.replace(NEW, body_hash="0" * 64)


def reply(
    body: bytes = b"<p>text", status: int = 200, content_type: str = "text/html", **headers: str
) -> FetchedResponse:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return FetchedResponse("http://h/a", status, {"content-type": content_type} | named, body)


def test_a_page_is_kept_with_its_validators() -> None:
    verdict = judge(NEW, reply(etag='"1"', last_modified="Sun, 06 Nov 1994 08:49:37 GMT"), "LodgeBot")
    assert verdict.outcome.name == "fetched"
    assert verdict.copy is not None
    assert (verdict.copy.etag, verdict.copy.last_modified) == ('"1"', "Sun, 06 Nov 1994 08:49:37 GMT")
    assert verdict.text_key


def test_the_same_body_again_is_unchanged() -> None:
    first = judge(NEW, reply(), "LodgeBot")
    assert first.copy is not None
    again = dataclasses.replace(NEW, body_hash=first.copy.body_hash)
    assert judge(again, reply(), "LodgeBot").outcome.name == "unchanged"
    assert judge(KNOWN, reply(), "LodgeBot").outcome.name == "fetched"


@pytest.mark.parametrize("status", [404, 410])
def test_a_page_that_we_had_is_gone_and_one_that_never_was_a_failure(status: int) -> None:
    assert judge(KNOWN, reply(status=status), "LodgeBot").outcome.name == "gone"
    assert judge(NEW, reply(status=status), "LodgeBot").outcome.reason == f"http {status}"


def test_a_refusal_does_not_take_a_page_away() -> None:
    assert not judge(KNOWN, reply(status=403), "LodgeBot").outcome.ends_copy


def test_a_redirect_has_a_target_or_fails() -> None:
    assert judge(NEW, reply(status=301, location="/b#x"), "LodgeBot").target == "http://h/b"
    assert judge(NEW, reply(status=302), "LodgeBot").outcome.name == "failed"


def test_noindex_in_the_header_or_in_the_page() -> None:
    for one in (reply(x_robots_tag="noindex"), reply(b'<meta name="robots" content="none">')):
        copy = judge(NEW, one, "LodgeBot").copy
        assert copy is not None
        assert copy.noindex


@pytest.mark.parametrize(
    ("content_type", "body", "kind"),
    [
        ("text/html; charset=x", b"<p>", "text/html"),
        ("application/xhtml+xml", b"<p>", "application/xhtml+xml"),
        ("text/plain", b"words", "text/plain"),
        ("text/csv", b"room,seats", "text/csv"),
        ("text/tab-separated-values", b"room\tseats", "text/tab-separated-values"),
        ("application/pdf", b"%PDF-1.4", "application/pdf"),
        ("text/html", b"%PDF-1.4", "application/pdf"),
        ("application/pdf", b"<p>not found", None),
        (DOCX, b"PK\x03\x04\0\0", DOCX),
        (PPTX, b"\xd0\xcf\x11\xe0\0\0", PPTX),
        (DOCX, b"<p>not found", None),
        ("text/html", b"GIF89a\0\1", None),
        ("text/html", b"\xff\xfe<\0p\0>\0", "text/html"),
        ("", b"<p>", "text/html"),
        ("", b"words", "text/plain"),
        ("image/png", b"", None),
        ("text/calendar", b"BEGIN", None),
    ],
)
def test_types_by_header_and_first_bytes(content_type: str, body: bytes, kind: str | None) -> None:
    assert page_type(reply(body, content_type=content_type)) == kind
