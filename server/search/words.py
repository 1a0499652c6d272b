"""Text to index words: the same words that DuckDB's full-text index makes, without asking it."""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterable

import Stemmer  # type: ignore[import-not-found]  # PyStemmer ships no types

# Words that say nothing, as people type them into a box, beside the full-text index's own stop words.
_CHAT = """
wat wut wen wher whre hwo whats whens wheres whos hows im ive u ur ya yall pls plz please thx thanks gonna
wanna gotta dont doesnt cant isnt hi hello hey ok lol idk btw
"""
CHAT_WORDS = frozenset(_CHAT.split())
_OTHER = re.compile(r"[^a-z0-9]+")


class Stems:
    """Porter's stemmer (1980), as DuckDB's `stem(word, 'porter')`. Thread-safe: each thread has its own."""

    def __init__(self) -> None:
        self._local = threading.local()

    def of(self, words: Iterable[str]) -> list[str]:
        """Each word's stem."""
        stemmer = getattr(self._local, "stemmer", None)
        if stemmer is None:
            stemmer = self._local.stemmer = Stemmer.Stemmer("porter")
        stems: list[str] = stemmer.stemWords(list(words))
        return stems


def words(text: str) -> list[str]:
    """Lower-case words and numbers, without accents: "Résumé, 9 a.m." → resume, 9, a, m."""
    plain = text if text.isascii() else _without_accents(text)
    return _OTHER.sub(" ", plain.lower()).split()


def _without_accents(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
