"""The sparse originals: scores against scikit-learn, crossings and verdicts of made-up tables."""

import numpy as np
import pytest
import sklearn.linear_model
import sklearn.naive_bayes
from threadpoolctl import threadpool_limits

from wordodds.datasets import make_corpus
from wordodds.experiments.curves import nested_order, sizes_between
from wordodds.experiments.experiment import Run
from wordodds.experiments.names import LR, TUNED, VARIANTS
from wordodds.experiments.newsgroups import Data, count_texts
from wordodds.experiments.studies.sparse_counts import (
    ALPHAS,
    FULL,
    QUICK,
    STRENGTHS,
    Settings,
    draw,
    judge,
    measure,
)
from wordodds.experiments.table import Results

BAYES = {
    "multinomial NB": sklearn.naive_bayes.MultinomialNB,
    "Bernoulli NB": sklearn.naive_bayes.BernoulliNB,
    "complement NB": sklearn.naive_bayes.ComplementNB,
}
SETTINGS = Settings(n_sizes=3, n_seeds=2, n_folds=3, smallest=12)


@pytest.fixture(autouse=True, scope="module")
def one_thread_for_linear_algebra():
    """Tests run side by side, and matrices are small: more threads would only wait."""
    with threadpool_limits(1, "blas"):
        yield


def tiny_data():
    parts = [
        make_corpus(n, n_classes=4, n_words=80, document_length=20, random_state=seed)
        for seed, n in enumerate((120, 60))
    ]
    data = Data()
    data.bags = count_texts(*parts)
    return data


@pytest.fixture(scope="module")
def data():
    return tiny_data()


@pytest.fixture(scope="module")
def table(data):
    return measure(SETTINGS, Run(data))


def test_sizes_grow_by_the_same_factor():
    assert sizes_between(20, 11269, 8)[0] == 20
    assert sizes_between(20, 11269, 8)[-1] == 11269
    for settings in (QUICK, FULL):
        sizes = np.array(sizes_between(settings.smallest, 11269, settings.n_sizes))
        assert len(sizes) == settings.n_sizes
        factors = sizes[1:] / sizes[:-1]
        np.testing.assert_allclose(factors, factors.mean(), rtol=0.03)


def peer_of(row):
    """Return scikit-learn's model with the setting of a row."""
    name = row["model"].removesuffix(TUNED)
    if name == LR:
        return sklearn.linear_model.LogisticRegression(C=row["chosen"], max_iter=1000)
    return BAYES[name](alpha=row["chosen"])


def test_scores_are_those_of_scikit_learn(data, table):
    train, test = data.bags.train, data.bags.test
    assert len(table) == 2 * 3 * 8
    regressions = {}
    for row in table.rows:
        seed, size = row["seed"], row["size"]
        chosen = nested_order(train.labels, np.random.default_rng(seed))[:size]
        model = peer_of(row).fit(train.counts[chosen], train.labels[chosen])
        right = model.predict(test.counts) == test.labels
        how = TUNED if row["model"].endswith(TUNED) else ""
        if row["model"] == LR + how:
            regressions[seed, size, how] = right
        theirs = regressions[seed, size, how]
        assert row["only"] == np.sum(right & ~theirs)
        assert row["other"] == np.sum(theirs & ~right)
        assert row["accuracy"] == pytest.approx(right.mean())
        log_proba = model.predict_log_proba(test.counts)
        own = log_proba[np.arange(60), np.searchsorted(model.classes_, test.labels)]
        tolerance = 0.02 if row["model"] == LR + how else 1e-9
        assert row["log_loss"] == pytest.approx(-own.mean(), rel=tolerance)
        assert row["test_size"] == 60


def test_defaults_are_fixed_and_the_others_chosen(table):
    found = set()
    for name in (*BAYES, LR):
        assert set(table.where(model=name).column("chosen")) == {1.0}
        chosen = set(table.where(model=name + TUNED).column("chosen").tolist())
        assert chosen <= set(STRENGTHS if name == LR else ALPHAS)
        found |= chosen
    assert len(found) > 1


