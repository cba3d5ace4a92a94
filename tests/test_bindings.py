"""Kernels by their bindings: SciPy's answers, and lengths checked."""

import numpy as np
import pytest
import scipy.sparse as sp

from wordodds._border.structure import CsrArrays
from wordodds._core import bayes, linear, score, sparse
from wordodds.linear.ratio import LabelTable

ONE = (1, 0)  # n_jobs, instruction set
KINDS = [
    (index, value) for index in (np.int32, np.int64) for value in (np.float32, np.float64, np.int64)
]


def random_counts(index=np.int32, value=np.float64, shape=(200, 40), seed=3):
    rng = np.random.default_rng(seed)
    X = sp.csr_array(rng.poisson(0.2, shape).astype(value))
    X.indptr, X.indices = X.indptr.astype(index), X.indices.astype(index)
    labels = rng.integers(0, 7, shape[0]).astype(np.int32)
    weights = rng.choice([0.0, 0.5, 1.0, 2.0], shape[0])
    return X, labels, weights


def class_sums(X, labels, weights):
    rows = np.arange(len(labels))
    share = np.ones(len(labels)) if weights is None else weights
    one_hot = sp.csr_array((share, (labels, rows)), shape=(7, len(labels)))
    return (one_hot @ X.astype(np.float64)).toarray()


@pytest.mark.parametrize(("index", "value"), KINDS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_tallies_are_scipys(index, value, weighted, n_jobs):
    X, labels, weights = random_counts(index, value)
    weights = weights if weighted else None
    expected = class_sums(X, labels, weights)
    dense = bayes.csr_tally_classes(CsrArrays.of(X), labels, 7, weights, n_jobs, 0)
    np.testing.assert_allclose(dense, expected, rtol=1e-13)
    indptr, classes, sums = bayes.csr_tally_entries(CsrArrays.of(X), labels, 7, weights, n_jobs, 0)
    assert (indptr.dtype, classes.dtype, sums.dtype) == (np.int64, np.int32, np.float64)
    entries = sp.csr_array((sums, classes, indptr), shape=(40, 7))
    assert entries.has_canonical_format
    assert entries.nnz == np.count_nonzero(expected)
    np.testing.assert_array_equal(entries.toarray().T, dense)


@pytest.mark.parametrize("shape", [(0, 5), (4, 0), (0, 0)])
def test_tallies_of_nothing(shape):
    X = sp.csr_array(shape)
    labels = np.zeros(shape[0], dtype=np.int32)
    for weights in (None, np.ones(shape[0])):
        dense = bayes.csr_tally_classes(CsrArrays.of(X), labels, 2, weights, *ONE)
        np.testing.assert_array_equal(dense, np.zeros((2, shape[1])))
        indptr, classes, sums = bayes.csr_tally_entries(CsrArrays.of(X), labels, 2, weights, *ONE)
        np.testing.assert_array_equal(indptr, np.zeros(shape[1] + 1))
        assert len(classes) == len(sums) == 0


@pytest.mark.parametrize("tally", [bayes.csr_tally_classes, bayes.csr_tally_entries])
def test_tallies_check_lengths(tally):
    X, labels, weights = random_counts()
    with pytest.raises(ValueError, match="labels and rows differ in number"):
        tally(CsrArrays.of(X), labels[1:], 7, None, *ONE)
    with pytest.raises(ValueError, match="row_weights and rows differ in number"):
        tally(CsrArrays.of(X), labels, 7, weights[1:], *ONE)
    with pytest.raises(ValueError, match="row_weights and rows differ in number"):
        tally(CsrArrays.of(X), labels, 7, np.empty(0), *ONE)


def sparse_weights(seed=4, n_cols=40, n_classes=7):
    rng = np.random.default_rng(seed)
    excess = sp.random_array((n_cols, n_classes), density=0.2, rng=rng).tocsr()
    return {
        "bias": rng.normal(size=n_classes),
        "class_scale": rng.normal(size=n_classes),
        "class_base": rng.normal(size=n_classes),
        "feature_base": rng.normal(size=n_cols),
        "excess_indptr": excess.indptr.astype(np.int64),
        "excess_classes": excess.indices.astype(np.int32),
        "excess": excess.data,
    }


def weight_matrix(w):
    excess = sp.csr_array((w["excess"], w["excess_classes"], w["excess_indptr"]), shape=(40, 7))
    return np.outer(w["feature_base"], w["class_scale"]) + w["class_base"] + excess.toarray()


@pytest.mark.parametrize(("index", "value"), KINDS)
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_sparse_scores_are_those_of_the_whole_matrix(index, value, n_jobs):
    X, _, _ = random_counts(index, value)
    w = sparse_weights()
    scores = score.csr_score_sparse_classes(CsrArrays.of(X), n_jobs, 0, **w)
    np.testing.assert_allclose(scores, X @ weight_matrix(w) + w["bias"], rtol=1e-12, atol=1e-12)


def test_a_row_without_words_scores_the_bias_whatever_the_weights():
    X = sp.csr_array(([0.0, 1.0], ([0, 2], [0, 0])), shape=(3, 40))
    w = sparse_weights()
    w["class_base"][2] = -np.inf
    scores = score.csr_score_sparse_classes(CsrArrays.of(X), *ONE, **w)
    np.testing.assert_array_equal(scores[:2], [w["bias"]] * 2)
    assert np.isneginf(scores[2, 2])
    assert np.isfinite(np.delete(scores[2], 2)).all()


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("class_scale", "bias, class_scale and class_base differ in length"),
        ("class_base", "bias, class_scale and class_base differ in length"),
        ("bias", "bias, class_scale and class_base differ in length"),
        ("feature_base", "one longer than feature_base"),
        ("excess_indptr", "one longer than feature_base"),
        ("excess_classes", "excess and excess_classes differ in length"),
        ("excess", "from 0 to the length of excess"),
    ],
)
def test_sparse_scores_check_lengths(field, message):
    X, _, _ = random_counts()
    w = sparse_weights()
    w[field] = w[field][:-1].copy()
    with pytest.raises(ValueError, match=message):
        score.csr_score_sparse_classes(CsrArrays.of(X), *ONE, **w)


