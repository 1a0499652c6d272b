"""The questions that any university is asked: told from general ones, and found by their vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from server.errors import BadInputError
from server.ingest.topics.classifier import learn_gate
from server.models.usual import UsualQuestion
from server.toml_files import read_entries

Vectors = npt.NDArray[np.float32]
_KEYS = frozenset({"says", "asks", "language"})
_LANGUAGES = frozenset({"en", "es"})


def load_usual(path: Path) -> tuple[UsualQuestion, ...]:
    """The `[[usual]]` entries of a TOML file; a `BadInputError` names the one that is wrong."""
    entries = read_entries(path, "usual", _KEYS, f"The usual questions {path}", "are")
    return tuple(_read(entries))


def _read(entries: Iterator[tuple[str, dict[str, str]]]) -> Iterator[UsualQuestion]:
    known = set[str]()
    for name, entry in entries:
        says = tuple(filter(None, (said.strip() for said in entry.get("says", "").split("|"))))
        if not says:
            raise BadInputError(f"{name} says nothing.")
        for said in says:
            if said.casefold() in known:
                raise BadInputError(f"{name} says {said!r}, which was said before it, or twice.")
            known.add(said.casefold())
        language = entry.get("language", "en")
        if language not in _LANGUAGES:
            raise BadInputError(f"{name} is in no language that is known: {language!r} (en, es).")
        asks = entry.get("asks", "").strip()
        if language != "en" and not asks:
            raise BadInputError(f"{name} needs what it asks in English.")
        yield UsualQuestion(says, asks, language)


def learn_usual(
    folder: Path,
    questions: Sequence[UsualQuestion],
    general: Vectors,
    embed: Callable[[Sequence[str]], Vectors],
) -> dict[str, Any] | None:
    """Write what tells the English ones from the general questions, given by their vectors, and the vectors
    of all; None where there are none."""
    said = [(words, one) for one in questions for words in one.says]
    english = [one.language == "en" for _, one in said]
    if not any(english):
        return None
    vectors = embed([words for words, _ in said])
    usual = vectors[english]
    own = np.eye(len(usual), dtype=bool)
    odds, figures = learn_gate(folder / "usual.onnx", usual, usual, general, own)
    figures["known"] = round(float(np.mean(odds > 0)), 4)
    np.save(folder / "usual.npy", vectors.astype(np.float16), allow_pickle=False)
    return {
        "file": "usual.onnx",
        "labels": [["other"], ["usual"]],
        "vectors": "usual.npy",
        "says": [words for words, _ in said],
        "asks": [one.asks for _, one in said],
        "languages": [one.language for _, one in said],
        "figures": figures,
    }
