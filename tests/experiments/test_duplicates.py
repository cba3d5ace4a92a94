"""A column that is there twice: the objective, the fits, and the verdicts."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from wordodds.experiments.newsgroups import frequent_words, two_groups
from wordodds.experiments.studies import duplicates
from wordodds.experiments.studies.duplicates import Settings, measure, objective

from .small import settled, small_run, verdicts

TINY = Settings(n_columns=6, n_starts=3)


@pytest.fixture(scope="module")
def results():
    return measure(TINY, small_run())


def rows_and_labels():
    (counts, y), _ = two_groups(small_run().data.bags)
    return np.log1p(counts[:, frequent_words(counts, 6)].toarray()), y


def test_the_objective_is_least_where_scikit_learn_ends():
    X, y = rows_and_labels()
    peer = LogisticRegression(C=0.5, tol=1e-10, max_iter=1000).fit(X, y)
    best = objective(X, y, peer.coef_[0], peer.intercept_[0], 2.0)
    log_proba = peer.predict_log_proba(X)[np.arange(len(y)), y]
    assert best == pytest.approx(-log_proba.sum() + (peer.coef_**2).sum())
    rng = np.random.default_rng(0)
    for _ in range(20):
        step = rng.normal(scale=0.01, size=6)
        assert objective(X, y, peer.coef_[0] + step, peer.intercept_[0], 2.0) > best


def test_the_sum_is_the_weight_of_the_column_alone(results):
    X, y = rows_and_labels()
    peer = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(X, y)
    alone = peer.coef_[0, np.argmax(np.abs(peer.coef_[0]))]
    free = results.where(part="fit", penalty=0.0)
    np.testing.assert_allclose(free.column("weight_1") + free.column("weight_2"), alone, rtol=1e-4)


@pytest.mark.parametrize("penalty", [1.0, 10.0])
def test_a_penalty_gives_the_weights_of_scikit_learn(results, penalty):
    X, y = rows_and_labels()
    alone = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(X, y)
    twice = np.argmax(np.abs(alone.coef_[0]))
    peer = LogisticRegression(C=1 / penalty, tol=1e-10, max_iter=1000)
    peer.fit(np.column_stack([X, X[:, twice]]), y)
    part = results.where(part="fit", penalty=penalty)
    for name in ("weight_1", "weight_2"):
        np.testing.assert_allclose(part.column(name), peer.coef_[0, -1], rtol=1e-4)


def test_the_objective_rises_by_the_penalty_alone(results):
    for penalty in duplicates.PENALTIES:
        part = results.where(part="profile", penalty=penalty)
        # Half the penalty times 2 (difference / 2)².
        np.testing.assert_allclose(
            part.column("above"), penalty * part.column("apart") ** 2 / 4, atol=1e-10
        )


def test_verdicts(results):
    assert verdicts(duplicates.judge(results)) == ["borne out"] * 2


@pytest.mark.parametrize(
    ("part", "change", "refuted"),
    [
        ("fit", {"weight_1": 0.5, "weight_2": 0.5}, [0]),  # equal weights from all starts
        ("fit", {"weight_2": 0.5}, [0, 1]),  # other sums, other halves
        ("profile", {"above": 0.1}, [0]),  # not flat
    ],
)
def test_other_numbers_refute_them(results, part, change, refuted):
    other = results.where()
    other.rows = [{**row, **change} if row["part"] == part else row for row in results.rows]
    found = verdicts(duplicates.judge(other))
    assert [i for i, verdict in enumerate(found) if verdict == "not borne out"] == refuted


def test_the_figure_has_three_lines_and_three_groups_of_fits(results):
    (plot,) = duplicates.draw(results)
    left, right = plot.figure.axes
    names = ["no penalty", "penalty 1", "penalty 10"]
    assert [line.get_label() for line in left.lines] == names
    assert [line.get_label() for line in right.lines[1:]] == names
    assert results.rows[0]["word"] in plot.caption


def test_two_runs_are_the_same(results):
    assert settled(measure(TINY, small_run(n_jobs=2))) == settled(results)
