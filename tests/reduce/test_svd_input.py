"""What TruncatedSVD takes and what it refuses."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.pipeline import make_pipeline

from wordodds import LogisticRegression, TruncatedSVD
from wordodds.reduce import krylov
from wordodds.reduce.products import SparseSides

from .svd_problems import sparse_counts


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csr_array.toarray])
@pytest.mark.parametrize("shape", [(60, 90), (90, 60)])
def test_float32_stays_so_and_is_summed_in_double(kind, shape):
    X = sparse_counts(*shape).astype(np.float32)
    svd = TruncatedSVD(4, random_state=0)
    coordinates = svd.fit_transform(kind(X))
    single = [coordinates, svd.transform(kind(X)), svd.components_, svd.singular_values_]
    single += [svd.explained_variance_, svd.inverse_transform(coordinates)]
    assert {array.dtype for array in single} == {np.dtype(np.float32)}
    values = np.linalg.svd(X.toarray().astype(np.float64), compute_uv=False)[:4]
    np.testing.assert_array_equal(svd.singular_values_, values.astype(np.float32))
    assert svd.transform(kind(X.astype(np.float64))).dtype == np.float64


def test_counts_are_decomposed_as_numbers():
    counts = (sparse_counts(50, 70) * 10).astype(np.int64)
    svd = TruncatedSVD(3, random_state=0).fit(counts)
    values = np.linalg.svd(counts.toarray(), compute_uv=False)[:3]
    np.testing.assert_allclose(svd.singular_values_, values)
    large = counts * (2**40 + 1)  # no float32
    np.testing.assert_allclose(
        TruncatedSVD(3).fit(large).singular_values_ / (2**40 + 1), values, rtol=1e-12
    )


def test_repeated_entries_add_up():
    X = sp.csr_array(([1.0, 2.0, 4.0, 3.0], [0, 0, 1, 2], [0, 2, 3, 4]), shape=(3, 3))
    svd = TruncatedSVD(3).fit(X)
    np.testing.assert_allclose(svd.singular_values_, [4.0, 3.0, 3.0])
    np.testing.assert_allclose(svd.transform(X), X.toarray() @ svd.components_.T)
    np.testing.assert_allclose(svd.explained_variance_ratio_.sum(), 1.0)


def test_the_largest_entry_of_a_component_is_positive():
    rng = np.random.default_rng(3)
    for shape in ((20, 30), (30, 20)):
        found = TruncatedSVD(20).fit(rng.standard_normal(shape)).components_
        largest = found[np.arange(20), np.abs(found).argmax(axis=1)]
        assert (largest > 0.0).all()


def test_the_seed_leaves_no_trace_beyond_the_tolerance(monkeypatch):
    monkeypatch.setattr(krylov, "DENSE_CELLS", 0)
    X = sparse_counts(80, 100)
    first, second = (TruncatedSVD(4, random_state=seed).fit(X) for seed in (1, 2))
    np.testing.assert_allclose(first.components_, second.components_, atol=1e-5)
    assert np.abs(first.components_ - second.components_).max() > 0.0


def test_frames_and_pipelines():
    X = sparse_counts(60, 8, density=0.5)
    frame = pd.DataFrame(X.toarray(), columns=list("abcdefgh"))
    svd = TruncatedSVD(2).fit(frame)
    assert list(svd.feature_names_in_) == list("abcdefgh")
    sparse = pd.DataFrame.sparse.from_spmatrix(sp.csr_matrix(X), columns=list("abcdefgh"))
    np.testing.assert_allclose(TruncatedSVD(2).fit(sparse).components_, svd.components_, atol=1e-9)
    labels = np.arange(60) >= 30
    model = make_pipeline(TruncatedSVD(2), LogisticRegression()).fit(X, labels)
    alone = LogisticRegression().fit(TruncatedSVD(2).fit_transform(X), labels)
    np.testing.assert_allclose(model[1].coef_, alone.coef_, rtol=1e-6)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_components": 7}, ValueError, r"must be <= min\(n_rows, n_cols\) = 5, got 7"),
        ({"n_components": 0}, ValueError, "n_components must be >= 1, got 0"),
        ({"n_components": 2.0}, TypeError, r"n_components must be an int, got 2\.0"),
        ({"n_components": True}, TypeError, "n_components must be an int, got True"),
        ({"tol": -1.0}, ValueError, r"tol must be >= 0 and finite, got -1\.0"),
        ({"tol": np.nan}, ValueError, "tol must be >= 0 and finite, got nan"),
        ({"tol": "small"}, TypeError, "tol must be a number, got 'small'"),
        ({"max_iter": 0}, ValueError, "max_iter must be >= 1, got 0"),
        ({"n_jobs": 0}, ValueError, "n_jobs must not be 0"),
    ],
)
def test_parameters_out_of_range(options, error, message):
    with pytest.raises(error, match=message):
        TruncatedSVD(**options).fit(np.ones((5, 9)))


def damage(X, field, position, value):
    getattr(X, field)[position] = value
    return X


@pytest.mark.parametrize(
    ("field", "position", "value"),
    [
        ("indices", 3, 40),
        ("indices", 3, -1),
        ("indptr", 0, 1),
        ("indptr", 5, 10**6),
        ("indptr", -1, 10**6),
        ("data", 2, np.nan),
        ("data", 2, -np.inf),
    ],
)
def test_a_damaged_matrix_raises_and_changes_nothing(field, position, value):
    X = sparse_counts(20, 40, density=0.3)
    svd = TruncatedSVD(2).fit(X)
    before = svd.components_.copy()
    damaged = damage(X.copy(), field, position, value)
    for method in (svd.fit, svd.fit_transform, svd.transform):
        with pytest.raises(ValueError, match="X is not a valid matrix"):
            method(damaged)
    np.testing.assert_array_equal(svd.components_, before)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_dense_values_must_be_finite(value):
    X = np.ones((4, 5))
    X[1, 2] = value
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        TruncatedSVD(2).fit(X)


def test_other_columns_than_learnt():
    svd = TruncatedSVD(2).fit(sparse_counts(20, 40, density=0.3))
    with pytest.raises(ValueError, match="X has 39 features, but TruncatedSVD is expecting 40"):
        svd.transform(sparse_counts(20, 39, density=0.3))
    with pytest.raises(ValueError, match="X has 3 columns, expected 2"):
        svd.inverse_transform(np.ones((2, 3)))


@pytest.mark.parametrize("shape", [(0, 4), (4, 0)])
def test_nothing_to_learn_from(shape):
    for X in (sp.csr_array(shape), np.empty(shape)):
        with pytest.raises(ValueError, match=r"0 (sample|feature)\(s\)"):
            TruncatedSVD(1).fit(X)


def test_an_interrupted_fit_changes_nothing(monkeypatch):
    monkeypatch.setattr(krylov, "DENSE_CELLS", 0)
    svd = TruncatedSVD(2, random_state=0).fit(sparse_counts(40, 60))
    before = dict(vars(svd))
    product = SparseSides.there_and_back
    calls = []

    def interrupted(self, block):
        calls.append(block)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return product(self, block)

    monkeypatch.setattr(SparseSides, "there_and_back", interrupted)
    with pytest.raises(KeyboardInterrupt):
        svd.fit(sparse_counts(90, 120))
    assert {name: value is before[name] for name, value in vars(svd).items()} == dict.fromkeys(
        before, True
    )
