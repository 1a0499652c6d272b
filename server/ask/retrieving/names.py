"""A question of names leans on the words: the embedder has no meaning for "Ravi Netravali", the page has.

For names that the embedder does not know, BM25 alone finds a passage that holds them first far more often
than hybrid search with the usual α, and on other questions a larger α loses (docs/retrieval.md). So α rises
with the share of a question's words that the embedder does not know.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

ALPHA_OF_NAMES = 0.8


def lean_on_words(alpha: float, content_words: Sequence[str], is_word: Callable[[str], bool]) -> float:
    """The α that these words call for, never less than the given one; numbers are no names."""
    words = [word for word in content_words if not word.isdigit()]
    unknown = sum(not is_word(word) for word in words) / len(words) if words else 0.0
    return round(alpha + max(0.0, ALPHA_OF_NAMES - alpha) * unknown**2, 3)
