r"""How far from the optimum: a bound that needs no optimum.

With the intercepts at their best for the given weights, the objective is strongly convex in the
weights with modulus :math:`\lambda_j` for feature j, so

.. math:: f(w, b^*) - f^* \le \frac{1}{2} \sum_j \frac{|\nabla_j f|^2}{\lambda_j}

The sum is what the parabolas of the features have below them; where no parameter may be negative,
only as far as zero counts.

An L1 penalty is not strongly convex; there the bound is the duality gap. With residuals r,
shortened by a factor so that no feature's gradient exceeds the penalty, the dual value of a
logistic loss is the entropy of the probabilities that the shorter residuals belong to. With
intercepts this bound rests on an assumption about how large they are at the optimum (see below);
it matters only in the last digits, where their gradient cannot be made smaller.
"""

import math

import numpy as np
from scipy.special import xlogy

from wordodds.linear.objective import Objective, Position
from wordodds.typing import Floats

__all__ = ["gap_bound"]

STEPS_MAX = 50
# Of the intercepts' gradient, where rounding hides that the objective falls: what is left to gain
# goes with the square.
LEFT_MAX = 1e-7


def gap_bound(objective: Objective, point: Floats, l1_ratio: float = 0.0) -> float:
    """Return a number that f(point) - f* cannot exceed; infinity where none is known.

    That is without a penalty on every feature, where f is not convex, and on a cluster.
    """
    if not (objective.loss.convex and objective.rows_at_hand and np.all(objective.penalty)):
        return math.inf
    here = objective.at(point)
    best = _with_best_intercepts(here) if objective.fit_intercept else here
    if best is None:
        return math.inf
    if l1_ratio > 0.0:
        return _duality_gap(here, best, l1_ratio)
    n = objective.matrix.n_cols
    gradient = best.gradient[:n]
    with np.errstate(over="ignore", invalid="ignore"):
        steps = -gradient / objective.penalty
        if objective.loss.non_negative:
            steps = np.maximum(steps, -best.point[:n])
        bound = -float(np.sum(steps * (gradient + 0.5 * objective.penalty * steps)))
    return here.value - best.value + bound if math.isfinite(bound) else math.inf


def _with_best_intercepts(here: Position) -> Position | None:
    """Return the position with the same weights and the intercepts that suit them best.

    None: not found, as where all scores are so large that the loss is flat.
    """
    objective = here.objective
    n_columns = objective.loss.n_columns
    for _ in range(STEPS_MAX):
        by_intercepts = here.by_scores[:, :n_columns].sum(axis=0)
        left = np.abs(by_intercepts).max()
        if left <= 1e-14:
            return here
        step = np.zeros(objective.stride)
        step[:n_columns] = -np.linalg.lstsq(_curvature(here), by_intercepts, rcond=None)[0]
        if objective.loss.non_negative:
            step = np.maximum(step, -here.point[-1])
            if not step.any():
                return here  # at the border
        lower = _fall(here, step)
        if lower is None:
            return here if left <= LEFT_MAX else None
        here = lower
    return None


def _curvature(here: Position) -> Floats:
    """Return the second derivative by the intercepts."""
    n_columns = here.objective.loss.n_columns
    pairs, weights = here.curvature.pairs()
    sums = weights(0, None).sum(axis=0)
    curvature = np.zeros((n_columns, n_columns))
    for (k, m), total in zip(pairs, sums, strict=True):
        curvature[k, m] = curvature[m, k] = total
    return curvature


def _fall(here: Position, step: Floats) -> Position | None:
    """Take the step, or a half, a quarter of it, so that the objective falls."""
    for _ in range(30):
        point = here.point.copy()
        point[-1] += step
        there = Position(here.objective, point, here.scores + step)
        if there.value < here.value:
            return there
        step = 0.5 * step
    return None


def _duality_gap(here: Position, best: Position, l1_ratio: float) -> float:
    """Return f(here) minus the dual value of the residuals at ``best``.

    The quadratic part of the penalty, a share of 1 - l1_ratio, is left out of the dual problem's
    constraint: its conjugate is what the gradients exceed the L1 penalty by, squared.
    """
    objective = here.objective
    assert isinstance(objective.penalty, float)
    n, n_columns = objective.matrix.n_cols, objective.loss.n_columns
    l1, l2 = l1_ratio * objective.penalty, (1.0 - l1_ratio) * objective.penalty
    pulled = np.abs(objective.matrix.transposed_times(best.by_scores)[:, :n_columns])
    factor = 1.0 if l2 > 0.0 else min(1.0, l1 / max(float(pulled.max()), 1e-300))
    with np.errstate(over="ignore"):
        excess = np.maximum(factor * pulled - l1, 0.0)
        quadratic = float(np.sum(excess**2)) / (2.0 * l2) if l2 > 0.0 else 0.0
    residuals = best.by_scores[:, :n_columns] / objective.row_weights[:, np.newaxis]
    own = (
        objective.codes[:, np.newaxis] == 1
        if n_columns == 1
        else objective.codes[:, np.newaxis] == np.arange(n_columns)
    )
    p = np.clip(factor * residuals + own, 0.0, 1.0)
    entropy = -xlogy(p, p)
    if not objective.loss.coupled:
        entropy -= xlogy(1.0 - p, 1.0 - p)
    dual = float(objective.row_weights @ entropy.sum(axis=1)) - quadratic
    if objective.fit_intercept:
        # The intercepts are not quite at their best, and what is left of their gradient counts
        # times those of the optimum, which are unknown: taken to be at most 1 + 2 |b|.
        left = np.abs(best.by_scores[:, :n_columns].sum(axis=0)).max()
        dual -= float(left * n_columns * (1.0 + 2.0 * np.abs(best.point[-1]).max()))
    w = here.point[:n]
    smooth = here.value - 0.5 * objective.penalty_dot(here.point, here.point)
    return smooth + l1 * float(np.abs(w).sum()) + 0.5 * l2 * float(np.sum(w**2)) - dual
