"""The words of curated questions, to which a visitor's slips are put right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from server.ask.conversation.phrases import words_of


class PhrasingWords:
    """The words of all phrasings, for `correct_spelling`."""

    def __init__(self, phrasings: Iterable[str]) -> None:
        self._words = sorted({word.key for phrasing in phrasings for word in words_of(phrasing)})

    def knows(self, words: Sequence[str]) -> set[str]:
        """Those of the lower-case words that stand in a phrasing."""
        return set(words).intersection(self._words)

    def nearest_word(self, word: str, max_edits: int) -> str | None:
        """The nearest word of a phrasing, within so many edits."""
        near = [known for known in self._words if abs(len(known) - len(word)) <= max_edits]
        nearest = min(near, key=lambda known: edits(word, known), default=None)
        return nearest if nearest is not None and edits(word, nearest) <= max_edits else None


def edits(word: str, other: str) -> int:
    """How many letters are put in, left out, exchanged or swapped with the next between two words."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, letter in enumerate(word, 1):
        row = [i]
        for j, other_letter in enumerate(other, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != other_letter))
            if i > 1 and j > 1 and letter == other[j - 2] and word[i - 2] == other_letter:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, last = last, row
    return last[-1]
