"""What every estimator does with its state and with the width of a matrix."""

from copy import copy
from typing import Any, TypeVar

from sklearn.utils.validation import validate_data

__all__ = ["adopt", "check_width"]

Estimator = TypeVar("Estimator")


def adopt(model: Estimator, X: Any, **state: Any) -> Estimator:
    """Give a model a new state whole: neither a failed nor an interrupted fit leaves half a one.

    Parameters
    ----------
    model : estimator
        Changed, and returned.
    X : matrix
        Gives the names and the number of the features.
    **state : object
        All other attributes that a fit sets.
    """
    seen: Any = copy(model)
    validate_data(seen, X, skip_check_array=True)
    features = {name: value for name, value in vars(seen).items() if name.endswith("_in_")}
    if "feature_names_in_" not in features:
        model.__dict__.pop("feature_names_in_", None)
    model.__dict__.update(features, **state)
    return model


def check_width(model: Any, X: Any, n_cols: int, n_features: int) -> None:
    """Refuse a matrix of other columns than those that a model has learnt.

    Parameters
    ----------
    model : estimator
        Fitted.
    X : matrix
        As it was passed, with the names that it may have.
    n_cols : int
        Columns of ``X``.
    n_features : int
        What the kernel will read, whatever a pickle says about the number of features.
    """
    validate_data(model, X, skip_check_array=True, reset=False)
    if n_cols != n_features:
        raise ValueError(
            f"X has {n_cols} features, but {type(model).__name__} is expecting {n_features} "
            "features as input"
        )
