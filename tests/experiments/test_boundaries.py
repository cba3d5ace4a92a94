"""Borders of Gaussian classes: what traces and fits curves, on curves known beforehand."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from wordodds.experiments.studies import boundaries
from wordodds.experiments.studies.boundaries import Settings, draw_points, measure, residual, trace

from .small import settled, small_run, verdicts

TINY = Settings(n_points=40, n_rays=24)


@pytest.fixture(scope="module")
def results():
    return measure(TINY, small_run())


def test_a_circle_is_traced_all_around():
    found = trace(lambda x: 4.0 - ((x - 1.0) ** 2).sum(axis=1), np.array([1.0, 1.0]), 16)
    assert found.shape == (16, 2)
    np.testing.assert_allclose(np.linalg.norm(found - 1.0, axis=1), 2.0, rtol=1e-14)


def test_rays_that_meet_nothing_have_no_point():
    found = trace(lambda x: x[:, 0] + 1.0, np.array([0.0, 0.0]), 16)
    assert len(found) == 7  # of 16 directions those to the left; straight up and down never meet it
    np.testing.assert_allclose(found[:, 0], -1.0, rtol=1e-14)


def test_residuals_of_known_curves():
    t = np.linspace(0.0, 1.0, 50)
    line = np.column_stack([t, 3.0 - 2.0 * t])
    parabola = np.column_stack([t, t**2])
    cubic = np.column_stack([t - 0.5, (t - 0.5) ** 3])
    assert residual(line, 1) < 1e-14
    assert residual(parabola, 1) > 0.01
    assert residual(parabola, 2) < 1e-14
    assert residual(cubic, 2) > 1e-4


def test_points_have_the_moments_of_their_classes():
    X, y = draw_points(40_000, np.random.default_rng(0))
    for label in (0, 1):
        np.testing.assert_allclose(X[y == label].mean(axis=0), boundaries.MEANS[label], atol=0.05)
        np.testing.assert_allclose(np.cov(X[y == label].T), boundaries.SPREADS[label], atol=0.05)


def test_borders_are_where_the_densities_are_equal(results):
    X, y = draw_points(TINY.n_points, np.random.default_rng(0))
    groups = [X[y == label] for label in (0, 1)]
    own = [np.cov(group.T, bias=True) for group in groups]
    pooled = [(own[0] + own[1]) / 2] * 2  # as many points of each
    for name, covariances in (("one covariance", pooled), ("own covariances", own)):
        for prior in boundaries.PRIORS:
            part = results.where(part="border", model=name, prior=prior)
            border = np.column_stack([part.column("x_1"), part.column("x_2")])
            assert len(border) > 5
            a, b = (
                multivariate_normal(group.mean(axis=0), covariance).logpdf(border)
                for group, covariance in zip(groups, covariances, strict=True)
            )
            np.testing.assert_allclose(a + np.log(1 - prior), b + np.log(prior), atol=1e-10)


def test_all_parts_are_borne_out(results):
    assert verdicts(boundaries.judge(results)) == ["borne out"] * 3


@pytest.mark.parametrize(
    ("column", "value", "refuted"),
    [
        ("line_residual", 0.1, [0]),
        ("line_residual", 0.0, [1]),
        ("conic_residual", 0.1, [1]),
        ("log_odds_error", 0.1, [2]),
        ("shift_error", 0.1, [2]),
    ],
)
def test_other_numbers_refute_them(results, column, value, refuted):
    other = results.where()
    other.rows = [{**row, column: value} if column in row else row for row in results.rows]
    found = verdicts(boundaries.judge(other))
    assert [i for i, verdict in enumerate(found) if verdict == "not borne out"] == refuted


def test_the_figure_has_three_borders_for_each_model(results):
    (plot,) = boundaries.draw(results)
    assert [ax.get_title() for ax in plot.figure.axes] == ["one covariance", "own covariances"]
    for ax in plot.figure.axes:
        assert len(ax.lines) == 3
        assert sum(len(c.get_offsets()) for c in ax.collections) == TINY.n_points


def test_two_runs_are_the_same(results):
    assert settled(measure(TINY, small_run(n_jobs=2))) == settled(results)
    assert settled(measure(TINY, small_run(seed=1))) != settled(results)
