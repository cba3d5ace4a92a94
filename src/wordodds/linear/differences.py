"""Whether one function is the derivative of another, as far as finite differences can tell."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from wordodds.typing import Floats

__all__ = ["GRID", "Wrong", "values_on", "wrong_derivative"]
Function: TypeAlias = Callable[[float], Any]

# Where functions of a score are looked at; none but zero is a number where people put kinks.
_POSITIVE = np.array([0.03, 0.11, 0.31, 0.72, 1.3, 2.1, 3.4, 5.2, 7.9])
GRID: Floats = np.concatenate([-_POSITIVE[::-1], [0.0], _POSITIVE])

HALVINGS = np.arange(3, 15)  # steps of 2^-3 to 2^-14, relative to scores above 1
RELATIVE = 1e-5
EPSILON = float(np.finfo(np.float64).eps)


class Wrong(NamedTuple):
    """Where a derivative is not one."""

    at: float
    expected: float  # by finite differences
    got: float


def values_on(function: Function, points: Floats) -> Floats:
    """Return a function's values, one by one."""
    values = [float(function(float(point))) for point in points.reshape(-1)]
    return np.array(values).reshape(points.shape)


def wrong_derivative(function: Function, derivative: Function, points: Floats) -> Wrong | None:
    """Return where two functions disagree most, or None if they fit together.

    Each difference is extrapolated from two steps, for a dozen steps, and the steps whose result
    agrees best with the next decide, with that disagreement as their error. So kinks and rounding
    do not count as wrong; where a function is infinite, nothing is known.
    """
    steps = np.maximum(1.0, np.abs(points)) * 0.5 ** HALVINGS[:, np.newaxis].astype(float)
    above, below = values_on(function, points + steps), values_on(function, points - steps)
    with np.errstate(invalid="ignore"):
        simple = (above - below) / (2.0 * steps)
    refined = (4.0 * simple[1:] - simple[:-1]) / 3.0
    sizes = np.maximum(1.0, np.maximum(np.abs(above), np.abs(below)))[2:]
    errors = np.abs(refined[1:] - refined[:-1]) + 4.0 * EPSILON * sizes / steps[2:]
    errors = np.where(np.isfinite(errors), errors, np.inf)
    best = errors.argmin(axis=0)
    columns = np.arange(len(points))
    expected, error = refined[1:][best, columns], errors[best, columns]
    got = values_on(derivative, points)
    known = np.isfinite(error)
    larger = np.maximum(np.abs(expected), np.abs(got))
    with np.errstate(invalid="ignore"):
        # NaN is never close enough.
        excess = np.abs(got - expected) / (RELATIVE * larger + 20.0 * error)
    excess = np.where(known, np.where(np.isnan(excess), np.inf, excess), 0.0)
    worst = int(excess.argmax())
    if excess[worst] <= 1.0:
        return None
    return Wrong(float(points[worst]), float(expected[worst]), float(got[worst]))
