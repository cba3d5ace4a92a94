"""Rows, labels and priors of `NBLogisticRegression`, as its kernels take them."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import scipy.special

from wordodds._border.csr import CsrArrays
from wordodds._border.execution import Execution
from wordodds._core import linear as core
from wordodds._core import sparse
from wordodds._core.base import lane_stride
from wordodds.typing import AnyFloats, Codes, Floats, Floats32, Ints

__all__ = [
    "LabelTable",
    "LocalStep",
    "RatioPrior",
    "first_equal_rows",
    "gap_scale",
    "gaps_of_rows",
    "label_table",
    "local_step",
    "merge_equal_rows",
    "padded",
    "ratio_problem",
    "ratios_of_counts",
]


class RatioPrior(NamedTuple):
    """The prior of the weights, which naive Bayes sets."""

    alpha: float
    floor: float
    intercept_step: float


class LabelTable(NamedTuple):
    """The weight of each row for each class, as CSR arrays; a row may have several labels."""

    indptr: Ints
    codes: Codes
    weights: Floats


def label_table(
    rows: npt.NDArray[np.integer[Any]], codes: Codes, weights: Floats, shape: tuple[int, int]
) -> LabelTable:
    """Sum the weights of examples that share a row and a class; those of weight zero are dropped.

    Examples
    --------
    >>> table = label_table(np.array([0, 1, 0]), np.array([1, 0, 1], np.int32), np.ones(3), (2, 2))
    >>> table.codes, table.weights
    (array([1, 0], dtype=int32), array([2., 1.]))
    """
    summed = sp.coo_array((weights, (rows, codes)), shape=shape).tocsr()
    summed.eliminate_zeros()
    return LabelTable(
        summed.indptr.astype(np.int64),
        summed.indices.astype(np.int32),
        summed.data.astype(np.float64),
    )


def merge_equal_rows(rows: CsrArrays, how: Execution) -> tuple[CsrArrays, Ints]:
    """Return the distinct rows, by first occurrence, and for each row the number of its own."""
    numbers, n_distinct = sparse.csr_number_rows(rows, *how)
    if n_distinct == rows.n_rows:
        return rows, numbers
    return rows.take(_first_of_each(numbers)), numbers


def first_equal_rows(rows: CsrArrays, how: Execution) -> Ints:
    """Return the number of the first equal row of each row, to merge labels without a copy."""
    numbers, n_distinct = sparse.csr_number_rows(rows, *how)
    return numbers if n_distinct == rows.n_rows else _first_of_each(numbers)[numbers]


def _first_of_each(numbers: Ints) -> Ints:
    """Return the position of the first occurrence of each number; numbers ascend by it."""
    return np.flatnonzero(np.diff(np.maximum.accumulate(numbers), prepend=-1))


def ratio_problem(
    rows: CsrArrays,
    labels: LabelTable,
    n_columns: int,
    prior: RatioPrior,
    seed: int,
    how: Execution,
) -> core.RatioAscent:
    """Return dual ascent over rows of float64 entries >= 0; rows without labels can be scored."""
    ratios = core.csr_count_ratios(
        rows, labels, *how, n_columns=n_columns, alpha=float(prior.alpha)
    )
    return core.ratio_ascent(
        rows,
        labels,
        ratios,
        floor=float(prior.floor),
        intercept_step=float(prior.intercept_step),
        seed=seed,
    )


def ratios_of_counts(counts: Floats, n_columns: int, alpha: float, how: Execution) -> Floats32:
    """Return log-count ratios, (n_features, n_columns), from counts (n_classes, n_features)."""
    own = np.ascontiguousarray(counts[-n_columns:])
    return core.count_ratios(np.asarray(counts.sum(axis=0)), own, *how, alpha=float(alpha))


def gap_scale(C: float, class_weights: Floats, n_columns: int) -> Floats:
    """Return what the duality gap of each column is divided by, to be in the unit of ``tol``.

    Examples
    --------
    >>> gap_scale(10.0, np.array([5.0, 2.0]), 1)
    array([20.])
    """
    own, total = class_weights[-n_columns:], class_weights.sum()
    less = np.minimum(own, total - own)
    return np.asarray(C * np.where(less > 0.0, less, total))


def gaps_of_rows(
    rows: CsrArrays, costs: Floats, log_odds: Floats32, weights: AnyFloats, intercept: Floats
) -> Floats:
    """Return a bound on what rows, of costs C times weight, add to the gap of each column."""
    scores = rows.to_scipy() @ weights + intercept
    wrong = scipy.special.expit(log_odds) - scipy.special.expit(scores)
    return np.asarray(costs @ (wrong * (log_odds - scores)))


class LocalStep(NamedTuple):
    """What one of several processes made of its rows; all but the first add up."""

    log_odds: Floats32 | None
    change: Floats32  # of the weights, (n_features, n_columns)
    intercept_change: Floats
    gaps: Floats  # before the step


def local_step(
    rows: CsrArrays,
    codes: Codes,
    costs: Floats,
    *,
    ratios: Floats32,
    prior: RatioPrior,
    weights: Floats32,
    intercept: Floats,
    before: Floats32 | None,
    spread: int,
    epochs: int,
    seed: int,
    how: Execution,
) -> LocalStep:
    """Visit the rows of one process some times: the local solver of CoCoA+ (Ma et al., 2015).

    ``before`` is what the last step knew of the rows, ``spread`` the number of processes, all of
    which start from ``weights`` and ``intercept``.
    """
    n_columns = ratios.shape[1]
    gaps = np.full(n_columns, np.inf)
    log_odds = np.empty((len(codes), n_columns), dtype=np.float32)
    if before is not None:
        gaps = gaps_of_rows(rows, costs, before, weights, intercept)
        log_odds[:] = before
    state = core.RatioState(
        ratios,
        *how,
        floor=float(prior.floor),
        intercept_step=float(prior.intercept_step),
        lean=0.0,
        spread=float(spread),
    )
    state.read(weights, intercept)
    for epoch in range(epochs):
        is_first = before is None and epoch == 0
        state.ascend(
            rows,
            codes,
            costs,
            *how,
            is_first=is_first,
            seed=seed + epoch,
            log_odds_in_out=log_odds,
        )
    columns, its_intercept = state.weights()
    change = (columns[:, :n_columns] - weights).astype(np.float32) / np.float32(spread)
    return LocalStep(log_odds, change, (its_intercept - intercept) / spread, gaps)


def padded(weights: Floats32) -> Floats:
    """Return weights, (n_features, n_columns), as a model keeps them: in double, padded."""
    columns = np.zeros((len(weights), lane_stride(weights.shape[1])))
    columns[:, : weights.shape[1]] = weights
    return columns
