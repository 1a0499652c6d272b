"""Tags with more attributes than any page has: reading them takes the HTML parser their number squared.

A hundred thousand in one tag, a megabyte, kept libxml2 at work for minutes, where no time limit reaches it.
"""

from __future__ import annotations

import re
from typing import AnyStr

MOST_ATTRIBUTES = 500
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


def _is_crowded(attribute: re.Pattern[AnyStr], attributes: AnyStr) -> bool:
    if len(attributes) <= 2 * MOST_ATTRIBUTES:
        return False
    return sum(1 for _ in attribute.finditer(attributes)) > MOST_ATTRIBUTES
