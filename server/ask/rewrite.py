"""Query rewriting: the question in the words of the site, without slips."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

from server.ask.conversation.spelling import Finds, correct_spelling, replace_words
from server.ask.ports import SnapshotText
from server.masking import without_masks
from server.models.curation import Wording


def rewrite(
    question: str,
    wordings: Sequence[Wording],
    text: SnapshotText,
    is_word: Callable[[str], bool],
    finds: Finds | None = None,
) -> tuple[str, dict[str, str], dict[str, object]]:
    """The question as it is searched, what was said in it for editors' words, and all of it for the trace.

    Beside a correction it has what the line finds as typed and as corrected, where that was compared.
    """
    finds = cache(finds) if finds else None  # a line is searched once, however often it is compared
    meant, replaced = apply_synonyms(without_masks(question).strip() or question, wordings)
    corrections = correct_spelling(meant, text, is_word, finds)
    rewritten = replace_words(meant, corrections)
    notes: dict[str, object] = {"question": rewritten, "corrections": corrections}
    if corrections and finds:
        notes["found"] = {line: round(finds(line), 3) for line in (meant, rewritten)}
    return rewritten, replaced, notes | ({"wordings": replaced} if replaced else {})


def apply_synonyms(question: str, wordings: Sequence[Wording]) -> tuple[str, dict[str, str]]:
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
