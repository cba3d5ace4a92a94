"""Matrices with one defect each: every model raises ValueError, and none crashes."""

import numpy as np
import pytest
import scipy.sparse as sp

from wordodds import BernoulliNB, ComplementNB, LogisticRegression, MultinomialNB


def index_too_large(rng, X):
    X.indices[rng.integers(len(X.indices))] = X.shape[1] + rng.integers(2**30)


def index_negative(rng, X):
    X.indices[rng.integers(len(X.indices))] = -1 - rng.integers(2**30)


def indptr_decreases(rng, X):
    row = rng.integers(1, X.shape[0])
    X.indptr[row] = X.indptr[-1] + 1 + rng.integers(100)


def indptr_negative(rng, X):
    X.indptr[rng.integers(1, X.shape[0])] = -1 - rng.integers(100)


def indptr_too_long(rng, X):
    X.indptr[-1] += 1 + rng.integers(2**30)


def indptr_of_other_length(rng, X):
    X.indptr = np.append(X.indptr, X.indptr[-1])


def indptr_starts_late(rng, X):
    X.indptr[0] = 1


def lengths_differ(rng, X):
    X.data = X.data[:-1]


def not_a_number(rng, X):
    X.data[rng.integers(len(X.data))] = rng.choice([np.nan, np.inf, -np.inf])


DEFECTS = [
    index_too_large,
    index_negative,
    indptr_decreases,
    indptr_negative,
    indptr_too_long,
    indptr_of_other_length,
    indptr_starts_late,
    lengths_differ,
    not_a_number,
]


def random_matrix(rng):
    n_rows, n_cols = rng.integers(2, 12, 2)
    X = sp.random_array((n_rows, n_cols), density=0.5, rng=rng).tocsr()
    X = sp.csr_array(X) if X.nnz else sp.csr_array(np.ones((n_rows, n_cols)))
    dtype = rng.choice([np.int32, np.int64])
    X.indices, X.indptr = X.indices.astype(dtype), X.indptr.astype(dtype)
    return X


def ignoring_labels(method):
    return lambda X, labels: method(X)


@pytest.mark.parametrize("Model", [MultinomialNB, BernoulliNB, ComplementNB])
@pytest.mark.parametrize("defect", DEFECTS)
def test_a_damaged_matrix_raises_everywhere(Model, defect):
    rng = np.random.default_rng(0)
    for _ in range(25):
        X = random_matrix(rng)
        labels = np.arange(X.shape[0]) % 3
        model = Model().fit(X, labels)
        damaged = X.copy()
        defect(rng, damaged)
        for call in (Model().fit, model.partial_fit, model.forget, ignoring_labels(model.predict)):
            with pytest.raises(ValueError, match="X is not a valid matrix"):
                call(damaged, labels)
        expected = Model().fit(X, labels).predict_log_proba(X)
        np.testing.assert_array_equal(model.predict_log_proba(X), expected)


@pytest.mark.parametrize("multi_class", ["multinomial", "ovr", "ovo"])
@pytest.mark.parametrize("defect", DEFECTS)
def test_a_damaged_matrix_raises_in_logistic_regression(multi_class, defect):
    rng = np.random.default_rng(1)
    for _ in range(8):
        X = random_matrix(rng)
        labels = np.arange(X.shape[0]) % 3
        model = LogisticRegression(multi_class=multi_class).fit(X, labels)
        expected = model.predict_log_proba(X)
        damaged = X.copy()
        defect(rng, damaged)
        for call in (
            model.fit,
            ignoring_labels(model.predict),
            ignoring_labels(model.decision_function),
            ignoring_labels(model.predict_log_proba),
        ):
            with pytest.raises(ValueError, match="X is not a valid matrix"):
                call(damaged, labels)
        np.testing.assert_array_equal(model.predict_log_proba(X), expected)
