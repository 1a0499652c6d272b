"""The domain gate: is a question this site's business, judged by what its vector is near to."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from server.ingest.topics.neighbours import Floats, Vectors, nearness, neighbour_model

# Nearness to the site, less this part of the nearness to general questions. Of 0, ¼, ½, ¾ and 1, with half of
# the general questions held out, ½ told five sites' questions best from the other half.
AGAINST = 0.5
_PENALTY = 1e-3  # keeps the slope finite where the two kinds do not overlap
_STEPS = 50


def closeness(
    vectors: Vectors,
    site: Vectors,
    general: Vectors,
    own_site: npt.NDArray[np.bool_] | None = None,
    own_general: npt.NDArray[np.bool_] | None = None,
) -> Floats:
    """How much nearer each vector is to the site than to general questions, of shape (n,).

    The last two leave out what a vector was made from, as `nearness` has it.
    """
    away: Floats = AGAINST * nearness(vectors, general, own_general)
    return nearness(vectors, site, own_site) - away


def calibrate(inside: Floats, outside: Floats) -> tuple[float, float]:
    """Slope and intercept that make of closeness the log odds of being in scope (Platt 1999).

    Both kinds count the same, however many there are of each.
    """
    measured = np.concatenate([inside, outside])
    mean, spread = measured.mean(), measured.std() or 1.0
    rows = np.stack([(measured - mean) / spread, np.ones_like(measured)], axis=1)
    is_inside = np.arange(len(measured)) < len(inside)
    counts = np.where(is_inside, 0.5 / len(inside), 0.5 / len(outside))
    found = np.zeros(2)
    for _ in range(_STEPS):  # Newton's method
        chance = 1 / (1 + np.exp(-rows @ found))
        slope_of_loss = rows.T @ (counts * (is_inside - chance)) - _PENALTY * found
        curve = (rows.T * (counts * chance * (1 - chance))) @ rows + _PENALTY * np.eye(2)
        found += np.linalg.solve(curve, slope_of_loss)
    return float(found[0] / spread), float(found[1] - found[0] * mean / spread)


def scope_model(site: Vectors, general: Vectors, slope: float, intercept: float) -> bytes:
    """An ONNX file: rows (n, dims) to the probabilities (n, 2) of being out of scope and in it."""
    weights = [[0.0, slope], [0.0, -AGAINST * slope]]
    return neighbour_model([site, general], weights, [0.0, intercept])
