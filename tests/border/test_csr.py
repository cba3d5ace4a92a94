"""Malformed matrices get one clear error, and never a crash."""

import numpy as np
import pytest
import scipy.sparse as sp

from wordodds import MultinomialNB
from wordodds._border.csr import as_csr
from wordodds._border.execution import execution


def valid():
    return sp.csr_array(np.array([[1.0, 0, 2], [0, 3, 0], [4, 0, 5]]))


def check(X, **options):
    return as_csr(X, **{"non_negative": True, "execution": execution(1)} | options)


def spoil(field, values):
    X = valid()
    setattr(X, field, np.asarray(values))
    return X


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (spoil("indices", [0, 3, 1, 0, 2]), r"indices\[1\] in row 0 is outside the 3 columns"),
        (spoil("indices", [0, 2, 1, 0, -1]), r"indices\[4\] in row 2 is outside"),
        (spoil("indices", np.array([0, 2, 1, 0, 2**40])), r"indices\[4\] in row 2 is outside"),
        # With 32 bits alone these two would be column 1.
        (spoil("indices", np.array([0, 2, 1, 0, 2**32 + 1])), r"indices\[4\] in row 2 is outside"),
        (
            spoil("indices", np.array([0, 2, 1, 0, 2**32 + 1], dtype=np.uint64)),
            r"indices\[4\] in row 2 is outside",
        ),
        (
            spoil("indices", np.array([0, 2, 1, 0, -(2**32) + 1])),
            r"indices\[4\] in row 2 is outside",
        ),
        (spoil("indptr", [0, 2, 3, 2**32 + 5]), "indptr ends at 4294967301, past the 5 stored"),
        (spoil("indptr", [1, 2, 3, 5]), "indptr must start at 0"),
        (spoil("indptr", [0, 3, 2, 5]), "indptr decreases after row 1"),
        (spoil("indptr", [0, 2, 3, 9]), "indptr ends at 9, past the 5 stored indices"),
        (spoil("indptr", [0, 2, 5]), "indptr must have n_rows \\+ 1 = 4 entries"),
        (spoil("indptr", [0.0, 2.0, 3.0, 5.0]), "X.indptr must be a 1-D array of integers"),
        (spoil("data", [1.0, 2.0, 3.0]), "data and indices must have the same length"),
        (spoil("data", [1, 2, np.nan, 4, 5]), r"row 1 holds NaN or infinity \(data\[2\]\)"),
        (spoil("data", [1, 2, 3, -np.inf, 5]), "row 2 holds NaN or infinity"),
        (
            spoil("data", [1.0, -2, 3, 4, 5]),
            r"Negative values .*input X.: data\[1\] in row 0",
        ),
        (spoil("data", np.ones((5, 2))), "data must be a 1-D array"),
    ],
)
def test_defects_are_named(X, message):
    with pytest.raises(ValueError, match=message):
        check(X)
    with pytest.raises(ValueError, match=message):
        MultinomialNB().fit(X, [0, 1, 0])
    model = MultinomialNB().fit(valid(), [0, 1, 0])
    with pytest.raises(ValueError, match=message):
        model.predict(X)


@pytest.mark.parametrize("of_pointers", [np.int32, np.int64, np.uint64, ">i8"])
@pytest.mark.parametrize("of_indices", [np.int32, np.int64, np.uint16, np.uint64, ">i4"])
def test_index_arrays_of_any_type_become_those_of_the_kernels(of_pointers, of_indices):
    X = valid()
    X.indptr, X.indices = X.indptr.astype(of_pointers), X.indices.astype(of_indices)
    rows = check(X)
    assert (rows.indptr.dtype, rows.indices.dtype) == (np.int64, np.int32)
    np.testing.assert_array_equal(rows.to_scipy().toarray(), valid().toarray())


@pytest.mark.parametrize(
    ("make", "axis"), [(sp.csr_array, "columns"), (sp.csc_array, "rows"), (sp.bsr_array, "columns")]
)
def test_more_columns_than_32_bits_number(make, axis):
    shape = (2**31, 2) if axis == "rows" else (2, 2**31)
    index = np.array([0, 1]), np.array([0, 1, 2])
    data = np.ones((2, 1, 1)) if make is sp.bsr_array else np.ones(2)
    X = make((data, *index), shape=shape)
    with pytest.raises(ValueError, match=rf"X has 2,147,483,648 {axis}, and at most 2,147,483,647"):
        check(X)


@pytest.mark.parametrize("form", ["csc", "bsr", "coo"])
def test_formats_that_scipy_would_convert_unchecked(form):
    X = valid().asformat(form)
    if form == "coo":
        X.coords = (X.coords[0], X.coords[1] + 7)
        message = "coordinate outside its shape"
    else:
        X.indices = X.indices + 7
        message = "outside the"
    with pytest.raises(ValueError, match=message):
        check(X)


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        (np.array([1.0, 2.0]), ValueError, "two dimensions, got 1"),
        (np.ones((2, 2, 2)), ValueError, "two dimensions, got 3"),
        (np.array([[1, "x"]], dtype=object), TypeError, "must hold numbers"),
        (np.array([["a", "b"]]), TypeError, "must hold numbers"),
        (np.array([[1j]]), ValueError, "Complex data not supported"),
        (np.array([[1.0, np.nan]]), ValueError, "row 0 holds NaN"),
        (np.array([[1.0, -1.0]]), ValueError, "Negative"),
        (np.ma.array([[1.0, 2.0]], mask=[[0, 1]]), ValueError, "masked"),
    ],
)
def test_dense_input(X, error, message):
    with pytest.raises(error, match=message):
        check(X)


