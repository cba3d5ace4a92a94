"""Valid matrices in odd forms: every estimator gives the answer of the plain dense matrix."""

import numpy as np
import pytest
import scipy.sparse as sp

import wordodds
from wordodds import CountVectorizer, TfidfTransformer
from wordodds._border.csr import N_COLS_MAX, as_csr
from wordodds._border.execution import execution
from wordodds._estimator.state import checked_array, checked_data

CLASSIFIERS = [
    "BernoulliNB",
    "BinaryRegression",
    "ComplementNB",
    "GaussianNB",
    "LogisticRegression",
    "MultinomialNB",
    "NBLogisticRegression",
    "SGDClassifier",
]
DENSE_ONLY = ["CategoricalNB", "FisherDiscriminant", "GaussianDiscriminant"]
Y = np.array([0, 1, 0, 1, 0, 1])


def fresh(name):
    """Return an estimator that can be fitted to these few rows."""
    model = getattr(wordodds, name)()
    return model.set_params(shrinkage=0.5) if hasattr(model, "shrinkage") else model


def plain():
    return np.random.default_rng(3).integers(0, 3, (6, 5)).astype(np.float64)


def csr(indptr, indices, data, shape):
    """Return a matrix with exactly these arrays: SciPy's constructor may convert them."""
    X = sp.csr_array(shape)
    X.indptr, X.indices, X.data = indptr, indices, data
    return X


def misaligned(array):
    """Return the same numbers one byte after an aligned address."""
    room = np.empty(array.nbytes + 1, dtype=np.uint8)[1:].view(array.dtype)
    room[:] = array
    assert not room.flags.aligned
    return room


def with_repeats(X):
    """Return every entry in two halves, at both ends of its row."""
    rows = [np.flatnonzero(row) for row in X]
    indices = np.concatenate([np.concatenate([found, found[::-1]]) for found in rows])
    indptr = np.concatenate([[0], np.cumsum([2 * len(found) for found in rows])])
    values = [row[found] for row, found in zip(X, rows, strict=True)]
    halves = [np.concatenate([half, half[::-1]]) / 2 for half in values]
    return csr(indptr.astype(np.int32), indices.astype(np.int32), np.concatenate(halves), X.shape)


def with_zeros(X):
    indices = np.tile(np.arange(X.shape[1], dtype=np.int32), X.shape[0])
    indptr = np.arange(X.shape[0] + 1, dtype=np.int32) * X.shape[1]
    return csr(indptr, indices, X.ravel().copy(), X.shape)


def whole_numbers_with_zeros(X):
    rows = with_zeros(X)
    rows.data = rows.data.astype(np.int64)
    return rows


def unsorted(X):
    rows = sp.csr_array(X)
    indices, data = rows.indices.copy(), rows.data.copy()
    for begin, end in zip(rows.indptr[:-1], rows.indptr[1:], strict=True):
        indices[begin:end], data[begin:end] = indices[begin:end][::-1], data[begin:end][::-1]
    return csr(rows.indptr, indices, data, X.shape)


def wide_indices(X):
    rows = sp.csr_array(X)
    return csr(rows.indptr.astype(np.int64), rows.indices.astype(np.int64), rows.data, X.shape)


def read_only(X):
    rows = sp.csr_array(X)
    for array in (rows.indptr, rows.indices, rows.data):
        array.flags.writeable = False
    return rows


def at_odd_addresses(X):
    rows = sp.csr_array(X)
    return csr(*map(misaligned, (rows.indptr, rows.indices, rows.data)), X.shape)


def wide_at_odd_addresses(X):
    rows = wide_indices(X)
    return csr(*map(misaligned, (rows.indptr, rows.indices, rows.data)), X.shape)


def with_entries_after_the_last_row(X):
    rows = sp.csr_array(X)
    indices = np.append(rows.indices, [10**6, -1]).astype(np.int32)
    return csr(rows.indptr, indices, np.append(rows.data, [np.nan, -7.0]), X.shape)


