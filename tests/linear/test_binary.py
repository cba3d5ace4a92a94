"""BinaryRegression: optima against SciPy and between solvers, and what classifiers promise."""

import pickle

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp
from scipy.special import log_ndtr
from sklearn.exceptions import ConvergenceWarning

from wordodds import BinaryRegression, LogisticRegression
from wordodds.linear.solvers import DESCENTS

SOLVERS = list(DESCENTS)
LINKS = ["logit", "probit", "cloglog"]


def negative_log_likelihood(link, y, z):
    """Return the loss of each row, by SciPy's and NumPy's own functions."""
    if link == "logit":
        return np.logaddexp(0.0, z) - y * z
    if link == "probit":
        return -log_ndtr((2 * y - 1) * z)
    return np.where(y == 1, -np.log(-np.expm1(-np.exp(z))), np.exp(z))


def optimum(link, X, y, C, weights=None):
    """Return SciPy's weights, intercept and objective."""
    weights = np.ones(len(y)) if weights is None else weights

    def objective(point):
        losses = negative_log_likelihood(link, y, X @ point[:-1] + point[-1])
        return (weights @ losses + 0.5 / C * point[:-1] @ point[:-1]) / weights.sum()

    found = scipy.optimize.minimize(
        objective, np.zeros(X.shape[1] + 1), method="BFGS", options={"gtol": 1e-9}
    )
    return found.x[:-1], found.x[-1], found.fun


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(250, 6))
    y = (X @ rng.normal(size=6) + 0.4 + rng.logistic(size=250) > 0).astype(int)
    return X, y


@pytest.mark.parametrize("link", LINKS)
def test_optimum_is_that_of_scipy(problem, link):
    X, y = problem
    weights, intercept, value = optimum(link, X, y, C=3.0)
    model = BinaryRegression(link=link, C=3.0, tol=1e-10).fit(X, y)
    assert model.history_["objective"][-1] == pytest.approx(value, abs=1e-9)
    np.testing.assert_allclose(model.coef_[0], weights, atol=1e-4)
    np.testing.assert_allclose(model.intercept_, intercept, atol=1e-4)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("link", LINKS)
def test_all_solvers_reach_it(problem, link, solver):
    X, y = problem
    expected = BinaryRegression(link=link, tol=1e-10).fit(X, y)
    model = BinaryRegression(link=link, solver=solver, tol=1e-8, max_iter=2000).fit(
        sp.csr_array(X), y
    )
    assert model.solver_ == solver
    assert model.history_["objective"][-1] == pytest.approx(
        expected.history_["objective"][-1], abs=1e-12
    )
    np.testing.assert_allclose(model.coef_, expected.coef_, atol=1e-6)
    np.testing.assert_allclose(
        model.predict_proba(X), expected.predict_proba(sp.csc_array(X)), atol=1e-6
    )


def test_logit_is_logistic_regression(problem):
    X, y = problem
    ours = BinaryRegression(tol=1e-10).fit(X, y)
    other = LogisticRegression(tol=1e-10).fit(X, y)
    np.testing.assert_array_equal(ours.coef_, other.coef_)
    np.testing.assert_array_equal(ours.decision_function(X), other.decision_function(X))
    np.testing.assert_allclose(ours.predict_log_proba(X), other.predict_log_proba(X), rtol=1e-12)


@pytest.mark.parametrize("link", LINKS)
def test_weights_of_rows(problem, link):
    X, y = problem
    rng = np.random.default_rng(0)
    s = rng.integers(0, 3, size=len(y)).astype(float)
    model = BinaryRegression(link=link, tol=1e-10).fit(X, y, sample_weight=s)
    weights, _, value = optimum(link, X, y, 1.0, s)
    assert model.history_["objective"][-1] == pytest.approx(value, abs=1e-9)
    np.testing.assert_allclose(model.coef_[0], weights, atol=1e-4)
    absent = BinaryRegression(link=link, tol=1e-10).fit(X[s > 0], y[s > 0], sample_weight=s[s > 0])
    np.testing.assert_array_equal(absent.coef_, model.coef_)
    rows = np.repeat(np.arange(len(y)), s.astype(int))
    repeated = BinaryRegression(link=link, tol=1e-10).fit(X[rows], y[rows])
    np.testing.assert_allclose(repeated.coef_, model.coef_, rtol=1e-9)


