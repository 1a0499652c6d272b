"""Logistic regression, for the few coefficients that ship in code and cards."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

STEPS = 100
DAMPING = 1e-6  # keeps a step finite where the labels can be told apart without a fault


def fit_logistic(
    features: Floats, labels: Floats, weights: Floats | None = None, ridge: float = 0.0
) -> Floats:
    """Coefficients, the bias first, of features (n, k) and labels 0 or 1, by Newton's method.

    `weights` is how much each row counts, and `ridge` how dear large coefficients are.
    """
    x = np.column_stack([np.ones(len(features)), features])
    counts = np.ones(len(features)) if weights is None else weights
    beta = np.zeros(x.shape[1])
    for _ in range(STEPS):
        p = sigmoid(x @ beta)
        hessian = (x * (counts * p * (1 - p))[:, None]).T @ x + (ridge + DAMPING) * np.eye(len(beta))
        beta += np.linalg.solve(hessian, x.T @ (counts * (labels - p)) - ridge * beta)
    return beta


def sigmoid(x: Floats) -> Floats:
    """1 / (1 + exp(−x)), safe for large numbers."""
    p: Floats = 1 / (1 + np.exp(-np.clip(x, -50, 50)))
    return p
