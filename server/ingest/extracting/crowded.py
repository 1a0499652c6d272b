"""More attributes in a tag, or tags in a page, than any page has.

Reading attributes takes the HTML parser their number squared: a hundred thousand in one tag, a megabyte, kept
libxml2 at work for minutes, where no time limit reaches it. A tag, however short, takes hundreds of bytes of
memory: two million, eight megabytes of `<p>a`, took more than half a gigabyte.
"""

from __future__ import annotations

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
