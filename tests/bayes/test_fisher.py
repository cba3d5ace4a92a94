"""FisherDiscriminant: direction, threshold, odd input."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from wordodds import FisherDiscriminant, GaussianDiscriminant

X = np.array([[0, 1], [4, -2], [2, 4], [1, 2], [1, 3], [-3, 1], [5, 5], [0, 6.0]])
Y = np.array(list("aaaabbbb"))


def clouds(seed=0, n_rows=50, n_cols=3):
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) % 3 // 2  # two thirds of the first class
    X = rng.normal(size=(n_rows, n_cols)) @ rng.normal(size=(n_cols, n_cols))
    return X + rng.normal(size=(2, n_cols))[y], y


def within(X, y):
    rows = np.vstack([X[y == c] - X[y == c].mean(axis=0) for c in np.unique(y)])
    return rows.T @ rows / len(rows)


def test_by_hand():
    # Within-class variance 1 each and no correlation: the direction is that of the means.
    rows = [[0, 0], [2, 0], [0, 2], [2, 2], [3, 4], [5, 4], [3, 6], [5, 6.0]]
    model = FisherDiscriminant().fit(rows, [0, 0, 0, 0, 1, 1, 1, 1])
    np.testing.assert_array_equal(model.means_, [[1, 1], [4, 5]])
    np.testing.assert_allclose(model.direction_, [0.6, 0.8], rtol=1e-15)
    np.testing.assert_allclose(model.distance_, 5.0, rtol=1e-15)
    np.testing.assert_allclose(model.threshold_, 0.6 * 2.5 + 0.8 * 3, rtol=1e-15)
    np.testing.assert_allclose(model.transform([[5, 0]]), [[3.0]], rtol=1e-15)
    np.testing.assert_allclose(model.decision_function([[5, 0]]), [5 * (3 - 3.9)], rtol=1e-14)
    odds = np.exp(-4.5)
    proba = model.predict_proba([[5, 0]])
    np.testing.assert_allclose(proba, [[1 / (1 + odds), odds / (1 + odds)]], rtol=1e-13)


@pytest.mark.parametrize("priors", [None, [0.9, 0.1]])
def test_definitions(priors):
    X, y = clouds()
    model = FisherDiscriminant(priors=priors).fit(X, y)
    scatter, apart = within(X, y), model.means_[1] - model.means_[0]
    w = np.linalg.solve(scatter, apart)
    np.testing.assert_allclose(model.direction_, w / np.sqrt(w @ scatter @ w), rtol=1e-10)
    np.testing.assert_allclose(model.distance_, np.sqrt(apart @ w), rtol=1e-12)
    projected = model.transform(X)[:, 0]
    # Two Gaussians of variance 1 on the line: Bayes' rule, point by point.
    p = np.bincount(y) / len(y) if priors is None else np.array(priors)
    means = [projected[y == c].mean() for c in (0, 1)]
    density = np.exp(-0.5 * (projected[:, np.newaxis] - means) ** 2) * p
    expected = density / density.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-9)
    np.testing.assert_array_equal(model.predict(X), projected > model.threshold_)


def test_no_direction_separates_better():
    X, y = clouds(4)
    scatter = within(X, y)

    def separation(w):
        t = X @ w
        return (t[y == 1].mean() - t[y == 0].mean()) ** 2 / (w @ scatter @ w)

    model = FisherDiscriminant().fit(X, y)
    best = minimize(lambda w: -separation(w), np.ones(3), tol=1e-12)
    np.testing.assert_allclose(separation(model.direction_), -best.fun, rtol=1e-9)
    np.testing.assert_allclose(model.distance_**2, -best.fun, rtol=1e-9)


@pytest.mark.parametrize("shrinkage", [0.0, 0.3])
@given(seed=st.integers(0, 10**6))
def test_is_the_shared_gaussian(shrinkage, seed):
    X, y = clouds(seed)
    weights = np.random.default_rng(seed).integers(0, 4, len(y))
    ours = FisherDiscriminant(shrinkage=shrinkage).fit(X, y, sample_weight=weights)
    other = GaussianDiscriminant(covariance="shared", shrinkage=shrinkage)
    other.fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(ours.predict_proba(X), other.predict_proba(X), atol=1e-9)
    np.testing.assert_allclose(
        ours.direction_ * ours.distance_,
        other.weights_[1] - other.weights_[0],
        atol=1e-8,
        rtol=1e-8,
    )


def test_weights_count_rows():
    weights = np.array([2, 1, 1, 0, 2, 2, 1, 3])
    weighted = FisherDiscriminant().fit(X, Y, sample_weight=weights)
    repeated = FisherDiscriminant().fit(X.repeat(weights, axis=0), Y.repeat(weights))
    np.testing.assert_array_equal(weighted.direction_, repeated.direction_)
    assert weighted.threshold_ == repeated.threshold_
    by_class = FisherDiscriminant(class_weight={"b": 3}).fit(X, Y)
    by_row = FisherDiscriminant().fit(X, Y, sample_weight=np.where(Y == "b", 3, 1))
    assert by_class.threshold_ == by_row.threshold_


@pytest.mark.parametrize("factor", [1e-200, 1e-150, 1e150, 1e200])
def test_extreme_units(factor):
    expected = FisherDiscriminant().fit(X, Y)
    model = FisherDiscriminant().fit(X * factor, Y)
    np.testing.assert_allclose(model.transform(X * factor), expected.transform(X), rtol=1e-12)
    np.testing.assert_allclose(
        model.predict_proba(X * factor), expected.predict_proba(X), rtol=1e-10
    )


def test_rows_far_out_and_priors_of_zero():
    model = FisherDiscriminant().fit([[0, 1], [1, 0], [5, 0], [6, 1.0]], [0, 0, 1, 1])
    model.direction_ = np.array([8.0, -4.0])
    rows = [[1e308, 1e308], [-1e308, 1e308], [1e308, -1e308]]
    np.testing.assert_array_equal(model.predict_proba(rows), [[0, 1], [1, 0], [0, 1]])
    for priors, answer in [([1.0, 0.0], "a"), ([0.0, 1.0], "b")]:
        model = FisherDiscriminant(priors=priors).fit(X * 1e-3, Y)
        rows = np.vstack([X, [[1e308, 1e308], [-1e308, -1e308]]])
        assert set(model.transform(rows[8:]).ravel()) == {np.inf, -np.inf}
        np.testing.assert_array_equal(model.predict(rows), [answer] * 10)
        np.testing.assert_array_equal(model.predict_proba(rows), [priors] * 10)


@pytest.mark.parametrize(
    ("rows", "labels", "error", "message"),
    [
        (X, list("abcabcab"), ValueError, r'3 classes; GaussianDiscriminant\(covariance="shared"'),
        (X, ["a"] * 8, ValueError, "needs two classes, got 1 class"),
        (np.ones((8, 1)), Y, ValueError, "is singular: no column varies; raise shrinkage"),
        (np.column_stack([X, X[:, 0]]), Y, ValueError, "singular: column 2 is a linear"),
        (np.vstack([X[:4], X[:4]]), Y, ValueError, "the two classes have the same mean"),
        (sp.csr_array(X), Y, TypeError, "dense data is required"),
        (np.where(X == 4, np.nan, X), Y, ValueError, "Input X contains NaN"),
        (X, Y[:5], ValueError, "inconsistent numbers of samples"),
    ],
)
def test_bad_data_leave_the_model_as_it_was(rows, labels, error, message):
    model = FisherDiscriminant()
    frame = pd.DataFrame(X, columns=["left", "right"])
    before = pickle.dumps(vars(model.fit(frame, Y)))
    with pytest.raises(error, match=message):
        model.fit(rows, labels)
    assert pickle.dumps(vars(model)) == before


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"shrinkage": 2}, ValueError, "shrinkage must be from 0 to 1, got 2"),
        ({"shrinkage": None}, TypeError, "shrinkage must be a number"),
        ({"priors": [1.0]}, ValueError, "Number of priors must match number of classes"),
        ({"priors": [0.5, 0.4]}, ValueError, "The sum of the priors should be 1"),
        ({"class_weight": 3}, ValueError, "class_weight must be"),
    ],
)
def test_bad_parameters(parameters, error, message):
    with pytest.raises(error, match=message):
        FisherDiscriminant(**parameters).fit(X, Y)


def test_shrinkage_against_singular_columns():
    wide = np.column_stack([X, X[:, 0]])
    model = FisherDiscriminant(shrinkage=0.1).fit(wide, Y)
    assert np.isfinite(model.direction_).all()
    np.testing.assert_allclose(model.direction_[0], model.direction_[2], rtol=1e-12)


def test_as_a_transformer():
    model = FisherDiscriminant()
    with pytest.raises(NotFittedError):
        model.transform(X)
    np.testing.assert_array_equal(model.fit_transform(X, Y), model.transform(X))
    np.testing.assert_array_equal(model.get_feature_names_out(), ["fisherdiscriminant0"])
    frame = model.set_output(transform="pandas").transform(X)
    assert list(frame.columns) == ["fisherdiscriminant0"]


def test_pickle():
    model = FisherDiscriminant().fit(X, Y)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict_proba(X), model.predict_proba(X))


# Their data: a column that is constant within both classes, or 30 columns of 15 rows.
SINGULAR = {
    "check_sample_weights_shape",
    "check_sample_weights_not_overwritten",
    "check_sample_weight_equivalence_on_dense_data",
}


@parametrize_with_checks([FisherDiscriminant(), FisherDiscriminant(shrinkage=0.1)])
def test_scikit_learns_estimator_checks(estimator, check):
    name = check.func.__name__
    if name == "check_array_api_input":
        return  # runs only where SciPy was imported in its array API mode; we take NumPy arrays
    if name in SINGULAR and not estimator.shrinkage:
        with pytest.raises(ValueError, match="is singular"):
            check(estimator)
        return
    check(estimator)


def test_log_probabilities():
    X = np.array([[-2.0, 0], [0, 1], [-1, -1], [2, 3], [3, 1], [1, 2]])
    model = FisherDiscriminant().fit(X, [0, 0, 0, 1, 1, 1])
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))
    far = model.predict_log_proba([[1e6, 1e6]])
    assert np.isfinite(far).all()
    assert far[0, 0] < -1e5
