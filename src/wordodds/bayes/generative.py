"""What every classifier offers once it knows log p(x, y)."""

from abc import abstractmethod
from typing import Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from wordodds._border.execution import execution
from wordodds._core import score
from wordodds.typing import AnyArray, Floats, MatrixLike

__all__ = ["GenerativeClassifier", "LogSpaceClassifier"]

# Exponentials between two looks at the keyboard.
EXPONENTIALS = 1 << 20


class LogSpaceClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Predictions from scores that are log p(x, y), but for what all classes have in common.

    A model sets ``classes_`` and ``class_log_prior_`` and gives `_joint_log_proba`, which checks
    its matrix and returns the scores as a fresh C-ordered array of doubles, (n_rows, n_classes):
    minus infinity where a row cannot come from a class, never NaN.
    """

    classes_: AnyArray
    class_log_prior_: Floats
    n_features_in_: int
    n_jobs: int | None

    @abstractmethod
    def _joint_log_proba(self, X: MatrixLike) -> Floats:
        """Return the scores of the rows, as told above."""

    def predict_joint_log_proba(self, X: MatrixLike) -> Floats:
        """Return the score of each class before it is normalised, (n_rows, n_classes).

        Parameters
        ----------
        X : matrix of shape (n_rows, n_features)
            As in `fit`.
        """
        check_is_fitted(self)
        return self._joint_log_proba(X)

    def predict(self, X: MatrixLike) -> AnyArray:
        """Return the most probable class of each row.

        Parameters
        ----------
        X : matrix of shape (n_rows, n_features)
            As in `fit`.
        """
        best = self._decidable(X).argmax(axis=1)  # before classes_, which an unfitted model lacks
        return np.asarray(self.classes_[best])

    def predict_log_proba(self, X: MatrixLike) -> Floats:
        """Return log p(class | row), one column per class in the order of ``classes_``.

        Parameters
        ----------
        X : matrix of shape (n_rows, n_features)
            As in `fit`.
        """
        joint = self._decidable(X)
        score.rows_log_softmax(*execution(self.n_jobs), scores_in_out=joint)
        return joint

    def predict_proba(self, X: MatrixLike) -> Floats:
        """Return p(class | row), one column per class in the order of ``classes_``.

        Parameters
        ----------
        X : matrix of shape (n_rows, n_features)
            As in `fit`.
        """
        proba = self.predict_log_proba(X)
        step = max(1, EXPONENTIALS // proba.shape[1])
        for first in range(0, len(proba), step):
            block = proba[first : first + step]
            np.exp(block, out=block)
        return proba

    def _decidable(self, X: MatrixLike) -> Floats:
        """Return the joint log-probabilities; the prior's where no class can explain a row."""
        check_is_fitted(self)
        joint = self._joint_log_proba(X)
        impossible = np.isneginf(joint.max(axis=1))
        if impossible.any():
            joint[impossible] = self.class_log_prior_
        return joint

    def _check_same_features(self, other: Self) -> None:
        """Refuse to merge with a model over other features."""
        if self.n_features_in_ != other.n_features_in_:
            raise ValueError(
                f"other has {other.n_features_in_} features, this model {self.n_features_in_}"
            )
        ours, theirs = (getattr(model, "feature_names_in_", None) for model in (self, other))
        if ours is not None and theirs is not None and not np.array_equal(ours, theirs):
            raise ValueError("the features of other have other names: fit both on one vocabulary")


class GenerativeClassifier(LogSpaceClassifier):
    """A classifier whose scores are the very log p(x, y): it can tell how likely a row is."""

    def joint_log_proba(self, X: MatrixLike) -> Floats:
        """Return log p(row, class), one column per class in the order of ``classes_``.

        By scikit-learn's name: `predict_joint_log_proba`.

        Parameters
        ----------
        X : matrix of shape (n_rows, n_features)
            As in `fit`.
        """
        check_is_fitted(self)
        return self._joint_log_proba(X)

    def log_marginal(self, X: MatrixLike) -> Floats:
        """Return log p(row): how likely the model finds each row, whatever its class.

        The rows that it finds least likely are outliers. Compare rows of like length, or by word:
        every word makes a document less probable.

        Parameters
        ----------
        X : matrix of shape (n_rows, n_features)
            As in `fit`.

        Examples
        --------
        >>> import numpy as np
        >>> from wordodds import MultinomialNB
        >>> X = np.array([[5, 4, 0], [3, 4, 1], [0, 1, 7]])
        >>> model = MultinomialNB().fit(X[:2], ["a", "b"])
        >>> (model.log_marginal(X) / np.ravel(X.sum(axis=1))).round(2)  # by word
        array([-0.82, -1.  , -1.68])
        """
        joint = self.joint_log_proba(X)
        largest = joint.max(axis=1)
        score.rows_log_softmax(*execution(self.n_jobs), scores_in_out=joint)
        # log p(x) = log p(x, y) - log p(y | x), for the most probable y.
        return np.where(np.isneginf(largest), -np.inf, largest - joint.max(axis=1))
