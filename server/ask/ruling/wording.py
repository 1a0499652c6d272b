"""Visitors' words put into the pages' own, as editors have said that they mean the same."""

from __future__ import annotations

import re
from collections.abc import Sequence

from server.rulebook import Wording


def reworded(question: str, wordings: Sequence[Wording]) -> tuple[str, dict[str, str]]:
    """The question in the pages' words, and what was replaced by what.

    Whole words only, whatever their case; the longest first, so that "parking permit" goes before "permit".
    What has been put in is not looked at again.
    """
    means = {said.casefold(): one.means for one in wordings for said in one.says}
    if not means:
        return question, {}
    longest_first = sorted(means, key=len, reverse=True)
    said = re.compile(rf"(?<!\w)(?:{'|'.join(map(_loosely, longest_first))})(?!\w)", re.IGNORECASE)
    replaced: dict[str, str] = {}

    def put(match: re.Match[str]) -> str:
        meant = means[" ".join(match.group().casefold().split())]
        replaced[match.group()] = meant
        return meant

    return said.sub(put, question), replaced


def _loosely(phrase: str) -> str:
    """With any space between its words."""
    return r"\s+".join(map(re.escape, phrase.split()))
