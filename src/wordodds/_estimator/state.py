"""What every estimator does with its state, with dense input and with the width of a matrix."""

from copy import copy
from typing import Any, TypeVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, validate_data

from wordodds._border.csr import refuse_masked
from wordodds._border.execution import execution
from wordodds._border.structure import check_structure
from wordodds.typing import AnyArray, MatrixLike

__all__ = ["adopt", "check_width", "checked_array", "checked_data"]

Estimator = TypeVar("Estimator")


def checked_array(X: MatrixLike, **options: object) -> AnyArray:
    """Check dense input by scikit-learn's rules, and return it as a plain, aligned array.

    The only way to scikit-learn's own checks: these print, convert and index a sparse matrix
    before they refuse it, so its structure is checked first.
    """
    _check_first(X)
    return _plain(check_array(X, **options))


def checked_data(
    model: BaseEstimator, X: MatrixLike, *, fitted: bool, **options: object
) -> AnyArray:
    """Check dense input of a model, and the names and number of its features if it is fitted."""
    _check_first(X)
    # On a copy: a fit that fails must not change the names of the model's features.
    return _plain(validate_data(copy(model), X, reset=not fitted, **options))


def _check_first(X: MatrixLike) -> None:
    refuse_masked(X, "X")
    check_structure(X, "X", execution(None))


def _plain(X: AnyArray) -> AnyArray:
    # A class derived from ndarray may change what arithmetic means.
    return np.require(X, requirements=["ALIGNED", "ENSUREARRAY"])


def adopt(model: Estimator, X: MatrixLike, **state: object) -> Estimator:
    """Replace the fitted state at once, so that a failed or interrupted fit leaves it unchanged.

    X gives the names and the number of the features.
    """
    seen: Any = copy(model)
    validate_data(seen, X, skip_check_array=True)
    features = {name: value for name, value in vars(seen).items() if name.endswith("_in_")}
    if "feature_names_in_" not in features:
        model.__dict__.pop("feature_names_in_", None)
    model.__dict__.update(features, **state)
    return model


def check_width(model: BaseEstimator, X: MatrixLike, n_cols: int, n_features: int) -> None:
    """Refuse a matrix of other columns than those that a model has learnt.

    ``n_features`` is what the kernel will read, whatever a pickle says about it.
    """
    validate_data(model, X, skip_check_array=True, reset=False)
    if n_cols != n_features:
        raise ValueError(
            f"X has {n_cols} features, but {type(model).__name__} is expecting {n_features} "
            "features as input"
        )