@pytest.mark.parametrize("solver", ["newton-cg", "lbfgs"])
def test_the_same_bits_for_any_number_of_threads(solver):
    rng = np.random.default_rng(1)
    X = sp.random_array((20_000, 50), density=0.1, rng=rng, format="csr")
    y = (X @ rng.normal(size=50) + 0.1 * rng.normal(size=20_000) > 0).astype(int)
    models = [BinaryRegression(link="probit", solver=solver, n_jobs=n).fit(X, y) for n in (1, 2, 5)]
    for model in models[1:]:
        np.testing.assert_array_equal(model.coef_, models[0].coef_)
        np.testing.assert_array_equal(model.predict_log_proba(X), models[0].predict_log_proba(X))


@pytest.mark.parametrize("link", LINKS)
def test_float32_and_long_indices(problem, link):
    X, y = problem
    expected = BinaryRegression(link=link, tol=1e-8).fit(X, y)
    rows = sp.csr_array(X.astype(np.float32))
    rows.indices, rows.indptr = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
    model = BinaryRegression(link=link, tol=1e-8).fit(rows, y)
    assert model.coef_.dtype == np.float32
    np.testing.assert_allclose(model.coef_, expected.coef_, atol=1e-5)
    assert BinaryRegression(link=link, dtype="float64").fit(rows, y).coef_.dtype == np.float64


@pytest.mark.parametrize("link", LINKS)
def test_predictions_agree_with_each_other(problem, link):
    X, y = problem
    labels = np.array(["no", "yes"])[y]
    model = BinaryRegression(link=link).fit(X, labels)
    probable = model.predict_proba(X)[:, 1] > 0.5
    np.testing.assert_array_equal(model.predict(X) == "yes", probable)
    np.testing.assert_array_equal(model.decision_function(X) > 0.0, probable)
    assert model.score(X, labels) == np.mean(probable == y)
    # The linear view predicts the same.
    best = (X @ model.weights_.T + model.bias_).argmax(axis=1)
    np.testing.assert_array_equal(model.classes_[best], model.predict(X))
    assert model.log_odds(2, "yes") == pytest.approx(model.coef_[0, 2])
    strongest = int(model.coef_[0].argmax())
    assert model.top_features(1)["yes"] == [(strongest, pytest.approx(model.coef_.max()))]
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_a_later_change_of_the_parameter_changes_no_prediction(problem):
    X, y = problem
    model = BinaryRegression(link="probit").fit(X, y)
    before = model.predict_proba(X)
    model.set_params(link="cloglog")
    np.testing.assert_array_equal(model.predict_proba(X), before)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("link", LINKS)
def test_separable_data_end_with_a_warning(link, solver):
    X = np.array([[-2.0, 1.0], [-1.0, 0.0], [1.0, 1.0], [2.0, 0.0]])
    model = BinaryRegression(link=link, C=np.inf, solver=solver, tol=0.0, max_iter=8)
    with pytest.warns(ConvergenceWarning, match="no useful bound on the gap"):
        model.fit(X, [0, 0, 1, 1])
    assert model.score(X, [0, 0, 1, 1]) == 1.0
    assert np.isfinite(model.coef_).all()


def test_warm_start_begins_where_the_last_fit_ended(problem):
    X, y = problem
    model = BinaryRegression(link="cloglog", warm_start=True, tol=1e-8).fit(X, y)
    assert model.n_iter_[0] > 1
    assert model.fit(X, y).n_iter_[0] == 0


def test_three_classes_are_refused(problem):
    X, _ = problem
    with pytest.raises(ValueError, match=r"Only binary classification is supported.*3 classes"):
        BinaryRegression().fit(X, np.arange(len(X)) % 3)


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"link": "loglog"}, ValueError, "link must be one of logit, probit, cloglog, noisy_or"),
        ({"link": None}, ValueError, "link=None needs a loss"),
        ({"link": 3}, ValueError, "made by custom_link, got 3"),
        ({"loss": "hinge"}, TypeError, "loss must be made by custom_loss, or None, got 'hinge'"),
        ({"solver": "sag"}, ValueError, "solver must be one of auto, irls"),
        ({"C": 0.0}, ValueError, "C must be > 0"),
        ({"max_iter": 1.5}, TypeError, "max_iter must be an int"),
        ({"dtype": "int8"}, ValueError, "dtype must be float32, float64 or None"),
    ],
)
def test_wrong_parameters_are_named(problem, params, error, message):
    with pytest.raises(error, match=message):
        BinaryRegression(**params).fit(*problem)


def test_history_and_callback(problem):
    seen = []

    def stop(entry):
        seen.append(entry)
        return len(seen) == 3

    model = BinaryRegression(link="probit", solver="gd", callback=stop).fit(*problem)
    assert model.n_iter_[0] == 2
    assert (np.diff(model.history_["objective"]) < 0.0).all()
    assert [entry["passes"] for entry in seen] == model.history_["passes"].tolist()
