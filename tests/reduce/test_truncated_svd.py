"""TruncatedSVD against LAPACK, ARPACK and scikit-learn's."""

import threading

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import svds
from sklearn import decomposition as peer
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_info, threadpool_limits

from wordodds import TruncatedSVD
from wordodds.datasets import load_newsgroups
from wordodds.reduce import krylov

from .svd_problems import assert_decomposes, matrix_of, sparse_counts

SHAPES = {"wide": (90, 240), "tall": (240, 90), "square": (120, 120)}


@pytest.fixture(params=["whole", "by blocks"])
def way(request, monkeypatch):
    """Decompose small matrices whole, or as if they were large."""
    if request.param == "by blocks":
        monkeypatch.setattr(krylov, "DENSE_CELLS", 0)
    return request.param


@pytest.fixture
def by_blocks(monkeypatch):
    monkeypatch.setattr(krylov, "DENSE_CELLS", 0)


def fitted(X, k, **options):
    svd = TruncatedSVD(k, random_state=0, **options)
    return svd, svd.fit_transform(X)


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_matrix, sp.coo_array, sp.csr_array.toarray])
@pytest.mark.parametrize("shape", SHAPES)
def test_lapack_agrees(shape, kind, way):
    X = kind(sparse_counts(*SHAPES[shape]))
    svd, coordinates = fitted(X, 7)
    assert_decomposes(svd, coordinates, X)
    assert (svd.n_iter_ > 1) == (way == "by blocks")


@pytest.mark.parametrize("k", [1, 2, 3, 30])
def test_any_number_of_components(k, way):
    X = sparse_counts(150, 200, seed=1)
    svd, coordinates = fitted(X, k)
    assert_decomposes(svd, coordinates, X)


def test_arpack_agrees_on_newsgroups(newsgroups_data):
    counts = load_newsgroups("bydate-matlab", "test").counts[:2000].astype(np.float64)
    svd = TruncatedSVD(20, random_state=0).fit(counts)
    _, values, right = svds(counts, k=20, v0=np.ones(2000))
    np.testing.assert_allclose(svd.singular_values_, values[::-1], rtol=1e-9)
    # Of the angle between the two spaces, the sine.
    apart = right - (right @ svd.components_.T) @ svd.components_
    assert np.linalg.norm(apart, 2) < 1e-4
    assert svd.n_iter_ > 1


def test_a_full_basis_restarts(by_blocks, monkeypatch):
    restarts = []
    restart = krylov._Lanczos.restart
    monkeypatch.setattr(
        krylov._Lanczos, "restart", lambda self, n: (restarts.append(n), restart(self, n))
    )
    X = matrix_of(np.linspace(2.0, 1.0, 300), 300, 310)
    svd, coordinates = fitted(X, 3, tol=1e-9)
    assert len(restarts) > 1
    assert_decomposes(svd, coordinates, X, rtol=1e-12)
    right = np.linalg.svd(X)[2]
    assert np.abs(np.abs(svd.components_ @ right[:3].T) - np.eye(3)).max() < 1e-4


SPECTRA = {
    "rank 3": [4.0, 2.0, 1.0],
    "pairs": [5.0, 5.0, 4.0, 4.0, 3.0, 3.0, 2.0, 2.0, 1.0, 1.0],
    "small ones": 10.0 ** -np.arange(0.0, 12.0),
    "all the same": np.ones(100),
    "twenty copies": np.r_[np.full(20, 5.0), np.linspace(4.0, 1.0, 60)],
    "forty copies": np.r_[9.0, np.full(40, 5.0), np.linspace(4.0, 1.0, 40)],
    "nothing": [0.0],
}


@pytest.mark.parametrize("k", [10, 45])
@pytest.mark.parametrize("spectrum", SPECTRA)
def test_difficult_spectra(spectrum, k, way):
    X = matrix_of(np.asarray(SPECTRA[spectrum]), 100, 130)
    svd, coordinates = fitted(X, k)
    # By squaring: values below a millionth of the largest are right to tol alone.
    lost = 1e-7 if (spectrum, way) == ("small ones", "by blocks") else 0.0
    assert_decomposes(svd, coordinates, X, lost=lost)
    assert svd.residual_ <= 1e-7


