"""The objective that solvers see: derivatives against finite differences and the plain formula."""

from itertools import product

import numpy as np
import pytest

from .problems import KINDS, PlainObjective, engine_objective, random_labels, random_rows

PENALTIES = {"one": None, "per feature": np.array([0.3, 2.0, 0.0, 1e-3, 5.0])[:, np.newaxis]}
CASES = list(product(KINDS, ["dense", "sparse"], [True, False], PENALTIES))
cases = pytest.mark.parametrize(("kind", "storage", "fit_intercept", "penalty"), CASES)


def both(kind, storage, fit_intercept, penalty):
    """Return the plain objective and the engine's."""
    weights = np.random.default_rng(1).random(23) + 0.1
    plain = PlainObjective(
        random_rows(23, 5, density=0.6),
        random_labels(23, 2 if kind == "binary" else 3),
        kind,
        C=2.0,
        fit_intercept=fit_intercept,
        weights=weights,
    )
    objective = engine_objective(plain, storage, PENALTIES[penalty])
    if PENALTIES[penalty] is not None:
        plain.penalty = PENALTIES[penalty]
    return plain, objective


def random_point(objective, seed):
    """Return a point; its padding is zero."""
    point = np.random.default_rng(seed).normal(size=objective.shape)
    point[:, objective.loss.n_columns :] = 0.0
    return point


def flat(objective, point):
    assert not point[:, objective.loss.n_columns :].any()  # the padding stays zero
    return point[:, : objective.loss.n_columns].reshape(-1)


def hessian(plain, at):
    """Return the Hessian by central differences of the plain gradient."""
    step = 1e-5
    columns = []
    for direction in np.eye(len(at)):
        above, below = plain(at + step * direction)[1], plain(at - step * direction)[1]
        columns.append((above - below) / (2.0 * step))
    return np.array(columns).T


@cases
def test_value_and_gradient_are_those_of_the_formula(kind, storage, fit_intercept, penalty):
    plain, objective = both(kind, storage, fit_intercept, penalty)
    for seed in range(3):
        point = random_point(objective, seed)
        value, gradient = plain(flat(objective, point))
        here = objective.at(point)
        assert here.value == pytest.approx(value, rel=1e-13)
        np.testing.assert_allclose(flat(objective, here.gradient), gradient, rtol=0, atol=1e-13)
        assert here.gradient_norm == pytest.approx(np.abs(gradient).max(), rel=1e-12)


@cases
def test_the_gradient_is_the_difference_of_values(kind, storage, fit_intercept, penalty):
    _, objective = both(kind, storage, fit_intercept, penalty)
    point, step = random_point(objective, 3), 1e-5
    gradient = objective.at(point).gradient
    for direction in (random_point(objective, seed) for seed in range(4, 8)):
        above, below = (objective.at(point + t * direction).value for t in (step, -step))
        assert objective.dot(gradient, direction) == pytest.approx(
            (above - below) / (2.0 * step), rel=1e-6, abs=1e-8
        )


@cases
def test_products_with_the_hessian_and_its_diagonal(kind, storage, fit_intercept, penalty):
    plain, objective = both(kind, storage, fit_intercept, penalty)
    point = random_point(objective, 4)
    expected = hessian(plain, flat(objective, point))
    here = objective.at(point)
    for seed in range(5, 8):
        vector = random_point(objective, seed)
        product = flat(objective, here.hessian_times(vector)[0])
        np.testing.assert_allclose(product, expected @ flat(objective, vector), atol=1e-8)
    diagonal = here.hessian_diagonal()[:, : objective.loss.n_columns].reshape(-1)
    np.testing.assert_allclose(diagonal, expected.diagonal(), atol=1e-8)


@cases
def test_a_ray_knows_what_a_fresh_look_would_see(kind, storage, fit_intercept, penalty):
    _, objective = both(kind, storage, fit_intercept, penalty)
    here, direction = objective.at(random_point(objective, 8)), random_point(objective, 9)
    ray = here.ray(direction)
    assert ray.slope == pytest.approx(objective.dot(here.gradient, direction), rel=1e-11)
    curved, _ = here.hessian_times(direction.copy())
    assert ray.curve == pytest.approx(objective.dot(curved, direction), rel=1e-11)
    for t in (0.0, 0.3, 1.0, 20.0):
        fresh = objective.at(here.point + t * direction)
        value, slope = ray.look(t)
        assert value == pytest.approx(fresh.value, rel=1e-12)
        assert slope == pytest.approx(objective.dot(fresh.gradient, direction), rel=1e-9)
        there = ray.to(t)
        np.testing.assert_array_equal(there.point, fresh.point)
        assert there.value == pytest.approx(fresh.value, rel=1e-12)
        np.testing.assert_allclose(there.gradient, fresh.gradient, atol=1e-12)
    ray.look(0.7)
    np.testing.assert_array_equal(ray.to(0.2).point, here.point + 0.2 * direction)


@pytest.mark.parametrize("kind", KINDS)
def test_passes_over_the_data_are_counted(kind):
    _, objective = both(kind, "sparse", True, "one")
    passes = []

    def since_last():
        passes.append(objective.passes)
        return passes[-1] - (passes[-2] if len(passes) > 1 else 0)

    here = objective.at(random_point(objective, 0))
    assert since_last() == 1
    assert [here.gradient is here.gradient, since_last()] == [True, 1]
    here.hessian_times(random_point(objective, 1))
    assert since_last() == 2
    here.hessian_diagonal()
    assert since_last() == 1
    ray = here.ray(random_point(objective, 2))
    assert since_last() == 1
    ray.look(0.5)
    ray.to(0.25)
    assert since_last() == 0


@pytest.mark.parametrize("kind", KINDS)
def test_the_pairs_of_a_curvature_are_its_entries(kind):
    _, objective = both(kind, "dense", True, "one")
    curvature = objective.at(random_point(objective, 0)).curvature
    n_rows, n_columns = objective.matrix.n_rows, objective.loss.n_columns
    matrices = np.zeros((n_rows, n_columns, n_columns))
    pairs, weights = curvature.pairs()
    for (k, m), entries in zip(pairs, weights(0, None).T, strict=True):
        matrices[:, k, m] = matrices[:, m, k] = entries
    vectors = np.random.default_rng(0).normal(size=(n_rows, objective.stride))
    vectors[:, n_columns:] = 0.0
    expected = np.einsum("ikm,im->ik", matrices, vectors[:, :n_columns])
    np.testing.assert_array_equal(weights(3, 9), weights(0, None)[3:9])
    np.testing.assert_allclose(curvature.times(vectors)[:, :n_columns], expected, atol=1e-15)
    np.testing.assert_allclose(
        curvature.diagonal()[:, :n_columns], np.einsum("ikk->ik", matrices), atol=1e-15
    )
