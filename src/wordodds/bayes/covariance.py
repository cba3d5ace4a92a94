"""Covariances of Gaussian classes in closed form, and their Cholesky factors."""

from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from wordodds._border.interruptible import cholesky, product
from wordodds.typing import Codes, Floats, Positions

__all__ = [
    "KINDS",
    "Deviations",
    "Kind",
    "SingularError",
    "class_deviations",
    "estimate",
    "factorize",
    "in_columns",
    "is_diagonal",
    "is_shared",
]

Kind: TypeAlias = Literal["full", "shared", "diagonal", "shared_diagonal", "spherical"]
KINDS: tuple[str, ...] = get_args(Kind)

# Columns of whose variance the columns before them leave less than this share: what is left is
# rounding. Sums of products are exact to about 1e-14, and the factorization amplifies that.
UNEXPLAINED = 1e-11

# A standard deviation below this, where the column's largest value is about 1, counts as zero:
# distances in units of it would leave the range of doubles.
NO_VARIATION = 1e-100


def is_shared(kind: str) -> bool:
    """Tell whether the classes have one covariance."""
    return kind.startswith("shared")


def is_diagonal(kind: str) -> bool:
    """Tell whether the columns are independent within a class."""
    return kind not in ("full", "shared")


class SingularError(ValueError):
    """A covariance without inverse.

    ``position`` says which of the covariances and ``column`` where the factorization ended;
    ``constant`` that this column has no variance, ``flat`` that no column has.
    """

    def __init__(
        self, position: int, column: int, *, constant: bool = False, flat: bool = False
    ) -> None:
        self.position = position
        self.column = column
        self.constant = constant
        self.flat = flat
        super().__init__(self.reason)

    @property
    def reason(self) -> str:
        """What is wrong, in words."""
        if self.flat:
            return "no column varies"
        if self.constant:
            return f"column {self.column} does not vary"
        return f"column {self.column} is a linear combination of the columns before it"


class Deviations(NamedTuple):
    """Rows less the mean of their class, in the order of the classes.

    All columns are divided by ``scale``, powers of two: that changes no digit, and squares of
    1e-150 or 1e150 stay within the range of doubles.
    """

    scale: Floats  # (n_cols,)
    means: Floats  # (n_classes, n_cols)
    rows: Floats  # (n_rows, n_cols)
    starts: Positions  # (n_classes + 1,): rows of class c are starts[c]:starts[c + 1]
    weights: Floats | None  # (n_rows,)
    counts: Floats  # (n_classes,): rows, or their weights


def class_deviations(
    X: Floats, codes: Codes, weights: Floats | None, n_classes: int, *, one_scale: bool
) -> Deviations:
    """Return the means of the classes and what is left of the rows; weights > 0 are ratios."""
    scale = _column_scale(X, one_scale)
    order = np.argsort(codes, kind="stable")
    sizes = np.bincount(codes, minlength=n_classes)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    rows = X[order] / scale
    counts = sizes.astype(np.float64)
    if weights is not None:
        weights = weights[order] / _power_of_two(weights.max())
        counts = np.add.reduceat(weights, starts[:-1])
    # From the smallest value of the class: a constant column then deviates by exactly 0, and far
    # from the origin the digits go to the deviations.
    means = np.minimum.reduceat(rows, starts[:-1], axis=0)
    rows -= np.repeat(means, sizes, axis=0)
    weighted = rows if weights is None else rows * weights[:, np.newaxis]
    step = np.add.reduceat(weighted, starts[:-1], axis=0) / counts[:, np.newaxis]
    means += step
    rows -= np.repeat(step, sizes, axis=0)
    return Deviations(scale, means, rows, starts, weights, counts)


def _column_scale(X: Floats, one_scale: bool) -> Floats:
    reach = np.maximum(X.max(axis=0), -X.min(axis=0))
    return _power_of_two(np.full_like(reach, reach.max()) if one_scale else reach)


def _power_of_two(values: Floats) -> Floats:
    # Within 2**1000: neither they nor their inverses overflow.
    return np.asarray(np.ldexp(1.0, np.clip(np.frexp(values)[1], -1000, 1000)))


