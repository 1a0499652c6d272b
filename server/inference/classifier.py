"""A snapshot's classifiers: a question's vector to topics, sub-topics, and whether it is in scope."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from server.errors import LodgeError, SnapshotError
from server.inference.session import SmallOnnxModel

Vector = npt.NDArray[np.float32]

# Names every other file; `lodge index` writes it last (server/ingest/topics/train.py).
CLASSIFIERS_FILE = "classifiers.json"


@dataclass(frozen=True, slots=True)
class _Labelled:
    """A model and what its classes are called: ("library",), or ("academics", "policies")."""

    model: SmallOnnxModel
    labels: tuple[tuple[str, ...], ...]

    @classmethod
    def read(cls, folder: Path, entry: Any) -> _Labelled | None:
        """The model that an entry of the file names, or None where there is none."""
        if entry is None:
            return None
        labels = tuple(tuple(map(str, label)) for label in entry["labels"])
        return cls(SmallOnnxModel(folder / Path(entry["file"]).name), labels)

    def probabilities(self, vector: Vector) -> list[tuple[Sequence[str], float]]:
        """Each label with its probability."""
        [row] = self.model.probabilities(vector.reshape(1, -1))
        return list(zip(self.labels, map(float, row), strict=True))


class SnapshotClassifier:
    """The classifiers in a snapshot's folder. Thread-safe.

    A folder without them says nothing of any question. One whose files are broken, or made for vectors of
    another length than `dims`, is a `SnapshotError`.
    """

    def __init__(self, folder: Path, dims: int) -> None:
        self._topics: _Labelled | None = None
        self._subtopics: _Labelled | None = None
        self._scope: _Labelled | None = None
        if (folder / CLASSIFIERS_FILE).exists():
            try:
                self._open(folder, dims)
            except (LodgeError, OSError, ValueError, TypeError, KeyError) as error:
                raise SnapshotError(
                    f"The classifiers of the snapshot {folder.name!r} cannot be used; "
                    "run `lodge index` again, or roll back."
                ) from error

    def _open(self, folder: Path, dims: int) -> None:
        table = json.loads((folder / CLASSIFIERS_FILE).read_text(encoding="utf-8"))
        self._topics = _Labelled.read(folder, table["topics"])
        self._subtopics = _Labelled.read(folder, table["subtopics"])
        self._scope = _Labelled.read(folder, table["scope"])
        nothing = np.zeros(dims, dtype=np.float32)
        for model in (self._topics, self._subtopics, self._scope):
            if model is not None:
                model.probabilities(nothing)

    def topics(self, vector: Vector) -> dict[str, float]:
        """The probability of each topic, adding up to 1; empty where the snapshot has no topics."""
        if self._topics is None:
            return {}
        return {label[0]: probability for label, probability in self._topics.probabilities(vector)}

    def subtopics(self, vector: Vector) -> dict[str, dict[str, float]]:
        """For each topic that has sub-topics, their probabilities given the topic, adding up to 1."""
        if self._subtopics is None:
            return {}
        found: dict[str, dict[str, float]] = defaultdict(dict)
        for (topic, subtopic), probability in self._subtopics.probabilities(vector):
            found[topic][subtopic] = probability
        return {topic: _shares(probabilities) for topic, probabilities in found.items()}

    def in_scope(self, vector: Vector) -> float | None:
        """The probability that a question is the site's business; None where that was not learnt."""
        if self._scope is None:
            return None
        return dict(self._scope.probabilities(vector))[("in",)]


def _shares(probabilities: dict[str, float]) -> dict[str, float]:
    total = sum(probabilities.values()) or 1.0
    return {label: probability / total for label, probability in probabilities.items()}
