"""NBLogisticRegression against the same problem written out for other solvers."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression as Peer
from sklearn.utils.estimator_checks import parametrize_with_checks

from wordodds import NBLogisticRegression

EXACT = {"tol": 1e-9, "max_iter": 5000}


def problem(n_classes, n_rows=120, n_features=30, seed=0):
    random = np.random.default_rng(seed)
    y = random.integers(n_classes, size=n_rows)
    rate = random.gamma(0.3, size=(n_classes, n_features))
    X = random.poisson(rate[y]) * random.uniform(0.2, 1.0, size=(n_rows, n_features))
    return sp.csr_array(X), y


def ratio(X, positive, alpha, weights=None):
    present = (X != 0).astype(float)
    weights = np.ones(len(positive)) if weights is None else weights
    own, rest = (weights * positive) @ present + alpha, (weights * ~positive) @ present + alpha
    return np.log(own / own.sum()) - np.log(rest / rest.sum())


@pytest.mark.parametrize("n_classes", [2, 3, 5, 10])
def test_floor_zero_is_logistic_regression_on_scaled_columns(n_classes):
    X, y = problem(n_classes)
    model = NBLogisticRegression(C=2.0, alpha=0.5, floor=0.0, intercept_scaling=0.7, **EXACT)
    model.fit(X, y)
    for k in range(1 if n_classes == 2 else n_classes):
        positive = y == (1 if n_classes == 2 else k)
        r = ratio(X, positive, 0.5)
        # liblinear penalises the intercept as a column too.
        peer = Peer(C=2.0, solver="liblinear", intercept_scaling=0.7, tol=1e-10, max_iter=10_000)
        peer.fit(X * r, positive)
        np.testing.assert_allclose(model.coef_[k], peer.coef_[0] * r, rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(model.intercept_[k], peer.intercept_[0], rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("lean", [0.0, 0.7])
def test_the_objective_of_the_docstring_is_least(lean):
    X, y = problem(2)
    weights = np.random.default_rng(1).uniform(0.0, 2.0, len(y))
    model = NBLogisticRegression(
        C=3.0, alpha=0.25, floor=2.0, lean=lean, intercept_scaling=0.3, **EXACT
    )
    model.fit(X, y, sample_weight=weights)
    towards = lean * ratio(X, y == 1, 0.25, weights)
    scale = ratio(X, y == 1, 0.25, weights) ** 2 + 2.0
    sign = np.where(y == 1, 1.0, -1.0)

    def objective(parameters):
        w, b = parameters[:-1], parameters[-1]
        loss = weights @ np.logaddexp(0.0, -sign * (X @ w + b))
        return 3.0 * loss + ((w - towards) ** 2 / scale).sum() / 2 + b**2 / 0.3**2 / 2

    best = minimize(objective, np.zeros(X.shape[1] + 1), method="BFGS", options={"gtol": 1e-7})
    ours = objective(np.append(model.coef_[0], model.intercept_[0]))
    assert ours <= best.fun * (1 + 1e-7)


@pytest.mark.parametrize("C", [1.0, 30.0, 1000.0])
@pytest.mark.parametrize("tol", [2e-2, 3e-5])
def test_the_gap_bounds_the_distance_from_the_optimum(C, tol):
    # Few features and contradictory labels: every row moves the scores of all others.
    rng = np.random.default_rng(7)
    for _ in range(40):
        n_rows, n_features = rng.integers(4, 30), rng.integers(2, 6)
        X = sp.csr_array((rng.random((n_rows, n_features)) < 0.4).astype(float))
        y = (rng.random(n_rows) < 0.5).astype(int)
        if len(np.unique(y)) < 2 or X.nnz == 0:
            continue
        r = ratio(X, y == 1, 0.5)

        def objective(weights, b, X=X, y=y, r=r):
            losses = np.logaddexp(0.0, -(2 * y - 1) * (X @ weights + b))
            return C * losses.sum() + 0.5 * (np.sum(weights**2 / (r**2 + 2.0)) + b**2)

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = NBLogisticRegression(C=C, tol=tol).fit(X, y)
        start = np.append(model.coef_[0], model.intercept_)
        best = minimize(lambda p, f=objective: f(p[:-1], p[-1]), start, method="L-BFGS-B").fun
        scale = C * min(y.sum(), len(y) - y.sum())
        distance = (objective(model.coef_[0], model.intercept_[0]) - best) / scale
        assert distance <= model.gap_ + 1e-9


def test_weights_are_repetitions():
    X, y = problem(3)
    weights = np.random.default_rng(2).integers(0, 3, len(y))
    weighted = NBLogisticRegression(**EXACT).fit(X, y, sample_weight=weights)
    repeated = NBLogisticRegression(**EXACT).fit(
        X[np.repeat(np.arange(len(y)), weights)], np.repeat(y, weights)
    )
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-3, atol=1e-3)


def test_layouts_of_the_matrix_do_not_matter():
    X, y = problem(3)
    expected = NBLogisticRegression().fit(X, y).coef_
    coo = X.tocoo()
    repeated = sp.csr_array(
        (
            np.concatenate([coo.data / 2, coo.data / 2, np.zeros(5)]),
            (
                np.concatenate([coo.coords[0], coo.coords[0], np.arange(5)]),
                np.concatenate([coo.coords[1], coo.coords[1], np.arange(5)]),
            ),
        ),
        shape=X.shape,
    )
    wide = X.copy()
    wide.indices, wide.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    for same in (X.tocsc(), X.toarray(), repeated, wide, sp.csr_matrix(X)):
        np.testing.assert_array_equal(NBLogisticRegression().fit(same, y).coef_, expected)


def test_the_same_bits_for_any_number_of_threads(instruction_set):
    X, y = problem(20, n_rows=400)
    one = NBLogisticRegression(n_jobs=1).fit(X, y)
    np.testing.assert_array_equal(one.coef_, NBLogisticRegression(n_jobs=5).fit(X, y).coef_)


def test_early_ends_are_told():
    X, y = problem(3)
    with pytest.warns(ConvergenceWarning, match=r"not converged after 2 epochs: .* raise max_iter"):
        model = NBLogisticRegression(max_iter=2, tol=1e-9).fit(X, y)
    assert model.n_iter_ == 2


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"C": 0.0}, ValueError, "C must be > 0"),
        ({"alpha": -1.0}, ValueError, "alpha must be > 0"),
        ({"floor": -1.0}, ValueError, "floor must be >= 0"),
        ({"tol": np.nan}, ValueError, "tol must be > 0"),
        ({"max_iter": 2.5}, TypeError, "max_iter must be a number"),
        ({"C": "1"}, TypeError, "C must be a number"),
        ({"C": np.complex128(1)}, TypeError, "C must be a number"),
        ({"floor": 1e39}, ValueError, "floor must be >= 0 and at most 1e.06"),
        ({"max_iter": 2**31}, ValueError, "max_iter must be > 0 and at most"),
    ],
)
def test_wrong_parameters(parameters, error, message):
    X, y = problem(2)
    with pytest.raises(error, match=message):
        NBLogisticRegression(**parameters).fit(X, y)


def test_wrong_matrices():
    X, y = problem(2)
    with pytest.raises(ValueError, match="Negative values"):
        NBLogisticRegression().fit(-X, y)
    with pytest.raises(ValueError, match="scale X down, or lower C"):
        NBLogisticRegression().fit(X * 1e30, y)
    for model, weights in (
        (NBLogisticRegression(C=1e20), None),
        (NBLogisticRegression(), np.full(len(y), 1e39)),
        (NBLogisticRegression(class_weight={0: 1e300}), None),
    ):
        with pytest.raises(ValueError, match="scale X down, or lower C"):
            model.fit(X, y, sample_weight=weights)
    large = NBLogisticRegression(C=1.0, **EXACT).fit(X * 1e6, y)
    np.testing.assert_allclose(large.predict_proba(X * 1e6).sum(axis=1), 1.0)
    with pytest.raises(ValueError, match="one class"):
        NBLogisticRegression().fit(X, np.zeros(len(y), int))


NOT_APPLICABLE = {
    # Runs only where SciPy was imported in its array API mode; we take NumPy arrays.
    "check_array_api_input",
    # Feed negative numbers, which must be refused.
    "check_class_weight_classifiers",
    "check_decision_proba_consistency",
    # Want the same digits from other rows in another order; see test_weights_are_repetitions.
    "check_sample_weight_equivalence",
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
}


@pytest.mark.filterwarnings("ignore:Can't check dok sparse matrix for nan or inf")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([NBLogisticRegression()])
def test_estimator_check(estimator, check):
    if check.func.__name__ not in NOT_APPLICABLE:
        check(estimator)