@pytest.mark.parametrize(("n_copies", "k", "next_value"), [(30, 32, 4.8), (12, 14, 4.95)])
def test_copies_that_are_slow_to_stand_out(n_copies, k, next_value, by_blocks):
    values = np.r_[np.full(n_copies, 5.0), np.linspace(next_value, 1.0, 300 - n_copies)]
    svd = TruncatedSVD(k, random_state=0).fit(matrix_of(values, 300, 310))
    np.testing.assert_allclose(svd.singular_values_, values[:k], rtol=1e-9)


@pytest.mark.parametrize("shape", [(1, 7), (7, 1), (1, 1), (5, 5), (4, 9), (9, 4)])
def test_as_many_components_as_there_are(shape):
    X = np.random.default_rng(0).standard_normal(shape)
    for given in (X, sp.csr_array(X)):
        svd, coordinates = fitted(given, min(shape))
        assert_decomposes(svd, coordinates, X)
        np.testing.assert_allclose(svd.inverse_transform(coordinates), X, atol=1e-14)


@pytest.mark.parametrize("kind", [sp.csr_array, np.asarray])
@pytest.mark.parametrize("size", [1e-300, 1e-150, 1e150, 1e300])
def test_entries_of_any_size(size, kind, way):
    X = sparse_counts(60, 80).toarray()
    X *= size / X.max()
    svd, coordinates = fitted(kind(X), 5)
    assert_decomposes(svd, coordinates, X)
    ordinary = TruncatedSVD(5, random_state=0).fit(X / size)
    np.testing.assert_allclose(
        svd.explained_variance_ratio_, ordinary.explained_variance_ratio_, rtol=1e-9
    )
    if 1e-200 < size < 1e200:  # else their squares are no doubles
        deviations = np.sqrt(svd.explained_variance_) / size
        np.testing.assert_allclose(deviations, np.sqrt(ordinary.explained_variance_), rtol=1e-9)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_same_bits_for_any_number_of_threads(shape, by_blocks):
    X = sparse_counts(*SHAPES[shape])
    expected, coordinates = fitted(X, 6, n_jobs=1)
    for n_jobs in (2, 5):
        svd, again = fitted(X, 6, n_jobs=n_jobs)
        np.testing.assert_array_equal(svd.components_, expected.components_)
        np.testing.assert_array_equal(svd.singular_values_, expected.singular_values_)
        np.testing.assert_array_equal(again, coordinates)
        np.testing.assert_array_equal(svd.transform(X), expected.transform(X))


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csr_array.toarray])
@pytest.mark.parametrize("shape", SHAPES)
def test_attributes_are_those_of_scikit_learn(shape, kind, way):
    X = kind(sparse_counts(*SHAPES[shape]))
    svd, coordinates = fitted(X, 6, tol=1e-10)
    theirs = peer.TruncatedSVD(6, algorithm="arpack", random_state=0)
    expected = theirs.fit_transform(X)
    names = ["components_", "singular_values_", "explained_variance_", "explained_variance_ratio_"]
    for name in names:
        np.testing.assert_allclose(getattr(svd, name), getattr(theirs, name), atol=1e-9)
    np.testing.assert_allclose(coordinates, expected, atol=1e-8)
    np.testing.assert_allclose(svd.transform(X), theirs.transform(X), atol=1e-8)
    np.testing.assert_allclose(
        svd.inverse_transform(coordinates), theirs.inverse_transform(expected), atol=1e-8
    )
    assert list(svd.get_feature_names_out()) == [f"truncatedsvd{i}" for i in range(6)]


def estimates_times(factor, monkeypatch):
    """Make estimates too good by a factor; return what the estimated residuals may be, in time."""
    look, aims = krylov._Lanczos.look, []
    monkeypatch.setattr(
        krylov._Lanczos, "look", lambda self, aim: (aims.append(aim), factor * look(self, aim))[1]
    )
    return aims


