"""Losses: what a row of scores costs, and its two derivatives by the scores."""

from collections.abc import Callable
from typing import Protocol, TypeAlias

import numpy as np

from wordodds._border.execution import Execution
from wordodds._core import linear as core
from wordodds.typing import Codes, Floats

__all__ = ["Curvature", "Loss", "ScalarLoss", "SoftmaxLoss", "WeightsOfRows", "link_loss"]

WeightsOfRows: TypeAlias = Callable[[int, int | None], Floats]
Check: TypeAlias = Callable[[Codes, Floats, float, Floats, Floats], None]


class Curvature(Protocol):
    """The second derivative of a loss at given scores: a symmetric matrix for each row."""

    def times(self, vectors: Floats) -> Floats:
        """Return its product with a vector for each row; may write into ``vectors``."""

    def diagonal(self) -> Floats:
        """Return its diagonals, one row each."""

    def pairs(self) -> tuple[list[tuple[int, int]], WeightsOfRows]:
        """Return the pairs (k, m), k <= m, where it is not zero, and a function of some rows.

        The function returns the matrices' entries at these pairs, (n_rows, n_pairs).
        """


class Loss(Protocol):
    """A weighted sum over rows, as a function of their scores."""

    n_columns: int
    address: int  # of the compiled function of one score; 0: softmax
    coupled: bool  # whether columns know of each other
    convex: bool
    non_negative: bool  # whether scores, and so features and weights, must be >= 0

    def evaluate(
        self, codes: Codes, row_weights: Floats, scores: Floats, how: Execution
    ) -> tuple[float, Floats, Curvature]:
        """Return value, gradient by the scores, and curvature."""


class _DiagonalCurvature:
    """Columns that do not know of each other: one number for each score."""

    def __init__(self, hessian: Floats, n_columns: int) -> None:
        self._hessian = hessian
        self._n_columns = n_columns

    def times(self, vectors: Floats) -> Floats:
        vectors *= self._hessian
        return vectors

    def diagonal(self) -> Floats:
        return self._hessian

    def pairs(self) -> tuple[list[tuple[int, int]], WeightsOfRows]:
        n = self._n_columns
        return [(k, k) for k in range(n)], lambda begin, end: self._hessian[begin:end, :n]


class _SoftmaxCurvature:
    """s (diag(p) - p p^T) for each row."""

    def __init__(
        self, row_weights: Floats, probabilities: Floats, n_columns: int, how: Execution
    ) -> None:
        self.row_weights = row_weights
        self.probabilities = probabilities
        self._n_columns = n_columns
        self._how = how

    def times(self, vectors: Floats) -> Floats:
        core.rows_softmax_curve(
            self.row_weights, self.probabilities, *self._how, vectors_in_out=vectors
        )
        return vectors

    def diagonal(self) -> Floats:
        p = self.probabilities
        return np.asarray(self.row_weights[:, np.newaxis] * (p * (1.0 - p)))

    def pairs(self) -> tuple[list[tuple[int, int]], WeightsOfRows]:
        first, second = np.triu_indices(self._n_columns)

        def weights(begin: int, end: int | None) -> Floats:
            p = self.probabilities[begin:end]
            scaled = p * self.row_weights[begin:end, np.newaxis]
            entries = -scaled[:, first] * p[:, second]
            entries[:, first == second] += scaled[:, : self._n_columns]
            return np.asarray(entries)

        return list(zip(first.tolist(), second.tolist(), strict=True)), weights


class SoftmaxLoss:
    r"""The multinomial loss: :math:`\log \sum_k e^{z_k} - z_y`."""

    address = 0
    coupled = True
    convex = True
    non_negative = False

    def __init__(self, n_classes: int) -> None:
        self.n_columns = n_classes

    def evaluate(
        self, codes: Codes, row_weights: Floats, scores: Floats, how: Execution
    ) -> tuple[float, Floats, Curvature]:
        """Return value, gradient by the scores, and curvature."""
        value, gradient, probabilities = core.rows_softmax_loss(
            self.n_columns, codes, row_weights, scores, *how
        )
        return (value, gradient, _SoftmaxCurvature(row_weights, probabilities, self.n_columns, how))


class ScalarLoss:
    """A compiled loss of one score; with several columns, of each class against the rest."""

    coupled = False

    def __init__(
        self,
        address: int,
        n_columns: int = 1,
        *,
        check: Check | None = None,  # of codes, scores, value, gradient and Hessian, before use
        convex: bool = True,  # or negative second derivatives count as zero, so that steps descend
        non_negative: bool = False,  # of scores
    ) -> None:
        self.n_columns = n_columns
        self.convex = convex
        self.address = address
        self.non_negative = non_negative
        self._check = check

    def evaluate(
        self, codes: Codes, row_weights: Floats, scores: Floats, how: Execution
    ) -> tuple[float, Floats, Curvature]:
        """Return value, gradient by the scores, and curvature."""
        value, gradient, hessian = core.rows_scalar_loss(
            self.address, self.n_columns, codes, row_weights, scores, *how
        )
        if self._check is not None:
            self._check(codes, scores, value, gradient, hessian)
        if not self.convex:
            np.maximum(hessian, 0.0, out=hessian)
        return value, gradient, _DiagonalCurvature(hessian, self.n_columns)

    def of_each(self, y: Floats, raw: Floats, how: Execution) -> Floats:
        """Return loss and both derivatives at each score, (3, n_scores); y holds 0 and 1."""
        return core.scores_scalar_loss(self.address, y, raw, *how)


def link_loss(link: str, n_columns: int = 1) -> ScalarLoss:
    """Return minus the log-likelihood under a link of `LINKS`, for one column or one-vs-rest."""
    address = core.link_losses()[link]
    return ScalarLoss(address, n_columns, non_negative=link == "noisy_or")
