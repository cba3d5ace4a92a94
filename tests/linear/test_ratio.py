"""Rows, labels and steps of NBLogisticRegression's kernels."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from wordodds import NBLogisticRegression
from wordodds._border.csr import CsrArrays
from wordodds._border.execution import execution
from wordodds.linear.ratio import (
    RatioPrior,
    first_equal_rows,
    gap_scale,
    label_table,
    local_step,
    merge_equal_rows,
    padded,
    ratios_of_counts,
)

HOW = execution(1)


def arrays(matrix):
    return CsrArrays.of(sp.csr_array(matrix))


def counts(n_rows=300, n_columns=12, seed=0):
    return np.random.default_rng(seed).poisson(0.4, (n_rows, n_columns)).astype(float)


def test_equal_rows_become_one():
    X = counts()
    distinct, numbers = merge_equal_rows(arrays(X), HOW)
    first, inverse = np.unique(X, axis=0, return_inverse=True)
    assert distinct.n_rows == len(first) < len(X)
    whole = sp.csr_array((distinct.data, distinct.indices, distinct.indptr), shape=distinct[3:])
    assert_array_equal(whole.toarray()[numbers], X)
    assert len(np.unique(numbers)) == len(np.unique(inverse))
    assert_array_equal(
        np.unique(numbers, return_index=True)[1],
        np.sort([np.flatnonzero(numbers == n)[0] for n in range(distinct.n_rows)]),
    )


def test_first_of_equal_rows():
    X = counts()
    expected = [next(i for i, row in enumerate(X) if (row == own).all()) for own in X]
    assert_array_equal(first_equal_rows(arrays(X), HOW), expected)
    assert_array_equal(first_equal_rows(arrays(np.eye(4)), HOW), np.arange(4))


def test_rows_that_differ_are_left_alone():
    rows = arrays(np.eye(4))
    same, numbers = merge_equal_rows(rows, HOW)
    assert same is rows
    assert_array_equal(numbers, np.arange(4))


def test_label_tables_add_up():
    rows, codes = np.array([2, 0, 2, 2]), np.array([1, 0, 0, 1], dtype=np.int32)
    table = label_table(rows, codes, np.array([1.0, 2.0, 0.0, 3.0]), (3, 2))
    assert_array_equal(table.indptr, [0, 1, 1, 2])
    assert_array_equal(table.codes, [0, 1])
    assert_array_equal(table.weights, [2.0, 4.0])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_copies_of_a_row_are_its_weight(n_classes):
    """Merged rows, weighted rows and rows in any order have one optimum."""
    X, y = counts(), np.random.default_rng(1).integers(n_classes, size=300)
    merged = NBLogisticRegression(C=2.0, tol=1e-8).fit(X, y)
    shaken = X + np.random.default_rng(2).uniform(0, 1e-9, X.shape) * (X > 0)  # no two are equal
    apart = NBLogisticRegression(C=2.0, tol=1e-8).fit(shaken, y)
    assert_allclose(merged.coef_, apart.coef_, atol=1e-3)


@pytest.mark.parametrize("n_processes", [1, 3])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_local_steps_reach_the_optimum_of_one_process(n_processes, n_classes):
    X = np.random.default_rng(4).poisson(0.02, (240, 300)).astype(float)  # sparse, as text is
    y = np.random.default_rng(3).integers(n_classes, size=240).astype(np.int32)
    C, lean, prior = 2.0, 0.4, RatioPrior(0.5, 1.0, 1.0)
    model = NBLogisticRegression(C=C, lean=lean, alpha=0.5, floor=1.0, tol=1e-9).fit(X, y)
    n_columns = 1 if n_classes == 2 else n_classes
    frequencies = np.array([(X[y == k] > 0).sum(axis=0) for k in range(n_classes)], dtype=float)
    ratios = ratios_of_counts(frequencies, n_columns, prior.alpha, HOW)
    weights, intercept = np.float32(lean) * ratios, np.zeros(n_columns)
    parts = [slice(i, None, n_processes) for i in range(n_processes)]
    known = [None] * n_processes
    scale = gap_scale(C, np.bincount(y).astype(float), n_columns)
    gap = np.inf
    for round_ in range(400):
        steps = [
            local_step(
                arrays(X[part]), np.ascontiguousarray(y[part]), np.full(len(y[part]), C),
                ratios=ratios, prior=prior, weights=weights, intercept=intercept, before=before,
                spread=n_processes, epochs=3, seed=round_, how=HOW,
            )
            for part, before in zip(parts, known, strict=True)
        ]  # fmt: skip
        known = [step.log_odds for step in steps]
        gap = float((sum(step.gaps for step in steps) / scale).max())
        weights = weights + sum(step.change for step in steps)
        intercept = intercept + sum(step.intercept_change for step in steps)
        if gap < 1e-8:
            break
    assert gap < 1e-6
    assert_allclose(padded(weights)[:, :n_columns].T, model.coef_, atol=2e-3)
    assert_allclose(intercept, model.intercept_, atol=2e-3)
