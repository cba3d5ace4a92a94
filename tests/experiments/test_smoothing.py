"""Smoothing: what a prior adds, vetoes, and what is said about them."""

import numpy as np
import pytest
from sklearn.naive_bayes import MultinomialNB

from wordodds.datasets import make_corpus
from wordodds.experiments.curves import nested_order
from wordodds.experiments.experiment import Run
from wordodds.experiments.newsgroups import Data, count_texts
from wordodds.experiments.studies.smoothing import EXPERIMENT, Settings, measure, spread
from wordodds.experiments.table import Results

from .small import settled

SETTINGS = Settings((12, 60), (0.01, 0.1, 1.0), map_size=60, n_seeds=3)


@pytest.fixture(scope="module")
def data():
    data = Data()
    parts = (
        make_corpus(n, n_classes=4, n_words=500, document_length=25, random_state=seed)
        for n, seed in ((200, 1), (150, 2))
    )
    data.__dict__["bags"] = count_texts(*parts)
    return data


@pytest.fixture(scope="module")
def results(data):
    return measure(SETTINGS, Run(data))


def test_a_row_for_each_seed_size_and_estimate(results):
    assert results.unique("size") == [12, 60, 200]
    assert results.unique("seed") == [0, 1, 2]
    assert len(results) == 3 * (3 * 4 + 3)


def test_scores_are_those_of_scikit_learn_on_the_words_of_the_training_documents(data, results):
    train, test = data.bags.train, data.bags.test
    chosen = nested_order(train.labels, np.random.default_rng(1))[:60]
    words = np.flatnonzero(train.counts[chosen].sum(axis=0))
    theirs = MultinomialNB(alpha=0.1).fit(train.counts[chosen][:, words], train.labels[chosen])
    ours = results.where(seed=1, size=60, estimate="Bayes", pseudo_count=0.1)
    X = test.counts[:, words]
    assert ours.column("accuracy")[0] == theirs.score(X, test.labels)
    log_proba = theirs.predict_log_proba(X)
    own = log_proba[np.arange(len(X.indptr) - 1), np.searchsorted(theirs.classes_, test.labels)]
    assert ours.column("log_loss")[0] == pytest.approx(-own.mean())
    assert ours.column("dims")[0] == len(words)


def test_vetoed_documents_have_a_word_that_their_class_has_not(data, results):
    train, test = data.bags.train, data.bags.test
    seen = {
        label: set(np.flatnonzero(train.counts[train.labels == label].sum(axis=0)))
        for label in train.label_names
    }
    known = set.union(*seen.values())
    own, every = 0, 0
    for i, label in enumerate(test.labels):
        words = known & set(test.counts[[i]].indices)
        own += not words <= seen[label]
        every += not any(words <= of_class for of_class in seen.values())
    row = results.where(seed=0, size=200, estimate="maximum likelihood")
    assert row.column("own_vetoed")[0] == own / len(test.labels)
    assert row.column("all_vetoed")[0] == every / len(test.labels)
    assert 0 < every < own < 0.9 * len(test.labels)


def test_map_with_alpha_is_bayes_with_one_less(results):
    part = results.where(size=60)
    for column in ("accuracy", "log_loss"):
        of_map = part.where(estimate="MAP").column(column)
        np.testing.assert_allclose(of_map, part.where(estimate="Bayes").column(column))
    of_map = part.where(estimate="MAP")
    assert of_map.unique("alpha") == [1.01, 1.1, 2.0]
    np.testing.assert_allclose(of_map.unique("pseudo_count"), [0.01, 0.1, 1.0])


def test_the_same_seed_gives_the_same_rows(data, results):
    again = measure(SETTINGS, Run(data, n_jobs=1))
    assert settled(again) == settled(results)


def _table(accuracies, losses):
    """Return a table of two seeds: by size, accuracy and loss for two pseudo-counts."""
    table = Results("smoothing")
    for seed in (0, 1):
        for size in accuracies:
            table.add(seed=seed, size=size, estimate="maximum likelihood", pseudo_count=0.0,
                      accuracy=0.1 + 0.001 * seed, log_loss=np.inf, own_vetoed=0.5 + 0.001 * seed,
                      all_vetoed=0.4)  # fmt: skip
            for a, accuracy, loss in zip((0.1, 1.0), accuracies[size], losses[size], strict=True):
                table.add(seed=seed, size=size, estimate="Bayes", pseudo_count=a, alpha=a,
                          accuracy=accuracy, log_loss=loss + 0.001 * seed, own_vetoed=0.0,
                          all_vetoed=0.0)  # fmt: skip
    return table


def test_judge_goes_by_the_intervals():
    forgotten = _table({10: (0.3, 0.6), 100: (0.75, 0.8)}, {10: (9.0, 2.0), 100: (1.5, 1.0)})
    np.testing.assert_allclose(spread(forgotten, "accuracy", 10), 0.3)
    verdicts = [finding.verdict for finding in EXPERIMENT.judge(forgotten)]
    # Laplace's rule gains 0.5 and then 0.7: the prior does not matter most on little data.
    assert verdicts == ["borne out"] * 3 + ["not borne out"] + ["borne out"] * 2
    remembered = _table({10: (0.5, 0.6), 100: (0.1, 0.8)}, {10: (1.5, 1.0), 100: (9.0, 2.0)})
    verdicts = [finding.verdict for finding in EXPERIMENT.judge(remembered)]
    assert verdicts == ["borne out"] * 3 + ["not borne out"] * 3


def test_figures_come_from_the_file_alone(results, tmp_path):
    results.write(tmp_path / "smoothing.csv")
    read = Results.read(tmp_path / "smoothing.csv")
    plots = EXPERIMENT.draw(read)
    assert [plot.stem for plot in plots] == ["smoothing", "smoothing-prior"]
    left, right = plots[0].figure.axes
    assert [text.get_text() for text in left.get_xticklabels()] == ["0", "0.01", "0.1", "1"]
    assert right.texts[0].get_text() == "infinite"
    assert {finding.figure for finding in EXPERIMENT.judge(read)} <= {p.stem for p in plots}
