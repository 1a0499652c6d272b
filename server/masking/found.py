"""What a pattern has found, with the words around it."""

from __future__ import annotations

import re

Found = re.Match[str]


def span_of(found: Found) -> tuple[int, int]:
    """From where to where it is personal."""
    return found.span("it") if "it" in found.re.groupindex else found.span()


def before(found: Found, chars: int = 48) -> str:
    """What stands before the personal part."""
    start = span_of(found)[0]
    return found.string[max(0, start - chars) : start]


def after(found: Found, chars: int = 32) -> str:
    """What stands after it."""
    end = span_of(found)[1]
    return found.string[end : end + chars]
