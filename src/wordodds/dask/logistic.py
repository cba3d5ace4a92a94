"""Logistic regression over partitions: workers sum, the client's solver decides where to look."""

from __future__ import annotations

import time
from typing import Any, cast

import numpy as np
import scipy.sparse as sp

from wordodds._border.execution import execution
from wordodds._estimator.random_state import random_source
from wordodds.dask import tasks
from wordodds.dask.cluster import FutureOf, Work, identity
from wordodds.dask.count import Chosen, Counted
from wordodds.dask.objective import RemoteObjective
from wordodds.linear import LogisticRegression, NBLogisticRegression
from wordodds.linear.fit import minimise
from wordodds.linear.logistic import adopt_logistic
from wordodds.linear.problem import columns_of_weights, penalty_of, require_two_classes
from wordodds.linear.ratio import LocalStep, gap_scale, padded, ratios_of_counts
from wordodds.linear.ratio_fit import adopt_ratio_fit, check_scale, ratio_settings, warn_of_gap
from wordodds.linear.settings import Settings, settings_of, weight_type
from wordodds.typing import Floats

__all__ = ["check_logistic", "check_nb_logistic", "fit_logistic", "fit_nb_logistic"]

SOLVERS = ("auto", "newton-cg", "lbfgs", "cg", "gd")
# Of NBLogisticRegression: entries of a matrix that one worker holds (some 800 MB), and rounds.
ENTRIES_PER_GROUP = 1 << 26
ROUNDS_MAX = 100


def check_logistic(model: LogisticRegression) -> Settings:
    """Return the settings of a LogisticRegression, if it can be fitted by rounds."""
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


def check_nb_logistic(model: NBLogisticRegression) -> None:
    """Check the parameters of an NBLogisticRegression."""
    ratio_settings(model)


def fit_logistic(
    model: LogisticRegression,
    counted: list[FutureOf[Counted]],
    chosen: FutureOf[Chosen],
    work: Work,
    settings: Settings,
) -> LogisticRegression:
    """Fit a LogisticRegression to futures of `Counted` and `Chosen`, and return it.

    ``settings`` are those that `check_logistic` returned.
    """
    began = time.perf_counter()
    rows = work.map(tasks.prepare, counted, chosen=chosen)
    known = work.result(chosen)
    require_two_classes(model, known.classes)
    n_cols, n_columns = known.n_cols, columns_of_weights(len(known.classes))
    softmax = n_columns > 1 and model.multi_class == "multinomial"
    loss = tasks.LossOfRows(softmax, n_columns, settings.fit_intercept)
    penalty = penalty_of(settings.C, known.total_weight)
    objective = RemoteObjective(work, rows, n_cols, loss, penalty)
    # An iteration of L-BFGS is one round; Newton's method asks for ten times as many.
    solver = "lbfgs" if settings.solver == "auto" else settings.solver
    fitted = minimise(objective, np.zeros(objective.shape), solver, settings, began)
    if fitted.interrupted:
        raise KeyboardInterrupt
    dtype = weight_type(model.dtype, np.float64)
    adopt_logistic(model, sp.csr_array((1, n_cols)), known.classes, fitted, dtype)
    return model


def fit_nb_logistic(
    model: NBLogisticRegression,
    counted: list[FutureOf[Counted]],
    chosen: FutureOf[Chosen],
    work: Work,
) -> NBLogisticRegression:
    """Fit an NBLogisticRegression: on one worker where that can hold the rows, else by rounds.

    In a round each group of rows does some epochs of dual ascent from the same weights, and what
    they change is added up. Which rows are a group depends on the rows alone.
    """
    rows = work.map(tasks.prepare, counted, chosen=chosen)
    known = work.result(chosen)
    require_two_classes(model, known.classes)
    n_cols, n_columns = known.n_cols, columns_of_weights(len(known.classes))
    n_entries = sum(work.result(work.map(tasks.entries, rows)))
    n_groups = -(-n_entries // ENTRIES_PER_GROUP)
    if n_groups <= 1:
        group = work.submit(tasks.join, rows)
        total = known.total_weight
        fitted = work.submit(tasks.fit_group, group, model, known.classes, total)
        return cast(NBLogisticRegression, work.result(fitted))
    settings, how = ratio_settings(model), execution(model.n_jobs)
    factors = np.ones(len(known.classes)) if known.factors is None else known.factors
    largest = max(work.result(work.map(tasks.largest_entry, rows)))
    check_scale(settings.C, float(factors.max()), largest)
    documents = work.map(
        tasks.class_documents,
        rows,
        n_classes=len(known.classes),
        total_weight=known.total_weight,
    )
    of_classes: Floats = work.result(work.tree(tasks.add, documents))
    prior = settings.prior
    ratios = ratios_of_counts(np.ascontiguousarray(of_classes.T), n_columns, prior.alpha, how)
    weights, intercept = np.float32(settings.lean) * ratios, np.zeros(n_columns)
    class_weights = known.class_counts * factors
    scale = gap_scale(settings.C, class_weights, n_columns)
    shared = tasks.LocalSettings(prior, settings.C * known.total_weight, n_groups)
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
    while gap > settings.tolerance and n_rounds < min(settings.max_iter, ROUNDS_MAX):
        start = work.submit(identity, (weights, intercept))
        steps = [
            work.submit(tasks.ascend, group, step, shared_ratios, start, shared, seed + n_rounds)
            for group, step in zip(groups, steps, strict=True)
        ]
        change: LocalStep = work.result(work.tree(tasks.add_steps, steps))
        gap = float((change.gaps / scale).max())
        weights, intercept = weights + change.change, intercept + change.intercept_change
        n_rounds += 1
    no_rows = sp.csr_array((1, n_cols))
    adopt_ratio_fit(model, no_rows, known.classes, padded(weights), intercept, n_rounds, gap)
    warn_of_gap(model, "rounds", "raise tol")
    return model
