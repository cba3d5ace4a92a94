r"""The objective: what solvers see of a fit.

.. math:: f(W, b) = \sum_i s_i \ell(y_i, x_i W + b) + \frac{1}{2} \sum_j \lambda_j |W_j|^2

A solver asks for a `Position` at a point: value, gradient, products with the Hessian. It moves
along a `Ray`, which multiplies the matrix with its direction once; how the objective looks anywhere
on the ray then costs no further pass over the data.
"""

from typing import TypeAlias

import numpy as np

from wordodds._border.cached_property import cached_property
from wordodds._border.execution import Execution
from wordodds._core import linear as core
from wordodds._core.base import lane_stride
from wordodds.linear.losses import Curvature, Loss
from wordodds.linear.matrix import Matrix
from wordodds.typing import Codes, Floats

__all__ = ["Objective", "Position", "Ray"]
Losses: TypeAlias = tuple[float, Floats, Curvature]  # value, derivative by the scores, second one


class Objective:
    """Loss and penalty over a matrix.

    A point is an array (n_cols, stride), with one more row at the end for the intercepts; padding
    columns are zero and stay so, as their gradients are zero.
    """

    rows_at_hand = True  # whether positions have scores: not where the rows are on a cluster

    def __init__(
        self,
        matrix: Matrix,
        codes: Codes,
        row_weights: Floats,  # s, all > 0; for a mean they sum to 1
        loss: Loss,
        penalty: float | Floats,  # lambda, of all features or (n_cols, 1); intercepts go free
        fit_intercept: bool,
        how: Execution,
    ) -> None:
        self.matrix = matrix
        self.codes = codes
        self.row_weights = row_weights
        self.loss = loss
        self.penalty = penalty
        self.fit_intercept = fit_intercept
        self.how = how
        self.stride = lane_stride(loss.n_columns)
        self.passes = 0  # products with the matrix so far

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of a point."""
        return self.matrix.n_cols + self.fit_intercept, self.stride

    def common_penalty(self, solver: str) -> float:
        """Return the penalty that all features have, > 0, for a solver that takes no others."""
        if isinstance(self.penalty, float) and self.penalty > 0.0:
            return self.penalty
        need = (
            "a finite C" if np.all(self.penalty == 0.0) else "features, and C, of no extreme size"
        )
        raise ValueError(f'solver="{solver}" needs {need}: use solver="newton-cg"')

    def at(self, point: Floats) -> "Position":
        """Return the objective's view from a point; one pass over the data."""
        return Position(self, point, self.scores(point))

    def scores(self, point: Floats) -> Floats:
        """Return X W + b."""
        self.passes += 1
        weights = point[: self.matrix.n_cols]
        return self.matrix.times(weights, point[-1] if self.fit_intercept else None)

    def losses(self, scores: Floats) -> Losses:
        """Return what the loss says of scores."""
        return self.loss.evaluate(self.codes, self.row_weights, scores, self.how)

    def pull_back(
        self, by_scores: Floats, vector: Floats, out: Floats | None = None
    ) -> tuple[Floats, float]:
        """Return the penalty's Hessian times a vector plus X^T times a derivative by the scores.

        That is the gradient at ``vector``, or the Hessian times it; and its inner product with it.
        """
        self.passes += 1
        n = self.matrix.n_cols
        result = np.empty(self.shape) if out is None else out
        if isinstance(self.penalty, float):
            inner = self.matrix.transposed_times_plus(
                by_scores, self.penalty, vector[:n], result[:n]
            )
        else:
            np.multiply(self.penalty, vector[:n], out=result[:n])
            result[:n] += self.matrix.transposed_times(by_scores)
            inner = self.dot(vector[:n], result[:n])
        if self.fit_intercept:
            result[-1] = by_scores.sum(axis=0)
            inner += float(vector[-1] @ result[-1])
        return result, inner

    def dot(self, a: Floats, b: Floats) -> float:
        """Return the inner product of two points."""
        return core.vectors_dot(a.reshape(-1), b.reshape(-1), *self.how)

    def penalty_dot(self, a: Floats, b: Floats) -> float:
        """Return the inner product in which the penalty of a point w is (w, w) / 2."""
        n = self.matrix.n_cols
        if isinstance(self.penalty, float):
            return self.penalty * self.dot(a[:n], b[:n])
        return float(np.sum(self.penalty * a[:n] * b[:n]))


