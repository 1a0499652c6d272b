"""The words of no snapshot in particular: real stems, and every word but the little ones weighs the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from server.ask.grounding.source import Source
from server.ask.ports import SnapshotText
from server.index.text import Stems, words
from server.models import Passage

_LITTLE = """
a an and are as at be by can do does for from has have i if in is it may must no not of on or so the their
there they this to until up we will with you your
"""
LITTLE = frozenset(_LITTLE.split())


class Lexicon:
    """What the check asks of a `SnapshotText`."""

    def __init__(self) -> None:
        self._stems = Stems()

    def word_weights(self, question: str) -> Mapping[str, float]:
        return dict.fromkeys(self._stems.of(word for word in words(question) if word not in LITTLE), 5.0)

    def stems(self, texts: Sequence[str]) -> list[set[str]]:
        return [set(self._stems.of(words(text))) for text in texts]


LEXICON = cast("SnapshotText", Lexicon())


def passage(text: str, title: str = "", heading: str = "", number: int = 1) -> Passage:
    return Passage(number, f"https://u.example/{number}", title, heading, text)


def source(text: str, title: str = "", heading: str = "") -> Source:
    return Source.of(passage(text, title, heading), LEXICON)


def claim(text: str) -> Source:
    return Source(text, LEXICON)
