"""What a sample that was judged by hand says of all answers, in words."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import Any

OUTCOMES = {
    "confident": "answered confidently",
    "seems": "shown as what seems to answer",
    "refused": "refused",
}


def told(share: Mapping[str, Any]) -> str:
    """`**Right so far: 17 of 20**, so 64 to 95 % of all, most likely.`, by Wilson's interval."""
    judged, right = int(share["judged"]), int(share["right"])
    if not judged:
        return "None was judged yet."
    low, high = interval(right, judged)
    return f"**Right so far: {right:,} of {judged:,}**; of all, most likely {low:.0%} to {high:.0%}."


def interval(right: int, judged: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share."""
    z, share = 1.96, right / judged
    middle = (share + z * z / (2 * judged)) / (1 + z * z / judged)
    half = z / (1 + z * z / judged) * sqrt(share * (1 - share) / judged + z * z / (4 * judged * judged))
    return max(middle - half, 0.0), min(middle + half, 1.0)
