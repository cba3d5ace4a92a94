"""Log-densities of Gaussian classes from Cholesky factors, also far out."""

from typing import NamedTuple

import numpy as np
from scipy.linalg.blas import dtrsm

from wordodds.typing import Codes, Floats

__all__ = ["Scores", "joint", "own_scores", "relative", "shared_scores", "whiten", "whiten_again"]

# Rows beyond this many units are divided by a power of two, lest their squares overflow.
FAR = 2.0**100

# Multiplications in one call of dtrsm: about 20 ms on one core.
PRODUCTS_AT_ONCE = 1 << 27
ROWS_AT_ONCE_MIN = 8


class Scores(NamedTuple):
    """Log p(row, class), taken apart so that nothing is lost in a large sum.

    It is ``varying * 2**exponents + constants``, and what no class has for itself, ``common``.
    """

    varying: Floats  # (n_rows, n_classes)
    exponents: Codes  # (n_rows,)
    constants: Floats  # (n_classes,)
    common: Floats  # (n_rows,)


class _Rows(NamedTuple):
    """Rows in units of the model, row i divided by ``2**exponents[i]``."""

    values: Floats
    exponents: Codes

    def less(self, mean: Floats) -> Floats:
        if self.exponents.any():
            mean = np.ldexp(mean, -self.exponents[:, np.newaxis])
        return self.values - mean


def _in_units(X: Floats, scale: Floats) -> _Rows:
    with np.errstate(over="ignore"):
        values = X / scale
    exponents = np.zeros(len(X), dtype=np.int32)
    far = np.abs(values).max(axis=1) > FAR
    if far.any():
        unit = np.frexp(scale)[1] - 1
        length = np.where(X[far] == 0.0, -5000, np.frexp(X[far])[1] - unit)
        exponents[far] = length.max(axis=1)
        values[far] = np.ldexp(X[far], -unit - exponents[far, np.newaxis])
    return _Rows(values, exponents)


def whiten(factor: Floats, deviations: Floats) -> Floats:
    """Return deviations that have unit variance and no correlation under the model."""
    if factor.ndim == 1:
        return deviations / factor
    # BLAS itself: LAPACK's solver around it wakes all threads for a handful of rows. It wants
    # columns one after the other, which transposed views are.
    return _solved(factor, deviations, trans_a=1)


def whiten_again(factor: Floats, whitened: Floats) -> Floats:
    """Return the inverse covariance times deviations, after `whiten`."""
    if factor.ndim == 1:
        return whitened / factor
    return _solved(factor, whitened, trans_a=0)


def _solved(factor: Floats, rows: Floats, trans_a: int) -> Floats:
    """Solve with a triangle for each row, some rows at a time: each call ends soon after Ctrl-C."""
    solved = np.empty_like(rows)
    step = max(ROWS_AT_ONCE_MIN, PRODUCTS_AT_ONCE // factor.size)
    for begin in range(0, len(rows), step):
        some = rows[begin : begin + step]
        solved[begin : begin + step] = dtrsm(1.0, factor.T, some.T, trans_a=trans_a).T
    return solved


def _log_roots(factors: Floats) -> Floats:
    """Return half the log-determinant of each covariance."""
    roots = factors if factors.ndim == 2 else np.diagonal(factors, axis1=1, axis2=2)
    return np.asarray(np.log(roots).sum(axis=1))


def _log_unit(scale: Floats) -> float:
    """Return the log-density of the standard normal at 0, for columns in these units."""
    return float(-0.5 * len(scale) * np.log(2.0 * np.pi) - np.log(scale).sum())


def own_scores(
    X: Floats, means: Floats, factors: Floats, scale: Floats, log_prior: Floats
) -> Scores:
    """Score rows where each class has its covariance: half its distance to the class, squared.

    ``scale`` has the units of the factors, powers of two, by which the means are divided already.
    """
    rows = _in_units(X, scale)
    varying = np.empty((len(X), len(means)))
    for c, (mean, factor) in enumerate(zip(means, factors, strict=True)):
        z = whiten(factor, rows.less(mean))
        varying[:, c] = -0.5 * np.einsum("ij,ij->i", z, z)
    common = np.full(len(X), _log_unit(scale))
    return Scores(varying, 2 * rows.exponents, log_prior - _log_roots(factors), common)


def shared_scores(
    X: Floats, means: Floats, factor: Floats, scale: Floats, log_prior: Floats
) -> Scores:
    """Score rows where the classes share a covariance: linear, but for what they have in common.

    Far from all classes their distances are nearly the same and their difference would be
    rounding; the linear part is that difference itself.
    """
    centre = means.mean(axis=0)
    rows = _in_units(X, scale)
    z = whiten(factor, rows.less(centre))
    u = whiten(factor, means - centre)
    constants = log_prior - 0.5 * np.einsum("ij,ij->i", u, u)
    with np.errstate(over="ignore"):
        common = np.ldexp(-0.5 * np.einsum("ij,ij->i", z, z), 2 * rows.exponents)
    common += _log_unit(scale) - _log_roots(factor[np.newaxis])[0]
    return Scores(z @ u.T, rows.exponents, constants, common)


def joint(scores: Scores) -> Floats:
    """Return log p(row, class); minus infinity where it is below the range of doubles."""
    with np.errstate(over="ignore"):
        total = np.ldexp(scores.varying, scores.exponents[:, np.newaxis]) + scores.constants
    lost = np.isneginf(scores.common)
    total[lost] = -np.inf
    total[~lost] += scores.common[~lost, np.newaxis]
    return np.asarray(total)


def relative(scores: Scores) -> Floats:
    """Return log p(class | row) up to a number for each row, however far out the row is."""
    possible = np.isfinite(scores.constants)
    top = scores.varying[:, possible].max(axis=1, keepdims=True)
    # The difference first: where the scores themselves overflow, the nearest class still wins.
    with np.errstate(over="ignore"):
        less = np.ldexp(scores.varying - top, scores.exponents[:, np.newaxis])
    # A class that is ruled out may be infinitely nearer than all others.
    return np.where(possible, less, 0.0) + scores.constants