def estimate(deviations: Deviations, kind: str, blend: float, shrinkage: float) -> Floats:
    r"""Return the covariances, (n, n_cols, n_cols) or (n, n_cols) where they are diagonal.

    n is 1 for a shared covariance, else the number of classes. With weights w,

    .. math:: S_c = \frac{1}{N_c} \sum_{i \in c} w_i (x_i - m_c)(x_i - m_c)^T, \qquad
        N_c = \sum_{i \in c} w_i, \qquad S = \sum_c \frac{N_c}{N} S_c

    is the most likely covariance of each class and that of all of them. The estimate is first
    blended with the pooled one, then shrunk towards a sphere of the same total variance:

    .. math:: B = (1 - \text{blend}) S_c + \text{blend} S, \qquad
        \hat\Sigma = (1 - \text{shrinkage}) B + \text{shrinkage} \frac{\mathrm{tr} B}{p} I
    """
    diagonal = is_diagonal(kind)
    if is_shared(kind):
        covariance = _pooled(deviations, diagonal)[np.newaxis]
    else:
        covariance = _own(deviations, diagonal)
        if blend:
            covariance = (1.0 - blend) * covariance + blend * _pooled(deviations, diagonal)
    if kind == "spherical":
        # (n_classes, n_cols) like other diagonals: the code that follows knows two forms only.
        means = covariance.mean(axis=1, keepdims=True)
        return np.repeat(means, covariance.shape[1], axis=1)
    return _shrunk(covariance, shrinkage) if shrinkage else covariance


def _shrunk(covariance: Floats, shrinkage: float) -> Floats:
    if covariance.ndim == 2:
        mean = covariance.mean(axis=1, keepdims=True)
        return np.asarray((1.0 - shrinkage) * covariance + shrinkage * mean)
    mean = np.trace(covariance, axis1=1, axis2=2) / covariance.shape[1]
    shrunk = (1.0 - shrinkage) * covariance
    diagonal = np.arange(covariance.shape[1])
    shrunk[:, diagonal, diagonal] += shrinkage * mean[:, np.newaxis]
    return shrunk


def _pooled(deviations: Deviations, diagonal: bool) -> Floats:
    total = deviations.counts.sum()
    return np.asarray(_scatter(deviations.rows, deviations.weights, diagonal) / total)


def _own(deviations: Deviations, diagonal: bool) -> Floats:
    rows, weights, starts = deviations.rows, deviations.weights, deviations.starts
    if diagonal:  # in one go: there may be a hundred thousand classes
        squares = rows**2 if weights is None else rows**2 * weights[:, np.newaxis]
        sums = np.add.reduceat(squares, starts[:-1], axis=0)
        return np.asarray(sums / deviations.counts[:, np.newaxis])
    covariance = np.empty((len(starts) - 1, rows.shape[1], rows.shape[1]))
    for c, (begin, end) in enumerate(pairwise(starts)):
        some = None if weights is None else weights[begin:end]
        covariance[c] = _scatter(rows[begin:end], some, diagonal) / deviations.counts[c]
    return covariance


def _scatter(rows: Floats, weights: Floats | None, diagonal: bool) -> Floats:
    weighted = rows if weights is None else rows * weights[:, np.newaxis]
    if diagonal:
        return np.asarray(np.einsum("ij,ij->j", weighted, rows))
    scatter = product(weighted.T, rows)
    return np.asarray(0.5 * (scatter + scatter.T))  # symmetric to the last bit


def factorize(covariance: Floats) -> Floats:
    """Return lower triangles L with L Lᵀ the covariance, or roots where it is diagonal.

    SingularError where a column does not vary, or follows from others up to rounding.
    """
    if covariance.ndim == 2:
        roots = np.sqrt(covariance)
        _check_variation(roots)
        return np.asarray(roots)
    roots = np.sqrt(np.diagonal(covariance, axis1=1, axis2=2))
    _check_variation(roots)
    lower = np.empty_like(covariance)
    for position, matrix in enumerate(covariance):
        lower[position] = _cholesky(matrix, roots[position], position)
    return lower


def _check_variation(roots: Floats) -> None:
    constant = roots < NO_VARIATION
    for position, column in np.argwhere(constant)[:1]:
        flat = bool(constant[position].all())
        raise SingularError(int(position), int(column), constant=True, flat=flat)


def _cholesky(matrix: Floats, roots: Floats, position: int) -> Floats:
    # Of the correlations: whether they are singular does not depend on the columns' units.
    correlation = matrix / roots / roots[:, np.newaxis]
    lower, order = cholesky(correlation)
    if order:  # of the first leading minor that is not positive
        raise SingularError(position, order - 1)
    explained = np.flatnonzero(np.diagonal(lower) ** 2 < UNEXPLAINED)
    if len(explained):
        raise SingularError(position, int(explained[0]))
    return np.asarray(lower * roots[:, np.newaxis])


def in_columns(covariance: Floats, scale: Floats) -> Floats:
    """Return covariances in the columns' own units.

    Infinite where that is beyond the range of doubles, zero where it is below.
    """
    with np.errstate(over="ignore", under="ignore"):
        if covariance.ndim == 2:
            return covariance * scale * scale
        return covariance * scale * scale[:, np.newaxis]
