"""Noisy-OR: no weight is negative, and the optimum is still the optimum."""

import re

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from wordodds import BinaryRegression

SOLVERS = ["newton-cg", "gd"]


def draw(rng, n, weights, leak):
    X = (rng.random((n, len(weights))) < 0.3) * rng.integers(1, 4, size=(n, len(weights)))
    y = rng.random(n) < -np.expm1(-(X @ weights + leak))
    return X.astype(float), y.astype(int)


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(8)
    return draw(rng, 400, np.array([0.0, 0.6, 0.0, 0.1, 0.02, 1.5, 0.0]), 0.05)


def objective(X, y, C, intercept, point):
    """Return value and gradient; the last parameter is the leak."""
    positive = y == 1
    # SciPy also looks at the border of the domain.
    z = np.maximum(X @ point[:-1] + point[-1], 1e-12 * positive)
    inside = np.where(positive, z, 1.0)
    losses = np.where(positive, -np.log(-np.expm1(-inside)), z)
    by_scores = np.where(positive, -1.0 / np.expm1(inside), 1.0) / len(y)
    penalty = point[:-1] / C / len(y)
    gradient = np.append(X.T @ by_scores + penalty, intercept * by_scores.sum())
    return losses.mean() + 0.5 * penalty @ point[:-1], gradient


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize(
    ("solver", "C"), [("newton-cg", 1e-2), ("newton-cg", 1.0), ("newton-cg", np.inf), ("gd", 1e-2)]
)
def test_optimum_is_that_of_scipy(problem, solver, C, intercept):
    X, y = problem
    if not intercept:
        kept = (X.sum(axis=1) > 0) | (y == 0)
        X, y = X[kept], y[kept]
    start = np.append(np.full(7, 0.1), 0.1 * intercept)
    best = scipy.optimize.minimize(
        lambda point: objective(X, y, C, intercept, point),
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, None)] * 7 + [(1e-12 * intercept, None)],
        options={"ftol": 1e-15, "gtol": 1e-9},
    )
    model = BinaryRegression(
        link="noisy_or", C=C, solver=solver, tol=1e-9, max_iter=2000, fit_intercept=intercept
    ).fit(sp.csr_array(X), y)
    value = model.history_["objective"][-1]
    assert value <= best.fun + 1e-10
    assert value == pytest.approx(best.fun, abs=1e-6)
    point = np.append(model.coef_[0], model.intercept_)
    again, gradient = objective(X, y, C, intercept, point)
    assert again == pytest.approx(value, abs=1e-12)
    # No parameter is negative; no gradient is, and it is zero where the parameter is not.
    assert (point >= 0.0).all()
    assert gradient.min() > -1e-8
    assert np.abs(gradient[point > 1e-6]).max() < 1e-8
    assert (point[:-1] == 0.0).any()


def test_parameters_are_found_again():
    weights = np.array([0.0, 0.6, 0.0, 0.1, 0.02, 1.5, 0.0])
    X, y = draw(np.random.default_rng(3), 200_000, weights, 0.05)
    model = BinaryRegression(link="noisy_or", C=np.inf, tol=1e-7).fit(sp.csr_array(X), y)
    np.testing.assert_allclose(model.coef_[0], weights, atol=0.02)
    np.testing.assert_allclose(model.intercept_, 0.05, atol=0.01)


def test_probabilities_are_those_of_independent_causes(problem):
    X, y = problem
    model = BinaryRegression(link="noisy_or").fit(X, y)
    # Nothing happens if the leak and every cause, each as often as it is there, all fail.
    fail = np.exp(-model.intercept_[0]) * np.prod(np.exp(-model.coef_[0]) ** X, axis=1)
    np.testing.assert_allclose(model.predict_proba(X), np.stack([fail, 1 - fail], axis=1))
    np.testing.assert_array_equal(model.predict(X), (fail < 0.5).astype(int))