ODD = [
    with_repeats,
    with_zeros,
    whole_numbers_with_zeros,
    unsorted,
    wide_indices,
    read_only,
    at_odd_addresses,
    wide_at_odd_addresses,
    with_entries_after_the_last_row,
    sp.csc_array,
    sp.coo_array,
    sp.bsr_array,
    sp.dia_array,
    sp.lil_array,
    sp.dok_array,
]


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_classifiers(name, odd):
    X = plain()
    expected = getattr(wordodds, name)().fit(X, Y)
    model = getattr(wordodds, name)().fit(odd(X), Y)
    np.testing.assert_allclose(
        model.predict_proba(odd(X)) if hasattr(model, "predict_proba") else model.predict(odd(X)),
        expected.predict_proba(X) if hasattr(model, "predict_proba") else expected.predict(X),
        rtol=1e-9,
        atol=1e-12,
    )


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("use_idf", [True, False])
@pytest.mark.parametrize("sublinear_tf", [True, False])
def test_tfidf(odd, use_idf, sublinear_tf):
    X = plain()
    make = {"use_idf": use_idf, "sublinear_tf": sublinear_tf}
    expected = TfidfTransformer(**make).fit(X)
    transformer = TfidfTransformer(**make).fit(odd(X))
    if use_idf:
        np.testing.assert_array_equal(transformer.idf_, expected.idf_)
    np.testing.assert_allclose(
        transformer.transform(odd(X)).toarray(), expected.transform(X).toarray(), rtol=1e-15
    )


@pytest.mark.parametrize("odd", ODD)
def test_singular_vectors(odd):
    X = plain()
    expected = wordodds.TruncatedSVD(2, random_state=0).fit(X)
    svd = wordodds.TruncatedSVD(2, random_state=0).fit(odd(X))
    np.testing.assert_allclose(svd.components_, expected.components_, atol=1e-9)
    np.testing.assert_allclose(svd.transform(odd(X)), expected.transform(X), atol=1e-9)


@pytest.mark.parametrize("odd", ODD)
def test_words_of_rows(odd):
    vectorizer = CountVectorizer(vocabulary=["ba", "be", "bi", "bo", "bu"])
    X = plain()
    expected = [vectorizer.get_feature_names_out()[row != 0] for row in X]
    for words, right in zip(vectorizer.inverse_transform(odd(X)), expected, strict=True):
        assert list(words) == list(right)


def test_weights_of_repeated_entries_by_hand():
    X = sp.csr_array((np.ones(3), [0, 0, 1], [0, 3]), shape=(1, 2))
    weighed = TfidfTransformer(use_idf=False).fit_transform(X)
    np.testing.assert_allclose(weighed.toarray(), [[2 / 5**0.5, 1 / 5**0.5]], rtol=1e-15)
    assert X.nnz == 3  # the caller's matrix is left as it is


def test_cells_that_repeated_entries_make_positive_are_counts():
    X = sp.csr_array((np.array([-1.0, 3.0, 1.0]), [0, 0, 1], [0, 2, 3]), shape=(2, 2))
    model = wordodds.MultinomialNB().fit(X, [0, 1])
    np.testing.assert_array_equal(model.feature_count_, [[2.0, 0.0], [0.0, 1.0]])
    X.data[1] = 0.5
    with pytest.raises(ValueError, match="Negative values in data passed to MultinomialNB"):
        wordodds.MultinomialNB().fit(X, [0, 1])


@pytest.mark.parametrize("odd", [at_odd_addresses, wide_at_odd_addresses])
def test_kernels_see_aligned_arrays_alone(odd):
    rows = as_csr(odd(plain()), non_negative=False, execution=execution(1))
    assert all(array.flags.aligned for array in rows[:3])
    dense = misaligned(plain().ravel()).reshape(6, 5)
    model = fresh("GaussianDiscriminant").fit(plain(), Y)
    assert checked_array(dense).flags.aligned
    assert checked_data(model, dense, fitted=True).flags.aligned
    assert checked_data(model, dense, fitted=False).flags.aligned


