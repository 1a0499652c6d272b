"""A tokenizer of whole words, as models had before there were pieces of words; other words are unknown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

PADDING, BEGIN, END, UNKNOWN = range(4)
SPECIAL = ("<padding>", "<begin>", "<end>", "<unknown>")
_TOKEN = re.compile(r"\[\d+\]|\w+|[^\w\s]")
_GLUED = re.compile(r"\s+([.,;:!?%)\]’'])|([(\[$‘])\s+")


class WordVocabulary:
    """The most frequent words of some texts, in lower case; a word's id is its place among them."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = (*SPECIAL, *words)
        self._ids = {word: number for number, word in enumerate(self.words)}

    @classmethod
    def of(cls, texts: Iterable[str], size: int) -> WordVocabulary:
        """The `size` most frequent words, the special ones counted; of equally frequent ones the first."""
        counts = Counter(word for text in texts for word in words_of(text))
        return cls([word for word, _ in counts.most_common(size - len(SPECIAL))])

    def ids(self, text: str, most: int) -> list[int]:
        """The text's ids, at most so many, with the marks of where it begins and ends."""
        known = [self._ids.get(word, UNKNOWN) for word in words_of(text)[: most - 2]]
        return [BEGIN, *known, END]

    def text(self, ids: Iterable[int]) -> str:
        """What ids say, up to the end's; words stand in lower case."""
        said: list[str] = []
        for number in ids:
            if number == END:
                break
            if number not in {PADDING, BEGIN}:
                said.append("…" if number == UNKNOWN else self.words[number])
        return _GLUED.sub(r"\1\2", " ".join(said))


def words_of(text: str) -> list[str]:
    """Words, marks and citations such as [2], in lower case."""
    return _TOKEN.findall(text.casefold())
