"""More attributes in a tag, or tags in a page, than any page has.

Reading attributes takes the HTML parser their number squared: a hundred thousand in one tag, a megabyte, kept
libxml2 at work for minutes, where no time limit reaches it. A tag, however short, takes hundreds of bytes of
memory: two million, eight megabytes of `<p>a`, took more than half a gigabyte.
"""

from __future__ import annotations

import codecs
import re
from itertools import islice
from typing import AnyStr

MOST_ATTRIBUTES = 500
MOST_TAGS = 500_000  # opening and closing ones; a table of 10,000 rows of 20 cells has 420,000
# A name, and a value if there is one. Nothing is tried twice: a tag takes the time that its length takes.
_ATTRIBUTE = r"""[^\s/>=]++(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+)?+)?+"""
_TAG = rf"<([a-zA-Z][a-zA-Z0-9:-]*+)((?:\s++|[/=]|{_ATTRIBUTE})*+)"
_IN_TEXT, _IN_BYTES = (
    (re.compile(_TAG), re.compile(_ATTRIBUTE)),
    (
        re.compile(_TAG.encode()),
        re.compile(_ATTRIBUTE.encode()),
    ),
)


def without_crowds(text: str) -> str:
    """The HTML, where a tag with too many attributes has none."""
    tag, attribute = _IN_TEXT
    return tag.sub(lambda found: f"<{found[1]}" if _is_crowded(attribute, found[2]) else found[0], text)


def without_crowds_in_bytes(body: bytes) -> bytes:
    """The same for a body in an encoding that has ASCII's characters where ASCII has them."""
    tag, attribute = _IN_BYTES
    return tag.sub(lambda found: b"<" + found[1] if _is_crowded(attribute, found[2]) else found[0], body)


def has_excess(page: bytes | str) -> bool:
    """Whether a page has more tags than are read."""
    return (page.count(b"<") if isinstance(page, bytes) else page.count("<")) > MOST_TAGS


def without_excess(text: AnyStr) -> AnyStr:
    """The page up to the last tag that is read."""
    if not has_excess(text):
        return text
    opening = re.finditer("<" if isinstance(text, str) else b"<", text)
    return text[: next(islice(opening, MOST_TAGS, None)).start()]


def _is_crowded(attribute: re.Pattern[AnyStr], attributes: AnyStr) -> bool:
    if len(attributes) <= 2 * MOST_ATTRIBUTES:
        return False
    return sum(1 for _ in attribute.finditer(attributes)) > MOST_ATTRIBUTES


# Files that may pass for text; other formats are known by their control characters.
_SIGNATURES = (b"%PDF", b"%!PS", b"GIF8", b"PK\x03\x04", b"\x1f\x8b", b"\xff\xd8\xff", b"\x89PNG")
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED = re.compile(
    rb"""<(?:meta|\?xml)\b[^>]{0,300}?(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)""", re.I
)
_HEADER = re.compile(r"""charset\s*=\s*["']?\s*([\w.:-]+)""", re.I)
# Python has them among its charsets, and no page is in them: they spell one name, a program's text, or fail.
_NO_CHARSETS = frozenset(("idna", "punycode", "raw-unicode-escape", "unicode-escape", "undefined"))
_CONTROL = bytes(set(range(32)) - set(b"\t\n\r\f\x1b")) + b"\x7f"
_MULTIBYTE = re.compile(r"[^\x00-\x7f�]")


def looks_binary(body: bytes) -> bool:
    """Whether a body is no text at all: a picture, an archive or a program, by whatever name it was sent."""
    head = body[:4096]
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or _utf16_by_zeros(head):
        return False
    if head.startswith(_SIGNATURES):
        return True
    return len(head) - len(head.translate(None, _CONTROL)) > len(head) * 0.02


def known_charset(name: str | None) -> str | None:
    """Python's name of a charset that a page may be in; None for what is none."""
    try:
        found = codecs.lookup(name) if name else None
    except (LookupError, ValueError):
        return None
    is_one = found is not None and found._is_text_encoding and found.name not in _NO_CHARSETS
    return found.name if found is not None and is_one else None


def decode(body: bytes, content_type: str | None = None) -> str:
    """The text of `body`: never an error, at worst a replacement character.

    A byte-order mark wins, then UTF-8 where the bytes are valid UTF-8, then what the header says, then what
    the document says of itself; a charset that the bytes contradict is passed over.
    """
    for mark, charset in _BOMS:
        if body.startswith(mark):
            return body[len(mark) :].decode(charset, "replace")
    if zeros := _utf16_by_zeros(body[:4096]):
        return body.decode(zeros, "replace")
    for charset in ("utf-8", *_claims(body, content_type)):
        try:
            return body.decode(charset)
        except UnicodeError:
            continue
    return _least_damaged(body)


def _claims(body: bytes, content_type: str | None) -> list[str]:
    """The charsets that the header and the document name, as Python names them."""
    header, meta = _HEADER.search(content_type or ""), _DECLARED.search(body[:4096])
    named = [header.group(1)] if header else []
    named += [meta.group(1).decode("ascii", "ignore")] if meta else []
    return [known for name in named if (known := known_charset(_browser_charset(name)))]


def _browser_charset(name: str) -> str:
    """Browsers read Latin-1 and ASCII as Windows-1252, whose quotation marks they otherwise lack."""
    latin = ("iso-8859-1", "iso8859-1", "latin1", "latin-1", "us-ascii", "ascii")
    return "cp1252" if name.casefold() in latin else name


def _utf16_by_zeros(head: bytes) -> str | None:
    """UTF-16 without a mark shows itself by a zero in every other byte of its markup."""
    pairs = len(head) // 2
    if pairs < 8:
        return None
    if head[1::2].count(0) > pairs * 0.8 and head[::2].count(0) < pairs * 0.1:
        return "utf-16-le"
    if head[::2].count(0) > pairs * 0.8 and head[1::2].count(0) < pairs * 0.1:
        return "utf-16-be"
    return None


def _least_damaged(body: bytes) -> str:
    """UTF-8 with holes, unless it has more holes than letters it explains; then Windows-1252."""
    text = body.decode("utf-8", "replace")
    return text if len(_MULTIBYTE.findall(text)) >= text.count("�") else body.decode("cp1252", "replace")
