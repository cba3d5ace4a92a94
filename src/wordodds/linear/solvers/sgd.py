r"""Stochastic gradient descent, as a way to the optimum.

.. math::
    w \leftarrow w - \eta_t (s_i \nabla \ell_i(w) + \lambda w),
    \quad \eta_t = \frac{1}{\lambda (t_0 + t)}

Quick at first, slow in the end: the steps must shrink, as single rows disagree at the optimum too.
`SGDClassifier` offers all its schedules, penalties and losses; here it takes part in comparisons.
"""

from collections.abc import Iterator

import numpy as np

from wordodds.linear.objective import Objective
from wordodds.linear.sgd.epochs import Rows, epochs
from wordodds.linear.sgd.state import LOSSES, SCHEDULES, SgdState, options_of
from wordodds.linear.solvers.iterate import Iterate, iterate_at
from wordodds.typing import Floats

__all__ = ["sgd"]


def sgd(objective: Objective, start: Floats, seed: int) -> Iterator[Iterate]:
    """Yield the iterates of stochastic gradient descent, one an epoch."""
    penalty = objective.common_penalty("sgd")
    yield iterate_at(objective.at(start))
    n_columns, n_cols = objective.loss.n_columns, objective.matrix.n_cols
    options = options_of(
        loss=LOSSES.index("softmax" if objective.loss.coupled else "log_loss"),
        schedule=SCHEDULES.index("optimal"),
        eta0=0.0,
        power_t=0.0,
        alpha=penalty,
        l1_ratio=0.0,
        penalized=True,
        bias_rate=float(objective.fit_intercept),
        average_from=0.0,
    )
    state = SgdState(n_cols, n_columns, options)
    intercepts = start[-1, :n_columns] if objective.fit_intercept else np.zeros(n_columns)
    state.start_from(start[:n_cols, :n_columns].T, intercepts)
    # A row's step follows its own loss, whose mean is the objective's.
    weights = objective.row_weights * objective.matrix.n_rows
    rows = Rows(objective.matrix.as_csr(), objective.codes, weights, None)
    order = np.arange(objective.matrix.n_rows)
    shuffle = np.random.default_rng(seed).shuffle
    for _ in epochs(rows, state, order, shuffle, objective.how):
        objective.passes += 2
        settled = state.settled_apart(objective.how)
        point = np.zeros(objective.shape)
        point[:n_cols, :n_columns] = settled.model_weights[:, :n_columns]
        if objective.fit_intercept:
            point[-1, :n_columns] = settled.model_bias
        yield iterate_at(objective.at(point))
