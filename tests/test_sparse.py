"""Malformed matrices get one clear error, and never a crash."""

import numpy as np
import pytest
import scipy.sparse as sp

from wordodds import MultinomialNB
from wordodds._execution import execution
from wordodds._sparse import as_csr


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
        (spoil("indptr", [1, 2, 3, 5]), "indptr must start at 0"),
        (spoil("indptr", [0, 3, 2, 5]), "indptr decreases after row 1"),
        (spoil("indptr", [0, 2, 3, 9]), "indptr ends at 9, past the 5 stored indices"),
        (spoil("indptr", [0, 2, 5]), "indptr must have n_rows \\+ 1 = 4 entries"),
        (spoil("indptr", [0.0, 2.0, 3.0, 5.0]), "X.indptr must be a 1-D array of integers"),
        (spoil("data", [1.0, 2.0, 3.0]), "data and indices must have the same length"),
        (spoil("data", [1, 2, np.nan, 4, 5]), r"row 1 holds NaN or infinity \(data\[2\]\)"),
        (spoil("data", [1, 2, 3, -np.inf, 5]), "row 2 holds NaN or infinity"),
        (spoil("data", [1.0, -2, 3, 4, 5]), r"Negative values in data: data\[1\] in row 0"),
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
        (damaged_lil(), "other numbers of columns and values"),
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
