"""The linear view: what one more occurrence of a feature does to the log-odds of a class."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from wordodds._border.classes import codes_by_label
from wordodds._border.features import (
    FeatureNames,
    asked_labels,
    checked_count,
    column_number,
    given_names,
    largest,
)
from wordodds.typing import AnyArray, Floats, Label, Labels

__all__ = ["LinearView"]


class LinearView:
    r"""Methods of models whose posterior is a softmax of linear functions.

    .. math:: p(c | x) = \frac{e^{b_c + w_c \cdot x}}{\sum_k e^{b_k + w_k \cdot x}}

    The weights are determined but for what is common to all classes, so only differences mean
    something. A model gives ``weights_``, (n_classes, n_features), and ``bias_``; where that table
    may be too large, it gives the three methods below by other ways.
    """

    classes_: AnyArray
    n_features_in_: int

    @property
    @abstractmethod
    def weights_(self) -> Floats:
        """Weights of each class, (n_classes, n_features)."""

    @property
    @abstractmethod
    def bias_(self) -> Floats:
        """What each class starts from, (n_classes,)."""

    def _weights_of_classes(self, codes: list[int]) -> Iterator[Floats]:
        return (np.asarray(self.weights_[c]) for c in codes)

    def _weights_of_feature(self, j: int) -> Floats:
        return np.asarray(self.weights_[:, j])

    def _mean_weights(self) -> Floats:
        return np.asarray(self.weights_.mean(axis=0))

    def log_odds(self, feature: int | str, label: Label, against: Label | None = None) -> float:
        """Return what one more occurrence of a feature adds to the log-odds of a class.

        Parameters
        ----------
        feature : int or str
            A column, or its name if the model was fitted on named columns.
        label : label
            The class.
        against : label or None
            The class to compare with. None: the mean over all other classes; 0 if there are none.
        """
        check_is_fitted(self)
        weights = self._weights_of_feature(self._column(feature))
        (c,) = self._codes([label])
        if against is not None:
            return float(_difference(weights[c], weights[self._codes([against])[0]]))
        others = np.delete(weights, c)
        return float(_difference(weights[c], others.mean())) if len(others) else 0.0

    def top_features(
        self,
        n: int = 10,
        *,
        labels: Labels | None = None,
        feature_names: FeatureNames = None,
    ) -> dict[Label, list[tuple[Any, float]]]:
        """Return for each class the features that speak most for it, the strongest first.

        Parameters
        ----------
        n : int, default=10
            How many for each class.
        labels : list of labels or None
            The classes to look at; None: all.
        feature_names : array-like of shape (n_features,), a vectorizer or None
            What to call the columns; None: the names that the model was fitted with, or else the
            numbers of the columns.

        Returns
        -------
        dict
            Label -> list of (feature, log-odds against the mean of the other classes).
        """
        check_is_fitted(self)
        n = checked_count(n)
        names = self._feature_names(feature_names)
        wanted = asked_labels(labels, self.classes_)
        mean, n_classes = self._mean_weights(), len(self.classes_)
        result = {}
        of_classes = self._weights_of_classes(self._codes(wanted))
        for label, weights in zip(wanted, of_classes, strict=True):
            # w - mean of the others = (w - mean of all) * C / (C - 1)
            odds = _difference(weights, mean) * (n_classes / max(1, n_classes - 1))
            result[label] = [(names[j], float(odds[j])) for j in largest(odds, n)]
        return result

    def _feature_names(self, feature_names: FeatureNames) -> Sequence[Any]:
        if feature_names is not None:
            return given_names(feature_names, self.n_features_in_)
        known: Sequence[Any] = getattr(self, "feature_names_in_", range(self.n_features_in_))
        return known

    def _column(self, feature: int | str) -> int:
        if not isinstance(feature, str):
            return column_number(feature, self.n_features_in_)
        names = getattr(self, "feature_names_in_", None)
        if names is None:
            raise ValueError(
                f"the features have no names, so {feature!r} cannot be looked up: pass the "
                "number of its column, such as vectorizer.vocabulary_[word]"
            )
        found = np.flatnonzero(names == feature)
        if not len(found):
            raise ValueError(f"there is no feature {feature!r}")
        return int(found[0])

    def _codes(self, labels: list[Label]) -> list[int]:
        code_of = codes_by_label(self.classes_)
        plain = [label.item() if isinstance(label, np.generic) else label for label in labels]
        for label in plain:
            if label not in code_of:
                raise ValueError(f"there is no class {label!r}")
        return [code_of[label] for label in plain]


def _difference(weights: npt.ArrayLike, others: npt.ArrayLike) -> Floats:
    """Return weights - others; 0 where both are infinite, which says nothing of either class."""
    with np.errstate(invalid="ignore"):
        difference = np.subtract(weights, others)
    return np.where(np.isnan(difference), 0.0, difference)
