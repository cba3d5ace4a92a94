"""Gaussian classes give what scikit-learn's LDA, QDA and GaussianNB give.

In scikit-learn 1.9.1 all of them divide by the number of rows, as we do. The svd solvers of older
versions took rows off, one for each class (scikit-learn's pull request 33626).
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as QDA
from sklearn.naive_bayes import GaussianNB

from wordodds import FisherDiscriminant, GaussianDiscriminant

DATA = {load.__name__: load(return_X_y=True) for load in (load_iris, load_wine)}
PRIORS = [0.2, 0.5, 0.3]
svd_divides_by_all_rows = pytest.mark.needs("scikit-learn>=1.9.1")


def assert_same(ours, peer, X):
    np.testing.assert_array_equal(ours.classes_, peer.classes_)
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-9)
    np.testing.assert_array_equal(ours.predict(X), peer.predict(X))


@pytest.fixture(params=DATA)
def data(request):
    return DATA[request.param]


@pytest.mark.parametrize(
    "solver", [pytest.param("svd", marks=svd_divides_by_all_rows), "lsqr", "eigen"]
)
def test_lda(data, solver):
    ours = GaussianDiscriminant(covariance="shared").fit(*data)
    peer = LDA(solver=solver).fit(*data)
    assert_same(ours, peer, data[0])
    np.testing.assert_allclose(ours.means_, peer.means_, rtol=1e-12)
    # Its weights are less those of the mean of all rows, where the solver is svd.
    spread = [w - w.mean(axis=0) for w in (ours.weights_, peer.coef_)]
    np.testing.assert_allclose(*spread, rtol=1e-8, atol=1e-8)


@svd_divides_by_all_rows
def test_lda_with_priors(data):
    # The other solvers weigh the covariances by the priors, too; svd and we by the rows.
    ours = GaussianDiscriminant(covariance="shared", priors=PRIORS).fit(*data)
    assert_same(ours, LDA(solver="svd", priors=PRIORS).fit(*data), data[0])


@pytest.mark.needs("scikit-learn>=1.9")
@pytest.mark.parametrize("shrinkage", [0.01, 0.3, 1.0])
def test_shrinkage_of_lda_and_qda(data, shrinkage):
    ours = GaussianDiscriminant(covariance="shared", shrinkage=shrinkage).fit(*data)
    assert_same(ours, LDA(solver="lsqr", shrinkage=shrinkage).fit(*data), data[0])
    ours = GaussianDiscriminant(shrinkage=shrinkage).fit(*data)
    assert_same(ours, QDA(solver="eigen", shrinkage=shrinkage).fit(*data), data[0])


@svd_divides_by_all_rows
@pytest.mark.parametrize("priors", [None, PRIORS])
def test_qda(data, priors):
    ours = GaussianDiscriminant(priors=priors).fit(*data)
    peer = QDA(priors=priors, store_covariance=True).fit(*data)
    assert_same(ours, peer, data[0])
    np.testing.assert_allclose(ours.covariance_, peer.covariance_, rtol=1e-9, atol=1e-12)


@svd_divides_by_all_rows
def test_reg_param_of_qda_where_the_mean_variance_is_one(data):
    # It shrinks towards I, we towards tr / p I: the same for classes that have p as their trace.
    X, y = data
    X = X.copy()
    for c in np.unique(y):
        X[y == c] /= np.sqrt(X[y == c].var(axis=0).mean())
    ours = GaussianDiscriminant(shrinkage=0.3).fit(X, y)
    assert_same(ours, QDA(reg_param=0.3).fit(X, y), X)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("priors", [None, PRIORS])
def test_gaussian_naive_bayes(data, weighted, priors):
    X, y = data
    weights = np.random.default_rng(0).uniform(0.1, 5, len(y)) if weighted else None
    ours = GaussianDiscriminant(covariance="diagonal", priors=priors)
    ours.fit(X, y, sample_weight=weights)
    peer = GaussianNB(var_smoothing=0, priors=priors).fit(X, y, sample_weight=weights)
    assert_same(ours, peer, X)
    np.testing.assert_allclose(ours.covariance_, peer.var_, rtol=1e-9)
    np.testing.assert_allclose(ours.class_count_, peer.class_count_)
    np.testing.assert_allclose(
        ours.joint_log_proba(X), peer.predict_joint_log_proba(X), rtol=1e-9, atol=1e-9
    )


@pytest.mark.parametrize("shrinkage", [None, 0.2])
@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
def test_fisher(load, shrinkage):
    X, y = load(return_X_y=True)
    X, y = X[y < 2], y[y < 2]
    ours = FisherDiscriminant(shrinkage=shrinkage or 0.0).fit(X, y)
    peer = LDA(solver="lsqr", shrinkage=shrinkage).fit(X, y)
    assert_same(ours, peer, X)
    np.testing.assert_allclose(ours.decision_function(X), peer.decision_function(X), rtol=1e-6)
    coef = peer.coef_[0]
    cosine = ours.direction_ @ coef / np.linalg.norm(ours.direction_) / np.linalg.norm(coef)
    np.testing.assert_allclose(cosine, 1.0, rtol=1e-9)


@svd_divides_by_all_rows
@given(
    seed=st.integers(0, 10**6),
    n_cols=st.integers(1, 4),
    n_classes=st.integers(2, 5),
    offset=st.sampled_from([0.0, 100.0]),
)
def test_random_clouds(seed, n_cols, n_classes, offset):
    rng = np.random.default_rng(seed)
    y = np.arange(30 * n_classes) % n_classes
    X = rng.normal(size=(len(y), n_cols)) + rng.normal(size=(n_classes, n_cols))[y] + offset
    for kind, peer in [
        ("shared", LDA()),
        ("full", QDA()),
        ("diagonal", GaussianNB(var_smoothing=0)),
    ]:
        ours = GaussianDiscriminant(covariance=kind).fit(X, y)
        expected = peer.fit(X, y).predict_proba(X)
        np.testing.assert_allclose(ours.predict_proba(X), expected, atol=1e-9, err_msg=kind)
