"""One fit: an objective in, weights out; over rows in memory or on a cluster."""

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from wordodds._estimator.state import adopt
from wordodds.linear.descent import descend, warn_early
from wordodds.linear.losses import Loss
from wordodds.linear.objective import Objective
from wordodds.linear.problem import Problem, penalty_of
from wordodds.linear.settings import Settings
from wordodds.linear.solvers import (
    DESCENTS,
    PROJECTED,
    STOCHASTIC,
    choose,
    point_inside,
    sparse_descent,
)
from wordodds.linear.solvers.iterate import Iterate
from wordodds.typing import AnyArray, Floats, Ints, MatrixLike

__all__ = ["Fitted", "adopt_fit", "fit_columns", "minimise"]

# What a column was divided by may be beyond the square root of what double holds.
PENALTY_LEAST, PENALTY_LARGEST = 1e-200, 1e200


class Fitted(NamedTuple):
    """Weights, and how they came about."""

    columns: Floats  # (n_features, stride)
    intercept: Floats  # (n_columns,)
    solver: str
    n_iter: Ints  # of each problem solved
    history: dict[Any, Any]
    interrupted: bool = False


def fit_columns(
    problem: Problem, loss: Loss, settings: Settings, start: tuple[Any, Any] | None = None
) -> Fitted:
    """Minimise a loss from given columns and intercept, or from zero, or near it."""
    began = time.perf_counter()
    objective = Objective(
        problem.matrix,
        problem.codes,
        problem.row_weights,
        loss,
        _penalty(problem, settings.C),
        settings.fit_intercept,
        settings.how,
    )
    name = settings.solver
    if name == "auto":
        name = "coordinate" if settings.l1_ratio > 0.0 else choose(objective)
    fitted = minimise(objective, _start(objective, problem, start), name, settings, began)
    if problem.scale is None:
        return fitted
    with np.errstate(over="ignore"):
        return fitted._replace(columns=fitted.columns / problem.scale[:, np.newaxis])


def minimise(
    objective: Objective, start: Floats, solver: str, settings: Settings, began: float
) -> Fitted:
    """Run a solver from a point until it ends, and warn if that was early."""
    iterates = _iterates(solver, objective, start, settings)
    descent = descend(iterates, settings.limits, began)
    warn_early(descent, objective, settings.l1_ratio, settings.limits, solver)
    n_cols, n_columns = objective.matrix.n_cols, objective.loss.n_columns
    point = descent.last.point
    columns = point[:n_cols]
    if objective.loss.coupled and settings.l1_ratio == 0.0:
        # To add the same to all classes changes no probability; the shortest weights add up to 0.
        columns[:, :n_columns] -= columns[:, :n_columns].mean(axis=1, keepdims=True)
    intercept = np.zeros(n_columns)
    if objective.fit_intercept:
        intercept = point[-1, :n_columns].copy()
        if objective.loss.coupled:  # to add the same to all changes nothing
            intercept -= intercept.mean()
    return Fitted(
        columns,
        intercept,
        solver,
        np.array([descent.n_iter]),
        descent.history,
        descent.reason == "interrupted",
    )


def adopt_fit(
    model: BaseEstimator,
    X: MatrixLike,
    classes: AnyArray,
    fitted: Fitted,
    dtype: np.dtype[Any],
    **more: object,
) -> None:
    """Give a model what a fit has found, with weights of a type; ``more`` is its further state."""
    columns, intercept = _weights_as(dtype, fitted.columns, fitted.intercept)
    adopt(
        model,
        X,
        classes_=classes,
        _columns=columns,
        intercept_=intercept,
        n_iter_=fitted.n_iter,
        solver_=fitted.solver,
        history_=fitted.history,
        **more,
    )


def _weights_as(
    dtype: np.dtype[Any], columns: AnyArray, intercept: AnyArray
) -> tuple[AnyArray, AnyArray]:
    """Return weights and intercepts in a type; ValueError if one is too large for it."""
    with np.errstate(over="ignore"):
        columns, intercept = columns.astype(dtype, copy=False), intercept.astype(dtype)
    if not (np.isfinite(columns).all() and np.isfinite(intercept).all()):
        raise ValueError(
            f"a weight is beyond {np.finfo(dtype).max:.2g}, the largest number of {dtype}: scale "
            "the features up" + ("" if dtype == np.float64 else ', or pass dtype="float64"')
        )
    return columns, intercept


def _iterates(
    name: str, objective: Objective, start: Floats, settings: Settings
) -> Iterator[Iterate]:
    """Return the iterates of a solver by its name."""
    if objective.loss.non_negative:
        if name not in PROJECTED:
            raise ValueError(
                f'solver="{name}" does not keep weights >= 0, which this loss asks for: use one of '
                f"{', '.join(PROJECTED)}"
            )
        return PROJECTED[name](objective, start)
    if name == "coordinate":
        return sparse_descent(objective, start, settings.l1_ratio)
    if name in STOCHASTIC:
        return STOCHASTIC[name](objective, start, settings.seed)
    return DESCENTS[name](objective, start)


def _penalty(problem: Problem, C: float) -> float | Floats:
    """Return lambda, of all features or of each."""
    penalty = penalty_of(C, problem.total_weight)
    if problem.scale is None:
        return penalty
    with np.errstate(over="ignore", under="ignore"):
        of_columns = penalty / problem.scale / problem.scale
    if penalty == 0.0:
        return 0.0
    return np.clip(of_columns, PENALTY_LEAST, PENALTY_LARGEST)[:, np.newaxis]


def _start(objective: Objective, problem: Problem, start: tuple[Any, Any] | None) -> Floats:
    """Return where to begin: at the given weights, if they are better than none."""
    point = np.zeros(objective.shape)
    if start is None:
        return point_inside(objective, None) if objective.loss.non_negative else point
    columns, intercept = start
    n_cols, n_columns = objective.matrix.n_cols, objective.loss.n_columns
    weights = np.asarray(columns[:, :n_columns], dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        if problem.scale is not None:
            weights = weights * problem.scale[:, np.newaxis]
        point[:n_cols, :n_columns] = weights
        if objective.fit_intercept:
            point[-1, :n_columns] = intercept
        if objective.loss.non_negative:
            return point_inside(objective, point)
        at_zero = objective.losses(np.zeros((objective.matrix.n_rows, objective.stride)))[0]
        # Scores of weights that fit other rows may be so large that they drown the right ones.
        better = objective.at(point).value <= at_zero
    return point if better else np.zeros(objective.shape)
