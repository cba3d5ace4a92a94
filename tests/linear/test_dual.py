"""Dual ascent against scipy.optimize, scikit-learn and its own promises."""

import itertools
import warnings

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp
from scipy.special import log_softmax
from sklearn.linear_model import LogisticRegression

from wordodds._border.csr import as_csr
from wordodds._border.execution import execution
from wordodds.linear.solvers.dual import dual_ascent

ONE = execution(1)


def problem(seed, n_rows=60, n_cols=200, n_classes=4, density=0.08):
    random = np.random.default_rng(seed)
    X = sp.random(n_rows, n_cols, density, "csr", random_state=random)
    codes = random.integers(0, n_classes, n_rows).astype(np.int32)
    codes[:n_classes] = np.arange(n_classes)
    return X, codes, random.uniform(0.5, 3.0, n_rows)


def ascend(X, codes, row_weights, loss="softmax", n_columns=4, C=3.0, jobs=ONE, n=40, **options):
    options = {"fit_intercept": True, "seed": 0} | options
    matrix = as_csr(X, non_negative=False, execution=jobs)
    steps = dual_ascent(
        matrix, codes, row_weights, loss=loss, n_columns=n_columns, C=C, how=jobs, **options
    )
    return list(itertools.islice(steps, n))


def objective(point, X, codes, row_weights, loss, C, fit_intercept):
    """The value and the gradient, written down as they stand in the documentation."""
    n_columns = point.shape[1]
    weights = point[: X.shape[1]]
    scores = X @ weights + (point[-1] if fit_intercept else 0.0)
    positive = np.arange(n_columns) == codes[:, None] if n_columns > 1 else codes[:, None] == 1
    if loss == "softmax":
        log_p = log_softmax(scores, axis=1)
        losses, p = -(log_p * positive).sum(axis=1), np.exp(log_p)
    else:
        losses = np.logaddexp(0.0, np.where(positive, -scores, scores)).sum(axis=1)
        p = 1.0 / (1.0 + np.exp(-np.clip(scores, -500, 500)))
    total = row_weights.sum()
    residuals = row_weights[:, None] * (p - positive) / total
    gradient = X.T @ residuals + weights / (C * total)
    if fit_intercept:
        gradient = np.vstack([gradient, residuals.sum(axis=0)])
    return row_weights @ losses / total + (weights**2).sum() / (2 * C * total), gradient


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize(
    ("loss", "n_columns"), [("softmax", 4), ("softmax", 2), ("logistic", 4), ("logistic", 1)]
)
def test_the_optimum_is_that_of_scipy(loss, n_columns, fit_intercept):
    n_classes = max(2, n_columns)
    X, codes, row_weights = problem(1, n_classes=n_classes)
    shape = (X.shape[1] + fit_intercept, n_columns)
    C = 3.0

    def flat(w):
        value, gradient = objective(w.reshape(shape), X, codes, row_weights, loss, C, fit_intercept)
        return value, gradient.ravel()

    best = scipy.optimize.minimize(
        flat, np.zeros(np.prod(shape)), jac=True, method="L-BFGS-B",
        options={"maxiter": 5000, "ftol": 0, "gtol": 1e-10, "maxfun": 10000},
    )  # fmt: skip
    steps = ascend(X, codes, row_weights, loss, n_columns, C=C, fit_intercept=fit_intercept)
    last = steps[-1]
    assert last.value == pytest.approx(best.fun, rel=1e-9)
    assert last.gradient_norm < 1e-9
    expected = best.x.reshape(shape)
    actual = last.point
    if loss == "softmax" and fit_intercept:  # a constant added to all intercepts changes nothing
        expected[-1] -= expected[-1].mean()
        actual = actual.copy()
        actual[-1] -= actual[-1].mean()
    np.testing.assert_allclose(actual, expected, atol=1e-4)
    for step in steps:
        value, gradient = objective(step.point, X, codes, row_weights, loss, C, fit_intercept)
        assert step.value == pytest.approx(value, rel=1e-12)
        assert step.gradient_norm == pytest.approx(np.abs(gradient).max(), rel=1e-6, abs=1e-14)
    assert [step.passes for step in steps] == sorted({step.passes for step in steps})


