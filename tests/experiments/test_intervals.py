"""Intervals, crossings and exponents, against SciPy and against curves that were made up."""

import numpy as np
import pytest
import scipy.stats

from wordodds.experiments.intervals import (
    Interval,
    crossing,
    exponent,
    mean_interval,
    paired_difference,
    proportion_difference,
    slope,
)


@pytest.mark.parametrize("n", [2, 5, 20])
def test_mean_interval_is_students(n):
    values = np.random.default_rng(n).normal(0.8, 0.05, n)
    expected = scipy.stats.t.interval(0.95, n - 1, loc=values.mean(), scale=scipy.stats.sem(values))
    found = mean_interval(values)
    np.testing.assert_allclose((found.low, found.high), expected)
    assert found.value == pytest.approx(values.mean())
    np.testing.assert_allclose(mean_interval([*values, np.nan]), found)


def test_an_interval_of_hardly_any_values():
    assert mean_interval([0.5]) == (0.5, -np.inf, np.inf)
    assert np.isnan(mean_interval([])).all()
    assert mean_interval([1.0, np.inf]) == (np.inf, np.inf, np.inf)


def test_paired_difference_is_the_paired_t_test():
    rng = np.random.default_rng(0)
    first = rng.normal(size=8)
    second = first - 0.1 + 0.01 * rng.normal(size=8)
    expected = scipy.stats.ttest_rel(first, second).confidence_interval(0.95)
    np.testing.assert_allclose(paired_difference(first, second)[1:], expected)


def test_a_difference_of_proportions_is_the_mean_of_a_sample():
    differences = np.repeat([1.0, -1.0, 0.0], [70, 40, 390])
    error = differences.std() / np.sqrt(500)
    expected = scipy.stats.norm.interval(0.95, differences.mean(), error)
    found = proportion_difference(70, 40, 500)
    assert found.value == pytest.approx(differences.mean())
    np.testing.assert_allclose(found[1:], expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (12345.6, "12,346"),
        (123.4, "123"),
        (12.34, "12.3"),
        (1.234, "1.23"),
        (-0.1234, "-0.123"),
        (0.0, "0.000"),
        (0.00012, "1.2e-04"),
        (np.inf, "inf"),
    ],
)
def test_numbers_are_short(value, text):
    assert str(Interval(value, value, value)) == f"{text} [{text}, {text}]"


SIZES = np.array([10, 30, 100, 300, 1000])


def curves(places, noise=0.0, n_seeds=6):
    """Return curves of two models that cross at the given sizes, seed by seed."""
    lead = np.ones(len(SIZES))
    for place in places:
        lead = lead * np.log(place / SIZES)
    rng = np.random.default_rng(0)
    first = 0.5 + 0.01 * lead + noise * rng.normal(size=(n_seeds, len(SIZES)))
    return first, np.full((n_seeds, len(SIZES)), 0.5)


def test_crossing_is_found_where_it_was_put():
    first, second = curves([55.0])
    found = crossing(SIZES, first, second)
    # The difference is a line over log(size), as between the points.
    np.testing.assert_allclose(found.interval, [55.0] * 3)
    assert found.share == 1.0
    assert crossing(SIZES, second, first) is None
    assert crossing(SIZES, first + 1.0, second) is None


def test_only_the_last_fall_counts():
    lead = np.array([[0.02, -0.02, 0.02, -0.02, -0.04]] * 2)
    found = crossing(SIZES, lead, np.zeros_like(lead))
    assert found.interval.value == pytest.approx(np.sqrt(100 * 300))


def test_crossing_of_noisy_curves_has_an_interval_around_the_truth():
    first, second = curves([150.0], noise=0.004)
    found = crossing(SIZES, first, second)
    assert found.interval.low < 150.0 < found.interval.high
    wider = crossing(SIZES, *curves([150.0], noise=0.008)).interval
    assert wider.high / wider.low > found.interval.high / found.interval.low
    assert found == crossing(SIZES, first, second)


def test_slope_and_exponent_are_least_squares():
    rng = np.random.default_rng(1)
    x = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 64.0])
    y = 3.0 * x**1.5 * np.exp(0.1 * rng.normal(size=len(x)))
    fitted = scipy.stats.linregress(np.log(x), np.log(y))
    half = scipy.stats.t.ppf(0.975, len(x) - 2) * fitted.stderr
    expected = (fitted.slope, fitted.slope - half, fitted.slope + half)
    np.testing.assert_allclose(exponent(x, y), expected)
    np.testing.assert_allclose(slope(np.log(x), np.log(y)), expected)


def test_two_points_say_nothing_about_the_error():
    assert exponent([1, 10], [1, 100]) == (pytest.approx(2.0), -np.inf, np.inf)
