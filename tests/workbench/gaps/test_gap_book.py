"""Groups of unit vectors."""

from __future__ import annotations

import numpy as np
import pytest

from server.models import Placement
from server.workbench.gaps.service import Vectors, place


def at(*degrees: float) -> Vectors:
    """Unit vectors in the plane."""
    radians = np.radians(degrees)
    return np.stack([np.cos(radians), np.sin(radians)], axis=1).astype(np.float32)


def numbers(placement: Placement) -> list[int]:
    return [number for number, _ in placement.places]


def test_near_ones_come_together_and_far_ones_begin_their_own() -> None:
    placement = place(at(0, 10, 90, 95, 5), [], near=0.9)
    assert numbers(placement) == [0, 0, 1, 1, 0]
    assert set(placement.middles) == {0, 1}
    assert all(0.9 < likeness <= 1.0001 for _, likeness in placement.places)


def test_known_groups_are_joined_and_their_middles_move() -> None:
    first = place(at(0, 90), [], near=0.9)
    known = [first.middles[number] for number in sorted(first.middles)]
    second = place(at(80), known, near=0.9)
    assert numbers(second) == [1]
    assert set(second.middles) == {1}
    middle = np.frombuffer(second.middles[1], "<f4")
    assert np.degrees(np.arctan2(middle[1], middle[0])) == pytest.approx(85)


def test_new_groups_are_numbered_after_the_known_ones() -> None:
    known = list(place(at(0), [], near=0.9).middles.values())
    assert numbers(place(at(90, 180, 91), known, near=0.9)) == [1, 2, 1]
