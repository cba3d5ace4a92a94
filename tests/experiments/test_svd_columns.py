"""The case study on SVD columns: scikit-learn's accuracies, and verdicts on made-up tables."""

from dataclasses import replace

import numpy as np
import pytest
import sklearn.feature_extraction.text
import sklearn.linear_model
import sklearn.naive_bayes
from scipy.sparse import vstack
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from wordodds.datasets import make_corpus
from wordodds.experiments.curves import learning_curve
from wordodds.experiments.experiment import Run
from wordodds.experiments.names import LR, TUNED
from wordodds.experiments.newsgroups import COUNTS, TF_IDF, Data, count_texts
from wordodds.experiments.studies import svd_columns as columns
from wordodds.experiments.studies.svd_columns import (
    BOTH,
    NB,
    QUICK,
    SMOOTHINGS,
    STRENGTHS,
    Settings,
    draw,
    draw_curves,
    judge,
    measure,
)
from wordodds.experiments.table import Results
from wordodds.experiments.tuned import CrossValidated

COMMON = {"weightings": BOTH, "n_folds": 3}
SETTINGS = {
    "binary-size": Settings("binary-size", 2, "irls", 2, sizes=(8, 1.0), dims=(3,), **COMMON),
    "binary-dims": Settings("binary-dims", 2, "irls", 2, dims=(2, 4), **COMMON),
    "groups-size": Settings("groups-size", 4, "lbfgs", 2, sizes=(16, 1.0), dims=(3,), **COMMON),
    "groups-dims": Settings("groups-dims", 4, "lbfgs", 2, dims=(2, 4), weightings=BOTH),
    "binary-tenths": Settings("binary-tenths", 2, "irls", 2, sizes=(0.5, 1.0), dims=(3,)),
}


@pytest.fixture(autouse=True, scope="module")
def one_thread_for_linear_algebra():
    """Tests run side by side, and matrices are small: more threads would only wait."""
    with threadpool_limits(1, "blas"):
        yield


def tiny_data():
    parts = [make_corpus(80, n_classes=4, n_words=60, random_state=seed) for seed in (0, 1)]
    data = Data()
    data.bags = count_texts(*parts)
    return data


@pytest.fixture(scope="module")
def data():
    return tiny_data()


@pytest.fixture(scope="module")
def tables(data):
    return {name: measure(settings, Run(data, seed=3)) for name, settings in SETTINGS.items()}


@pytest.mark.parametrize("name", list(SETTINGS))
def test_a_row_for_each_fit(tables, name):
    results, settings = tables[name], SETTINGS[name]
    models = [NB, LR, NB + TUNED, LR + TUNED] if settings.n_folds else [NB, LR]
    assert len(results) == 2 * 2 * len(models) * len(settings.weightings)
    assert results.unique("experiment") == [name]
    assert results.unique("model") == models
    assert results.unique("columns") == list(settings.weightings)
    assert results.unique("dims") == list(settings.dims)
    assert len(results.unique("size")) == len(settings.sizes)
    assert results.unique("seed") == [3, 4]
    assert results.where(model=LR).unique("solver") == [settings.solver]


@pytest.mark.parametrize("name", ["binary-size", "groups-dims"])
def test_same_seed_same_rows(tables, name):
    again = measure(SETTINGS[name], Run(tiny_data(), seed=3, n_jobs=1))
    for row, old in zip(again.rows, tables[name].rows, strict=True):
        assert {**row, "seconds": None} == {**old, "seconds": None}


def peers():
    """Return scikit-learn's models by the names of ours."""
    regression = sklearn.linear_model.LogisticRegression(tol=1e-4, max_iter=2000)
    return {
        NB: make_pipeline(StandardScaler(), sklearn.naive_bayes.GaussianNB()),
        LR: make_pipeline(StandardScaler(), regression),
    }


def tuned_peers():
    """Return those whose setting is chosen from the same ones on the same parts."""
    bayes = [clone(peers()[NB]).set_params(gaussiannb__var_smoothing=s) for s in SMOOTHINGS]
    regression = [clone(peers()[LR]).set_params(logisticregression__C=C) for C in STRENGTHS]
    return {NB + TUNED: CrossValidated(bayes, 3), LR + TUNED: CrossValidated(regression, 3)}


