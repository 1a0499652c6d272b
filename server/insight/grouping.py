"""Groups questions by meaning, one after the other: each joins the nearest group, or begins one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from server.records import Placement

Vectors = npt.NDArray[np.float32]

# A question belongs to a group whose middle it is so near to, by cosine. Of the pairs of golden paraphrases
# two thirds come together then, and three of four pairs that come together ask about the same matter; at .5
# one of two does, at .7 half of the paraphrases stay apart (`scripts/measure_grouping.py`).
NEAR = 0.6


def place(vectors: Vectors, known: Sequence[bytes], near: float = NEAR) -> Placement:
    """Where each of these unit vectors, of shape (questions, dims), belongs among the known groups.

    `known` are the groups' middles: sums of unit vectors, little-endian float32.
    """
    count, dims = vectors.shape
    sums = np.zeros((len(known) + count, dims), np.float32)  # room for a group of its own for each
    for number, middle in enumerate(known):
        sums[number] = np.frombuffer(middle, "<f4")
    units = _unit(sums)
    groups, places, changed = len(known), list[tuple[int, float]](), set[int]()
    for vector in vectors:
        likeness = units[:groups] @ vector
        number = int(likeness.argmax()) if groups else 0
        if not groups or likeness[number] < near:
            number, groups = groups, groups + 1
        sums[number] += vector
        units[number] = _unit(sums[number])
        places.append((number, float(units[number] @ vector)))
        changed.add(number)
    return Placement(places, {number: sums[number].astype("<f4").tobytes() for number in sorted(changed)})


def _unit(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    unit: Vectors = vectors / np.maximum(lengths, np.float32(1e-12))
    return unit
