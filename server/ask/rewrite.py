"""Query rewriting: the question in the words of the site, without slips."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from server.ask.ports import Vocabulary, WordList
from server.masking import without_masks
from server.models.curation import Wording

_WORD = re.compile(r"[^\W\d_]+")
# Shorter words have too many neighbours, and are as likely a code or a name as a slip.
MIN_LETTERS = 4


def rewrite(
    question: str, wordings: Sequence[Wording], vocabulary: Vocabulary, dictionary: WordList
) -> tuple[str, dict[str, object]]:
    """The question as it is searched, and for the trace what was replaced."""
    meant, replaced = apply_synonyms(without_masks(question).strip() or question, wordings)
    corrections = correct_spelling(meant, vocabulary, dictionary)
    rewritten = replace_words(meant, corrections)
    notes: dict[str, object] = {"question": rewritten, "corrections": corrections}
    return rewritten, notes | ({"wordings": replaced} if replaced else {})


def correct_spelling(question: str, vocabulary: Vocabulary, dictionary: WordList) -> dict[str, str]:
    """The words to replace: those that neither the site nor the language knows, by the site's nearest.

    A common word that the site does not use stays as it is: "hockey" must not turn into "jockey".
    """
    words = dict.fromkeys(word.lower() for word in _WORD.findall(question) if len(word) >= MIN_LETTERS)
    strange = [word for word in words if not dictionary.is_word(word)]
    known_words = vocabulary.knows(strange) if strange else set()
    unseen = [word for word in strange if word not in known_words]
    nearest = {word: vocabulary.nearest_word(word, max_edits(word)) for word in unseen}
    return {word: known for word, known in nearest.items() if known}


def max_edits(word: str) -> int:
    """One slip in a short word, two from eight letters on."""
    return 1 if len(word) < 8 else 2


def replace_words(question: str, corrections: dict[str, str]) -> str:
    """The question with its misspelt words replaced."""
    return _WORD.sub(lambda match: corrections.get(match.group().lower(), match.group()), question)


ALPHA_OF_NAMES = 0.8


def adaptive_alpha(alpha: float, content_words: Sequence[str], is_word: Callable[[str], bool]) -> float:
    """The α that these words call for, never less than the given one; numbers are no names."""
    words = [word for word in content_words if not word.isdigit()]
    unknown = sum(not is_word(word) for word in words) / len(words) if words else 0.0
    return round(alpha + max(0.0, ALPHA_OF_NAMES - alpha) * unknown**2, 3)


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
