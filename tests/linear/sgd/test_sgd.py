"""SGDClassifier: what it learns, by oracles of other making."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from scipy.special import logsumexp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from wordodds import SGDClassifier

from .problems import KINDS, LOSSES, assert_same_model, some_rows

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def softmax_objective(X, y, alpha, n_classes):
    """Return the mean loss plus alpha / 2 |w|², and its gradient, of flattened (w, b)."""
    one_hot = np.eye(n_classes)[y]

    def objective(flat):
        w, b = flat[:-n_classes].reshape(X.shape[1], n_classes), flat[-n_classes:]
        scores = X @ w + b
        log_proba = scores - logsumexp(scores, axis=1, keepdims=True)
        value = -(one_hot * log_proba).sum() / len(y) + alpha / 2 * (w**2).sum()
        residual = (np.exp(log_proba) - one_hot) / len(y)
        return value, np.concatenate([(X.T @ residual + alpha * w).ravel(), residual.sum(axis=0)])

    return objective


def flat_weights(model):
    return np.concatenate([model.coef_.T.ravel(), model.intercept_])


@pytest.mark.parametrize("schedule", [{}, {"learning_rate": "adagrad", "eta0": 0.5}])
def test_softmax_approaches_the_optimum(schedule):
    rng, alpha = np.random.default_rng(0), 1e-2
    X = rng.normal(size=(200, 8))
    y = (X @ rng.normal(size=(8, 3)) + rng.normal(size=(200, 3))).argmax(axis=1)
    objective = softmax_objective(X, y, alpha, 3)
    best = minimize(objective, np.zeros(27), jac=True, tol=1e-12).fun
    gaps = []
    for max_iter in (1, 10, 300):
        model = SGDClassifier(
            "softmax", alpha=alpha, max_iter=max_iter, tol=None, random_state=0, **schedule
        )
        gaps.append(objective(flat_weights(model.fit(X, y)))[0] - best)
    assert gaps[0] > gaps[1] > gaps[2] > -1e-12
    assert gaps[2] < 1e-3 * best


def test_the_gradient_of_softmax_is_that_of_finite_differences():
    # One step from a given start, without penalty, is minus eta times the gradient.
    X, y = some_rows(n_classes=3, shape=(1, 5), density=1.0)
    rng = np.random.default_rng(1)
    w, b = rng.normal(size=(3, 5)), rng.normal(size=3)
    model = SGDClassifier(
        "softmax", penalty=None, learning_rate="constant", eta0=0.5, max_iter=1, tol=None
    )
    # Three labels must occur; two rows of nothing move only the bias.
    rows = np.vstack([X.toarray(), np.zeros((2, 5))])
    labels = np.array([y[0], (y[0] + 1) % 3, (y[0] + 2) % 3])
    model.set_params(shuffle=False).fit(rows, labels, coef_init=w, intercept_init=b)
    objective = softmax_objective(rows[:1], labels[:1], 0.0, 3)
    flat, h = np.concatenate([w.T.ravel(), b]), 1e-6
    gradient = [
        (objective(flat + h * e)[0] - objective(flat - h * e)[0]) / (2 * h) for e in np.eye(18)[:15]
    ]
    step = (model.coef_ - w).T.ravel()
    np.testing.assert_allclose(step, -0.5 * np.array(gradient), rtol=1e-6, atol=1e-9)


def test_two_classes_of_softmax_are_the_log_loss():
    X, y = some_rows(n_classes=2)
    soft, log = (SGDClassifier(loss, random_state=0).fit(X, y) for loss in ("softmax", "log_loss"))
    assert_same_model(soft, log)
    np.testing.assert_array_equal(soft.predict_proba(X), log.predict_proba(X))


@pytest.mark.needs("scikit-learn>=1.9")
def test_l1_finds_the_zeros_of_the_optimum():
    X, y = some_rows(n_classes=2, shape=(400, 20), density=0.5)
    alpha = 0.02
    ours = SGDClassifier("log_loss", penalty="l1", alpha=alpha, max_iter=500, tol=None)
    ours.set_params(random_state=0, fit_intercept=False, learning_rate="invscaling", eta0=0.2)
    peer = LogisticRegression(
        l1_ratio=1.0, C=1 / (alpha * 400), solver="saga", tol=1e-10, max_iter=10_000
    ).set_params(fit_intercept=False)
    optimum = peer.fit(X, y).coef_
    weights = ours.fit(X, y).coef_
    assert 3 < np.count_nonzero(optimum) < 17
    assert np.count_nonzero(weights[optimum == 0.0]) <= 2  # the last steps may stir some
    np.testing.assert_allclose(weights, optimum, atol=0.15)


def test_l1_reaches_features_that_no_row_has_any_more():
    # The first row alone has feature 0; thousands of steps later its weight must be gone.
    X = np.array([[5.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    model = SGDClassifier("hinge", penalty="l1", alpha=0.02, learning_rate="constant", eta0=0.1)
    model.set_params(shuffle=False).partial_fit(X, [1, 1, 0], classes=[0, 1])
    assert model.coef_[0, 0] > 0.1
    for _ in range(200):
        model.partial_fit(X[1:], [1, 0])
    assert model.coef_[0, 0] == 0.0
    assert model.coef_[0, 1] > 0.0


def test_the_objective_counts_features_that_the_last_row_lacks():
    # One row, one feature each: in the end the penalty is that of all four weights.
    X, y = 3.0 * np.eye(4), np.array([0, 1, 0, 1])
    model = SGDClassifier("perceptron", alpha=0.5, learning_rate="constant", eta0=0.1, tol=None)
    model.set_params(shuffle=False, max_iter=1, fit_intercept=False).fit(X, y)
    w, total = np.zeros(4), 0.0
    for row, label in zip(X, 2 * y - 1, strict=True):
        margin = label * (row @ w)
        total += max(0.0, -margin) + 0.25 * (w @ w)
        w *= 1.0 - 0.05
        w += 0.1 * label * row * (margin <= 0.0)
    np.testing.assert_allclose(model.coef_[0], w, rtol=1e-14)
    np.testing.assert_allclose(model.history_["objective"], [total / 4], rtol=1e-14)


def test_adagrad_without_penalty_is_adagrad():
    X, y = some_rows(n_classes=2, shape=(30, 6), density=0.5)
    model = SGDClassifier("log_loss", penalty=None, learning_rate="adagrad", eta0=0.3, tol=None)
    model.set_params(shuffle=False, max_iter=2, fit_intercept=False).fit(X, y)
    w, squares = np.zeros(6), np.full(6, 1e-10)
    for row, label in zip(np.vstack([X.toarray()] * 2), np.tile(y, 2), strict=True):
        gradient = (1.0 / (1.0 + np.exp(-row @ w)) - label) * row
        squares += gradient**2
        w -= 0.3 / np.sqrt(squares) * gradient
    np.testing.assert_allclose(model.coef_[0], w, rtol=1e-9)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("n_classes", [2, 4])
def test_batches_of_all_kinds_are_one_epoch(kind, n_classes):
    X, y = some_rows(n_classes)
    whole = SGDClassifier("log_loss", shuffle=False, max_iter=1, tol=None, **kind).fit(X, y)
    parts = clone(whole)
    for first in range(0, 150, 40):
        batch = slice(first, first + 40)
        parts.partial_fit(X[batch], y[batch], classes=np.arange(n_classes))
    np.testing.assert_allclose(parts.coef_, whole.coef_, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(parts.intercept_, whole.intercept_, rtol=1e-10)
    assert parts.t_ == whole.t_ == 151
    # Looking at the weights between batches must not matter.
    looked = clone(whole)
    for first in range(0, 150, 50):
        batch = slice(first, first + 50)
        looked.partial_fit(X[batch], y[batch], classes=np.arange(n_classes)).predict(X)
    np.testing.assert_allclose(looked.coef_, whole.coef_, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("loss", LOSSES)
def test_the_same_bits_for_a_seed_any_n_jobs_and_after_a_pickle(kind, loss):
    X, y = some_rows(n_classes=20, shape=(60, 400), density=0.9)
    first = SGDClassifier(loss, random_state=3, max_iter=5, n_jobs=1, **kind).fit(X, y)
    for n_jobs in (2, 3):
        other = clone(first).set_params(n_jobs=n_jobs).fit(X, y)
        assert_same_model(first, other)
        np.testing.assert_array_equal(first.history_["objective"], other.history_["objective"])
    loaded = pickle.loads(pickle.dumps(first))
    assert_same_model(first, loaded)
    np.testing.assert_array_equal(first.decision_function(X), loaded.decision_function(X))
    assert_same_model(first.partial_fit(X, y), loaded.partial_fit(X, y))
    another = clone(first).set_params(random_state=4).fit(X, y)
    assert np.abs(another.coef_ - first.coef_).max() > 0.0


@pytest.mark.parametrize("kind", [KINDS[2], KINDS[6], KINDS[7]], ids=str)
def test_threads_that_share_the_columns_give_the_same_bits(kind):
    rng = np.random.default_rng(0)  # enough work for four threads
    X, y = rng.normal(size=(300, 200)), rng.integers(0, 140, 300)
    first, other = (
        SGDClassifier("log_loss", random_state=3, max_iter=2, n_jobs=n_jobs, **kind).fit(X, y)
        for n_jobs in (1, 4)
    )
    assert_same_model(first, other)
    np.testing.assert_array_equal(first.history_["objective"], other.history_["objective"])


def test_every_instruction_set_gives_the_same_bits(instruction_set):
    X, y = some_rows(n_classes=20)
    model = SGDClassifier("log_loss", random_state=0, average=True).fit(X, y)
    expected = SGDClassifier("log_loss", random_state=0, average=True, n_jobs=1)
    expected.n_jobs = None
    assert_same_model(model, expected.fit(X, y))


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("n_classes", [2, 4])
def test_weight_zero_is_an_absent_row(kind, n_classes):
    X, y = some_rows(n_classes)
    y = y.copy()
    y[:3] = n_classes  # a class of which nothing weighs anything is none
    weights = np.random.default_rng(0).uniform(0.5, 2.0, 150)
    weights[:3] = 0.0
    weights[50:90] = 0.0
    keep = weights > 0.0
    model = SGDClassifier("log_loss", random_state=0, **kind)
    whole = clone(model).fit(X, y, sample_weight=weights)
    assert_same_model(whole, clone(model).fit(X[keep], y[keep], sample_weight=weights[keep]))
    classes = np.arange(n_classes + 1)
    parts = [clone(model).partial_fit(X, y, classes, weights)]
    parts.append(clone(model).partial_fit(X[keep], y[keep], classes, weights[keep]))
    assert_same_model(*parts)


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_weights_of_single_precision_are_nearly_the_same(n_classes, kind):
    X, y = some_rows(n_classes)
    models = [
        SGDClassifier("log_loss", random_state=0, max_iter=5, **{**kind, "dtype": dtype}).fit(X, y)
        for dtype in (np.float64, np.float32)
    ]
    assert [model.coef_.dtype for model in models] == [np.float64, np.float32]
    size = np.abs(models[0].coef_).max()
    np.testing.assert_allclose(models[1].coef_, models[0].coef_, rtol=1e-3, atol=1e-4 * size)
    scores = [model.decision_function(X) for model in models]
    np.testing.assert_allclose(scores[1], scores[0], rtol=1e-3, atol=1e-3 * size)
    expected = np.asarray(X @ models[1].coef_.T.astype(np.float64)) + models[1].intercept_
    np.testing.assert_allclose(scores[1].reshape(expected.shape), expected, rtol=1e-9, atol=1e-9)


def test_warm_start_goes_on_where_the_last_fit_ended():
    X, y = some_rows()
    model = SGDClassifier("log_loss", warm_start=True, max_iter=2, tol=None, random_state=0)
    first = model.fit(X, y).history_["objective"][0]
    coef, intercept = model.coef_.copy(), model.intercept_.copy()
    again = model.fit(X, y).history_["objective"][0]
    assert again < first
    explicit = clone(model).set_params(warm_start=False)
    assert_same_model(model, explicit.fit(X, y, coef_init=coef, intercept_init=intercept))
    with pytest.raises(ValueError, match="coef_init does not match"):
        model.fit(X[:, :-1], y)


def test_early_stopping_looks_only_at_what_was_held_out():
    X, y = some_rows(shape=(400, 40))
    options = {"random_state": 0, "early_stopping": True, "validation_fraction": 0.25}
    model = SGDClassifier("log_loss", n_iter_no_change=3, **options).fit(X, y)
    assert 3 < model.n_iter_ < 100
    assert model.t_ == 1 + 300 * model.n_iter_
    assert model.score(X, y) > 0.7


def test_history_and_callback():
    X, y = some_rows()
    seen = []

    def callback(entry):
        seen.append(entry["objective"])
        return len(seen) == 4

    model = SGDClassifier("log_loss", random_state=0, callback=callback).fit(X, y)
    assert model.n_iter_ == len(seen) == 4
    history = model.history_
    assert set(history) == {"iteration", "objective", "gradient_norm", "time", "passes"}
    np.testing.assert_array_equal(history["objective"], seen)
    np.testing.assert_array_equal(history["passes"], [1, 2, 3, 4])
    assert (np.diff(history["time"]) > 0).all()
    watched = SGDClassifier("log_loss", random_state=0, max_iter=4, tol=None).fit(X, y)
    assert_same_model(model, watched)  # who looks changes nothing


def test_max_time_ends_a_fit():
    X, y = some_rows()
    model = SGDClassifier("log_loss", max_time=0.05, tol=None, max_iter=10**9).fit(X, y)
    assert model.history_["time"][-1] >= 0.05
    assert SGDClassifier("log_loss", max_time=0.0).fit(X, y).n_iter_ == 1


@pytest.mark.filterwarnings("default")
def test_an_unfinished_fit_says_how_far_it_came():
    X, y = some_rows()
    with pytest.warns(ConvergenceWarning, match=r"2 epochs lowered the objective by [\d.e-]+ to"):
        SGDClassifier("log_loss", max_iter=2).fit(X, y)


def test_coef_is_a_view_of_feature_major_weights():
    X, y = some_rows(n_classes=5)
    model = SGDClassifier(random_state=0).fit(X, y)
    assert model.coef_.shape == (5, 40)
    assert np.shares_memory(model.coef_, model.coef_)
    assert model.coef_.T.strides[1] == 8
    np.testing.assert_array_equal(model.weights_, model.coef_)
    two = SGDClassifier(random_state=0).fit(X, y > 1)
    np.testing.assert_array_equal(two.weights_[1] - two.weights_[0], two.coef_[0])
    np.testing.assert_array_equal(two.bias_[1] - two.bias_[0], two.intercept_[0])


def test_one_format_is_as_good_as_another():
    X, y = some_rows()
    first = SGDClassifier("log_loss", random_state=0).fit(X, y)
    for other in (X.tocsc(), X.tocoo(), X[:, ::-1][:, ::-1]):
        assert_same_model(first, clone(first).fit(other, y))
    wide = X.copy()
    wide.indptr, wide.indices = X.indptr.astype(np.int64), X.indices.astype(np.int64)
    assert_same_model(first, clone(first).fit(wide, y))
    repeated = sp.csr_array(
        (np.repeat(X.data / 2, 2), np.repeat(X.indices, 2), 2 * X.indptr), shape=X.shape
    )
    assert_same_model(first, clone(first).fit(repeated, y))
    counts = sp.csr_array((np.ceil(3 * X.data), X.indices, X.indptr), shape=X.shape)
    fits = [clone(first).fit(counts.astype(kind), y) for kind in (np.float64, np.float32, int)]
    assert_same_model(fits[0], fits[1])
    assert_same_model(fits[0], fits[2])