def test_an_estimate_that_is_too_good_is_found_out(by_blocks, monkeypatch):
    aims = estimates_times(0.01, monkeypatch)
    X = matrix_of(np.linspace(2.0, 1.0, 300), 300, 310)
    svd, coordinates = fitted(X, 3)
    assert svd.residual_ <= 1e-7
    assert_decomposes(svd, coordinates, X, atol=1e-4)
    assert aims[-1] < aims[0]


def test_after_three_wrong_estimates_it_warns(by_blocks, monkeypatch):
    estimates_times(0.0, monkeypatch)
    with pytest.warns(ConvergenceWarning):
        svd = TruncatedSVD(5, random_state=0).fit(sparse_counts(300, 400))
    assert svd.n_iter_ < 6


@pytest.mark.parametrize("shape", ["wide", "tall"])
def test_the_residual_is_the_true_one(shape, by_blocks):
    X = sparse_counts(*SHAPES[shape])
    with pytest.warns(ConvergenceWarning):
        svd, coordinates = fitted(X, 6, max_iter=4)
    s, V = svd.singular_values_, svd.components_.T
    if X.shape[0] > X.shape[1]:  # X V = U S by construction
        U = coordinates / s
        residuals = X.T @ U - V * s
    else:  # X^T U = V S by construction: U is what the least squares of that leave
        U = np.linalg.lstsq(X.toarray().T, V * s)[0]
        np.testing.assert_allclose(X.T @ U, V * s, atol=1e-9)
        residuals = X @ V - U * s
    expected = np.linalg.norm(residuals, axis=0).max() / s[0]
    np.testing.assert_allclose(svd.residual_, expected, rtol=1e-6)
    assert svd.residual_ > 1e-7


def test_an_early_end_warns_and_says_how_far_it_came(by_blocks):
    X = matrix_of(np.r_[100.0, np.linspace(2.0, 1.0, 299)], 300, 310)
    with pytest.warns(ConvergenceWarning, match=r"ended after 3 steps .* 1 of 5 components"):
        svd = TruncatedSVD(5, max_iter=3, tol=1e-6, random_state=0).fit(X)
    assert svd.n_iter_ == 3
    assert 1e-6 < svd.residual_ < 1.0
    np.testing.assert_allclose(svd.singular_values_[0], 100.0)


def test_a_looser_tolerance_ends_earlier(by_blocks):
    X = sparse_counts(300, 400)
    fits = [TruncatedSVD(5, tol=tol, random_state=0).fit(X) for tol in (1e-2, 1e-6, 0.0)]
    steps = [svd.n_iter_ for svd in fits]
    assert steps[0] < steps[1] < steps[2]
    assert all(svd.residual_ <= tol for svd, tol in zip(fits, (1e-2, 1e-6, 1e-11), strict=True))


@pytest.mark.parametrize(("kind", "expected"), [(sp.csr_array, 1), (sp.csr_array.toarray, 2)])
def test_blas_works_on_one_thread_beside_our_own(kind, expected, monkeypatch):
    seen = []

    def watched(*arguments):
        pools = threadpool_info()
        seen.extend(pool["num_threads"] for pool in pools if pool["user_api"] == "blas")
        return krylov.leading_triplets(*arguments)

    monkeypatch.setattr("wordodds.reduce.truncated_svd.leading_triplets", watched)
    with threadpool_limits(2, user_api="blas"):
        TruncatedSVD(3, random_state=0).fit(kind(sparse_counts(*SHAPES["wide"])))
        after = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    assert set(seen) == {expected}
    assert set(after) == {2}


def test_fits_that_overlap_leave_blas_as_it_was():
    X = sp.csr_array(sparse_counts(*SHAPES["wide"]))
    with threadpool_limits(2, user_api="blas"):
        threads = [
            threading.Thread(target=lambda: [TruncatedSVD(3).fit(X) for _ in range(8)])
            for _ in range(6)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        after = {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}
    assert after == {2}
