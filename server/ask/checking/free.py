"""Whether something is free of charge: a price like any other, though it has no digits."""

from __future__ import annotations

import re
from collections.abc import Sequence

from server.ask.checking.source import Source

_FREE = re.compile(
    r"(?<![\w-])free(?!-|\s+(?:to|of|from|time|will|speech|throws?)\b)\b|\b(?:gratis|gratuit[oa]s?)\b",
    re.IGNORECASE,
)
# How a page says that there is nothing to pay.
_NOTHING_TO_PAY = re.compile(
    r"\bfree\b|\bgratis\b|\bgratuit[oa]s?\b|\bsin (?:costo|coste|cargo)\b"
    r"|\b(?:no|without)(?: \w+)? (?:charges?|costs?|fees?)\b|[$€£]0(?![\d.,]\d)"
    r"|\b(?:not|n['’]t)(?: \w+)? (?:charged?|cost|billed?|pay)\b"
    r"|\b(?:nothing|none|covered|complimentary|waive[ds]?|included|at no)\b",
    re.IGNORECASE,
)


def free_unheard_of(claim: Source, sources: Sequence[Source]) -> str | None:
    """The word by which a sentence gives away something, where no source says anything of the kind."""
    said = _FREE.search(claim.text)
    if said is None or any(_NOTHING_TO_PAY.search(source.text) for source in sources):
        return None
    return said.group()
