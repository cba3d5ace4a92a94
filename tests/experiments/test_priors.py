"""The class prior and skewed classes: splits, excerpts, decisions."""

import numpy as np
import pytest
from scipy.sparse import csr_array, vstack
from sklearn.naive_bayes import MultinomialNB

from wordodds.experiments.newsgroups import two_groups
from wordodds.experiments.studies import priors
from wordodds.experiments.studies.priors import WITH, WITHOUT, Settings, excerpts, measure, split
from wordodds.experiments.table import Results

from .small import settled, small_run, verdicts

TINY = Settings(skews=(0.5, 0.8, 0.95), n_documents=60, n_seeds=3)


@pytest.fixture(scope="module")
def results():
    return measure(TINY, small_run())


@pytest.mark.parametrize("skew", [0.5, 0.8, 0.98])
def test_splits_have_the_skew_and_nothing_in_common(skew):
    y = np.repeat([0, 1], [100, 300])
    test, train = split(y, skew, 100, np.random.default_rng(0))
    assert y[test].sum() == y[train["skewed"]].sum() == round(100 * skew)
    assert y[train["even"]].sum() == 50
    for chosen in (test, *train.values()):
        assert len(np.unique(chosen)) == 100
    assert not np.isin(test, np.concatenate([*train.values()])).any()


# 0.9 n of the larger group twice; of the smaller one 0.1 n to test and n / 2 to train.
@pytest.mark.parametrize(("sizes", "n"), [((100, 40), 22), ((10, 300), 16)])
def test_small_groups_give_fewer_documents(sizes, n):
    y = np.repeat([0, 1], sizes)
    test, train = split(y, 0.9, 1000, np.random.default_rng(0))
    assert len(test) == len(train["skewed"]) == len(train["even"]) == n
    assert y[test].sum() == y[train["skewed"]].sum() == round(0.9 * n)
    assert y[train["even"]].sum() == n / 2
    assert not np.isin(test, np.concatenate([*train.values()])).any()


def test_excerpts_are_drawn_from_each_document_without_putting_back():
    rng = np.random.default_rng(0)
    counts = csr_array(rng.poisson(0.7, size=(200, 30)))
    counts.data = counts.data.astype(np.int64)
    drawn = excerpts(counts, 10, rng)
    assert (drawn.toarray() <= counts.toarray()).all()
    np.testing.assert_array_equal(drawn.sum(axis=1), np.minimum(counts.sum(axis=1), 10))
    assert excerpts(counts, 0, rng) is counts


def test_every_word_of_a_document_has_its_chance():
    counts = csr_array(np.tile(np.array([[6, 3, 0, 1]], dtype=np.int64), (20_000, 1)))
    drawn = excerpts(counts, 2, np.random.default_rng(0))
    np.testing.assert_allclose(drawn.toarray().mean(axis=0), [1.2, 0.6, 0.0, 0.2], atol=0.02)


@pytest.mark.parametrize("training", ["skewed", "even"])
def test_accuracies_are_those_of_scikit_learn(results, training):
    parts = two_groups(small_run().data.bags)
    counts, y = vstack([p[0] for p in parts], format="csr"), np.concatenate([p[1] for p in parts])
    for seed in (0, 1):
        test, train = split(y, 0.8, 60, np.random.default_rng([seed, 800]))
        for decision, prior in ((WITH, [0.2, 0.8]), (WITHOUT, [0.5, 0.5])):
            peer = MultinomialNB(class_prior=prior).fit(counts[train[training]], y[train[training]])
            (row,) = results.where(
                seed=seed, skew=0.8, words=0, training=training, decision=decision
            ).rows
            assert row["accuracy"] == np.mean(peer.predict(counts[test]) == y[test])


def made_up(gain):
    """Return a table where the prior gains so much, give or take a little."""
    table = Results("prior")
    for seed in range(5):
        for skew in (0.5, 0.9):
            for words in priors.LENGTHS:
                for training in priors.TRAININGS:
                    for decision, more in ((WITH, gain + 0.001 * seed), (WITHOUT, 0.0)):
                        table.add(
                            seed=seed,
                            skew=skew,
                            words=words,
                            training=training,
                            decision=decision,
                            accuracy=0.8 + (more if skew > 0.5 else -0.5),
                        )
    return table


@pytest.mark.parametrize(
    ("gain", "verdict"), [(0.05, "borne out"), (-0.002, "not borne out"), (-0.05, "not borne out")]
)
def test_a_gain_beyond_its_interval_bears_the_claim_out(gain, verdict):
    assert verdicts(priors.judge(made_up(gain))) == [verdict] * 4


def test_the_number_is_the_gain_and_the_share_of_the_larger_group():
    number = priors.judge(made_up(0.05))[0].number
    assert number.startswith("0.052 [0.050, 0.054] of accuracy gained")
    assert number.endswith("always the larger group 0.900")


def test_the_figure_has_four_panels_of_three_lines(results):
    (plot,) = priors.draw(results)
    assert [len(ax.lines) for ax in plot.figure.axes] == [3] * 4


def test_two_runs_are_the_same(results):
    assert settled(measure(TINY, small_run(n_jobs=2))) == settled(results)
