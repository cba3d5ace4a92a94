"""A model whose setting is chosen by cross-validation inside its own training rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Self

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from wordodds._border.checks import whole_number
from wordodds.experiments.curves import (
    checked_labels,
    checked_rows,
    log_proba_of,
    loss_of,
    nested_order,
)
from wordodds.typing import AnyArray, Booleans, Floats, MatrixLike

__all__ = ["CrossValidated"]


class CrossValidated(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The one of several models that does best on parts of the training rows held out in turn.

    The rows fall into parts that have the classes in proportion. Each model learns from all parts
    but one and is scored on that one. The most rows right win; of equals the least log loss, over
    rows whose class is among those learnt, then the first. There are as many parts as the largest
    class has rows, and ``n_folds`` at most. Where every class has a single row, none of those held
    out can be right, and the first model, the default, is taken.

    Parameters
    ----------
    models : sequence of estimator
        The choices, the default first.
    n_folds : int, default=5
        Number of parts, at most.

    Attributes
    ----------
    chosen_ : int
        Place of the best model in ``models``.
    best_ : estimator
        That model, fitted to all rows.
    classes_ : ndarray
        Labels, sorted.

    Examples
    --------
    >>> import numpy as np
    >>> from wordodds import MultinomialNB
    >>> X, y = np.array([[3, 0], [2, 0], [0, 4], [0, 1]]), ["a", "a", "b", "b"]
    >>> model = CrossValidated([MultinomialNB(alpha=1e4), MultinomialNB()]).fit(X, y)
    >>> model.chosen_, model.predict([[0, 2]]).tolist()
    (1, ['b'])
    """

    def __init__(self, models: Sequence[BaseEstimator], n_folds: int = 5) -> None:
        self.models = models
        self.n_folds = n_folds

    def fit(self, X: MatrixLike, y: AnyArray) -> Self:
        """Choose a model, and fit it to all rows."""
        rows = checked_rows(X, "X")
        labels = checked_labels(y, rows.shape[0])
        if not isinstance(self.models, Sequence) or len(self.models) == 0:
            raise ValueError(f"models must be a list of at least one model, got {self.models!r}")
        whole_number(self.n_folds, "n_folds", 2)
        self.chosen_ = self._best_place(rows, labels)
        self.best_ = clone(self.models[self.chosen_]).fit(rows, labels)
        self.classes_ = self.best_.classes_
        return self

    def predict(self, X: MatrixLike) -> AnyArray:
        """Return the most probable labels."""
        check_is_fitted(self)
        return np.asarray(self.best_.predict(X))

    def predict_log_proba(self, X: MatrixLike) -> Floats:
        """Return the logarithms of the probabilities, in the order of ``classes_``."""
        check_is_fitted(self)
        return log_proba_of(self.best_, X)

    def _best_place(self, rows: AnyArray | csr_array, y: AnyArray) -> int:
        n_folds = min(self.n_folds, int(np.unique(y, return_counts=True)[1].max()))
        if n_folds < 2 or len(self.models) == 1:
            return 0
        scores = np.zeros((len(self.models), 2))  # rows wrong, then the sum of the log loss
        for held_out in folds(y, n_folds):
            fit, new = np.flatnonzero(~held_out), np.flatnonzero(held_out)
            known = np.isin(y[new], y[fit])
            if not known.any() or len(np.unique(y[fit])) < 2:
                continue  # no choice can be right, or there is nothing to tell apart
            for place, model in enumerate(self.models):
                fitted = clone(model).fit(rows[fit], y[fit])
                log_proba = log_proba_of(fitted, rows[new[known]])
                labels = fitted.classes_[log_proba.argmax(axis=1)]
                loss = loss_of(log_proba, fitted.classes_, y[new[known]]) * known.sum()
                scores[place] += np.sum(labels != y[new[known]]), loss
        return int(np.lexsort((scores[:, 1], scores[:, 0]))[0])


def folds(labels: AnyArray, n: int) -> Iterator[Booleans]:
    """Yield which rows belong to each of n parts; all have the classes in proportion."""
    order = nested_order(labels, np.random.default_rng(0))
    # Rows of one class follow each other at equal distances: dealing them out class by class
    # gives each part its share of every class.
    codes = np.unique(labels, return_inverse=True)[1]
    part = np.empty(len(labels), dtype=np.int64)
    part[order[np.argsort(codes[order], kind="stable")]] = np.arange(len(labels)) % n
    for number in range(n):
        yield part == number
