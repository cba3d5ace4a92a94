"""GaussianNB gives what scikit-learn's gives, to rounding; and the same for sparse input."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.naive_bayes import GaussianNB as Peer

from wordodds import GaussianNB


def assert_same_model(ours, peer, X):
    np.testing.assert_array_equal(ours.classes_, peer.classes_)
    assert ours.classes_.dtype == peer.classes_.dtype
    for name in ("class_count_", "class_prior_", "theta_", "var_", "epsilon_"):
        np.testing.assert_allclose(
            getattr(ours, name), getattr(peer, name), rtol=1e-9, atol=1e-14, err_msg=name
        )
    expected = peer.predict_joint_log_proba(X)
    scale = np.abs(expected).max(axis=1, keepdims=True)
    for rows in (X, sp.csr_array(X)):
        joint = ours.predict_joint_log_proba(rows)
        assert (np.abs(joint - expected) <= 1e-9 * scale).all()
        proba = ours.predict_proba(rows)
        assert (np.abs(proba - peer.predict_proba(X)) <= 1e-9 * scale).all()
        np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-12)
        best = np.sort(expected, axis=1)[:, -2:]
        clear = best[:, -1] - best[:, 0] > 1e-8 * scale.ravel()
        np.testing.assert_array_equal(ours.predict(rows)[clear], peer.predict(X)[clear])


def normal(n_rows, n_cols, n_classes, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n_rows)
    shift = rng.normal(size=(n_classes, n_cols))
    return rng.normal(size=(n_rows, n_cols)) * np.exp(rng.normal(size=n_cols)) + shift[y], y


@pytest.mark.parametrize("load", [load_iris, load_digits, load_wine])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.csc_array])
def test_real_data(load, form):
    X, y = load(return_X_y=True)
    assert_same_model(GaussianNB().fit(form(X), y), Peer().fit(X, y), X)


@pytest.mark.parametrize("n_classes", [1, 2, 8, 9, 33])
@pytest.mark.parametrize("n_cols", [1, 130, 300])
def test_random_data(n_classes, n_cols):
    X, y = normal(400, n_cols, n_classes)
    y[:n_classes] = np.arange(n_classes)
    assert_same_model(GaussianNB().fit(X, y), Peer().fit(X, y), X)


def test_sparse_data_with_few_entries():
    rng = np.random.default_rng(1)
    X = sp.random_array((500, 60), density=0.1, rng=rng).tocsr()
    X.data -= 0.3
    y = rng.integers(0, 5, 500)
    ours = GaussianNB().fit(X, y)
    assert_same_model(ours, Peer().fit(X.toarray(), y), X.toarray())


def test_nearly_constant_columns_far_from_zero():
    # The score of the row of zeros is 1e13 times that of the rows: sparse scores must not lose it.
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 8))
    X[:, 1] = 7.0
    X[:, 2] += 300.0
    X[:, 3] = 100.0 + 1e-6 * rng.normal(size=300)
    y = rng.integers(0, 3, 300)
    X[:, 4] = 50.0 + y  # constant within each class
    for form in (np.asarray, sp.csr_array):
        assert_same_model(GaussianNB().fit(form(X), y), Peer().fit(X, y), X)


def test_float32_is_computed_in_double():
    X, y = normal(300, 20, 4)
    X = X.astype(np.float32)
    for form in (np.asarray, sp.csr_array):
        ours = GaussianNB().fit(form(X), y)
        assert_same_model(ours, Peer().fit(X.astype(np.float64), y), X.astype(np.float64))
        assert ours.theta_.dtype == np.float64
    peer = Peer().fit(X, y)
    np.testing.assert_allclose(ours.theta_, peer.theta_, rtol=1e-4, atol=1e-5)
    assert (ours.predict(X) == peer.predict(X)).mean() > 0.99


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_sample_weight(form):
    # scikit-learn takes epsilon from the unweighted data: without it the models are the same.
    X, y = normal(300, 20, 4)
    weights = np.random.default_rng(3).gamma(1.0, size=300) * (np.arange(300) % 7 > 0)
    ours = GaussianNB(var_smoothing=0).fit(form(X), y, weights)
    assert_same_model(ours, Peer(var_smoothing=0).fit(X, y, weights), X)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_partial_fit_in_pieces(form):
    # scikit-learn takes epsilon from the last batch: without it the models are the same.
    X, y = normal(300, 20, 4)
    ours, peer = GaussianNB(var_smoothing=0), Peer(var_smoothing=0)
    for piece in np.array_split(np.arange(300), 7):
        ours.partial_fit(form(X[piece]), y[piece], classes=np.arange(5))
        peer.partial_fit(X[piece], y[piece], classes=np.arange(5))
    for name in ("class_count_", "class_prior_", "theta_", "var_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(peer, name), rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(
        ours.predict_joint_log_proba(form(X))[:, :4],
        Peer(var_smoothing=0).fit(X, y).predict_joint_log_proba(X),
        rtol=1e-9,
    )
    assert np.isneginf(ours.predict_joint_log_proba(X)[:, 4]).all()


def test_priors():
    X, y = load_iris(return_X_y=True)
    priors = [0.2, 0.7, 0.1]
    ours, peer = GaussianNB(priors=priors).fit(X, y), Peer(priors=priors).fit(X, y)
    assert_same_model(ours, peer, X)
    np.testing.assert_array_equal(ours.class_prior_, priors)


@st.composite
def problems(draw):
    n_rows, n_cols = draw(st.integers(2, 12)), draw(st.integers(1, 6))
    value = st.integers(-40, 40).map(lambda n: n / 8)
    row = st.lists(value, min_size=n_cols, max_size=n_cols)
    X = np.array(draw(st.lists(row, min_size=n_rows, max_size=n_rows)))
    labels = draw(st.lists(st.sampled_from("abcd"), min_size=n_rows, max_size=n_rows))
    return X, np.array(labels), draw(st.sampled_from([1e-9, 1e-3, 1.0]))


@settings(max_examples=40)
@given(problems())
def test_small_problems(problem):
    X, labels, smoothing = problem
    if not X.var(axis=0).any():
        return  # scikit-learn divides by zero
    ours = GaussianNB(var_smoothing=smoothing).fit(sp.csr_array(X), labels)
    assert_same_model(ours, Peer(var_smoothing=smoothing).fit(X, labels), X)


def test_same_messages():
    X, y = load_iris(return_X_y=True)
    calls = {
        "number of priors": lambda cls: cls(priors=[1.0]).fit(X, y),
        "sum of priors": lambda cls: cls(priors=[0.5, 0.2, 0.2]).fit(X, y),
        "negative priors": lambda cls: cls(priors=[-0.5, 1.0, 0.5]).fit(X, y),
        "first call": lambda cls: cls().partial_fit(X, y),
        "other classes": lambda cls: (
            cls().partial_fit(X, y, [0, 1, 2]).partial_fit(X, y, [0, 1, 2, 3])
        ),
        "unknown label": lambda cls: cls().partial_fit(X, y, classes=[0, 1]),
        "width": lambda cls: cls().fit(X, y).predict(X[:, :2]),
        "NaN": lambda cls: cls().fit(X + np.nan, y),
        "one dimension": lambda cls: cls().fit(X[0], y),
        "no rows": lambda cls: cls().fit(X[:0], y[:0]),
        "no features": lambda cls: cls().fit(X[:, :0], y),
    }
    for name, call in calls.items():
        messages = []
        for cls in (GaussianNB, Peer):
            with pytest.raises(ValueError) as caught:  # noqa: PT011
                call(cls)
            messages.append(str(caught.value))
        # Ours may go on to say what came.
        assert messages[0].startswith(messages[1].rstrip(".")), name
