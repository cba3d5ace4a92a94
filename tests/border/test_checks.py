"""Arguments that are one number or one word."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from wordodds._border.checks import one_of, real_number, whole_number


@pytest.mark.parametrize("value", [1, 5, np.int8(3), np.uint64(5)])
def test_whole_numbers_become_ints(value):
    found = whole_number(value, "k", 1, 5)
    assert found == value
    assert type(found) is int


@pytest.mark.parametrize("value", [True, np.True_, 1.0, "1", None, [1], Decimal(1)])
def test_what_is_no_whole_number(value):
    with pytest.raises(TypeError, match=r"^k must be a whole number >= 1, got "):
        whole_number(value, "k", 1)
    with pytest.raises(ValueError, match=r"^k must be an int or None, got "):
        whole_number(value, "k", 1, wanted="an int or None", wrong_type=ValueError)


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ((1, None), "k must be a whole number >= 1, got"),
        ((1, 5), "k must be a whole number from 1 to 5, got"),
        ((None, -10), "k must be a whole number <= -10, got"),
    ],
)
def test_whole_numbers_out_of_bounds(bounds, message):
    for value in {0, 6} if bounds == (1, 5) else {0}:
        with pytest.raises(ValueError, match=f"^{message} {value}$"):
            whole_number(value, "k", *bounds)


@pytest.mark.parametrize("value", [0, 0.5, 1, np.float32(0.25), Fraction(1, 2), np.int64(1)])
def test_real_numbers_become_floats(value):
    found = real_number(value, "share", 0, 1)
    assert found == value
    assert type(found) is float


@pytest.mark.parametrize("value", [True, "1", None, 1j, np.ones(1)])
def test_what_is_no_number(value):
    with pytest.raises(TypeError, match=r"^share must be a number from 0 to 1, got "):
        real_number(value, "share", 0, 1)


@pytest.mark.parametrize("value", [-1, float("nan"), float("inf"), 10**400])
def test_real_numbers_out_of_bounds(value):
    with pytest.raises(ValueError, match=r"^tol must be a finite number >= 0, got "):
        real_number(value, "tol", 0)


def test_bounds_that_are_left_out_or_infinite():
    with pytest.raises(ValueError, match=r"^eta0 must be a number > 0 and <= 1, got 0$"):
        real_number(0, "eta0", 0, 1, above=True)
    assert real_number(1e-300, "eta0", 0, above=True) == 1e-300
    assert real_number(np.inf, "C", 0, np.inf) == np.inf
    assert real_number(10**400, "C", 0, np.inf) == np.inf
    assert real_number(-1e308, "x") == -1e308


@pytest.mark.parametrize("value", ["max", "L1", b"l1", 1, ["l1"], np.array(["l1", "l2"])])
def test_one_of_several_words(value):
    one_of("l1", "norm", ("l1", "l2", None))
    one_of(None, "norm", ("l1", "l2", None))
    with pytest.raises(ValueError, match=r"^norm must be 'l1', 'l2' or None, got "):
        one_of(value, "norm", ("l1", "l2", None))
    with pytest.raises(ValueError, match=r"^norm must be 'l1', got None"):
        one_of(None, "norm", ("l1",))
