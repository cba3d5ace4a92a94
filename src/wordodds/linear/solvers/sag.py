r"""Stochastic average gradient (Schmidt, Le Roux and Bach).

Every row's last known gradient is remembered. A step visits one row, renews its gradient, and goes
along the sum of all of them,

.. math:: w \leftarrow w - \eta \left( \sum_i g_i + \lambda w \right)

at the cost of that one row: as cheap as stochastic gradient descent, but it converges to the
optimum at a linear rate, as the remembered sum becomes the gradient itself.
"""

from collections.abc import Iterator

import numpy as np

from wordodds._core import linear as core
from wordodds.linear.objective import Objective
from wordodds.linear.solvers.iterate import Iterate, iterate_at
from wordodds.typing import Floats

__all__ = ["sag"]

_SHRINK_LEAST = 1e-12


def sag(objective: Objective, start: Floats, seed: int) -> Iterator[Iterate]:
    """Yield the iterates of stochastic average gradient descent, one an epoch."""
    penalty = objective.common_penalty("sag")
    random = np.random.default_rng(seed)
    rows = objective.matrix.as_csr()
    here = objective.at(start)
    yield iterate_at(here)
    n_cols = rows.n_cols
    step = _step(objective, penalty)
    row_gradients = here.by_scores.copy()
    gradient = objective.matrix.transposed_times(row_gradients)
    by_intercepts = row_gradients.sum(axis=0)
    weights = np.ascontiguousarray(start[:n_cols]).copy()
    intercepts = start[-1].copy() if objective.fit_intercept else np.zeros(objective.stride)
    while True:
        core.csr_sag_epoch(
            rows,
            objective.codes,
            objective.row_weights,
            # With replacement: in permuted orders the remembered gradients are all of one age, and
            # steps of this length need not converge.
            random.integers(rows.n_rows, size=rows.n_rows),
            *objective.how,
            penalty=penalty,
            loss=objective.loss.address,
            n_columns=objective.loss.n_columns,
            fit_intercept=objective.fit_intercept,
            step=step,
            weights_in_out=weights,
            intercepts_in_out=intercepts,
            row_gradients_in_out=row_gradients,
            gradient_in_out=gradient,
            by_intercepts_in_out=by_intercepts,
        )
        objective.passes += 2
        point = np.concatenate([weights, intercepts[np.newaxis]])[: objective.shape[0]]
        yield iterate_at(objective.at(point))


def _step(objective: Objective, penalty: float) -> float:
    """Return 1 / L, L the largest curvature that one row and the penalty can have.

    Where the penalty is nearly all of it, half of that: 1 - step * penalty, by which every step
    shrinks the weights, must not round to 0, as they are kept divided by it.
    """
    squares = objective.matrix.row_squares() + objective.fit_intercept
    largest = float(np.max(objective.row_weights * squares)) * objective.matrix.n_rows
    # 1/4 bounds the second derivative of the logistic loss, 1/2 that of the softmax.
    bound = 0.5 if objective.loss.coupled else 0.25
    step = 1.0 / (bound * largest + penalty)
    return step if step * penalty <= 1.0 - _SHRINK_LEAST else 0.5 / penalty