@pytest.mark.parametrize("C", [1e-6, 0.1, 100.0])
def test_the_optimum_is_that_of_scikit_learn(C):
    X, codes, row_weights = problem(2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its line search gives up at the last digits
        peer = LogisticRegression(C=C, solver="newton-cg", tol=1e-10, max_iter=1000)
        peer.fit(X, codes, row_weights)
    expected, _ = objective(
        np.vstack([peer.coef_.T, peer.intercept_]), X, codes, row_weights, "softmax", C, True
    )
    last = ascend(X, codes, row_weights, C=C)[-1]
    assert last.value == pytest.approx(expected, rel=1e-9)
    np.testing.assert_allclose(last.point[:-1], peer.coef_.T, atol=1e-4)


@pytest.mark.parametrize("loss", ["softmax", "logistic"])
def test_the_same_bits_for_any_execution(loss):
    X, codes, row_weights = problem(3, n_classes=30, n_rows=200)
    first = ascend(X, codes, row_weights, loss, 30, n=4)
    again = ascend(X, codes, row_weights, loss, 30, n=4)
    other = ascend(X, codes, row_weights, loss, 30, n=4, seed=1)
    assert not np.array_equal(first[0].point, other[0].point)
    runs = [again]
    for n_jobs, instruction_set in ((2, ONE.instruction_set), (5, ONE.instruction_set), (1, 0)):
        jobs = ONE._replace(n_jobs=n_jobs, instruction_set=instruction_set)
        runs.append(ascend(X, codes, row_weights, loss, 30, n=4, jobs=jobs))
    for run in runs:
        for step, expected in zip(run, first, strict=True):
            np.testing.assert_array_equal(step.point, expected.point)
            assert step[1:] == expected[1:]


@pytest.mark.parametrize("loss", ["softmax", "logistic"])
def test_single_precision_hands_over(loss, monkeypatch):
    X, codes, row_weights = problem(4)
    expected = ascend(X, codes, row_weights, loss)[-1]
    monkeypatch.setattr("wordodds.linear.solvers.dual._SMALL", 0)
    steps = ascend(X, codes, row_weights, loss)
    assert steps[-1].value == pytest.approx(expected.value, rel=1e-13)
    np.testing.assert_allclose(steps[-1].point, expected.point, atol=1e-7)


def test_types_of_values_and_indices():
    X, codes, row_weights = problem(5)
    X.data = X.data.astype(np.float32).astype(np.float64)
    expected = ascend(X, codes, row_weights, n=3)
    narrow = X.astype(np.float32)
    wide = X.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    for matrix in (narrow, wide):
        for step, other in zip(ascend(matrix, codes, row_weights, n=3), expected, strict=True):
            np.testing.assert_array_equal(step.point, other.point)


@pytest.mark.parametrize("loss", ["softmax", "logistic"])
@pytest.mark.parametrize("C", [1e-6, 1.0, 1e6])
def test_hard_data_ends_without_nan(loss, C):
    random = np.random.default_rng(6)
    X = sp.random(30, 40, 0.1, "csr", random_state=random)
    codes = (np.arange(30) % 4).astype(np.int32)
    separable = sp.csr_array((np.ones(30), (np.arange(30), codes)), shape=(30, 4))
    scales = sp.diags_array(10.0 ** np.linspace(-200, 40, 40)) if C < 2 else sp.eye_array(40)
    empty = X.copy()
    empty.data[:] = 0.0
    scaled = (X @ scales).tocsr()
    for matrix in (X, separable, scaled, X * 1e-200, empty, X[:, :0]):
        for fit_intercept in (False, True):
            steps = ascend(matrix, codes, np.ones(30), loss, C=C, fit_intercept=fit_intercept, n=10)
            assert steps
            for step in steps:
                assert np.isfinite(step.point).all()
                assert np.isfinite(step.value)
                assert np.isfinite(step.gradient_norm)
            if matrix is scaled:  # no progress promised
                continue
            assert steps[-1].value <= (1 if loss == "softmax" else 4) * np.log(4) + 1e-12


def test_values_whose_squares_overflow_are_refused_in_silence():
    X, codes, row_weights = problem(7)
    assert ascend(X * 1e200, codes, row_weights) == []


def test_a_rare_class():
    X, codes, row_weights = problem(8)
    weights = np.where(codes == 0, 1e-6, 1.0) * row_weights
    last = ascend(X, codes, weights)[-1]
    value, gradient = objective(last.point, X, codes, weights, "softmax", 3.0, True)
    assert np.isfinite(value)
    assert np.abs(gradient).max() < 1e-8


def test_repeated_entries_and_explicit_zeros():
    X, codes, row_weights = problem(9)
    coo = X.tocoo()
    halves = sp.coo_array(
        (np.r_[coo.data / 2, coo.data / 2, 0.0],
         (np.r_[coo.row, coo.row, 3], np.r_[coo.col, coo.col, 7])),
        shape=X.shape,
    )  # fmt: skip
    twice = sp.csr_array(X.shape)
    order = np.argsort(halves.coords[0], kind="stable")
    twice.indptr = np.searchsorted(halves.coords[0][order], np.arange(61)).astype(np.int32)
    twice.indices = halves.coords[1][order].astype(np.int32)
    twice.data = halves.data[order]
    expected = ascend(X, codes, row_weights)[-1]
    actual = ascend(twice, codes, row_weights)[-1]
    assert actual.value == pytest.approx(expected.value, rel=1e-12)
    np.testing.assert_allclose(actual.point, expected.point, atol=1e-8)


@pytest.mark.parametrize("loss", ["softmax", "logistic"])
def test_a_start_near_the_optimum_saves_epochs(loss):
    X, codes, row_weights = problem(10)
    best = ascend(X, codes, row_weights, loss)[-1]
    warm = ascend(X, codes, row_weights, loss, start=best.point, n=1)[0]
    cold = ascend(X, codes, row_weights, loss, n=1)[0]
    assert warm.value - best.value < 1e-3 * (cold.value - best.value)
    far = ascend(X, codes, row_weights, loss, start=1e3 * best.point)[-1]
    assert far.value == pytest.approx(best.value, rel=1e-9)


def test_loss_must_be_known():
    X, codes, row_weights = problem(11)
    with pytest.raises(ValueError, match="loss must be"):
        ascend(X, codes, row_weights, loss="hinge")
