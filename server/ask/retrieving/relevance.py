"""How likely a passage answers a question, from what a cross-encoder says and what else is known.

A cross-encoder's log-odds say most. The place that the search before gave the passage says something more,
and so does its length: the short end of a section seldom holds the answer (docs/models.md has the figures).
"""

from __future__ import annotations

import math
from collections.abc import Mapping

MEASURES = ("log_odds", "rank", "length")


def measures(log_odds: float, rank: int, text: str) -> dict[str, float]:
    """The cross-encoder's `log_odds`, and the logarithms of the passage's `rank` before, from 1, and of its
    `length` in characters."""
    return {"log_odds": log_odds, "rank": math.log(rank), "length": math.log(max(1, len(text)))}


def relevance(known: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """The log-odds by all that is known: `bias` and a weight for each measure.

    A cross-encoder that brings no weights is believed as it is.
    """
    if not weights:
        return known["log_odds"]
    return weights["bias"] + sum(weights[name] * known[name] for name in MEASURES)
