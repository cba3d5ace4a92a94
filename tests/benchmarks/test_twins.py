"""Kernels and their twins, which were written apart, agree: a second oracle, compiled by Numba."""

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from benchmarks.setup import numba_twins as twins
from benchmarks.setup import softmax_kernels

from wordodds import MultinomialNB, SGDClassifier

N_ROWS, N_COLS, N_CLASSES = 60, 40, 5
PARTS = [1, 3]


@pytest.fixture(scope="module")
def rows():
    """Return a matrix with an empty row, and a label of every class."""
    rng = np.random.default_rng(0)
    X = sp.random_array((N_ROWS, N_COLS), density=0.2, format="csr", rng=rng, dtype=np.float64)
    X.data = rng.normal(size=X.nnz)
    X = sp.csr_array(X.multiply(np.arange(N_ROWS)[:, np.newaxis] != 7))
    X.eliminate_zeros()
    codes = np.r_[np.arange(N_CLASSES), rng.integers(N_CLASSES, size=N_ROWS - N_CLASSES)]
    return SimpleNamespace(X=X, arrays=(X.indptr, X.indices, X.data), codes=codes.astype(np.int32))


def twin(function, *arguments):
    """Run a twin, compiled for one thread; the parts of the split ones then come one by one."""
    return twins.compiled(function, arguments)[0](*arguments)


@pytest.mark.parametrize("n_parts", PARTS)
def test_naive_bayes_scores(rows, n_parts):
    X = sp.csr_array((np.abs(rows.X.data), rows.X.indices, rows.X.indptr), shape=rows.X.shape)
    model = MultinomialNB(alpha=0.5).fit(X, rows.codes)
    weights = np.ascontiguousarray(model.feature_log_prob_.T)
    scores = twin(
        twins.csr_scores,
        *(X.indptr, X.indices, X.data, weights, model.class_log_prior_, n_parts),
    )
    np.testing.assert_allclose(model.predict_joint_log_proba(X), scores, rtol=1e-13)


@pytest.mark.parametrize("n_parts", PARTS)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_softmax_value_gradient_and_hessian_product(rows, n_parts, n_jobs):
    problem = softmax_kernels.problem_at_random(rows.X, rows.codes)._replace(penalty=0.3)
    vector = softmax_kernels.problem_at_random(rows.X, rows.codes, seed=1).point
    point, penalty = problem.point, problem.penalty
    value, gradient, probabilities = twin(
        twins.softmax_value_and_gradient,
        *(*rows.arrays, rows.codes, point[:-1], point[-1], penalty, n_parts),
    )
    product = twin(
        twins.softmax_hessian_product, *rows.arrays, probabilities, vector, penalty, n_parts
    )
    objective, padded = softmax_kernels.our_objective(problem, n_jobs)
    here = objective.at(padded(point))
    assert here.value == pytest.approx(value, rel=1e-13)
    np.testing.assert_allclose(here.gradient[:, :N_CLASSES], gradient, rtol=0, atol=1e-14)
    ours, inner = here.hessian_times(padded(vector))
    np.testing.assert_allclose(ours[:, :N_CLASSES], product, rtol=0, atol=1e-13)
    assert inner == pytest.approx(np.sum(vector * product), rel=1e-12)


@pytest.mark.parametrize("alpha", [1e-5, 1e-2])
def test_an_epoch_of_sgd(rows, alpha):
    is_first = (rows.codes == 0).astype(np.int32)
    weights, bias = twin(twins.sgd_epoch, *rows.arrays, is_first, alpha, 0.01, N_COLS)
    model = SGDClassifier("log_loss", alpha=alpha, max_iter=1, tol=None, shuffle=False)
    model.fit(rows.X, is_first)
    np.testing.assert_allclose(model.coef_[0], weights, rtol=1e-11, atol=1e-13)
    assert model.intercept_[0] == pytest.approx(bias, rel=1e-11)