@pytest.mark.parametrize("name", [*CLASSIFIERS, *DENSE_ONLY])
def test_dense_rows_at_odd_addresses(name):
    X = plain()
    odd = misaligned(X.ravel()).reshape(X.shape)
    expected, model = fresh(name).fit(X, Y), fresh(name).fit(odd, Y)
    np.testing.assert_array_equal(model.predict(odd), expected.predict(X))


@pytest.mark.parametrize("name", [*CLASSIFIERS, *DENSE_ONLY, "TfidfTransformer", "TruncatedSVD"])
@pytest.mark.parametrize("kind", [complex, object, np.float64, np.int16])
@pytest.mark.parametrize("form", [sp.csr_array, sp.csc_array])
def test_structure_comes_before_values(name, kind, form):
    # Any look at such a matrix by SciPy, even to print it, is a read outside its arrays.
    X = sp.csr_array(plain())
    X.data = X.data.astype(kind)
    X = form((X.data, X.indices, X.indptr), shape=X.shape) if form is sp.csr_array else X.T
    X.indptr[-1] = 10**6
    for call in ("fit", "partial_fit", "fit_transform"):
        if hasattr(model := fresh(name), call):
            classes = {"classes": [0, 1]} if call == "partial_fit" else {}
            with pytest.raises(ValueError, match="indptr ends at 1000000"):
                getattr(model, call)(X, Y, **classes)


@pytest.mark.parametrize("name", [*CLASSIFIERS, *DENSE_ONLY, "TfidfTransformer", "TruncatedSVD"])
@pytest.mark.parametrize("kind", [np.float64, complex])
def test_a_vector_is_refused(name, kind):
    with pytest.raises(ValueError, match="X must have two dimensions, got 1"):
        fresh(name).fit(sp.csr_array(np.ones(3, dtype=kind)), [0])


@pytest.mark.parametrize("name", [*DENSE_ONLY, "GaussianNB", "TruncatedSVD", "TfidfTransformer"])
def test_structure_comes_first_in_fitted_models_too(name):
    model = fresh(name).fit(plain(), Y)
    X = sp.csr_array(plain().astype(complex))
    X.indptr[-1] = 10**6
    for call in ("predict", "predict_proba", "decision_function", "transform", "inverse_transform"):
        if hasattr(model, call):
            with pytest.raises(ValueError, match="indptr ends at 1000000"):
                getattr(model, call)(X)


@pytest.mark.parametrize("name", [*CLASSIFIERS, "TfidfTransformer", "TruncatedSVD"])
def test_more_columns_than_a_fit_can_take_are_refused_by_name(name):
    X = sp.csr_array((np.ones(2), np.array([0, 2**31 - 2]), np.array([0, 1, 2])))
    assert X.shape == (2, 2**31 - 1)
    with pytest.raises(ValueError, match=f"X has 2,147,483,647 columns.* at most {N_COLS_MAX:,}"):
        getattr(wordodds, name)().fit(X, [0, 1])


def test_the_same_by_batches():
    X = sp.csr_array((np.ones(2), np.array([0, 2**31 - 2]), np.array([0, 1, 2])))
    for name in ("MultinomialNB", "BernoulliNB", "ComplementNB", "SGDClassifier"):
        with pytest.raises(ValueError, match="X has 2,147,483,647 columns"):
            getattr(wordodds, name)().partial_fit(X, [0, 1], classes=[0, 1])


def test_logarithms_of_negative_counts_are_refused():
    with pytest.raises(ValueError, match="Negative values in data passed to TfidfTransformer"):
        TfidfTransformer(sublinear_tf=True).fit([[1.0, -1.0]])


def test_weights_beyond_all_numbers_are_refused():
    transformer = TfidfTransformer().fit([[1.0, 0.0], [1.0, 1.0]])
    with pytest.raises(ValueError, match=r"X holds 1\.7e\+308, which times its idf is beyond"):
        transformer.transform([[1.0, 1.7e308]])
    huge = TfidfTransformer(use_idf=False).fit_transform([[3e300, 4e300], [3e-300, 4e-300]])
    np.testing.assert_allclose(huge.toarray(), [[0.6, 0.8], [0.6, 0.8]], rtol=1e-15)


