"""Logistic regression by rounds: the optimum of one process, and of an independent minimiser."""

import warnings

import dask
import dask.bag
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.special import log_expit
from sklearn.exceptions import ConvergenceWarning

from wordodds import LogisticRegression, NBLogisticRegression, TextClassifier
from wordodds import dask as wordodds_dask
from wordodds.linear import settings

EXACT = {"ftol": 0.0, "gtol": 1e-9, "maxiter": 10_000, "maxfun": 20_000}


def words(model, **options):
    return TextClassifier(model, ngram_range=(1, 1), **options)


def bag_of(partitions):
    return dask.bag.from_delayed([dask.delayed(part, traverse=False) for part in partitions])


def two_classes(mail):
    return [[row for row in part if row[1] != "eggs"] for part in mail.partitions]


def rows_of(classifier, partitions):
    """Return matrix and labels of a logistic kind, as scikit-learn makes them."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts, labels = zip(*(row for part in partitions for row in part), strict=True)
    peer = TfidfVectorizer(token_pattern=r"(?u)\b\w+\b", sublinear_tf=True)
    matrix = peer.fit_transform(texts).toarray()
    assert classifier.linear_model_.n_features == matrix.shape[1]
    return matrix, np.searchsorted(np.unique(labels), labels)


@pytest.mark.parametrize("solver", ["auto", "newton-cg"])
def test_the_optimum_is_that_of_scipy(client, mail, solver):
    model = LogisticRegression(C=0.5, tol=1e-6, solver=solver)
    partitions = two_classes(mail)
    classifier = wordodds_dask.fit(words(model), bag_of(partitions))
    X, y = rows_of(classifier, partitions)

    def objective(point):
        margins = np.where(y == 1, 1.0, -1.0) * (X @ point[:-1] + point[-1])
        loss = -log_expit(margins).sum() + 0.5 * point[:-1] @ point[:-1] / 0.5
        by_scores = -np.where(y == 1, 1.0, -1.0) * np.exp(log_expit(-margins))
        by_weights = X.T @ by_scores + point[:-1] / 0.5
        return loss, np.append(by_weights, by_scores.sum())

    best = minimize(objective, np.zeros(X.shape[1] + 1), jac=True, method="L-BFGS-B", options=EXACT)
    scores = classifier.decision_function([text for part in partitions for text, _ in part])
    assert_allclose(scores, X @ best.x[:-1] + best.x[-1], atol=1e-4)


@pytest.mark.parametrize(
    "options",
    [{}, {"multi_class": "ovr", "fit_intercept": False}, {"class_weight": "balanced"}],
    ids=str,
)
def test_the_optimum_is_that_of_one_process(client, mail, options):
    model = LogisticRegression(C=0.5, tol=1e-8, **options)
    n_hashed = 2**9 if options else None
    ours = words(model, n_hashed=n_hashed)
    wordodds_dask.fit(ours, bag_of(mail.partitions))
    theirs = words(model, n_hashed=n_hashed).fit(mail.texts, mail.labels)
    assert ours.classes_.tolist() == ["eggs", "ham", "spam"]
    scale = np.abs(theirs.linear_model_.weights).max()
    assert_allclose(
        ours.linear_model_.weights, theirs.linear_model_.weights, rtol=0, atol=1e-6 * scale
    )
    assert_allclose(ours.linear_model_.bias, theirs.linear_model_.bias, atol=1e-6 * scale)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_nb_logistic_is_at_its_optimum(client, mail, n_classes):
    partitions = two_classes(mail) if n_classes == 2 else mail.partitions
    model = NBLogisticRegression(C=0.5, alpha=0.4, floor=0.5, intercept_scaling=0.7, tol=1e-9)
    classifier = wordodds_dask.fit(words(model), bag_of(partitions))
    X, y = rows_of(classifier, partitions)
    scores = np.reshape(
        classifier.decision_function([text for part in partitions for text, _ in part]),
        (len(y), -1),
    )
    for column in range(scores.shape[1]):
        own = y == (1 if n_classes == 2 else column)
        documents, others = ((X[rows] > 0).sum(axis=0) + 0.4 for rows in (own, ~own))
        ratio = np.log(documents / documents.sum()) - np.log(others / others.sum())
        signs = np.where(own, 1.0, -1.0)
        columns = np.c_[X * np.sqrt(ratio**2 + 0.5), np.full(len(y), 0.7)]

        def objective(point, signs=signs, columns=columns):
            margins = signs * (columns @ point)
            gradient = columns.T @ (-0.5 * signs * np.exp(log_expit(-margins))) + point
            return -0.5 * log_expit(margins).sum() + 0.5 * point @ point, gradient

        start = np.zeros(columns.shape[1])
        best = minimize(objective, start, jac=True, method="L-BFGS-B", options=EXACT).x
        assert_allclose(scores[:, column], columns @ best, atol=1e-4)


@pytest.fixture
def small_groups(monkeypatch):
    """Let one worker hold so few entries that rows are fitted in groups, by rounds."""
    monkeypatch.setattr("wordodds.dask.logistic.ENTRIES_PER_GROUP", 2000)
    monkeypatch.setattr("wordodds.dask.tasks.fit_group", None)  # the way of one worker is closed


@pytest.mark.parametrize("class_weight", [None, {"spam": 3.0, "eggs": 0.5}])
def test_nb_logistic_by_rounds_is_at_the_optimum_of_one_process(
    client, mail, small_groups, class_weight
):
    model = NBLogisticRegression(C=0.5, tol=1e-6, class_weight=class_weight)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ours = wordodds_dask.fit(words(model), bag_of(mail.partitions))
    assert [str(one.message) for one in caught] == []
    theirs = words(model).fit(mail.texts, mail.labels)
    scale = np.abs(theirs.linear_model_.weights).max()
    assert_allclose(
        ours.linear_model_.weights, theirs.linear_model_.weights, rtol=0, atol=1e-3 * scale
    )


def test_what_single_precision_cannot_follow_is_refused_by_rounds_too(client, mail, small_groups):
    for options in ({"C": 1e15}, {"class_weight": {"spam": 1e14}}):
        with pytest.raises(ValueError, match="lower C"):
            wordodds_dask.fit(words(NBLogisticRegression(**options)), bag_of(mail.partitions))


def test_settings_which_draw_a_seed_are_read_once(client, mail, monkeypatch):
    seen = []

    def settings_of(model, solvers):
        seen.append(settings.settings_of(model, solvers))
        return seen[-1]

    monkeypatch.setattr("wordodds.dask.logistic.settings_of", settings_of)
    wordodds_dask.fit(words(LogisticRegression(tol=1e-2)), bag_of(mail.partitions))
    assert len(seen) == 1


def test_the_bits_do_not_depend_on_the_number_of_workers(client, mail):
    model = LogisticRegression(tol=1e-2)
    everywhere = wordodds_dask.fit(words(model), bag_of(mail.partitions))
    one = next(iter(client.nthreads()))
    with dask.annotate(workers=[one]):
        alone = wordodds_dask.fit(words(model), bag_of(mail.partitions))
    assert_array_equal(alone.linear_model_.weights, everywhere.linear_model_.weights)


def test_an_early_end_says_so(client, mail):
    model = LogisticRegression(max_iter=1, tol=1e-9)
    with pytest.warns(ConvergenceWarning, match="after 1 iterations"):
        wordodds_dask.fit(words(model), bag_of(mail.partitions))


def test_history_and_callback(client, mail):
    seen = []
    model = LogisticRegression(callback=lambda entry: seen.append(entry["objective"]), tol=1e-2)
    wordodds_dask.fit(words(model), bag_of(mail.partitions))
    assert len(seen) > 1
    assert seen == sorted(seen, reverse=True)
