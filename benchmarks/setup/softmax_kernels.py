"""Softmax over tf-idf, value, gradient and products with the Hessian: for bench_linear.py.

Every contender starts at the same weights, with its input prepared in the form that it needs, and
returns plain arrays with the intercepts in the last row.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import log_softmax

from . import numba_twins as twins
from .contenders import is_ours, is_twin, threads_of


class Problem(NamedTuple):
    """Rows and labels, and the point to look from: weights, and intercepts in the last row."""

    X: object
    codes: np.ndarray
    point: np.ndarray
    penalty: float


def problem_at_random(X, codes, seed=0):
    """Return a problem at weights of no special size."""
    n_classes = int(codes.max()) + 1
    point = np.random.default_rng(seed).normal(size=(X.shape[1] + 1, n_classes))
    return Problem(X, codes, point, 1e-5)


def reference(problem):
    """Return value, gradient and probabilities by NumPy and SciPy."""
    X, codes, point, penalty = problem
    n_rows = X.shape[0]
    log_p = log_softmax(X @ point[:-1] + point[-1], axis=1)
    own = np.arange(n_rows), codes
    value = -log_p[own].mean() + 0.5 * penalty * np.sum(point[:-1] ** 2)
    probabilities = np.exp(log_p)
    slopes = probabilities.copy()
    slopes[own] -= 1.0
    slopes /= n_rows
    gradient = np.vstack([X.T @ slopes + penalty * point[:-1], slopes.sum(axis=0)])
    return value, gradient, probabilities


def reference_product(problem, probabilities, vector):
    """Return the Hessian times a vector by NumPy and SciPy."""
    scores = problem.X @ vector[:-1] + vector[-1]
    curved = probabilities * (scores - np.sum(probabilities * scores, axis=1, keepdims=True))
    curved /= len(scores)
    return np.vstack([problem.X.T @ curved + problem.penalty * vector[:-1], curved.sum(axis=0)])


def our_objective(problem, n_jobs):
    """Return our objective, and a function that pads a point for it."""
    # Here: on a commit that has these elsewhere, benchmarks.compare loses these jobs alone.
    from wordodds._border.csr import CsrArrays
    from wordodds._border.execution import execution
    from wordodds.linear.losses import SoftmaxLoss
    from wordodds.linear.matrix import SparseMatrix
    from wordodds.linear.objective import Objective

    X, codes, point, penalty = problem
    how = execution(n_jobs)
    arrays = CsrArrays.of(X)
    row_weights = np.full(X.shape[0], 1.0 / X.shape[0])
    loss = SoftmaxLoss(point.shape[1])
    objective = Objective(
        SparseMatrix(arrays, how),
        codes,
        row_weights,
        loss,
        penalty,
        fit_intercept=True,
        how=how,
    )

    def padded(array):
        wide = np.zeros(objective.shape)
        wide[:, : array.shape[1]] = array
        return wide

    return objective, padded


def value_and_gradient(problem, contender, note):
    """Return a job that computes value and gradient; ``note`` receives facts for the report."""
    X, codes, point, penalty = problem
    if is_ours(contender):
        objective, padded = our_objective(problem, threads_of(contender))
        start, n_classes = padded(point), point.shape[1]

        def ours():
            here = objective.at(start)
            return here.value, here.gradient[:, :n_classes]

        ours()  # makes the transpose, which a fit needs once
        return ours
    if is_twin(contender):
        arguments = X.indptr, X.indices, X.data, codes, point[:-1], point[-1], penalty
        return _twin(twins.softmax_value_and_gradient, arguments, contender, note)
    return lambda: reference(problem)


def hessian_product(problem, vector, contender, note):
    """Return a job that multiplies the Hessian with a vector."""
    X, _, point, penalty = problem
    probabilities = reference(problem)[2]
    if is_ours(contender):
        objective, padded = our_objective(problem, threads_of(contender))
        here, wide, n_classes = objective.at(padded(point)), padded(vector), point.shape[1]
        here.hessian_times(wide)  # makes the transpose
        return lambda: here.hessian_times(wide)[0][:, :n_classes]
    if is_twin(contender):
        arguments = X.indptr, X.indices, X.data, probabilities, vector, penalty
        return _twin(twins.softmax_hessian_product, arguments, contender, note)
    return lambda: reference_product(problem, probabilities, vector)


def _twin(function, arguments, contender, note):
    n_threads = threads_of(contender)
    kernel, seconds = twins.compiled(function, (*arguments, n_threads), n_threads)
    note["compile_seconds"] = seconds
    return lambda: kernel(*arguments, n_threads)
