"""Matrices made without SciPy's checks are what its constructor makes; parameters stay alive."""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
import sklearn.feature_extraction.text as peer

import wordodds
from wordodds import CountVectorizer, HashingVectorizer, TfidfVectorizer

TEXTS = ["zebra apple", "mango zebra apple apple", ""]
INTERFACES = pytest.mark.parametrize("interface", ["spmatrix", "sparray"])
KINDS = pytest.mark.parametrize("kind", ["CountVectorizer", "TfidfVectorizer", "HashingVectorizer"])


def pair(kind, texts=TEXTS, method="fit_transform", **options):
    ours, theirs = getattr(wordodds, kind)(**options), getattr(peer, kind)(**options)
    if method == "transform":
        ours.fit(TEXTS)
        theirs.fit(TEXTS)
    return getattr(ours, method)(texts), getattr(theirs, method)(texts)


@pytest.mark.needs("scikit-learn>=1.9")
@KINDS
@INTERFACES
@pytest.mark.parametrize("method", ["fit_transform", "transform"])
def test_as_the_constructor_makes_them(kind, interface, method):
    with sklearn.config_context(sparse_interface=interface):
        mine, other = pair(kind, method=method)
    assert type(mine) is type(other) is (sp.csr_matrix if interface == "spmatrix" else sp.csr_array)
    made = type(mine)((mine.data, mine.indices, mine.indptr), shape=mine.shape)
    assert mine.__dict__.keys() == made.__dict__.keys()
    assert [type(n) for n in mine.shape] == [int, int]
    assert mine.indices.dtype == mine.indptr.dtype == other.indices.dtype
    # The flags are found from the entries, not handed down from an empty matrix.
    for matrix in (mine, made):
        order = [np.all(np.diff(row.indices) > 0) for row in matrix]
        assert matrix.has_sorted_indices == all(order)
        assert matrix.has_canonical_format == all(order)
    assert made.has_sorted_indices == mine.has_sorted_indices
    assert repr(mine) == repr(made)
    mine.check_format()
    for array in (mine.data, mine.indices, mine.indptr):
        assert array.flags.writeable
        assert array.flags.c_contiguous


@pytest.mark.needs("scikit-learn>=1.9")
@KINDS
@INTERFACES
def test_they_behave_alike(kind, interface):
    with sklearn.config_context(sparse_interface=interface):
        mine, other = pair(kind)
    dense = other.toarray() if kind != "HashingVectorizer" else None
    for call in (
        copy.copy,
        copy.deepcopy,
        lambda m: pickle.loads(pickle.dumps(m)),
        lambda m: m.copy(),
        lambda m: m + m,
        lambda m: m * 2,
        lambda m: m.multiply(m),
        lambda m: m @ m.T,
        lambda m: m.T.tocsr(),
        lambda m: m[1:],
        lambda m: m[[2, 0]],
        lambda m: m[:, 1:3],
        lambda m: m.tocsc().tocsr(),
        lambda m: sp.vstack([m, m]).tocsr(),
        lambda m: m.astype(np.float32),
        lambda m: m.sorted_indices(),
    ):
        result, expected = call(mine), call(other)
        assert type(result) is type(expected)
        assert result.shape == expected.shape
        assert result.dtype == expected.dtype
        assert abs(result - expected).max() < 1e-12
    if dense is not None:
        np.testing.assert_allclose(np.asarray(mine.sum(axis=0)), np.asarray(other.sum(axis=0)))
        np.testing.assert_allclose(mine.toarray(), dense, rtol=1e-14)
    mine.sort_indices()
    assert mine.has_sorted_indices
    mine.data[:] = 0
    mine.eliminate_zeros()
    assert mine.nnz == 0


def test_two_results_share_nothing():
    vectorizer = CountVectorizer().fit(TEXTS)
    one, two = vectorizer.transform(TEXTS), vectorizer.transform(TEXTS)
    one.data[:] = 9
    one.sort_indices()
    one.resize((1, 1))
    assert two.shape == (3, 3)
    assert two.sum() == 6
    assert CountVectorizer().fit(TEXTS).transform([""]).nnz == 0
    assert vectorizer.transform([]).shape == (0, 3)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint16, np.int32, np.float32, np.float64])
def test_types_of_values(dtype):
    mine, other = pair("CountVectorizer", dtype=dtype)
    assert mine.dtype == other.dtype == dtype
    np.testing.assert_array_equal(mine.toarray(), other.toarray())


def test_numpy_integers_as_parameters():
    matrix = HashingVectorizer(n_features=np.int64(8)).transform(TEXTS)
    assert type(matrix.shape[1]) is int


CHANGES = [
    ({}, {"lowercase": False}),
    ({}, {"token_pattern": r"\w"}),
    ({}, {"token_pattern": r"[a-z]{3}"}),
    ({}, {"stop_words": ["apple"]}),
    ({"stop_words": "english"}, {"stop_words": None}),
    ({}, {"binary": True}),
    ({}, {"ngram_range": (2, 2)}),
    ({}, {"analyzer": "char"}),
    ({}, {"strip_accents": "unicode"}),
    ({}, {"preprocessor": str.upper}),
    ({}, {"tokenizer": str.split}),
    ({"analyzer": "char", "ngram_range": (1, 2)}, {"analyzer": "char_wb"}),
]


@KINDS
@pytest.mark.parametrize(("before", "after"), CHANGES, ids=str)
def test_parameters_changed_after_fit(kind, before, after):
    texts = ["Apple apple MANGO the é zebra apple", "ápple a b A"]
    ours, theirs = getattr(wordodds, kind)(**before), getattr(peer, kind)(**before)
    for vectorizer in (ours, theirs):
        vectorizer.fit([*texts, "apple zebra é ápple A"])
        vectorizer.transform(texts)
        vectorizer.set_params(**after)
    mine, other = ours.transform(texts), theirs.transform(texts)
    assert mine.shape == other.shape
    assert abs(mine - other).max() < 1e-14


@KINDS
@pytest.mark.filterwarnings("ignore:Your stop_words")
def test_stop_words_changed_in_place(kind):
    listed = ["apple"]
    ours, theirs = (
        getattr(wordodds, kind)(stop_words=listed),
        getattr(peer, kind)(stop_words=listed),
    )
    for vectorizer in (ours, theirs):
        vectorizer.fit(TEXTS)
    for change in (lambda: listed.append("zebra"), listed.clear, lambda: listed.append("mango")):
        mine, other = ours.transform(TEXTS), theirs.transform(TEXTS)
        assert abs(mine - other).max() < 1e-14
        np.testing.assert_array_equal(mine.indptr, other.indptr)
        change()


def test_n_jobs_and_unknown_changed_after_fit():
    fitted = CountVectorizer().fit(TEXTS).set_params(unknown="count", n_jobs=3)
    assert fitted.transform(["apple strange"]).toarray().tolist() == [[1, 0, 0, 1]]
    assert TfidfVectorizer().fit(TEXTS).set_params(n_jobs=2).transform(TEXTS).nnz == 5