def test_with_all_documents_each_seed_has_the_same_row(table):
    rows = table.where(size=120).rows
    by_seed = [[{**row, "seed": None} for row in rows if row["seed"] == s] for s in (0, 1)]
    assert by_seed[0] == by_seed[1]


def test_same_seed_same_rows(table):
    again = measure(SETTINGS, Run(tiny_data(), n_jobs=1))
    for row, old in zip(again.rows, table.rows, strict=True):
        assert {**row, "seconds": None} == {**old, "seconds": None}


def made_up(bayes, regression, n=1000):
    """Return a table of two seeds in which all naive Bayes have the same curve."""
    results = Results("sparse")
    sizes = (20, 200, 2000)
    for j, size in enumerate(sizes):
        for seed in range(2):
            wiggle = 0.001 * seed * (j < 2)
            shared = {"size": size, "seed": seed, "seconds": 0.1, "test_size": n}
            lead = round(n * (bayes[j] - regression[j]))
            for how in VARIANTS:
                # What is tuned differs a little, so that something is said about it.
                shared["log_loss"] = 1.0 + 1e-6 * (how == TUNED)
                results.add(model=LR + how, accuracy=regression[j], **shared)
                for name in BAYES:
                    wins = {"only": 50 + max(lead, 0), "other": 50 + max(-lead, 0)}
                    results.add(model=name + how, accuracy=bayes[j] + wiggle, **wins, **shared)
    return results


@pytest.mark.parametrize(
    ("bayes", "regression", "small", "large", "leader", "place"),
    [
        ([0.3, 0.5, 0.6], [0.2, 0.4, 0.7], True, True, LR, 632),
        ([0.2, 0.4, 0.7], [0.3, 0.5, 0.6], False, False, "multinomial NB", 632),
        ([0.3, 0.5, 0.8], [0.2, 0.4, 0.7], True, False, "multinomial NB", None),
        ([0.2, 0.4, 0.7], [0.3, 0.5, 0.701], False, False, LR, None),
    ],
    ids=["as the lecture says", "the reverse", "bayes throughout", "a draw at the end"],
)
def test_verdicts(bayes, regression, small, large, leader, place):
    results = made_up(bayes, regression)
    findings = judge(results)
    assert [finding.claim for finding in findings] == ["C4"] * 6 + ["C3"] * 6
    verdicts = {True: "borne out", False: "not borne out"}
    assert {finding.verdict for finding in findings[:6]} == {verdicts[small]}
    assert {finding.verdict for finding in findings[6:]} == {verdicts[large]}
    said = findings[0].number.splitlines()[1]
    if place is None:
        assert (
            said
            == f"in accuracy: {leader} ahead or level at every size from 20 to 2,000: no crossing"
        )
    else:
        assert said.startswith(f"in accuracy: {leader} from 63")
        assert said.endswith("] on")


def test_figures_mark_the_crossings():
    scores, seconds = draw(made_up([0.3, 0.5, 0.6], [0.2, 0.4, 0.7]))
    assert (scores.stem, seconds.stem) == ("sparse-curves", "sparse-seconds")
    accuracy = scores.figure.axes[:2]
    for ax in accuracy:
        dotted = [line for line in ax.lines if line.get_linestyle() == ":"]
        assert [round(float(line.get_xdata()[0]), -1) for line in dotted] == [630] * 3
        assert len(ax.texts) == 3
    labels = [text.get_text() for text in scores.figure.legends[0].get_texts()]
    assert labels == [*BAYES, LR]
    assert scores.figure.axes[2].get_ylabel() == "log loss (nats)"
    assert seconds.figure.axes[0].get_ylabel() == "seconds of a fit"


def test_where_nothing_crosses_nothing_is_marked(table):
    scores, _ = draw(made_up([0.3, 0.5, 0.8], [0.2, 0.4, 0.7]))
    assert all(not ax.texts for ax in scores.figure.axes)
    assert len(draw(table)) == 2
    assert len(judge(table)) == 12
