"""Coordinate descent for L1 and elastic net, good where most weights are zero.

Each step takes the weights that are not zero and the features that violate the optimality
conditions by most, finds the optimum of these alone by Newton steps (a quadratic model, minimised
by coordinate descent with the penalty; a line search on the true objective), and looks at every
feature again.
"""

from collections.abc import Iterator

import numpy as np

from wordodds._border.csr import CsrArrays
from wordodds._border.execution import Execution
from wordodds._core import linear as core
from wordodds.linear.objective import Objective
from wordodds.linear.solvers.iterate import Iterate
from wordodds.typing import Codes, Floats

__all__ = ["coordinate_descent", "sparse_descent"]

# A step that lowers the value by no more than its rounding, and the violation by less than this
# share, has met the end of double precision.
ROUNDING = 2.0**-50
PROGRESS_MIN = 0.1


def sparse_descent(objective: Objective, start: Floats, l1_ratio: float) -> Iterator[Iterate]:
    """Yield the iterates of coordinate descent on an objective, a share of whose penalty is L1."""
    penalty = objective.common_penalty("coordinate")
    n_columns = objective.loss.n_columns
    for iterate in coordinate_descent(
        objective.matrix.as_csr(),
        objective.codes,
        objective.row_weights,
        loss="softmax" if objective.loss.coupled else "logistic",
        n_columns=n_columns,
        C=1.0 / (penalty * float(objective.row_weights.sum())),
        l1_ratio=l1_ratio,
        fit_intercept=objective.fit_intercept,
        how=objective.how,
        start=start[:, :n_columns],
    ):
        point = np.zeros(objective.shape)
        point[:, :n_columns] = iterate.point
        yield iterate._replace(where=point)


def coordinate_descent(
    matrix: CsrArrays,
    codes: Codes,
    row_weights: Floats,
    *,
    loss: str,
    n_columns: int,
    C: float,
    l1_ratio: float,
    fit_intercept: bool,
    how: Execution,
    start: Floats | None = None,
) -> Iterator[Iterate]:
    """Minimise a penalised logistic loss; see `LogisticRegression` for the objective.

    Yield the start first, then each step. ``point``, (n_features + fit_intercept, n_columns), is
    one and the same array, changed by the next step. The generator ends when rounding lets nothing
    improve any more.
    """
    n_features = matrix.n_cols
    total = float(row_weights.sum())
    penalty = 1.0 / (total * C)
    shape = (n_features + fit_intercept, n_columns)
    point = np.zeros(shape) if start is None else np.array(start, dtype=np.float64, order="C")
    if point.shape != shape:
        raise ValueError(f"start must have the shape {shape}, got {point.shape}")
    columns = matrix.transposed()
    state = core.Coordinates(
        codes,
        row_weights / total,
        is_softmax=loss == "softmax",
        l1=l1_ratio * penalty,
        l2=(1.0 - l1_ratio) * penalty,
        fit_intercept=fit_intercept,
        point_in_out=point,
    )
    n_entries = max(1, len(columns.data))
    value, norm, entries = core.csc_start_coordinates(columns, state, *how)
    passes = entries / n_entries
    yield Iterate(point, value, norm, passes)
    while norm > 0.0:
        before, norm_before = value, norm
        value, norm, entries = core.csc_step_coordinates(columns, state, *how)
        passes += entries / n_entries
        yield Iterate(point, value, norm, passes)
        if before - value <= ROUNDING * value and norm > (1.0 - PROGRESS_MIN) * norm_before:
            return