@pytest.mark.parametrize("name", list(SETTINGS))
def test_scores_are_those_of_scikit_learn(data, tables, name):
    settings = SETTINGS[name]
    models = peers() | (tuned_peers() if settings.n_folds else {})
    for weighting in settings.weightings:
        values, labels = data.columns(settings.n_groups, weighting)
        for dims in settings.dims:
            expected = learning_curve(models, values[:, :dims], labels, settings.sizes, [3, 4])
            found = tables[name].where(dims=dims, columns=weighting)
            for row, peer in zip(found.rows, expected.rows, strict=True):
                assert row["model"] == peer["model"]
                assert row["accuracy"] == peer["accuracy"]
                assert row["log_loss"] == pytest.approx(peer["log_loss"], rel=2e-3)


@pytest.mark.parametrize("n_groups", [2, 4])
@pytest.mark.parametrize("weighting", BOTH)
def test_columns_are_the_singular_vectors_of_the_first_groups(data, n_groups, weighting):
    bags = data.bags
    labels = np.concatenate([bags.train.labels, bags.test.labels])
    chosen = np.isin(labels, bags.train.label_names[:n_groups])
    rows = vstack([bags.train.counts, bags.test.counts]).toarray()[chosen]
    if weighting == TF_IDF:
        rows = sklearn.feature_extraction.text.TfidfTransformer().fit_transform(rows).toarray()
    left, sizes, _ = np.linalg.svd(rows, full_matrices=False)
    found = data.columns(n_groups, weighting)
    np.testing.assert_array_equal(found.labels, labels[chosen])
    few = slice(0, 10)  # up to the sign of each
    np.testing.assert_allclose(
        np.abs(found.values[:, few]), np.abs(left * sizes)[:, few], atol=1e-4
    )
    assert data.columns(n_groups, weighting) is found


@pytest.mark.parametrize("name", list(SETTINGS))
def test_figures_show_accuracy_and_loss(tables, name):
    (plot,) = draw(tables[name])
    settings = SETTINGS[name]
    n = len(settings.weightings)
    assert plot.stem == name
    axes = plot.figure.axes
    assert [ax.get_title() for ax in axes[:n]] == [f"SVD of {w}" for w in settings.weightings]
    assert (axes[0].get_ylabel(), axes[n].get_ylabel()) == ("test accuracy", "log loss (nats)")
    x = "SVD dimensions" if name.endswith("dims") else "training documents"
    assert axes[n].get_xlabel() == x
    models = tables[name].unique("model")
    for ax in axes:
        assert [line.get_label() for line in ax.lines][: len(models)] == models
        assert (ax.get_xscale() == "log") is name.endswith("size")
    if settings.n_folds:
        styles = {line.get_label(): line.get_linestyle() for line in axes[0].lines}
        assert (styles[NB], styles[NB + TUNED]) == ("--", "-")


def test_the_curves_of_the_first_page(tables):
    plot = draw_curves(tables)
    assert [ax.get_title() for ax in plot.figure.axes] == ["Two groups", "20 groups"]
    for ax, name in zip(plot.figure.axes, ("binary-size", "groups-size"), strict=True):
        assert [line.get_label() for line in ax.lines[:2]] == [NB + TUNED, LR + TUNED]
        for line in ax.lines[:2]:
            rows = tables[name].where(model=line.get_label(), columns=TF_IDF)
            np.testing.assert_allclose(line.get_ydata(), rows.by_seed("accuracy").mean(axis=0))


def made_up(name, x, bayes, regression):
    """Return a table of two seeds that differ by a little, of tuned models and of defaults."""
    results = Results(name)
    for seed in range(2):
        for place, *pair in zip((10, 100), bayes, regression, strict=True):
            for model, accuracy in zip((NB, LR), pair, strict=True):
                for how in ("", TUNED):
                    more = 0.001 * seed * (model == NB and place == 100)
                    row = {"model": model + how, x: place, "seed": seed, "columns": COUNTS}
                    # What is tuned differs a little, so that something is said about it.
                    more += 1e-4 * (how == TUNED)
                    results.add(**row, accuracy=accuracy + more, log_loss=1 - accuracy - more)
    return results


