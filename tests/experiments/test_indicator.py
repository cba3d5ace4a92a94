"""Least squares on an indicator matrix: against scikit-learn, and the verdicts."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

from wordodds.experiments.studies import indicator
from wordodds.experiments.studies.indicator import LEAST_SQUARES, Settings, judge, measure, regress

from .small import settled, small_run, verdicts

TINY = Settings(n_points=90, n_outliers=10, n_test=300)


@pytest.fixture(scope="module")
def results():
    return measure(TINY, small_run())


def test_regression_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), np.arange(40) % 3
    peer = LinearRegression().fit(X, np.eye(3)[y])
    found = regress(X, y)
    np.testing.assert_allclose(found[:-1], peer.coef_.T, atol=1e-12)
    np.testing.assert_allclose(found[-1], peer.intercept_, atol=1e-12)
    np.testing.assert_allclose(found.sum(axis=1), [0, 0, 0, 1], atol=1e-12)


@pytest.mark.parametrize("outliers", [0, 1])
def test_borders_are_those_of_scikit_learn(results, outliers):
    points = results.where(part="point in the plane")
    X = np.column_stack([points.column("x_1"), points.column("x_2")])
    y = points.column("label")
    if not outliers:
        X, y = X[: TINY.n_points], y[: TINY.n_points]
    peers = {
        LEAST_SQUARES: LinearRegression().fit(X, 2.0 * y - 1.0),
        "logistic regression": LogisticRegression(C=np.inf, tol=1e-8).fit(X, y),
    }
    for name, peer in peers.items():
        (row,) = results.where(part="border", model=name, outliers=outliers, seed=0).rows
        ours = np.array([row["w_1"], row["w_2"], row["bias"]])
        theirs = np.append(peer.coef_.ravel(), peer.intercept_)
        np.testing.assert_allclose(ours / ours[0], theirs / theirs[0], atol=1e-2)


def test_the_middle_class_is_hidden_from_least_squares_alone(results):
    three = results.where(part="three classes")
    assert three.where(model=LEAST_SQUARES).column("middle").max() < 0.05
    np.testing.assert_allclose(
        three.where(model=LEAST_SQUARES).column("accuracy"), 2 / 3, atol=0.05
    )
    for name in ("logistic regression", "Gaussian NB"):
        assert three.where(model=name).column("middle").min() > 0.25
        assert three.where(model=name).column("accuracy").min() > 0.9


def test_verdicts(results):
    assert verdicts(judge(results)) == ["borne out"] * 4


@pytest.mark.parametrize(
    ("where", "change", "refuted"),
    [
        ({"part": "three classes", "model": LEAST_SQUARES}, {"middle": 0.2}, [0]),
        ({"part": "three classes", "model": "Gaussian NB"}, {"middle": 0.2}, [1]),
        ({"part": "border", "model": LEAST_SQUARES}, {"accuracy": 0.9}, [2]),
        ({"model": "logistic regression", "outliers": 1}, {"w_1": 0.0, "w_2": 1.0}, [3]),
    ],
    ids=["middle predicted", "middle missed", "nothing lost", "logistic regression bends"],
)
def test_other_numbers_refute_them(results, where, change, refuted):
    other = results.where()
    other.rows = [
        {**row, **change} if all(row.get(k) == v for k, v in where.items()) else row
        for row in results.rows
    ]
    found = verdicts(judge(other))
    assert [i for i, verdict in enumerate(found) if verdict == "not borne out"] == refuted


def test_angles_between_borders():
    first, second = indicator.Results("a"), indicator.Results("b")
    for w_1, w_2 in ((0.0, 3.0), (1.0, 1.0), (-1.0, 0.0)):
        first.add(w_1=1.0, w_2=0.0)
        second.add(w_1=w_1, w_2=w_2)
    np.testing.assert_allclose(indicator._angles(first, second), [90.0, 45.0, 180.0])


def test_the_figure_shows_functions_and_borders(results):
    (plot,) = indicator.draw(results)
    left, right = plot.figure.axes
    assert len(left.lines) == 6  # a function and the ticks of its points, for each class
    assert len(right.lines) == 4


def test_two_runs_are_the_same(results):
    assert settled(measure(TINY, small_run(n_jobs=2))) == settled(results)
