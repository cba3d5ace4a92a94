"""What the models with one count per class and feature share: tables, and the linear view."""

from collections.abc import Iterator

import numpy as np

from wordodds._estimator.linear_view import LinearView
from wordodds.bayes.discrete import DiscreteNB
from wordodds.typing import Floats

__all__ = ["CountedNB"]


class CountedNB(LinearView, DiscreteNB):
    """Base of the models whose tally has one cell for each class and feature."""

    @property
    def feature_count_(self) -> Floats:
        """What each class has of each feature, (n_classes, n_features)."""
        return self._fitted("feature_count_").tally.table()

    @property
    def feature_log_prob_(self) -> Floats:
        """Logarithms of the features' probabilities, (n_classes, n_features)."""
        return self._fitted("feature_log_prob_").weights.table()

    @property
    def weights_(self) -> Floats:
        """Weights of the linear view, (n_classes, n_features)."""
        return self._fitted("weights_").weights.table()

    @property
    def bias_(self) -> Floats:
        """Bias of the linear view, (n_classes,)."""
        bias = self._fitted("bias_").weights.bias
        return np.asarray(self._prior_of_scores() + bias)

    def _weights_of_classes(self, codes: list[int]) -> Iterator[Floats]:
        return self._learnt.weights.of_classes(codes)

    def _weights_of_feature(self, j: int) -> Floats:
        return self._learnt.weights.of_feature(j)

    def _mean_weights(self) -> Floats:
        return self._learnt.weights.feature_means()
