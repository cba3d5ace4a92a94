"""Probabilities of the losses that have any."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.metaestimators import available_if

from wordodds._border.execution import execution
from wordodds.linear.classifier import LinearClassifier, log_probabilities
from wordodds.linear.sgd.state import Loss
from wordodds.typing import Floats, MatrixLike

__all__ = ["LossProba"]


def _has_proba(model: BaseEstimator) -> bool:
    if model.loss not in ("log_loss", "softmax", "modified_huber"):
        raise AttributeError(f"probability estimates are not available for loss={model.loss!r}")
    return True


class LossProba(LinearClassifier):
    """Probabilities from scores, as the parameter ``loss`` means them."""

    loss: Loss

    @available_if(_has_proba)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: MatrixLike) -> Floats:
        """Return the logarithms of `predict_proba`.

        Parameters
        ----------
        X : sparse matrix or array-like of shape (n_documents, n_features)
            As in `fit`.
        """
        scores = self._scores(X)
        if self.loss == "modified_huber":
            with np.errstate(divide="ignore"):
                return np.asarray(np.log(_huber_proba(scores)))
        return log_probabilities(scores, self.loss == "log_loss", execution(self.n_jobs))

    @available_if(_has_proba)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: MatrixLike) -> Floats:
        """Return the probability of each class, in the order of ``classes_``.

        Of ``"softmax"``, and of ``"log_loss"`` with two classes, they are the model's own; those of
        one-vs-rest ``"log_loss"`` and ``"modified_huber"`` are scaled to sum to one, as in
        scikit-learn.

        Parameters
        ----------
        X : sparse matrix or array-like of shape (n_documents, n_features)
            As in `fit`.
        """
        if self.loss == "modified_huber":
            return _huber_proba(self._scores(X))
        return np.asarray(np.exp(self.predict_log_proba(X)))


def _huber_proba(scores: Floats) -> Floats:
    proba = (np.clip(scores, -1.0, 1.0) + 1.0) / 2.0
    if proba.shape[1] == 1:
        return np.hstack([1.0 - proba, proba])
    total = proba.sum(axis=1, keepdims=True)
    # Where every column says no, none says it louder.
    proba[total[:, 0] == 0.0] = 1.0
    return np.asarray(proba / proba.sum(axis=1, keepdims=True))
