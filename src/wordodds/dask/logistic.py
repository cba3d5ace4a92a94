"""Logistic regression over partitions: workers sum, the client's solver decides where to look."""

from __future__ import annotations

import time
import warnings
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from wordodds._border.execution import execution
from wordodds._estimator.random_state import random_source
from wordodds._estimator.state import adopt
from wordodds.dask import rows as tasks
from wordodds.dask.count import Chosen
from wordodds.dask.objective import RemoteObjective
from wordodds.dask.work import Work, identity
from wordodds.linear.descent import Descent, Limits, descend
from wordodds.linear.fit import weights_as
from wordodds.linear.problem import penalty_of
from wordodds.linear.ratio import LocalStep, gap_scale, padded, ratios_of_counts
from wordodds.linear.settings import Settings, settings_of, weight_type
from wordodds.linear.solvers import DESCENTS
from wordodds.typing import AnyArray, Floats

__all__ = ["check_logistic", "check_nb_logistic", "fit_logistic", "fit_nb_logistic"]

SOLVERS = ("auto", "newton-cg", "lbfgs", "cg", "gd")
# Of NBLogisticRegression: entries of a matrix that one worker holds (some 800 MB), and rounds.
ENTRIES_PER_GROUP = 1 << 26
ROUNDS_MAX = 100


class Minimum(NamedTuple):
    """Where a solver ended."""

    columns: Floats  # (n_columns of the matrix, width)
    intercept: Floats  # (n_columns of weights,)
    descent: Descent
    solver: str


def check_logistic(model: Any) -> Settings:
    """Return the settings of a LogisticRegression, if it can be fitted by rounds.

    Parameters
    ----------
    model : LogisticRegression
        Its parameters.
    """
    if model.multi_class not in ("multinomial", "ovr"):
        raise ValueError(
            f"multi_class={model.multi_class!r} fits each pair of classes by itself, which "
            'wordodds.dask does not: use multi_class="multinomial" or "ovr"'
        )
    if model.solver not in SOLVERS:
        raise ValueError(
            f"solver={model.solver!r} does not run on a cluster: use one of {', '.join(SOLVERS)}"
        )
    settings = settings_of(model, SOLVERS)
    if settings.l1_ratio > 0.0:
        raise ValueError(
            f"l1_ratio={model.l1_ratio} needs a solver that goes column by column, which "
            "wordodds.dask does not have: use l1_ratio=0.0"
        )
    return settings


def check_nb_logistic(model: Any) -> None:
    """Check the parameters of an NBLogisticRegression.

    Parameters
    ----------
    model : NBLogisticRegression
        Its parameters.
    """
    model._check_parameters()


def fit_logistic(model: Any, counted: list[Any], chosen: Any, work: Work) -> Any:
    """Fit a LogisticRegression.

    Parameters
    ----------
    model : LogisticRegression
        Its parameters; fitted, and returned.
    counted : list of Future
        Of `Counted`.
    chosen : Future
        Of `Chosen`.
    work : Work
        Which tasks belong to.
    """
    began = time.perf_counter()
    settings = check_logistic(model)
    rows = work.map(tasks.prepare, counted, chosen=chosen)
    known: Chosen = work.result(chosen)
    n_columns = _columns_for(model, known.classes)
    softmax = n_columns > 1 and model.multi_class == "multinomial"
    loss = tasks.LossOfRows(softmax, n_columns, settings.fit_intercept)
    penalty = penalty_of(settings.C, known.total_weight)
    objective = RemoteObjective(work, rows, known.n_columns, loss, penalty)
    found = _minimum(objective, settings.solver, settings.limits, began)
    columns, intercept = weights_as(
        weight_type(model.dtype, np.float64), found.columns, found.intercept
    )
    return adopt(
        model,
        sp.csr_array((1, known.n_columns)),
        classes_=known.classes,
        _columns=columns,
        intercept_=intercept,
        n_iter_=np.array([found.descent.n_iter]),
        solver_=found.solver,
        history_=found.descent.history,
        _kind=model.multi_class,
    )