def dense(form, dtype):
    rng = np.random.default_rng(6)
    X = rng.integers(0, 3, (50, 70)) * rng.integers(0, 2, (50, 1))  # with empty rows
    X = X.astype(dtype)
    if form == "unaligned":
        return np.frombuffer(b"-" + X.tobytes(), X.dtype, offset=1).reshape(X.shape)
    return {"C": X, "F": np.asfortranarray(X), "strided": np.repeat(X, 2, axis=1)[:, ::2]}[form]


@pytest.mark.parametrize("form", ["C", "F", "strided", "unaligned"])
@pytest.mark.parametrize("dtype", ["?", "i1", "u4", "i8", "u8", "f2", "f4", "f8", ">f8", "g"])
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_dense_in_any_order_and_type(form, dtype, n_jobs):
    X = dense(form, dtype)
    X.flags.writeable = False
    matrix = check(X, execution=execution(n_jobs))
    plain = X.astype(np.dtype(dtype) if dtype in ("i8", "f4") else np.float64)
    expected = sp.csr_array(plain)
    assert matrix.data.dtype == plain.dtype
    assert (matrix.indptr.dtype, matrix.indices.dtype) == (np.int64, np.int32)
    np.testing.assert_array_equal(matrix.indptr, expected.indptr)
    np.testing.assert_array_equal(matrix.indices, expected.indices)
    np.testing.assert_array_equal(matrix.data, expected.data)
    assert (matrix.n_rows, matrix.n_cols) == (50, 70)


@pytest.mark.parametrize("shape", [(0, 4), (4, 0), (0, 0), (1, 1)])
@pytest.mark.parametrize("form", ["C", "F"])
def test_dense_without_entries(shape, form):
    matrix = check(np.zeros(shape, order=form))
    np.testing.assert_array_equal(matrix.indptr, np.zeros(shape[0] + 1))
    assert len(matrix.indices) == len(matrix.data) == 0
    assert (matrix.n_rows, matrix.n_cols) == shape


@pytest.mark.parametrize("form", ["C", "F"])
def test_zeros_of_either_sign_are_dropped(form):
    X = np.array([[-0.0, 1.0, 0.0], [5e-324, -0.0, 2.0]], order=form)
    matrix = check(X)
    np.testing.assert_array_equal(matrix.indices, [1, 0, 2])
    np.testing.assert_array_equal(matrix.data, [1.0, 5e-324, 2.0])


def test_dense_values_are_checked_in_any_order():
    for value, message in [(np.nan, "row 1 holds NaN"), (-1.0, r"Negative.*row 1")]:
        X = np.ones((3, 4))
        X[1, 2] = value
        for form in (X, np.asfortranarray(X), np.repeat(X, 2, axis=0)[::2]):
            with pytest.raises(ValueError, match=message):
                check(form)


def damaged_dia(**fields):
    X = sp.dia_array(np.eye(4) + np.eye(4, k=1))
    for field, value in fields.items():
        setattr(X, field, value)
    return X


def damaged_coo(coordinates):
    X = sp.coo_array(np.eye(3))
    X.coords = (np.arange(3), coordinates)
    return X


def damaged_lil():
    X = sp.lil_array(np.eye(3))
    X.data[1].append(5.0)
    return X


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (damaged_dia(offsets=np.array([0])), "one row of data per offset"),
        (damaged_dia(offsets=np.array([0.0, 1.0])), "1-D array of integers"),
        (damaged_dia(offsets=np.array([1, 1])), "each offset once"),
        (damaged_coo(np.array([0.0, np.nan, 1.0])), "one integer coordinate per value"),
        (damaged_coo(np.array([0, 1])), "one integer coordinate per value"),
        (damaged_lil(), "row 1 of X has 1 columns but 2 values"),
    ],
)
def test_damage_in_other_formats(X, message):
    with pytest.raises(ValueError, match=message):
        check(X)


def test_input_is_not_changed():
    X = sp.csr_array((np.array([1.0, 2.0]), np.array([2, 0]), np.array([0, 2])), shape=(1, 3))
    check(X)
    np.testing.assert_array_equal(X.indices, [2, 0])
    np.testing.assert_array_equal(X.data, [1.0, 2.0])


def test_stored_entries_past_the_end_are_ignored():
    X = spoil("indices", [0, 2, 1, 0, 2, 99])
    X.data = np.append(X.data, np.nan)
    assert check(X).n_rows == 3


def test_random_damage_never_crashes():
    rng = np.random.default_rng(5)
    outcomes = set()
    for _ in range(500):
        X = sp.random_array((20, 15), density=0.2, rng=rng).tocsr()
        field = rng.choice(["indptr", "indices", "data"])
        array = getattr(X, field).copy()
        if rng.random() < 0.2:
            array = array[: rng.integers(len(array) + 1)]
        elif len(array):
            wild = [-1, 2**31 - 1, -(2**31), 15, 14, 7, len(X.data)]
            array[rng.integers(len(array))] = rng.choice(wild)
        setattr(X, field, array)
        try:
            MultinomialNB().fit(X, np.arange(20) % 3)
            outcomes.add("fitted")
        except ValueError:
            outcomes.add("refused")
    assert outcomes == {"fitted", "refused"}
