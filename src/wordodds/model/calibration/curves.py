"""The curves of one class: from its log-odds to its probability."""

import math

import numpy as np

from wordodds.model.links import LARGEST
from wordodds.typing import Booleans, Floats

__all__ = ["fit_isotonic", "fit_sigmoid", "interpolated"]


def fit_sigmoid(odds: Floats, is_class: Booleans) -> tuple[float, float]:
    """Return a and b of Platt's sigmoid(a * odds + b), fitted to smoothed targets.

    Newton's method with backtracking, as in Lin, Lin and Weng, "A note on Platt's probabilistic
    outputs for support vector machines" (2007). The targets lie inside (0, 1), so that separated
    classes have a finite optimum.
    """
    n_class = int(is_class.sum())
    n_rest = len(is_class) - n_class
    targets = np.where(is_class, (n_class + 1.0) / (n_class + 2.0), 1.0 / (n_rest + 2.0))
    start = math.log((n_class + 1.0) / (n_rest + 1.0))
    x, centre, width = _standardised(odds)
    if width == 0.0 or n_class == 0 or n_rest == 0:
        mean = float(targets.mean())
        return 0.0, math.log(mean / (1.0 - mean))
    slope, intercept = _newton(x, targets, start)
    return slope / width, intercept - slope * centre


def fit_isotonic(odds: Floats, is_class: Booleans) -> tuple[Floats, Floats]:
    """Return the knots (odds, probability) of the best non-decreasing curve.

    A class that does not occur gets 1 / (n + 2) everywhere, as with Platt's targets: that it has
    not been seen does not make it impossible.
    """
    from scipy.optimize import isotonic_regression

    if not is_class.any():
        return np.zeros(1), np.array([1.0 / (len(is_class) + 2.0)])
    at, group, counts = np.unique(odds, return_inverse=True, return_counts=True)
    share = np.bincount(group, weights=is_class) / counts
    fitted = isotonic_regression(share, weights=counts.astype(np.float64)).x
    value = np.clip(np.asarray(fitted, dtype=np.float64), 0.0, 1.0)
    # Inside a level stretch no knot is needed.
    turns = np.ones(len(at), dtype=bool)
    turns[1:-1] = (value[1:-1] != value[:-2]) | (value[1:-1] != value[2:])
    return at[turns], value[turns]


def interpolated(at: Floats, knots: Floats, values: Floats) -> Floats:
    """Return the line through the knots, which increase; level outside of them."""
    if len(knots) == 1:
        return np.full(len(at), values[0])
    at = np.clip(at, knots[0], knots[-1])
    left = np.clip(np.searchsorted(knots, at, side="right") - 1, 0, len(knots) - 2)
    # A share of the way, not a slope: knots may be as near to each other as two doubles.
    way = (at - knots[left]) / (knots[left + 1] - knots[left])
    return np.asarray(values[left] + way * (values[left + 1] - values[left]))


def _standardised(odds: Floats) -> tuple[Floats, float, float]:
    """Return (odds - centre) / width in [-1, 1], the centre in units of the width, the width."""
    size = np.abs(odds)
    infinite = size >= LARGEST
    scale = float(size[~infinite].max()) if not infinite.all() else 1.0
    if scale < 1e-290:
        scale = 1.0 if infinite.any() else 0.0
    if scale == 0.0:
        return odds, 0.0, 0.0
    unit = np.clip(odds, -scale, scale) / scale
    centre = float(unit.mean())
    x = unit - centre
    spread = float(np.abs(x).max())
    if spread < 1e-12:
        return x, 0.0, 0.0
    return x / spread, centre / spread, scale * spread


def _newton(x: Floats, targets: Floats, intercept: float) -> tuple[float, float]:
    slope = 0.0
    raw = np.full(len(x), intercept)
    value = _cross_entropy(raw, targets)
    for _ in range(100):
        p = np.exp(-np.logaddexp(0.0, -raw))
        error, weight = p - targets, p * (1.0 - p)
        g_slope, g_intercept = float(error @ x), float(error.sum())
        if max(abs(g_slope), abs(g_intercept)) <= 1e-10 * len(x):
            break
        # A ridge, so that the Hessian can be inverted where all odds are alike.
        h_slope, h_mixed = float(weight @ (x * x)) + 1e-12, float(weight @ x)
        h_intercept = float(weight.sum()) + 1e-12
        determinant = h_slope * h_intercept - h_mixed * h_mixed
        d_slope = (h_mixed * g_intercept - h_intercept * g_slope) / determinant
        d_intercept = (h_mixed * g_slope - h_slope * g_intercept) / determinant
        decrease = g_slope * d_slope + g_intercept * d_intercept
        step = 1.0
        while step >= 1e-10:
            raw = (slope + step * d_slope) * x + (intercept + step * d_intercept)
            new = _cross_entropy(raw, targets)
            if new < value + 1e-4 * step * decrease:
                break
            step *= 0.5
        else:
            break  # rounding allows no better
        slope, intercept, value = slope + step * d_slope, intercept + step * d_intercept, new
    return slope, intercept


def _cross_entropy(raw: Floats, targets: Floats) -> float:
    return float((np.logaddexp(0.0, raw) - targets * raw).sum())
