"""The words of curated questions, to which a visitor's slips are put right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from server.ask.conversation.phrases import words_of


class PhrasingWords:
    """The words of all phrasings, for `correct_spelling`."""

    def __init__(self, phrasings: Iterable[str]) -> None:
        words = sorted({word.key for phrasing in phrasings for word in words_of(phrasing)})
        self._letters = {word: frozenset(word) for word in words}

    def knows(self, words: Sequence[str]) -> set[str]:
        """Those of the lower-case words that stand in a phrasing."""
        return set(words).intersection(self._letters)

    def nearest_word(self, word: str, max_edits: int) -> str | None:
        """The nearest word of a phrasing, within so many edits."""
        letters = frozenset(word)
        # Each edit changes the length by one at most, and the letters that only one has by two.
        near = [
            known
            for known, its_letters in self._letters.items()
            if abs(len(known) - len(word)) <= max_edits and len(letters ^ its_letters) <= 2 * max_edits
        ]
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
