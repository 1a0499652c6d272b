from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from scripts.logistic import Floats, fit_logistic, sigmoid

TRUE = np.array([-1.0, 2.0, -0.5])


def drawn(n: int) -> tuple[Floats, Floats]:
    """Features, and labels as probable as the true coefficients make them."""
    rng = np.random.default_rng(3)
    features = rng.normal(size=(n, 2))
    return features, (rng.uniform(size=n) < sigmoid(TRUE[0] + features @ TRUE[1:])).astype(float)


def test_the_coefficients_that_were_drawn_by_are_found() -> None:
    assert fit_logistic(*drawn(50_000)) == pytest.approx(TRUE, abs=0.06)


def test_weights_and_ridge_count_as_scikit_learn_has_them() -> None:
    features, labels = drawn(400)
    weights = np.where(labels == 1, 3.0, 0.5)
    theirs = LogisticRegression(C=1 / 4.0, fit_intercept=False, tol=1e-10, max_iter=1000)
    theirs.fit(np.column_stack([np.ones(400), features]), labels, weights)
    assert fit_logistic(features, labels, weights, ridge=4.0) == pytest.approx(theirs.coef_[0], abs=1e-5)


def test_labels_that_can_be_told_apart_without_a_fault_give_finite_coefficients() -> None:
    feature = np.array([-2.0, -1.0, 1.0, 2.0])
    bias, slope = fit_logistic(feature[:, None], (feature > 0).astype(float))
    assert np.isfinite([bias, slope]).all()
    assert slope > 0