def fit_nb_logistic(model: Any, counted: list[Any], chosen: Any, work: Work) -> Any:
    """Fit an NBLogisticRegression: on one worker where that can hold the rows, else by rounds.

    In a round each group of rows does some epochs of dual ascent from the same weights, and what
    they change is added up. Which rows are a group depends on the rows alone.

    Parameters
    ----------
    model : NBLogisticRegression
        Its parameters; fitted, and returned.
    counted, chosen, work
        As in `fit_logistic`.
    """
    rows = work.map(tasks.prepare, counted, chosen=chosen)
    known: Chosen = work.result(chosen)
    n_columns = _columns_for(model, known.classes)
    n_entries = sum(work.result(work.map(tasks.entries, rows)))
    n_groups = -(-n_entries // ENTRIES_PER_GROUP)
    if n_groups <= 1:
        group = work.submit(tasks.join, rows)
        total = known.total_weight
        return work.result(work.submit(tasks.fit_group, group, model, known.classes, total))
    documents = work.map(
        tasks.class_documents,
        rows,
        n_classes=len(known.classes),
        total_weight=known.total_weight,
    )
    _, of_classes = work.result(work.tree(tasks.add, documents))
    prior, how = model._prior(), execution(model.n_jobs)
    ratios = ratios_of_counts(np.ascontiguousarray(of_classes.T), n_columns, model.alpha, how)
    weights, intercept = np.float32(model.lean) * ratios, np.zeros(n_columns)
    class_weights = known.class_counts.astype(np.float64)
    if known.factors is not None:
        class_weights *= known.factors
    scale = gap_scale(float(model.C), class_weights, n_columns)
    settings = tasks.LocalSettings(prior, float(model.C) * known.total_weight, n_groups)
    shared_ratios = work.submit(identity, ratios)
    groups = [
        work.submit(
            tasks.join,
            [work.submit(tasks.share, part, number, n_groups) for part in rows],
        )
        for number in range(n_groups)
    ]
    steps: list[Any] = [None] * n_groups
    seed = int(random_source(model.random_state).randint(2**31 - 1))
    n_rounds, gap = 0, np.inf
    while gap > model._tolerance() and n_rounds < min(int(model.max_iter), ROUNDS_MAX):
        start = work.submit(identity, (weights, intercept))
        steps = [
            work.submit(tasks.ascend, group, step, shared_ratios, start, settings, seed + n_rounds)
            for group, step in zip(groups, steps, strict=True)
        ]
        change: LocalStep = work.result(work.tree(tasks.add_steps, steps))
        gap = float((change.gaps / scale).max())
        weights, intercept = weights + change.change, intercept + change.intercept_change
        n_rounds += 1
    learnt = model._learnt(known.classes, padded(weights), intercept, n_rounds, gap)
    adopt(model, sp.csr_array((1, known.n_columns)), **learnt)
    model._warn_early("rounds", "raise tol")
    return model


def _columns_for(model: Any, classes: AnyArray) -> int:
    if len(classes) < 2:
        raise ValueError(
            f"{type(model).__name__} needs samples of at least 2 classes in the data, but the data "
            f"contains only one class: {classes.tolist()[0]!r}"
        )
    return 1 if len(classes) == 2 else len(classes)


def _minimum(objective: RemoteObjective, solver: str, limits: Limits, began: float) -> Minimum:
    """Run a solver; what it finds is a weight for each column, and perhaps intercepts."""
    # Its iterations are one round each; Newton's method asks for ten times as many.
    name = "lbfgs" if solver == "auto" else solver
    descent = descend(DESCENTS[name](objective, np.zeros(objective.shape)), limits, began)
    if descent.reason == "interrupted":
        raise KeyboardInterrupt
    _warn_early(descent, limits, name)
    n_cols, n_columns = objective.matrix.n_cols, objective.loss.n_columns
    columns, intercept = descent.last.point[:n_cols], np.zeros(n_columns)
    if objective.fit_intercept:
        intercept = descent.last.point[-1, :n_columns].copy()
    if objective.loss.coupled:
        # To add the same to all classes changes no probability; the shortest weights add up to 0.
        columns[:, :n_columns] -= columns[:, :n_columns].mean(axis=1, keepdims=True)
        intercept -= intercept.mean()
    return Minimum(columns, intercept, descent, name)


def _warn_early(descent: Descent, limits: Limits, solver: str) -> None:
    norm = descent.last.gradient_norm
    # A solver that finds no way down within rounding is as near as double precision comes.
    near = descent.reason == "rounding" and norm <= max(10.0 * limits.tol, 1e-9)
    if descent.reason in ("converged", "callback") or near:
        return
    from sklearn.exceptions import ConvergenceWarning

    warnings.warn(
        f"{solver} ended by {descent.reason} after {descent.n_iter} iterations, before the "
        f"gradient was small: its norm is {norm:.2g}, tol is {limits.tol:g}. Raise max_iter or "
        "max_time; a smaller C is easier. To accept this fit, raise tol.",
        ConvergenceWarning,
        stacklevel=5,
    )
