"""Settings chosen by cross-validation: beside scikit-learn's search, and where nothing can be."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, PredefinedSplit

from wordodds import LogisticRegression, MultinomialNB
from wordodds.experiments.tuned import CrossValidated, folds

ALPHAS = (1.0, 0.01, 0.1, 10.0, 100.0)


def counts(n=90, seed=0):
    rng = np.random.default_rng(seed)
    y = np.array(["a", "b", "c"])[rng.choice(3, size=n, p=[0.2, 0.3, 0.5])]
    shares = rng.dirichlet(np.full(40, 0.3), size=3)
    X = np.array([rng.multinomial(8, shares["abc".index(label)]) for label in y])
    return csr_array(X), y


@pytest.mark.parametrize("n", [2, 3, 5])
def test_parts_have_the_classes_in_proportion(n):
    _, y = counts()
    parts = list(folds(y, n))
    assert np.sum(parts, axis=0).tolist() == [1] * len(y)
    for label in "abc":
        sizes = [np.sum(y[part] == label) for part in parts]
        assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize("seed", range(5))
def test_the_choice_is_that_of_a_grid_search_on_the_same_parts(seed):
    X, y = counts(seed=seed)
    ours = CrossValidated([MultinomialNB(alpha=alpha) for alpha in ALPHAS], 3).fit(X, y)
    part = np.argmax(list(folds(y, 3)), axis=0)
    peer = GridSearchCV(
        MultinomialNB(),
        {"alpha": list(ALPHAS)},
        cv=PredefinedSplit(part),
        scoring=["accuracy", "neg_log_loss"],
        refit=False,
    ).fit(X, y)
    found = peer.cv_results_
    # Parts differ by a row at most: here all have the same number, so that means are sums.
    accuracy, loss = found["mean_test_accuracy"], found["mean_test_neg_log_loss"]
    best = max(range(len(ALPHAS)), key=lambda i: (round(accuracy[i], 9), loss[i]))
    assert ours.chosen_ == best
    whole = MultinomialNB(alpha=ALPHAS[best]).fit(X, y)
    np.testing.assert_array_equal(ours.predict_log_proba(X), whole.predict_log_proba(X))
    np.testing.assert_array_equal(ours.predict(X), whole.predict(X))


def test_among_equals_the_log_loss_decides():
    X, y = csr_array(np.repeat(np.eye(2), 10, axis=0)), np.repeat(["a", "b"], 10)
    models = [LogisticRegression(C=C) for C in (0.01, 100.0, 1.0)]
    assert CrossValidated(models, 5).fit(X, y).chosen_ == 1


def test_a_class_with_one_row_does_not_end_the_choice():
    X, y = counts()
    chosen = np.append(np.flatnonzero(y != "a"), np.flatnonzero(y == "a")[0])
    models = [MultinomialNB(alpha=1e6), MultinomialNB(alpha=0.1)]
    assert CrossValidated(models).fit(X[chosen], y[chosen]).chosen_ == 1


def test_where_each_class_has_one_row_the_default_stays():
    X, y = counts()
    chosen = [int(np.flatnonzero(y == label)[0]) for label in "abc"]
    models = [MultinomialNB(alpha=1e6), MultinomialNB(alpha=0.1)]
    assert CrossValidated(models).fit(X[chosen], y[chosen]).chosen_ == 0


def test_one_row_against_nine_can_be_learnt():
    X, y = counts()
    nine, one = np.flatnonzero(y == "c")[:9], np.flatnonzero(y == "a")[:1]
    chosen = np.append(nine, one)
    models = [LogisticRegression(C=C) for C in (1.0, 0.1)]
    assert CrossValidated(models).fit(X[chosen], y[chosen]).classes_.tolist() == ["a", "c"]


def test_the_models_are_cloned():
    X, y = counts()
    models = [MultinomialNB(alpha=alpha) for alpha in ALPHAS]
    chosen = clone(CrossValidated(models, 3)).fit(X, y)
    assert chosen.classes_.tolist() == ["a", "b", "c"]
    assert not any(hasattr(model, "classes_") for model in models)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (([],), "models must be a list of at least one model"),
        (([MultinomialNB()], 1), "n_folds"),
        (([MultinomialNB()], 2.5), "n_folds"),
    ],
)
def test_impossible_choices_are_refused(arguments, says):
    with pytest.raises((TypeError, ValueError), match=says):
        CrossValidated(*arguments).fit(*counts())


def test_rows_and_labels_are_checked():
    X, y = counts()
    with pytest.raises(ValueError, match="X has 89 rows, y 90"):
        CrossValidated([MultinomialNB()]).fit(X[:-1], y)
    with pytest.raises(NotFittedError):
        CrossValidated([MultinomialNB()]).predict(X)