class Position:
    """The objective seen from a point: value, gradient, Hessian."""

    def __init__(
        self, objective: Objective, point: Floats, scores: Floats, losses: Losses | None = None
    ) -> None:
        self.objective = objective
        self.point = point
        self.scores = scores
        loss, self.by_scores, self.curvature = losses or objective.losses(scores)
        self.value = loss + 0.5 * objective.penalty_dot(point, point)

    @cached_property
    def gradient(self) -> Floats:
        """The gradient; one pass over the data."""
        return self.objective.pull_back(self.by_scores, self.point)[0]

    @cached_property
    def gradient_norm(self) -> float:
        """The largest absolute value in the gradient."""
        return float(max(self.gradient.max(), -self.gradient.min()))

    def hessian_times(self, vector: Floats, out: Floats | None = None) -> tuple[Floats, float]:
        """Return the Hessian times a vector, and that times the vector; two passes over data."""
        curved = self.curvature.times(self.objective.scores(vector))
        return self.objective.pull_back(curved, vector, out)

    def hessian_diagonal(self) -> Floats:
        """Return the diagonal of the Hessian; one pass over the data."""
        objective = self.objective
        objective.passes += 1
        n = objective.matrix.n_cols
        of_scores = self.curvature.diagonal()
        diagonal = np.empty(objective.shape)
        diagonal[:n] = objective.matrix.transposed_squares_times(of_scores)
        diagonal[:n] += objective.penalty
        if objective.fit_intercept:
            diagonal[-1] = of_scores.sum(axis=0)
        return diagonal

    def ray(self, direction: Floats) -> "Ray":
        """Return the half line from here in a direction; one pass over the data."""
        return Ray(self, direction)


class Ray:
    """The points position + t direction, t >= 0."""

    def __init__(self, position: Position, direction: Floats) -> None:
        objective = position.objective
        self.position = position
        self.direction = direction
        self._scores = objective.scores(direction)
        # The penalty along the ray is a parabola.
        self._penalty = 0.5 * objective.penalty_dot(position.point, position.point)
        self._penalty_slope = objective.penalty_dot(position.point, direction)
        self._penalty_curve = objective.penalty_dot(direction, direction)
        self._looked: tuple[float, Floats, Losses] | None = None

    @property
    def slope(self) -> float:
        """The derivative by t at t = 0."""
        return self._penalty_slope + self.position.objective.dot(
            self.position.by_scores, self._scores
        )

    @property
    def curve(self) -> float:
        """The second derivative by t at t = 0."""
        curved = self.position.curvature.times(self._scores.copy())
        return self._penalty_curve + self.position.objective.dot(curved, self._scores)

    @property
    def reach(self) -> float:
        """By how much the score that changes most does so from t = 0 to 1."""
        return float(max(self._scores.max(), -self._scores.min()))

    def look(self, t: float) -> tuple[float, float]:
        """Return value and slope at t; no pass over the data."""
        objective = self.position.objective
        scores = self.position.scores.copy()
        core.vectors_add(t, self._scores.reshape(-1), *objective.how, y_in_out=scores.reshape(-1))
        losses = objective.losses(scores)
        self._looked = t, scores, losses
        loss, by_scores, _ = losses
        value = loss + self._penalty + t * (self._penalty_slope + 0.5 * t * self._penalty_curve)
        slope = objective.dot(by_scores, self._scores)
        return value, slope + self._penalty_slope + t * self._penalty_curve

    def to(self, t: float) -> Position:
        """Return the position at t; no pass over the data."""
        if self._looked is None or self._looked[0] != t:
            self.look(t)
        assert self._looked is not None
        objective = self.position.objective
        point = self.position.point.copy()
        core.vectors_add(t, self.direction.reshape(-1), *objective.how, y_in_out=point.reshape(-1))
        return Position(objective, point, *self._looked[1:])
