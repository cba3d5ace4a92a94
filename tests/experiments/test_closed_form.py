"""Closed-form weights: formulas against scikit-learn's models, and the verdicts."""

import numpy as np
import pytest
from sklearn import naive_bayes
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from wordodds.experiments.experiment import Run
from wordodds.experiments.newsgroups import Data, frequent_words, two_groups
from wordodds.experiments.studies import closed_form
from wordodds.experiments.studies.closed_form import (
    Settings,
    bernoulli,
    gaussian,
    measure,
    multinomial,
    nearest_linear,
)

from .small import settled, small_run, verdicts

TINY = Settings(n_columns=5, n_shown=20)


@pytest.fixture(scope="module")
def results():
    return measure(TINY, small_run())


def test_two_groups_are_the_first_two():
    bags = small_run().data.bags
    (counts, y), (counts_test, y_test) = two_groups(bags)
    names = np.array(bags.train.label_names)
    for bag, part, codes in ((bags.train, counts, y), (bags.test, counts_test, y_test)):
        kept = bag.labels != names[2]
        assert names[codes].tolist() == bag.labels[kept].tolist()
        np.testing.assert_array_equal(part.toarray(), bag.counts.toarray()[kept])


def test_frequent_words_are_in_most_documents():
    (counts, _), _ = two_groups(small_run().data.bags)
    documents = (counts.toarray() > 0).sum(axis=0)
    chosen = frequent_words(counts, 7)
    assert (np.diff(chosen) > 0).all()
    assert documents[chosen].min() >= np.delete(documents, chosen).max()


@pytest.mark.parametrize(
    ("formula", "peer"),
    [(multinomial, naive_bayes.MultinomialNB()), (bernoulli, naive_bayes.BernoulliNB())],
)
def test_formulas_of_counts_agree_with_scikit_learn(formula, peer):
    (counts, y), (counts_test, _) = two_groups(small_run().data.bags)
    joint = peer.fit(counts, y).predict_joint_log_proba(counts_test)
    linear = formula(counts, y, counts_test)
    np.testing.assert_allclose(linear.log_odds, joint[:, 1] - joint[:, 0], atol=1e-10)
    assert (linear.size >= np.abs(linear.log_odds)).all()


def test_the_gaussian_formula_is_that_of_one_column_of_lda():
    # In one dimension naive Bayes with a shared variance is linear discriminant analysis.
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [30, 50])
    X = rng.normal(size=(80, 1)) + y[:, None]
    peer = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
    np.testing.assert_allclose(gaussian(X, y, X).log_odds, peer.decision_function(X), rtol=1e-10)


def test_the_nearest_linear_function_leaves_what_is_orthogonal():
    x = np.array([-1.0, 0.0, 1.0])[:, None]
    np.testing.assert_allclose(nearest_linear(x, x[:, 0] ** 2).log_odds, 2 / 3)


def test_verdicts(results):
    assert verdicts(closed_form.judge(results)) == ["borne out"] * 4


@pytest.mark.parametrize(("relative", "expected"), [(1e-9, [0] * 3 + [1]), (1e-14, [1] * 3 + [0])])
def test_verdicts_follow_from_rounding(results, relative, expected):
    other = results.where()
    other.rows = [{**row, "relative": relative} for row in results.rows]
    found = verdicts(closed_form.judge(other))
    assert [verdict == "borne out" for verdict in found] == [bool(e) for e in expected]


def test_the_figure_has_a_panel_for_each_model(results):
    (plot,) = closed_form.draw(results)
    assert [ax.get_title().replace("\n", " ") for ax in plot.figure.axes] == [*closed_form.MODELS]
    offsets = plot.figure.axes[0].collections[0].get_offsets()
    np.testing.assert_allclose(offsets[:, 0], offsets[:, 1], atol=1e-9)


def test_two_runs_are_the_same(results):
    assert settled(measure(TINY, small_run(n_jobs=2))) == settled(results)


def test_on_the_newsgroups(newsgroups_data):
    found = measure(Settings(n_shown=2), Run(Data(), n_jobs=1))
    assert found.where(part="measure").column("size").tolist() == [1061] * 4
    assert verdicts(closed_form.judge(found)) == ["borne out"] * 4
