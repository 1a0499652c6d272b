"""What is not answered whatever the pages say: orders to the assistant, and how to do harm.

Both are heard in a few plain forms, in English and Spanish (`corpus/lexicons/moderation.toml`). It need
not hear them all: an order that is not heard finds nothing to obey it, because an answer holds only what
the pages say. Whoever wants to report something, or reads about it ("weapons policy", "hacking club"),
asks for no recipe and is not meant.
"""

from __future__ import annotations

from typing import Literal

from server.lexicons import any_of, lexicon

Matter = Literal["order", "harm"]

_LEXICON = lexicon("moderation")
_ORDERED = _LEXICON.pattern("orders", r"\b(?:{})")
_HARMFUL = _LEXICON.pattern("harm", rf"\b(?:{any_of(_LEXICON['how_to'])})\s*(?:\w+\s+){{0,2}}(?:{{}})")


def unsafe(question: str) -> Matter | None:
    """What keeps a question from being answered; None for nothing."""
    if _ORDERED.search(question):
        return "order"
    return "harm" if _HARMFUL.search(question) else None
