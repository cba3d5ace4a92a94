"""Weights, means and squared deviations by class, and how they add up."""

from typing import NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from wordodds._border.csr import CsrArrays, as_csr, require_rows, sparse_of_frame, without_repeats
from wordodds._border.execution import Execution
from wordodds._core import bayes as core
from wordodds._estimator.state import checked_array
from wordodds.bayes.tally import check_table_size
from wordodds.typing import AnyArray, Booleans, Codes, Floats, MatrixLike

__all__ = ["Matrix", "Moments", "as_matrix", "class_moments"]

# What rounding may leave of a difference, relative to what was subtracted.
_WEIGHT_ROUNDING = 1e-10
_SQUARES_ROUNDING = 1e-8
# Below this the squares of deviations are no longer exact.
_SMALLEST_VARIANCE = 1e-306
_CELLS_AT_ONCE = 1 << 18

Matrix = CsrArrays | AnyArray


class Moments(NamedTuple):
    r"""The state of a Gaussian model, by class c and column j.

    .. math:: W_c = \sum v_i, \qquad \mu_{cj} = \frac{1}{W_c} \sum v_i x_{ij}, \qquad
        M_{cj} = \sum v_i (x_{ij} - \mu_{cj})^2

    over the rows i of class c, with their weights v; all zero for a class without weight.
    """

    weight: Floats  # (n_classes,)
    mean: Floats  # (n_classes, n_features)
    m2: Floats  # (n_classes, n_features)

    @classmethod
    def nothing(cls, n_classes: int, n_features: int) -> Self:
        """Return the moments of no rows."""
        shape = (n_classes, n_features)
        return cls(np.zeros(n_classes), np.zeros(shape), np.zeros(shape))

    def spread_out(self, codes: AnyArray, n_classes: int) -> "Moments":
        """Return the same by other numbers: class c becomes ``codes[c]`` of ``n_classes``."""
        result = Moments.nothing(n_classes, self.mean.shape[1])
        for whole, part in zip(result, self, strict=True):
            whole[codes] = part
        return result

    def added(self, other: "Moments") -> "Moments":
        r"""Return the moments of both, by Chan's formula.

        .. math:: \delta = \mu' - \mu, \qquad \mu + \delta \frac{W'}{W + W'}, \qquad
            M + M' + \delta^2 \frac{W W'}{W + W'}
        """
        weight = self.weight + other.weight
        share = _ratio(other.weight, weight)[:, None]
        # Squares may overflow here; `variances` says so.
        with np.errstate(over="ignore", invalid="ignore"):
            delta = other.mean - self.mean
            mean = self.mean + delta * share
            m2 = self.m2 + other.m2 + delta * (self.weight[:, None] * share) * delta
        return Moments(weight, mean, m2)

    def removed(self, other: "Moments") -> tuple["Moments", Booleans]:
        r"""Return the moments without the other's, and which classes cannot have held them.

        Chan's formula solved for one of its parts. Where rounding makes a sum of squares negative,
        it is zero.

        .. math:: W - W', \qquad \mu + (\mu - \mu') \frac{W'}{W - W'}, \qquad
            M - M' - (\mu - \mu')^2 \frac{W W'}{W - W'}
        """
        rounding = _WEIGHT_ROUNDING * self.weight
        weight = self.weight - other.weight
        impossible = weight < -rounding
        weight[weight <= rounding] = 0.0
        empty = weight == 0.0
        # Of a class that is forgotten whole, the moments must be the same.
        ratio = np.where(empty, 1.0, _ratio(other.weight, weight))[:, None]
        with np.errstate(over="ignore", invalid="ignore"):
            delta = self.mean - other.mean
            mean = self.mean + delta * ratio
            m2 = self.m2 - other.m2 - delta * (self.weight[:, None] * ratio) * delta
            reach = self.weight[:, None] * (np.abs(self.mean) + np.abs(other.mean)) ** 2
            doubt = _SQUARES_ROUNDING * (self.m2 + other.m2 + reach)
            wrong = np.where(empty[:, None], np.abs(m2), -m2) > doubt
        impossible |= wrong.any(axis=1) & (other.weight > 0.0)
        untouched = other.weight == 0.0
        mean[empty], m2[empty] = 0.0, 0.0
        mean[untouched], m2[untouched] = self.mean[untouched], self.m2[untouched]
        return Moments(weight, mean, np.maximum(m2, 0.0)), impossible

    def variances(self, smoothing: float) -> tuple[Floats, float]:
        r"""Return the smoothed variances and what was added to them.

        .. math:: \sigma_{cj}^2 = \frac{M_{cj}}{W_c} + \varepsilon, \qquad
            \varepsilon = s \max_j \frac1W \sum_c M_{cj} + W_c (\mu_{cj} - \mu_j)^2
        """
        with np.errstate(over="ignore", invalid="ignore"):
            epsilon = smoothing * self._largest_variance()
            variances = _ratio(self.m2, np.broadcast_to(self.weight[:, None], self.m2.shape))
            variances += epsilon
            finite = np.isfinite(self.weight.sum() + variances.max())
        if not finite:
            raise ValueError(
                "the squares of X, times their weights, add up to more than 1e308: scale X or "
                "sample_weight down"
            )
        if variances.min() < _SMALLEST_VARIANCE:
            lost = ((variances < _SMALLEST_VARIANCE) & (self.m2 > 0.0)).any(axis=0)
            if lost.any():
                raise ValueError(
                    f"feature {lost.argmax()} of X varies by less than 1e-153 in a class, too "
                    "little to be squared: scale X up"
                )
        return variances, float(epsilon)

    def _largest_variance(self) -> np.float64:
        """Return the largest variance of a column over all classes: within and between them."""
        total = self.weight.sum()
        seen = np.flatnonzero(self.weight)
        largest = np.float64(0.0)
        if not len(seen):
            return largest
        weight = self.weight[:, None]
        width = max(1, _CELLS_AT_ONCE // len(self.weight))
        for first in range(0, self.mean.shape[1], width):
            columns = slice(first, first + width)
            # From one class on: means that are equal must have no variance at all.
            away = self.mean[:, columns] - self.mean[seen[0], columns]
            away -= (weight * away).sum(axis=0) / total
            squares = (self.m2[:, columns] + weight * away * away)[seen].sum(axis=0)
            largest = np.maximum(largest, (squares / total).max())
        return largest


def _ratio(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.zeros(whole.shape), where=whole > 0.0)


def as_matrix(X: MatrixLike, how: Execution, estimator: BaseEstimator) -> Matrix:
    """Return ``X``, checked, as CSR without repeated entries or as a C-ordered array of floats."""
    X = sparse_of_frame(X)
    if not sp.issparse(X):
        return checked_array(
            X, dtype=[np.float64, np.float32], order="C", estimator=estimator, input_name="X"
        )
    matrix = as_csr(X, non_negative=False, execution=how)
    require_rows(matrix)
    return without_repeats(matrix, how)


def class_moments(
    matrix: Matrix, codes: Codes, weights: Floats | None, n_classes: int, how: Execution
) -> Moments:
    """Return the moments of the rows of each class; rows of weight 0 are not looked at."""
    n_cols = matrix.n_cols if isinstance(matrix, CsrArrays) else matrix.shape[1]
    check_table_size(n_classes, n_cols, "use MultinomialNB, or fewer columns")
    if isinstance(matrix, CsrArrays):
        found = core.csr_class_moments(matrix, codes, weights, n_classes, *how)
    else:
        found = core.dense_class_moments(matrix, codes, weights, n_classes, *how)
    return Moments(*found)
