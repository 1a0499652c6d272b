"""Distress in words that no list has: how like a text is to what people in distress write.

It adds to `distress.py`, which hears words. Of 35 sentences that neither words nor examples were chosen for,
words hear 7 and both together 26; of 3,000 off-topic questions both hear 20
(`scripts/research/measure_refusing.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from server.ask.conversation.crisis import Crisis, Matter
from server.errors import BadInputError
from server.toml_files import read_toml

Vector = npt.NDArray[np.float32]
Embed = Callable[[Sequence[str]], Vector]

# The mean cosine to the three nearest examples, less half that to the nearest harmless one, must reach LIKE.
NEAREST, AGAINST, LIKE = 3, 0.5, 0.2
MATTERS: tuple[Matter, ...] = ("self_harm", "assault", "danger", "medical")


@dataclass(frozen=True, slots=True)
class CrisisExamples:
    """What people in distress write, with its matter, and what only sounds like it."""

    texts: tuple[str, ...]
    matters: tuple[Matter, ...]
    harmless: tuple[str, ...]


def load_examples(path: Path, harmless: Sequence[str] = ()) -> CrisisExamples:
    """The examples of a TOML file: a list for each matter and one of the harmless, to which more can be
    added.

    `BadInputError` when it cannot be read or lacks a list of texts.
    """
    try:
        table = read_toml(path)
    except (OSError, ValueError) as error:
        raise BadInputError(f"The examples of distress in {path} cannot be read: {error}.") from error
    if missing := [name for name in (*MATTERS, "harmless") if not _are_texts(table.get(name))]:
        raise BadInputError(f"The examples of distress in {path} lack lists of texts: {', '.join(missing)}.")
    pairs = [(text, matter) for matter in MATTERS for text in table[matter]]
    texts, matters = zip(*pairs, strict=True)
    return CrisisExamples(texts, matters, (*table["harmless"], *harmless))


def _are_texts(value: object) -> bool:
    """Whether it is a list of texts that say something, and at least one."""
    if not isinstance(value, list) or not value:
        return False
    return all(isinstance(one, str) and one.strip() for one in value)


class CrisisSimilarity:
    """Measures likeness to examples that were embedded once. Thread-safe."""

    def __init__(self, examples: CrisisExamples, embed: Embed) -> None:
        self._examples = examples
        self._distressed = embed(examples.texts)
        self._harmless = embed(examples.harmless)

    def of(self, vector: Vector) -> float:
        """How like a unit vector of shape (dims,) is to distress, less what is harmless; about −0.3 to 1."""
        near = np.sort(self._distressed @ vector)[-NEAREST:].mean()
        return float(near - AGAINST * (self._harmless @ vector).max())

    def detect_crisis(self, text: str, vector: Vector) -> Crisis | None:
        """What the text is most like, if it is like enough; `heard` is the nearest example.

        It is never an emergency, in which nothing else would be said: likeness is too unsure for that.
        """
        if self.of(vector) < LIKE:
            return None
        nearest = int((self._distressed @ vector).argmax())
        matter = self._examples.matters[nearest]
        return Crisis("distress", matter, "en", self._examples.texts[nearest])
