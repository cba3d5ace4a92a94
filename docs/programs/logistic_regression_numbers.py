"""Compute the numbers that logistic-regression.md quotes from a corpus.

Run ``python docs/programs/logistic_regression_numbers.py``: it prints the phrases of the page that
contain them, with the current numbers. It needs 20 Newsgroups: from ``WORDODDS_DATA``, the cache
folder or a download. With ``--time`` it prints how long small systems take on this machine instead.
"""

import sys
import time
import warnings
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import softmax
from sklearn.exceptions import ConvergenceWarning

from wordodds import LogisticRegression, MultinomialNB, TfidfVectorizer
from wordodds.datasets import load_newsgroups
from wordodds.linear.solvers import IRLS_UNKNOWNS
from wordodds.linear.solvers.irls import UNKNOWNS_MAX

GROUPS = ["alt.atheism", "comp.graphics"]


class Documents(NamedTuple):
    """Sublinear tf-idf of the raw messages."""

    train: Any
    train_labels: npt.NDArray[np.str_]
    test: Any
    test_labels: npt.NDArray[np.str_]


@cache
def documents() -> Documents:
    """Return all groups."""
    train, test = (load_newsgroups("bydate", subset) for subset in ("train", "test"))
    vectorizer = TfidfVectorizer(sublinear_tf=True)
    X = vectorizer.fit_transform(train.texts)
    return Documents(X, train.labels, vectorizer.transform(test.texts), test.labels)


@cache
def two_groups() -> Documents:
    """Return two groups alone, over the words of all."""
    whole = documents()
    train, test = np.isin(whole.train_labels, GROUPS), np.isin(whole.test_labels, GROUPS)
    return Documents(
        whole.train[train], whole.train_labels[train], whole.test[test], whole.test_labels[test]
    )


@cache
def fitted(l1_ratio: float, C: float, multi_class: str = "multinomial") -> LogisticRegression:
    """Return a model of all groups."""
    model = LogisticRegression(C=C, l1_ratio=l1_ratio, multi_class=multi_class, random_state=0)
    return model.fit(documents().train, documents().train_labels)


class PathPoint(NamedTuple):
    """One model of the two groups."""

    C: float
    n_weights: int  # that are not zero
    accuracy: float


@cache
def path(l1_ratio: float) -> list[PathPoint]:
    """Return models of the two groups from a strong penalty to a weak one."""
    data = two_groups()
    points = []
    for C in np.logspace(-1, 3, 17):
        model = LogisticRegression(C=C, l1_ratio=l1_ratio, tol=1e-6, random_state=0)
        model.fit(data.train, data.train_labels)
        accuracy = model.score(data.test, data.test_labels)
        points.append(PathPoint(C, int(np.count_nonzero(model.coef_)), accuracy))
    return points


def phrases() -> Iterator[str]:
    """Yield phrases of the page, with the numbers computed."""
    data = documents()
    yield f"{data.train.shape[0]:,} training documents over {data.train.shape[1]:,} words"
    yield from _of_models(data)
    yield from _of_sparsity(data)
    yield f"up to {IRLS_UNKNOWNS} unknowns"
    yield f"more than {UNKNOWNS_MAX:,} unknowns"


def _of_models(data: Documents) -> Iterator[str]:
    bayes = MultinomialNB(alpha=0.01).fit(data.train, data.train_labels)
    yield f"| `MultinomialNB(alpha=0.01)` | {bayes.score(data.test, data.test_labels):.3f} |"
    for C in (1.0, 10.0, 100.0):
        accuracy = fitted(0.0, C).score(data.test, data.test_labels)
        yield f"| `LogisticRegression(C={C:g})` | {accuracy:.3f} |"
    accuracy = fitted(0.0, 10.0, "ovr").score(data.test, data.test_labels)
    yield f'| `LogisticRegression(C=10, multi_class="ovr")` | {accuracy:.3f} |'
    probabilities = fitted(0.0, 10.0).predict_proba(data.test)
    sure = probabilities.max(axis=1).mean()
    right = fitted(0.0, 10.0).score(data.test, data.test_labels)
    yield f"mean probability of {sure:.3f}, and {right:.3f} of them are right"
    scores = fitted(0.0, 100.0).decision_function(data.test)
    yield f"With `C=100` the two are {softmax(scores, axis=1).max(axis=1).mean():.3f} and " + (
        f"{fitted(0.0, 100.0).score(data.test, data.test_labels):.3f}"
    )


def _of_sparsity(data: Documents) -> Iterator[str]:
    lasso = fitted(1.0, 10.0)
    n_weights = int(np.count_nonzero(lasso.coef_))
    yield f"{n_weights:,} of the {lasso.coef_.size:,} weights"
    yield f"gets {lasso.score(data.test, data.test_labels):.3f} of the test documents right"
    few = next(point for point in path(1.0) if point.n_weights >= 100)
    n_words = len(np.unique(two_groups().train.indices))
    yield f"{few.n_weights} of the {n_words:,} words in these two groups " + (
        f"({data.train.shape[1]:,} in all) get {few.accuracy:.3f}"
    )
    best = max(point.accuracy for point in path(0.0))
    yield f"the best quadratic penalty {best:.3f}"


def times() -> Iterator[str]:
    """Yield how long solvers take for few columns, the more of one another the further down."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(10_000, 100))
    for columns in ("independent", "their running sums", "the running sums of those"):
        scores = X[:, -1] / X[:, -1].std()
        y = scores + rng.logistic(size=len(X)) > 0.0
        for solver in ("irls", "newton-cg", "lbfgs"):
            model = LogisticRegression(C=10.0, solver=solver, tol=1e-6, max_iter=3000)
            seconds = min(_seconds(model, X, y) for _ in range(5))
            end = "" if model.history_["gradient_norm"][-1] <= model.tol else ", not at its end"
            yield f"{columns}: {solver} {1000.0 * seconds:.0f} ms{end}"
        X = np.cumsum(X, axis=1) / 10.0


def _seconds(model: LogisticRegression, X: npt.NDArray[np.float64], y: npt.NDArray[Any]) -> float:
    begin = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y)
    return time.perf_counter() - begin


if __name__ == "__main__":
    for line in times() if "--time" in sys.argv[1:] else phrases():
        print(line)
