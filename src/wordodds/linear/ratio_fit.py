"""What the fits of `NBLogisticRegression` share: in memory, from disk and on a cluster."""

import warnings
from typing import NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from wordodds._border.checks import is_real_number, is_whole_number
from wordodds._estimator.state import adopt
from wordodds.linear.ratio import RatioPrior
from wordodds.typing import AnyArray, Floats, MatrixLike

__all__ = [
    "LARGEST_CURVATURE",
    "RatioSettings",
    "adopt_ratio_fit",
    "check_scale",
    "divide_weights",
    "largest_curvature",
    "ratio_prior",
    "ratio_settings",
    "warn_of_gap",
]

# The largest C times squared entry that weights in single precision can follow, and parameters.
LARGEST_CURVATURE = 1e14
LARGEST = {"floor": 1e6, "lean": 1e6, "intercept_scaling": 1e6, "max_iter": 2**31 - 1}
NUMBERS = ("C", "alpha", "floor", "lean", "intercept_scaling", "temperature", "tol", "max_iter")


class RatioSettings(NamedTuple):
    """The parameters of a fit, checked."""

    C: float
    lean: float
    prior: RatioPrior
    max_iter: int
    tolerance: float  # the largest gap to end with, in nats per row


def ratio_settings(model: BaseEstimator) -> RatioSettings:
    """Check the parameters of an NBLogisticRegression, and return what a fit needs of them."""
    for name in NUMBERS:
        value = getattr(model, name)
        is_number = is_whole_number if name == "max_iter" else is_real_number
        if not is_number(value):
            raise TypeError(f"{name} must be a number, got {value!r}")
        largest = LARGEST.get(name, 1e300)
        may_be_zero = name in ("floor", "lean")
        if not 0 <= value <= largest or (value == 0 and not may_be_zero):
            least = ">= 0" if may_be_zero else "> 0"
            raise ValueError(f"{name} must be {least} and at most {largest:g}, got {value!r}")
    return RatioSettings(
        float(model.C),
        float(model.lean),
        ratio_prior(model),
        int(model.max_iter),
        _tolerance(model),
    )


def ratio_prior(model: BaseEstimator) -> RatioPrior:
    """Return the prior that the parameters of an NBLogisticRegression mean."""
    step = float(model.intercept_scaling) ** 2 if model.fit_intercept else 0.0
    return RatioPrior(float(model.alpha), float(model.floor), step)


def _tolerance(model: BaseEstimator) -> float:
    return float(model.tol) * 10.0 / min(max(10.0, float(model.C)), 300.0)


def largest_curvature(C: float, largest_weight: float, largest_entry: float) -> float:
    """Return a bound on the second derivatives of the loss of a row."""
    with np.errstate(over="ignore"):
        return float(C * largest_weight) * float(np.square(max(1.0, largest_entry)))


def check_scale(C: float, largest_weight: float, largest_entry: float) -> None:
    """Refuse rows whose weights single precision cannot follow."""
    curvature = largest_curvature(C, largest_weight, largest_entry)
    if not curvature <= LARGEST_CURVATURE:
        raise ValueError(
            f"C, times the largest weight of a row, times the square of the largest entry of X "
            f"is {curvature:.2g}, more than {LARGEST_CURVATURE:g}: scale X down, or lower C"
        )


def adopt_ratio_fit(
    model: BaseEstimator,
    X: MatrixLike,
    classes: AnyArray,
    columns: Floats,
    intercept: Floats,
    n_epochs: int,
    gap: float,
) -> None:
    """Give a model what a fit has found; weights are divided by its temperature, in place."""
    columns /= model.temperature
    intercept /= model.temperature
    adopt(
        model,
        X,
        classes_=classes,
        _columns=columns,
        intercept_=intercept,
        n_iter_=n_epochs,
        gap_=gap,
    )


def divide_weights(model: BaseEstimator, temperature: float) -> None:
    """Divide the weights of a fitted model by a temperature that was found after the fit."""
    model.__dict__.update(
        temperature=model.temperature * temperature,
        _columns=model._columns / temperature,
        intercept_=model.intercept_ / temperature,
    )


def warn_of_gap(
    model: BaseEstimator, unit: str = "epochs", advice: str = "raise max_iter or tol"
) -> None:
    """Warn, at the line that called the caller, if a fit ended before it converged."""
    tolerance = _tolerance(model)
    if model.gap_ <= tolerance:
        return
    warnings.warn(
        f"not converged after {model.n_iter_} {unit}: the objective may be {model.gap_:.2g} nats "
        f"per row from its optimum, more than {tolerance:.2g}; {advice}, or lower C",
        ConvergenceWarning,
        stacklevel=3,
    )
