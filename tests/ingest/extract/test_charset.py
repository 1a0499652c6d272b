import codecs
from encodings.aliases import aliases

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.ingest.extract.charset import decode, looks_binary

TEXT = "Café “Finch” – naïve"


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (TEXT.encode(), None),
        (TEXT.encode(), "text/html; charset=iso-8859-1"),
        (codecs.BOM_UTF8 + TEXT.encode(), "text/html; charset=windows-1252"),
        (codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"), None),
        (TEXT.encode("utf-16-be"), None),
        (TEXT.encode("cp1252"), "text/html; charset=ISO-8859-1"),
        (TEXT.encode("cp1252"), None),
        (TEXT.encode("cp1252"), "text/html; charset=utf-8"),
        (TEXT.encode("cp1252"), "text/html; charset=no-such-charset"),
        (TEXT.encode("cp1252"), "text/html; charset=rot13"),
    ],
)
def test_the_text_is_found_whatever_is_declared(body: bytes, content_type: str | None) -> None:
    assert decode(body, content_type) == TEXT


@pytest.mark.parametrize(
    "declaration", [b'<meta charset="windows-1251">', b'<?xml version="1.0" encoding="windows-1251"?>']
)
def test_the_documents_own_word_counts_where_the_header_has_none(declaration: bytes) -> None:
    assert decode(declaration + "Учёба".encode("cp1251")).endswith("Учёба")


def test_the_header_wins_over_the_document() -> None:
    body = b'<meta charset="windows-1252">' + "Учёба".encode("cp1251")
    assert decode(body, "text/html; charset=windows-1251").endswith("Учёба")


def test_a_few_invalid_bytes_cost_only_themselves() -> None:
    assert decode("Café, café, caf".encode() + b"\xe9 au lait") == "Café, café, caf� au lait"


@pytest.mark.parametrize(
    "body",
    [b"%PDF-1.7 text", b"\x89PNG\r\n", b"GIF89a", b"PK\x03\x04", bytes(range(256)), b"\x7fELF\x00\x00"],
)
def test_files_that_are_no_text_are_known(body: bytes) -> None:
    assert looks_binary(body)


@pytest.mark.parametrize(
    "body", [b"", b"<p>Hi</p>", TEXT.encode("utf-16"), TEXT.encode("utf-16-le"), b"a\tb\r\n\f"]
)
def test_text_is_not_taken_for_binary(body: bytes) -> None:
    assert not looks_binary(body)


@given(st.binary(max_size=200))
def test_no_bytes_are_an_error(body: bytes) -> None:
    assert isinstance(decode(body), str)
    assert looks_binary(body) in (True, False)


@pytest.mark.parametrize("charset", sorted({*aliases, *aliases.values()}))
def test_every_charset_of_python_may_be_claimed(charset: str) -> None:
    body = b"\xff\xfa \\x \\d Opening hours"
    assert decode(body, f"text/html; charset={charset}")
    assert decode(f'<meta charset="{charset}">'.encode() + body)


@pytest.mark.parametrize(
    "charset", ["idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "hex"]
)
def test_a_charset_that_no_page_is_in_is_passed_over(charset: str) -> None:
    assert decode(TEXT.encode("cp1252"), f"text/html; charset={charset}") == TEXT
