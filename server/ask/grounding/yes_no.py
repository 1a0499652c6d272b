"""The Yes or No that a written answer begins with: it is kept where the quoted answer says the same.

Whether a page's words mean yes or no to a question is the hardest thing to tell, and a small model says one
of them at random. The facts beside it may be right, so they are kept without it; where the quoted answer says
the opposite, they are not.
"""

from __future__ import annotations

import re
from dataclasses import replace

from server.ask.grounding.citation_markers import CitedSentence

_LEAD = re.compile(r"(?P<word>yes|no|sí)\b\s*(?:[:.,;!–—-]\s*|$)", re.IGNORECASE)
_AFFIRMS = {"yes": True, "sí": True, "no": False}


def affirms(text: str) -> bool | None:
    """Whether a text begins by saying yes (true) or no (false); None where it begins with neither."""
    lead = _LEAD.match(text.lstrip())
    return _AFFIRMS[lead["word"].casefold()] if lead else None


def without_lead(sentence: CitedSentence) -> CitedSentence:
    """The sentence without the Yes or No before it, with a capital; empty where it is nothing else."""
    rest = _LEAD.sub("", sentence.text, count=1).lstrip()
    return replace(sentence, text=rest[:1].upper() + rest[1:])
