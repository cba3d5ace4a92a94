"""Labels of every kind."""

from decimal import Decimal

import numpy as np
import pytest
from sklearn.exceptions import DataConversionWarning

from wordodds._border.labels import encode_labels

STRING = np.dtypes.StringDType()


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        (["b", "a", "b"], np.array(["a", "b"])),
        ([3, -1, 3], np.array([-1, 3])),
        ([True, False, True], np.array([False, True])),
        ([2.0, 1.0, 2.0], np.array([1.0, 2.0])),
        (np.array(["b", "a", "b"], dtype=object), np.array(["a", "b"], dtype=object)),
        (np.array(["b", "a", "b"], dtype=STRING), np.array(["a", "b"], dtype=STRING)),
        (np.array([9, 7, 9], dtype=np.uint8), np.array([7, 9], dtype=np.uint8)),
        (np.array([b"y", b"x", b"y"]), np.array([b"x", b"y"])),
    ],
)
def test_kinds(labels, classes):
    found, codes = encode_labels(labels, 3)
    np.testing.assert_array_equal(found, classes)
    assert found.dtype == classes.dtype
    np.testing.assert_array_equal(codes, [1, 0, 1])
    assert codes.dtype == np.int32


def test_column_vector_is_taken_with_a_warning():
    with pytest.warns(DataConversionWarning, match="column-vector"):
        classes, codes = encode_labels(np.array([[3], [1], [3]]), 3)
    np.testing.assert_array_equal(classes, [1, 3])
    np.testing.assert_array_equal(codes, [1, 0, 1])


class NAType:
    """Answers as pandas.NA does, which is not a dependency."""

    def __bool__(self):
        raise TypeError("boolean value of NA is ambiguous")

    def __ne__(self, other):
        return self

    __hash__ = None


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (None, "requires y to be passed"),
        (["a", "b"], "X has 3 rows, y 2"),
        ([1.0, 0.5, 2.0], r"label 1 is 0.5"),
        ([1.0, np.nan, 2.0], "label 1 is nan"),
        ([1.0, np.inf, 2.0], "label 1 is inf"),
        (["a", None, "b"], "label 1 is missing"),
        (np.array(["a", np.nan, "b"], dtype=object), "label 1 is missing"),
        (np.array([1, 2.5, 3], dtype=object), "label 1 is 2.5"),
        (np.array(["a", 1, "b"], dtype=object), "one kind, str or whole numbers, got int, str"),
        (["a", float("nan"), "b"], "label 1 is missing"),
        ([1, "a", "b"], "one kind, str or whole numbers, got int, str"),
        (np.ma.array([1, 2, 3], mask=[0, 1, 0]), "masked"),
        (np.array([1, Decimal("1.5"), 2], dtype=object), "label 1 is 1.5"),
        (np.array(["a", NAType(), "b"], dtype=object), "label 1 is missing"),
        (np.array([[1], ["a", "b"], 2], dtype=object), "one kind"),
        (np.ones((3, 2)), r"1d array, got an array of shape \(3, 2\)"),
        ([1j, 2j, 3j], "complex"),
    ],
)
def test_bad_labels(labels, message):
    with pytest.raises(ValueError, match=message):
        encode_labels(labels, 3)