def test_a_word_of_infinite_weight_is_named():
    transformer = TfidfTransformer(smooth_idf=False)
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        transformer.fit([[1.0, 0.0]])
    with pytest.raises(ValueError, match=r"column 1 has the idf inf: .* smooth_idf=True"):
        transformer.transform([[1.0, 1.0]])
    assert transformer.transform([[1.0, 0.0]]).toarray().tolist() == [[1.0, 0.0]]


def tampered(X, **fields):
    for name, value in fields.items():
        setattr(X, name, value)
    return X


@pytest.mark.parametrize(
    ("X", "message"),
    [
        # SciPy's conversion of the first crashes.
        (tampered(sp.dia_array(np.eye(6)), offsets=np.array([2**62])), "a diagonal outside"),
        (tampered(sp.dia_array(np.eye(6)), offsets=np.array([-6])), "a diagonal outside"),
        (tampered(sp.csr_array(np.eye(6)), _shape=(6, 2**70)), "which no matrix can have"),
        (tampered(sp.csr_array(np.eye(6)), _shape=(6.0, 6.0)), "which no matrix can have"),
        (tampered(sp.csr_array(np.eye(6)), _shape=None), "must have two dimensions"),
        (tampered(sp.lil_array(np.eye(6)), rows=np.array([[0.5]] * 6 + [[]], object)[:6]), "a col"),
        (tampered(sp.dok_array((6, 5)), _dict={(0.5, 1): 1.0}), "a key outside"),
        (tampered(sp.dok_array((6, 5)), _dict={(0, 7): 1.0}), "a key outside"),
    ],
)
def test_what_only_a_program_can_break(X, message):
    with pytest.raises(ValueError, match=message):
        wordodds.MultinomialNB().fit(X, Y)


@pytest.mark.parametrize("form", [sp.csr_array, sp.csc_array, sp.coo_array, sp.bsr_array])
def test_masked_values_are_refused_in_every_format(form):
    X = form(plain() + 1.0)
    X.data = np.ma.array(X.data, mask=X.data == 1.0)
    with pytest.raises(ValueError, match="X has masked values; fill them first"):
        wordodds.MultinomialNB().fit(X, Y)


@pytest.mark.parametrize(
    ("idf", "error", "message"),
    [
        ([1.0, np.nan], ValueError, "column 1 has the idf nan"),
        (3.0, ValueError, r"idf_ has the shape \(\), X has 2 columns"),
        (["a", "b"], TypeError, "idf_ must be an array of numbers"),
    ],
)
def test_idf_set_by_hand(idf, error, message):
    transformer = TfidfTransformer()
    transformer.idf_ = idf
    with pytest.raises(error, match=message):
        transformer.transform(np.eye(2))
    transformer.idf_ = [1.0, 2.0]
    assert transformer.transform(np.eye(2)).toarray().tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_a_wrong_norm_can_be_mended():
    vectorizer = wordodds.TfidfVectorizer().partial_fit(["aa bb", "bb cc"]).set_params(norm="zz")
    with pytest.raises(ValueError, match="'norm' parameter"):
        vectorizer.transform(["aa"])
    assert vectorizer.set_params(norm="l2").transform(["aa"]).nnz == 1


def test_words_of_another_vectorizer_are_noticed():
    with pytest.raises(ValueError, match="X has 5 columns, the vocabulary 2"):
        CountVectorizer(vocabulary=["a", "b"]).inverse_transform(plain())


def test_sparse_frames_are_sparse_matrices_for_gaussian_models_too():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame.sparse.from_spmatrix(sp.csr_matrix(plain()))
    found = wordodds.GaussianNB().fit(frame, Y)
    np.testing.assert_allclose(found.theta_, wordodds.GaussianNB().fit(plain(), Y).theta_)
