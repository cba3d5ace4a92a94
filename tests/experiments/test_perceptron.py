"""The perceptron: against SGDClassifier, its theorem, and the verdicts."""

import numpy as np
import pytest

from wordodds import SGDClassifier
from wordodds.experiments.studies import perceptron as module
from wordodds.experiments.studies.perceptron import (
    MIXED,
    SEPARABLE,
    Settings,
    judge,
    measure,
    novikoff_bound,
    perceptron,
    separable_points,
    separates,
)

from .small import settled, small_run, verdicts

TINY = Settings(n_points=60, n_epochs=120, n_orders=3)


class InOrder:
    """A generator that leaves rows where they are."""

    def permutation(self, n):
        return np.arange(n)


@pytest.fixture(scope="module")
def results():
    return measure(TINY, small_run())


@pytest.mark.parametrize("n_epochs", [1, 2, 7])
@pytest.mark.parametrize("flip", [False, True], ids=["separable", "mixed"])
def test_weights_are_those_of_sgd_with_the_perceptron_loss(n_epochs, flip):
    X, y = separable_points(50, np.random.default_rng(0))
    y = np.where(flip & (np.arange(50) % 9 == 0), -y, y)
    walk = perceptron(X, y, InOrder(), n_epochs)
    model = SGDClassifier(
        "perceptron",
        penalty=None,
        alpha=0.0,
        learning_rate="constant",
        eta0=1.0,
        fit_intercept=False,
        shuffle=False,
        tol=None,
        max_iter=n_epochs,
    ).fit(X, y)
    np.testing.assert_allclose(walk.weights, model.coef_[0], rtol=1e-12)


def test_updates_are_counted_one_by_one():
    X, y = separable_points(40, np.random.default_rng(1))
    weights, updates = np.zeros(3), []
    while not updates or updates[-1]:
        updates.append(0)
        for row, sign in zip(X, y, strict=True):
            if sign * (row @ weights) <= 0:
                weights, updates[-1] = weights + sign * row, updates[-1] + 1
    walk = perceptron(X, y, InOrder(), 1000)
    assert walk.updates == updates
    np.testing.assert_array_equal(walk.weights, weights)


def test_points_keep_clear_of_the_true_border():
    X, y = separable_points(500, np.random.default_rng(0))
    distance = y * (X @ module.TRUTH) / np.hypot(*module.TRUTH[:2])
    assert len(y) == 500
    assert distance.min() > module.GAP


def test_the_bound_by_hand(monkeypatch):
    monkeypatch.setattr(module, "TRUTH", np.array([1.0, 0.0, 0.0]))
    X = np.array([[2.0, 2.0, 1.0], [-0.5, 0.0, 1.0]])
    assert novikoff_bound(X, np.array([1, -1])) == pytest.approx(36.0)  # (3 / 0.5)²


def test_the_linear_program_knows_what_can_be_separated():
    X = np.array([[0.0, 0, 1], [1, 1, 1], [0, 1, 1], [1, 0, 1]])
    assert separates(X, np.array([1, 1, 1, -1]))
    assert not separates(X, np.array([1, 1, -1, -1]))  # exclusive or


def test_verdicts(results):
    assert verdicts(judge(results)) == ["borne out"] * 3


@pytest.mark.parametrize(
    ("data", "change", "refuted"),
    [
        (SEPARABLE, {"stopped": 0}, [0]),
        (SEPARABLE, {"bound": 0.5}, [0]),
        (MIXED, {"stopped": 1}, [1]),
        (SEPARABLE, {"w_1": 1.0, "w_2": 1.0}, [2]),
    ],
)
def test_other_numbers_refute_them(results, data, change, refuted):
    other = results.where()
    other.rows = [{**row, **change} if row.get("data") == data else row for row in results.rows]
    found = verdicts(judge(other))
    assert [i for i, verdict in enumerate(found) if verdict == "not borne out"] == refuted


def test_the_figure_has_a_line_for_each_order(results):
    (plot,) = module.draw(results)
    left, right = plot.figure.axes
    assert len(left.lines) == 3 * TINY.n_orders  # separable ones have a dot at their end
    assert len(right.lines) == TINY.n_orders


def test_two_runs_are_the_same(results):
    assert settled(measure(TINY, small_run())) == settled(results)
