"""CategoricalNB: what it takes for categories."""

import numpy as np
import pandas as pd
import pytest

from wordodds import CategoricalNB

ROWS = [[0, 2], [1, 2], [0, 0], [1, 1]]
LABELS = ["a", "a", "b", "b"]


def test_frames_and_dtypes():
    expected = CategoricalNB().fit(ROWS, LABELS).predict_proba(ROWS)
    for rows in (np.array(ROWS, dtype=np.uint8), np.array(ROWS, dtype=float), pd.DataFrame(ROWS)):
        model = CategoricalNB().fit(rows, LABELS)
        np.testing.assert_array_equal(model.predict_proba(rows), expected)
    named = CategoricalNB().fit(pd.DataFrame(ROWS, columns=["x", "y"]), LABELS)
    assert named.feature_names_in_.tolist() == ["x", "y"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[0, 2], [1, -1]], r"row 1, column 1 holds -1; categories are numbered from 0"),
        ([["red", "x"], ["blue", "y"]], "must hold categories as numbers from 0.*OrdinalEncoder"),
        ([[0, 10**12], [1, 1]], "column 1 of X would have 1000000000001 categories"),
        ([[0, np.nan], [1, 1]], "NaN"),
        (np.array([[0, 1e300], [1, 1]]), r"X holds 1e\+300; categories are numbered from 0"),
        (np.ma.array([[0, 1], [1, 1]], mask=[[0, 1], [0, 0]]), "masked"),
        (np.ma.array([[0.0, 1.0], [1.0, 1.0]], mask=[[0, 1], [0, 0]]), "masked"),
        ([0, 1], "Expected 2D array"),
        (np.empty((0, 2)), "0 sample"),
        (np.empty((2, 0)), "0 feature"),
    ],
)
def test_what_is_no_category(rows, message):
    with pytest.raises(ValueError, match=message):
        CategoricalNB().fit(rows, LABELS[:2])


def test_categories_that_were_never_seen():
    model = CategoricalNB().fit(ROWS, LABELS)
    with pytest.raises(ValueError, match=r"category 3 in row 1, column 1.*pass min_categories=4"):
        model.predict([[0, 0], [0, 3]])
    with pytest.raises(ValueError, match="X has 3 features, but CategoricalNB is expecting 2"):
        model.predict([[0, 0, 0]])
    roomy = CategoricalNB(min_categories=4).fit(ROWS, LABELS)
    assert np.isfinite(roomy.predict_log_proba([[0, 3]])).all()


@pytest.mark.parametrize("least", [1.5, [2, 2, 2], "two", [[1, 2]], 10**12, -5, 0])
def test_bad_min_categories(least):
    with pytest.raises(ValueError, match="categories"):
        CategoricalNB(min_categories=least).fit(ROWS, LABELS)