def test_an_empty_row_is_certain_without_a_leak():
    model = BinaryRegression(link="noisy_or", fit_intercept=False).fit([[1.0], [0.0]], [1, 0])
    np.testing.assert_array_equal(model.predict_proba([[0.0]]), [[1.0, 0.0]])
    np.testing.assert_array_equal(model.predict_log_proba([[0.0]]), [[0.0, -np.inf]])


@pytest.mark.parametrize("make", [np.array, sp.csr_array])
def test_negative_features_are_refused(problem, make):
    X, y = problem
    model = BinaryRegression(link="noisy_or").fit(X, y)
    damaged = X.copy()
    damaged[3, 1] = -1.0
    with pytest.raises(ValueError, match="Negative values in data passed to BinaryRegression"):
        BinaryRegression(link="noisy_or").fit(make(damaged), y)
    with pytest.raises(ValueError, match="Negative values in data passed to BinaryRegression"):
        model.predict(make(damaged))
    BinaryRegression(link="probit").fit(make(damaged), y).predict(make(damaged))


def test_positive_rows_without_features_need_an_intercept():
    X, y = [[1.0, 0.0], [0.0, 0.0], [0.0, 2.0], [0.0, 0.0]], [1, 1, 0, 0]
    with pytest.raises(ValueError, match="1 rows of the positive class have no features"):
        BinaryRegression(link="noisy_or", fit_intercept=False).fit(X, y)
    BinaryRegression(link="noisy_or").fit(X, y)


@pytest.mark.parametrize("intercept", [True, False])
def test_the_warning_of_an_early_end_bounds_the_gap(problem, intercept):
    X, y = problem
    kept = (X.sum(axis=1) > 0) | (y == 0)
    X, y = X[kept], y[kept]
    model = BinaryRegression(link="noisy_or", solver="gd", tol=1e-9, fit_intercept=intercept, C=0.1)
    best = clone(model).set_params(solver="newton-cg").fit(X, y).history_["objective"][-1]
    for n in (30, 60, 100):
        with pytest.warns(ConvergenceWarning, match="above the optimum") as caught:
            model.set_params(max_iter=n).fit(X, y)
        bound = float(re.search(r"at most (\S+) above", str(caught[0].message)).group(1))
        gap = model.history_["objective"][-1] - best
        assert 0.0 < gap <= 1.05 * bound  # the message has two digits
        assert bound < 1e4 * gap


@pytest.mark.parametrize("solver", ["irls", "lbfgs", "cg"])
def test_solvers_that_leave_the_domain_are_refused(problem, solver):
    with pytest.raises(ValueError, match=f'"{solver}" does not keep weights >= 0.*newton-cg, gd'):
        BinaryRegression(link="noisy_or", solver=solver).fit(*problem)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_separable_data_end(solver):
    X = np.array([[0.0, 1.0], [0.0, 2.0], [1.0, 0.0], [3.0, 1.0]])
    model = BinaryRegression(link="noisy_or", C=np.inf, solver=solver, tol=1e-12, max_iter=500)
    model.fit(X, [0, 0, 1, 1])
    assert np.isfinite(model.coef_).all()
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], [0, 0, 1, 1], atol=1e-2)


def test_warm_start_and_threads(problem):
    X, y = problem
    model = BinaryRegression(link="noisy_or", warm_start=True, tol=1e-8, n_jobs=1).fit(X, y)
    other = BinaryRegression(link="noisy_or", tol=1e-8, n_jobs=5).fit(X, y)
    np.testing.assert_array_equal(other.coef_, model.coef_)
    assert model.fit(X, y).n_iter_[0] == 0


@pytest.mark.parametrize("scale", [1e-200, 1e-30, 1e30, 1e200])
def test_features_of_any_size(problem, scale):
    X, y = problem
    model = BinaryRegression(link="noisy_or", C=np.inf, tol=1e-7)
    expected = model.fit(X, y).predict_proba(X)
    sizes = np.array([1.0, scale, 1.0, 1.0, 1.0, 1.0, 1.0])
    found = model.fit(X * sizes, y).predict_proba(X * sizes)
    np.testing.assert_allclose(found, expected, atol=1e-3)