@pytest.mark.parametrize(("index", "value"), KINDS)
@pytest.mark.parametrize("threshold", [0.0, 1.0, 0.1])
def test_presences_are_numpys(index, value, threshold):
    X, _, _ = random_counts(index, value)
    X.data[::5] = threshold  # as a float32, 0.1 is no more than the threshold
    presences, has_repeats = sparse.csr_binarize(CsrArrays.of(X), 2, 0, threshold=threshold)
    assert presences.dtype == np.float32
    np.testing.assert_array_equal(presences, X.data > threshold)
    assert has_repeats is False


def test_repeats():
    indptr = np.array([0, 2, 5])
    for indices, expected in [
        ([1, 0, 2, 0, 1], False),
        ([1, 0, 2, 0, 2], True),
        ([1, 1, 0, 1, 2], True),
    ]:
        rows = CsrArrays(indptr, np.array(indices, dtype=np.int32), np.ones(5), 2, 3)
        assert sparse.csr_has_repeats(rows, *ONE) is expected
        presences, has_repeats = sparse.csr_binarize(rows, *ONE, threshold=0.0)
        assert has_repeats is expected
        np.testing.assert_array_equal(presences, np.ones(5))
    assert sparse.csr_has_repeats(CsrArrays.of(sp.csr_array((0, 0))), *ONE) is False


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: {"data": rows.data[1:]}, "differ in length"),
        (lambda rows: {"indices": rows.indices[1:]}, "differ in length"),
        (lambda rows: {"indices": rows.indices[:0], "data": rows.data[:0]}, "differ in length"),
        (lambda rows: {"indptr": rows.indptr + 1}, "differ in length"),
        (lambda rows: {"indptr": rows.indptr[1:]}, "n_rows \\+ 1"),
        (lambda rows: {"indptr": rows.indptr[:0]}, "n_rows \\+ 1"),
        (lambda rows: {"n_rows": -1, "indptr": rows.indptr[:0]}, "n_rows \\+ 1"),
        (lambda rows: {"indptr": rows.indptr.astype(np.int32)}, "Buffer dtype mismatch"),
        (lambda rows: {"indices": rows.indices.astype(np.int64)}, "Buffer dtype mismatch"),
        (lambda rows: {"data": rows.data.astype(np.int32)}, "Buffer dtype mismatch"),
        (lambda rows: {"data": rows.data.astype(complex)}, "Buffer dtype mismatch"),
    ],
)
def test_a_borrowed_matrix_is_whole(change, message):
    rows = CsrArrays.of(random_counts()[0])
    with pytest.raises(ValueError, match=message):
        sparse.csr_binarize(rows._replace(**change(rows)), *ONE, threshold=0.0)


def test_kernels_refuse_values_that_they_do_not_take():
    rows = CsrArrays.of(random_counts(value=np.int64)[0])
    options = {"bias": None, "addend_factor": 0.0, "addend": None, "squares": False}
    with pytest.raises(ValueError, match="float32 or float64"):
        linear.csr_multiply(rows, np.ones((40, 1)), *ONE, **options, product_out=np.empty((200, 1)))
    labels = LabelTable(np.arange(201), np.zeros(200, dtype=np.int32), np.ones(200))
    rows = rows._replace(data=rows.data.astype(np.float32))
    with pytest.raises(ValueError, match="must be float64"):
        linear.csr_count_ratios(rows, labels, *ONE, n_columns=1, alpha=0.5)


def test_compression_takes_contiguous_arrays_only():
    with pytest.raises(ValueError, match="contiguous neither by rows nor by columns"):
        sparse.dense_compress_rows(np.ones((6, 6))[::2, ::2], *ONE)
