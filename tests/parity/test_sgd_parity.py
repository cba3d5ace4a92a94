"""SGDClassifier beside scikit-learn's, on rows in a fixed order: the same steps."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import SGDClassifier as Peer

from wordodds import SGDClassifier

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

LOSSES = ["log_loss", "hinge", "squared_hinge", "modified_huber", "perceptron", "squared_error"]
SCHEDULES = {
    "constant": {"eta0": 0.02},
    "optimal": {},
    "invscaling": {"eta0": 0.1, "power_t": 0.3},
    "adaptive": {"eta0": 0.05, "tol": 1e-2, "n_iter_no_change": 2, "max_iter": 60},
}


def rows(n_classes, density=0.3, seed=0, shape=(120, 30)):
    rng = np.random.default_rng(seed)
    X = sp.random_array(shape, density=density, rng=rng).tocsr()
    return sp.csr_array(X), rng.integers(0, n_classes, shape[0])


def both(X, y, fit=None, **parameters):
    parameters = {"tol": None, "max_iter": 3, "alpha": 1e-2, "shuffle": False, **parameters}
    models = [Model(**parameters).fit(X, y, **(fit or {})) for Model in (SGDClassifier, Peer)]
    assert models[0].n_iter_ == models[1].n_iter_
    return models


def assert_same(ours, theirs, rtol=1e-9):
    # Squared losses may diverge here, to weights of 1e11: small ones among them are differences.
    atol = rtol * max(1.0, np.abs(theirs.coef_).max())
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=rtol, atol=atol)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=rtol, atol=atol)


@pytest.mark.parametrize("n_classes", [2, 4, 19])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("schedule", list(SCHEDULES)[:3])
@pytest.mark.parametrize("dense", [False, True])
def test_the_weights_are_theirs(n_classes, loss, schedule, dense):
    X, y = rows(n_classes)
    X = X.toarray() if dense else X
    for max_iter in (1, 4):
        options = {**SCHEDULES[schedule], "learning_rate": schedule}
        assert_same(*both(X, y, loss=loss, max_iter=max_iter, **options))


@pytest.mark.parametrize("n_classes", [2, 9])
@pytest.mark.parametrize("schedule", list(SCHEDULES)[:3])
@pytest.mark.parametrize("average", [True, 50, 200, 10**6])
def test_averages_are_theirs(n_classes, schedule, average):
    X, y = rows(n_classes)
    options = {**SCHEDULES[schedule], "learning_rate": schedule}
    assert_same(*both(X, y, loss="log_loss", average=average, max_iter=4, **options))


def test_averages_are_theirs_also_across_batches():
    # Without a bias: theirs begins every batch with that of the first one.
    X, y = rows(3)
    models = [
        Model(loss="log_loss", average=True, alpha=1e-3, shuffle=False, fit_intercept=False)
        for Model in (SGDClassifier, Peer)
    ]
    for model in models:
        for first in range(0, 120, 30):
            batch = slice(first, first + 30)
            model.partial_fit(X[batch], y[batch], classes=[0, 1, 2])
    assert_same(*models)
    assert models[0].t_ == models[1].t_


@pytest.mark.parametrize("penalty", ["l1", "elasticnet", None])
@pytest.mark.parametrize("n_classes", [2, 5])
def test_other_penalties_are_theirs_where_every_row_has_every_feature(penalty, n_classes):
    # With gaps theirs leaves penalties that are due unapplied at the end; ours does not.
    X, y = rows(n_classes, density=1.0, shape=(80, 6))
    for schedule in ("constant", "invscaling"):
        options = {**SCHEDULES[schedule], "learning_rate": schedule}
        assert_same(*both(X, y, loss="log_loss", penalty=penalty, l1_ratio=0.4, **options))


@pytest.mark.needs("scikit-learn>=1.9")
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("loss", ["log_loss", "hinge"])
def test_epochs_end_where_theirs_do(loss, schedule):
    # Two classes and dense rows: their norm of w counts only the features of the last row.
    X, y = rows(2, density=1.0, shape=(60, 5))
    options = {"tol": 1e-3, "max_iter": 200, **SCHEDULES[schedule], "learning_rate": schedule}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        models = both(X.toarray(), y, loss=loss, **options)
    assert models[0].n_iter_ > 5
    assert_same(*models, rtol=1e-7)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_weights_of_rows_and_classes_are_theirs(n_classes):
    X, y = rows(n_classes)
    weights = {"sample_weight": np.random.default_rng(1).uniform(0.1, 3, len(y))}
    factors = {c: 1.0 + c for c in range(n_classes)}
    assert_same(*both(X, y, weights, loss="log_loss"))
    assert_same(*both(X, y, weights, loss="hinge", class_weight=factors))
    assert_same(*both(X, y, loss="log_loss", class_weight="balanced"))


@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_given_start_is_theirs(n_classes):
    X, y = rows(n_classes)
    n_columns = 1 if n_classes == 2 else n_classes
    rng = np.random.default_rng(2)
    start = {"coef_init": rng.normal(size=(n_columns, 30)), "intercept_init": np.ones(n_columns)}
    assert_same(*both(X, y, start, loss="log_loss"))


def test_without_intercept():
    X, y = rows(3)
    ours, theirs = both(X, y, loss="log_loss", fit_intercept=False)
    assert_same(ours, theirs)
    np.testing.assert_array_equal(ours.intercept_, 0.0)


@pytest.mark.parametrize("loss", ["log_loss", "modified_huber"])
@pytest.mark.parametrize("n_classes", [2, 5])
def test_probabilities_are_theirs(loss, n_classes):
    X, y = rows(n_classes)
    ours, theirs = both(X, y, loss=loss, max_iter=10)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-7)
    np.testing.assert_allclose(
        ours.decision_function(X), theirs.decision_function(X), rtol=1e-7, atol=1e-9
    )
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    with np.errstate(divide="ignore"):
        log_proba = theirs.predict_log_proba(X)
    np.testing.assert_allclose(ours.predict_log_proba(X), log_proba, rtol=1e-6)


def test_the_held_out_part_is_theirs():
    X, y = rows(2, density=1.0, shape=(200, 5))
    options = {"early_stopping": True, "random_state": 3, "max_iter": 7, "loss": "log_loss"}
    assert_same(*both(X, y, **options))
