"""What the discriminants fit: a dense matrix, its labels and their weights, checked."""

from typing import NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from wordodds._border.checks import is_real_number, real_number
from wordodds._border.classes import count_classes
from wordodds._border.row_weights import rows_of_fit
from wordodds._estimator.state import checked_data
from wordodds.typing import AnyArray, Codes, Floats, Labels, MatrixLike, WeightsLike

__all__ = ["DenseRows", "checked_share", "dense_rows"]


class DenseRows(NamedTuple):
    """The rows that weigh something, and the classes that have such rows."""

    X: Floats
    classes: AnyArray
    codes: Codes
    weights: Floats | None
    class_count: Floats


def dense_rows(
    estimator: BaseEstimator, X: MatrixLike, y: Labels, sample_weight: WeightsLike
) -> DenseRows:
    """Check what `fit` was given; rows of weight 0, and classes without others, are dropped."""
    X = checked_data(estimator, X, fitted=False, dtype=np.float64)
    classes, codes, weights = rows_of_fit(estimator, y, len(X), sample_weight)
    if weights is not None and not weights.all():
        kept = np.flatnonzero(weights)
        X, codes, weights = X[kept], codes[kept], weights[kept]
    if weights is not None and weights.min() < 1e-280 * weights.max():
        raise ValueError("sample_weight spans more than 280 orders of magnitude: use 0 for nothing")
    class_count = count_classes(codes, weights, len(classes))
    if not np.isfinite(class_count.sum()):
        raise ValueError("sample_weight adds up to more than 1e308: scale it down")
    return DenseRows(X, classes, codes, weights, class_count)


def checked_share(value: object, name: str) -> float:
    """Return a parameter that must be a number from 0 to 1."""
    if not is_real_number(value):
        raise TypeError(f"{name} must be a number from 0 to 1, got {value!r}")
    return real_number(value, name, 0, 1, wanted="from 0 to 1")
