"""The largest values: in order, with equal ones and NaN."""

import numpy as np
import pytest

from wordodds._border.features import asked_labels, largest


@pytest.mark.parametrize("n", [1, 2, 5, 20, 50])
def test_largest_first_equal_ones_in_order_and_nan_last(n):
    rng = np.random.default_rng(0)
    for _ in range(200):
        values = rng.choice([-np.inf, -1.5, 0.0, 2.0, np.inf, *[np.nan] * 10], size=20)
        numbers = [i for i in range(20) if not np.isnan(values[i])]
        order = sorted(numbers, key=lambda i: -values[i])
        order += [i for i in range(20) if np.isnan(values[i])]
        assert largest(values, n) == order[:n]


def test_labels_keep_their_kinds():
    known = np.array(["a", 1, "b\0"], dtype=object)
    assert asked_labels(None, known) == ["a", 1, "b\0"]
    assert asked_labels(["b\0", np.int64(1)], known) == ["b\0", 1]
    assert type(asked_labels(np.array([1, 2]), known)[0]) is int
