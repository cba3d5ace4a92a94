"""MultinomialNB: naive Bayes on word counts."""

from numbers import Real
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from wordodds._core import bayes as core
from wordodds._core import score
from wordodds._execution import execution
from wordodds._labels import encode_labels
from wordodds._sparse import CsrArrays, as_csr

__all__ = ["MultinomialNB"]


def _checked_alpha(alpha: Any) -> float:
    if isinstance(alpha, bool) or not isinstance(alpha, Real):
        raise TypeError(f"alpha must be a number >= 0, got {alpha!r}")
    try:
        value = float(alpha)
    except OverflowError:
        value = np.inf
    if not 0.0 <= value < np.inf:
        raise ValueError(f"alpha must be finite and >= 0, got {alpha!r}")
    return value


class MultinomialNB(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    r"""Naive Bayes for word counts.

    The joint log-probability of a document x and a class c is linear in the counts,

    .. math:: \log p(c) + \sum_j x_j \log p(w_j | c), \qquad
        p(w_j | c) = \frac{N_{cj} + \alpha}{\sum_k (N_{ck} + \alpha)}, \qquad p(c) = N_c / N

    where :math:`N_{cj}` counts word j in the documents of class c, and :math:`N_c` its documents.

    Parameters
    ----------
    alpha : float, default=1.0
        Dirichlet smoothing, >= 0. With 0, a word never seen in a class gives that class
        probability 0; where that happens to every class, the prior decides.
    n_jobs : int or None, default=None
        Threads. None: the usable cores, at most ``OMP_NUM_THREADS``; negative: counted back from
        the usable cores, -1 meaning all. The result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_count_ : ndarray of shape (n_classes,)
        Documents per class.
    class_log_prior_ : ndarray of shape (n_classes,)
    feature_count_ : ndarray of shape (n_classes, n_features)
        Count of each word in each class.
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        log p(word | class).
    n_features_in_ : int

    Examples
    --------
    >>> from wordodds import CountVectorizer, MultinomialNB
    >>> texts = ["free money now", "cheap money", "see you at lunch", "lunch with you"]
    >>> vectorizer = CountVectorizer()
    >>> model = MultinomialNB().fit(vectorizer.fit_transform(texts), ["spam", "spam", "ham", "ham"])
    >>> model.predict(vectorizer.transform(["money for lunch money"]))
    array(['spam'], dtype='<U4')
    """

    classes_: npt.NDArray[Any]
    class_count_: npt.NDArray[np.float64]
    class_log_prior_: npt.NDArray[np.float64]
    feature_count_: npt.NDArray[np.float64]
    n_features_in_: int
    _weights: npt.NDArray[np.float64]  # feature-major: (n_features, padded classes)

    def __init__(self, *, alpha: float = 1.0, n_jobs: int | None = None) -> None:
        self.alpha = alpha
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Self:
        """Tally the words of each class.

        Parameters
        ----------
        X : sparse matrix or array-like of shape (n_documents, n_features)
            Word counts, >= 0.
        y : array-like of shape (n_documents,)
            Labels.
        """
        alpha = _checked_alpha(self.alpha)
        how = execution(self.n_jobs)
        matrix = as_csr(X, non_negative=True, execution=how)
        if matrix.n_rows == 0 or matrix.n_cols == 0:
            raise ValueError(
                f"Found array with {matrix.n_rows} sample(s) and {matrix.n_cols} feature(s) "
                f"(shape=({matrix.n_rows}, {matrix.n_cols})) while a minimum of 1 is required."
            )
        classes, codes = encode_labels(y, matrix.n_rows)
        tally = core.csr_tally_classes(
            matrix.indptr, matrix.indices, matrix.data, matrix.n_cols, codes, len(classes), *how
        )
        stride = score.padded_classes(len(classes))
        weights = core.tally_log_weights(tally, alpha, stride, *how)
        if not np.isfinite(tally.sum(axis=1) + alpha * matrix.n_cols).all():
            raise ValueError(
                "the counts of a class add up to more than 1e308: scale X or alpha down"
            )
        class_count = np.bincount(codes, minlength=len(classes)).astype(np.float64)
        seen = type(self)()
        validate_data(seen, X, skip_check_array=True)  # names and number of the features
        self.__dict__.pop("feature_names_in_", None)
        # In one step: neither a failed nor an interrupted fit leaves half a model.
        self.__dict__.update(
            {name: value for name, value in vars(seen).items() if name.endswith("_in_")},
            classes_=classes,
            class_count_=class_count,
            class_log_prior_=np.log(class_count) - np.log(class_count.sum()),
            feature_count_=tally,
            _weights=weights,
        )
        return self

    @property
    def feature_log_prob_(self) -> npt.NDArray[np.float64]:
        """Log p(word | class), a view of the feature-major weights."""
        return self._weights.T[: len(self.classes_)]

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the most probable class of each row.

        Parameters
        ----------
        X : sparse matrix or array-like of shape (n_documents, n_features)
            Word counts, >= 0.
        """
        best = self._joint_log_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def predict_log_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return log p(class | row), one column per class in the order of ``classes_``.

        Parameters
        ----------
        X : sparse matrix or array-like of shape (n_documents, n_features)
            Word counts, >= 0.
        """
        scores = self._joint_log_proba(X)
        score.rows_log_softmax(scores, *execution(self.n_jobs))
        return scores

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return p(class | row), one column per class in the order of ``classes_``.

        Parameters
        ----------
        X : sparse matrix or array-like of shape (n_documents, n_features)
            Word counts, >= 0.
        """
        return np.exp(self.predict_log_proba(X))

    def _joint_log_proba(self, X: Any) -> npt.NDArray[np.float64]:
        check_is_fitted(self)
        how = execution(self.n_jobs)
        matrix = as_csr(X, non_negative=True, execution=how)
        self._check_width(X, matrix)
        scores = score.csr_score_classes(
            matrix.indptr, matrix.indices, matrix.data, self._weights, self.class_log_prior_, *how
        )
        impossible = np.isneginf(scores).all(axis=1)
        if impossible.any():
            scores[impossible] = self.class_log_prior_
        return scores

    def _check_width(self, X: Any, matrix: CsrArrays) -> None:
        validate_data(self, X, skip_check_array=True, reset=False)
        # Of the weights themselves: this is what the kernel relies on, whatever a pickle says.
        if matrix.n_cols != len(self._weights):
            raise ValueError(
                f"X has {matrix.n_cols} features, but MultinomialNB is expecting "
                f"{len(self._weights)} features as input"
            )

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_weights")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags
