"""What every linear classifier offers once it has weights."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from wordodds._border.csr import CsrArrays, as_csr
from wordodds._border.execution import Execution, execution
from wordodds._core import score
from wordodds._estimator.linear_view import LinearView
from wordodds._estimator.state import check_width
from wordodds.linear.matrix import csr_product
from wordodds.typing import AnyArray, Floats, MatrixLike

__all__ = ["LinearClassifier", "log_probabilities", "scores_of"]


# A power of two: products of two numbers times this are within double, whatever they are.
SMALL = 2.0**-530
LARGEST_SCORE = 2.0**1020  # differences and sums of a few of them are finite


class LinearClassifier(LinearView, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Scores by weights: one column for two classes, else one for each class.

    A model sets ``classes_``, ``intercept_`` and ``_columns``, the weights as (n_features, stride),
    stride = lane_stride(n_columns), and gives `predict_log_proba`.
    """

    classes_: AnyArray
    intercept_: AnyArray
    n_features_in_: int
    n_jobs: int | None
    _non_negative = False  # whether rows with negative entries are refused
    _columns: AnyArray

    @property
    def coef_(self) -> AnyArray:
        """Weights, (n_columns, n_features): a view of what scores are made with."""
        if not hasattr(self, "_columns"):
            raise AttributeError(f"{type(self).__name__} has no weights before fit")
        return self._columns[:, : len(self.intercept_)].T

    @property
    def weights_(self) -> Floats:
        """Weights of the linear view, (n_classes, n_features)."""
        return _both(np.asarray(self.coef_, dtype=np.float64))

    @property
    def bias_(self) -> Floats:
        """Bias of the linear view, (n_classes,)."""
        return _both(np.asarray(self.intercept_, dtype=np.float64))

    def decision_function(self, X: MatrixLike) -> Floats:
        """Return the scores, (n_rows,) for two classes and (n_rows, n_classes) for more.

        Parameters
        ----------
        X : sparse matrix or array-like of shape (n_rows, n_features)
            As in `fit`.
        """
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: MatrixLike) -> AnyArray:
        """Return the most probable class of each row.

        Parameters
        ----------
        X : sparse matrix or array-like of shape (n_rows, n_features)
            As in `fit`.
        """
        scores = self.decision_function(X)
        best = (scores > 0.0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        return np.asarray(self.classes_[best])

    def predict_proba(self, X: MatrixLike) -> Floats:
        """Return p(class | row), one column per class in the order of ``classes_``.

        Parameters
        ----------
        X : sparse matrix or array-like of shape (n_rows, n_features)
            As in `fit`.
        """
        return np.asarray(np.exp(self.predict_log_proba(X)))

    def _scores(self, X: MatrixLike) -> Floats:
        """Return X W + b, (n_rows, n_columns)."""
        check_is_fitted(self)
        how = execution(self.n_jobs)
        rows = as_csr(X, non_negative=self._non_negative, execution=how, owner=type(self).__name__)
        columns, intercept = self._columns, self.intercept_
        check_width(self, X, rows.n_cols, len(columns))
        return scores_of(rows, columns, intercept, how)

    def _warm(self, classes: AnyArray, n_cols: int) -> tuple[Any, Any] | None:
        """Return the weights to begin with, if ``warm_start`` asks and there are fitting ones."""
        if not self.warm_start or not hasattr(self, "_columns"):
            return None
        if not np.array_equal(self.classes_, classes) or len(self._columns) != n_cols:
            return None
        return self._columns, self.intercept_

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_columns")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def scores_of(rows: CsrArrays, columns: AnyArray, intercept: AnyArray, how: Execution) -> Floats:
    """Return X W + b, (n_rows, n_columns)."""
    n_columns, stride = len(intercept), columns.shape[1]
    data = rows.data if rows.data.dtype.kind == "f" else rows.data.astype(np.float64)
    bias = np.zeros(stride)
    bias[:n_columns] = intercept
    right = np.ascontiguousarray(columns, dtype=np.float64)
    scores = csr_product(rows._replace(data=data), right, how, bias=bias)
    if not (finite := np.isfinite(scores).all(axis=1)).all():
        # Sums of products beyond 1e308: again far below it, then as large as double can hold.
        tiny = rows._replace(data=data.astype(np.float64) * SMALL)
        small = csr_product(tiny, right * SMALL, how, bias=bias * SMALL * SMALL)
        limit = LARGEST_SCORE * SMALL * SMALL
        largest = np.maximum(np.abs(small).max(axis=1, keepdims=True), limit)
        scores[~finite] = (small * (limit / largest) / SMALL / SMALL)[~finite]
    return np.ascontiguousarray(scores[:, :n_columns])


def log_probabilities(scores: Floats, one_vs_rest: bool, how: Execution) -> Floats:
    """Return log p(class | row) of logistic scores; may write into them."""
    if scores.shape[1] == 1:
        return np.asarray(-np.logaddexp(0.0, np.concatenate([scores, -scores], axis=1)))
    if one_vs_rest:
        scores = -np.logaddexp(0.0, -scores)
    score.rows_log_softmax(*how, scores_in_out=scores)
    return scores


def _both(of_columns: Floats) -> Floats:
    """Return one row for each class: of two classes, half each way."""
    if len(of_columns) == 1:
        return np.concatenate([-0.5 * of_columns, 0.5 * of_columns])
    return of_columns