@pytest.mark.parametrize(
    ("bayes", "regression", "verdicts"),
    [
        ([0.7, 0.8], [0.6, 0.9], ["borne out", "borne out"]),
        ([0.5, 0.6], [0.6, 0.9], ["not borne out", "borne out"]),
        ([0.7, 0.9], [0.6, 0.8], ["borne out", "not borne out"]),
        ([0.6, 0.9], [0.6, 0.9], ["not borne out", "not borne out"]),
    ],
    ids=["as the lecture says", "regression throughout", "bayes throughout", "a draw"],
)
def test_verdicts_on_training_size(bayes, regression, verdicts):
    findings = judge(made_up("binary-size", "size", bayes, regression))
    assert [finding.claim for finding in findings] == ["C4", "C3"] * 2
    assert [finding.verdict for finding in findings] == verdicts * 2
    assert [", tuned:" in finding.says for finding in findings] == [True] * 2 + [False] * 2
    assert {finding.figure for finding in findings} == {"binary-size"}
    _, accuracy, loss = findings[0].number.splitlines()
    crosses = bayes[0] > regression[0] and bayes[1] < regression[1]
    assert ("logistic regression from 31" in accuracy) is crosses
    assert ("logistic regression from 31" in loss) is crosses


def test_nothing_is_said_of_tuned_models_that_are_the_defaults_at_first():
    results = made_up("binary-size", "size", [0.7, 0.8], [0.6, 0.9])
    for row in results.rows:
        if row["size"] == 10 and row["model"].endswith(TUNED):
            row.update(accuracy=row["accuracy"] - 1e-4, log_loss=row["log_loss"] + 1e-4)
            default = row["model"].removesuffix(TUNED)
            same = results.where(model=default, size=10, seed=row["seed"]).rows[0]
            row.update(accuracy=same["accuracy"], log_loss=same["log_loss"])
    findings = judge(results)
    assert [finding.claim for finding in findings] == ["C3", "C4", "C3"]


@pytest.mark.parametrize(
    ("bayes", "verdict"), [([0.5, 0.5], "borne out"), ([0.5, 0.7], "not borne out")]
)
def test_verdicts_on_dimensions(bayes, verdict):
    findings = judge(made_up("groups-dims", "dims", bayes, [0.6, 0.7]))
    assert [(finding.claim, finding.verdict) for finding in findings] == [("C3", verdict)] * 2


def test_quick_and_full_are_the_protocol():
    full = {settings.name: settings for settings in columns.FULL}
    assert list(full) == [experiment.name for experiment in columns.EXPERIMENTS]
    for settings in QUICK:
        assert settings.n_seeds >= 3
        assert full[settings.name].n_seeds >= 20
        assert set(settings.sizes) <= set(full[settings.name].sizes)
        assert set(settings.dims) <= set(full[settings.name].dims)
        assert settings.weightings == full[settings.name].weightings
    for name in ("binary-tenths", "groups-tenths"):  # as in the lecture
        assert full[name].sizes == (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
        assert full[name].weightings == (COUNTS,)
    assert full["binary-size"].sizes[0] == 10
    assert full["groups-size"].sizes[0] == 20
    assert full["groups-dims"].dims == (5, 10, 15, 20, 25, 30, 35, 40, 45, 50)


@pytest.fixture(scope="module")
def newsgroups_columns(newsgroups_data):
    return Data()


@pytest.mark.parametrize("weighting", BOTH)
@pytest.mark.parametrize(
    ("name", "n_documents", "sizes", "n_seeds"),
    [("binary-size", 1768, (20, 1.0), 2), ("groups-size", 18774, (1690,), 1)],
    ids=["two groups", "20 groups"],
)
def test_accuracies_are_scikit_learns(
    newsgroups_columns, name, n_documents, sizes, n_seeds, weighting
):
    quick = next(settings for settings in QUICK if settings.name == name)
    settings = replace(quick, sizes=sizes, n_seeds=n_seeds, n_folds=0, weightings=(weighting,))
    results = measure(settings, Run(newsgroups_columns))
    values, labels = newsgroups_columns.columns(settings.n_groups, weighting)
    assert len(labels) == n_documents
    expected = learning_curve(peers(), values[:, :30], labels, sizes, n_seeds)
    assert results.column("model").tolist() == expected.column("model").tolist()
    ours, theirs = results.column("accuracy"), expected.column("accuracy")
    np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=0.005)
