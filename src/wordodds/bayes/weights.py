"""What a model on counts has learnt: weights that follow from its tallies, and their scores.

Weights are dense or, for very many classes, rank one plus sparse.
"""

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from wordodds._border.csr import CsrArrays
from wordodds._border.execution import Execution, execution
from wordodds._core import score
from wordodds.bayes.alpha_zero import Limit
from wordodds.bayes.tally import ClassTally, check_table_size, read_only
from wordodds.typing import Floats

__all__ = ["DenseWeights", "Layout", "Learnt", "SparseWeights", "Weights"]


# What the columns of a tally stand for, where they are not those of X: a matter of the model.
Layout: TypeAlias = Any


class DenseWeights:
    """Feature-major weights, ``by_feature[j, c]``, rows padded for the kernel; one bias a class."""

    def __init__(self, by_feature: Floats, bias: Floats, limits: Sequence[Limit] = ()) -> None:
        self.by_feature = by_feature
        self.bias = bias
        self.limits = limits

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.by_feature)

    def scores(self, matrix: CsrArrays, prior: Floats, how: Execution) -> Floats:
        """Return prior + bias + the weighted sum of each row, (n_rows, n_classes)."""
        scores = score.csr_score_classes(matrix, self.by_feature, prior + self.bias, *how)
        for limit in self.limits:
            limit.apply(scores, matrix)
        return scores

    def divide(self, divisors: Floats) -> None:
        """Divide the weights of each class."""
        self.by_feature[:, : len(divisors)] /= divisors

    def class_sums(self) -> Floats:
        """Return the sum of each class's weights."""
        return np.asarray(self.table().sum(axis=1))

    def table(self) -> Floats:
        """Return the weights, (n_classes, n_features)."""
        return read_only(self.by_feature.T[: len(self.bias)])

    def of_classes(self, codes: list[int]) -> Iterator[Floats]:
        """Return the weights of each of these classes."""
        return (np.asarray(self.by_feature[:, c]) for c in codes)

    def of_feature(self, j: int) -> Floats:
        """Return the weights of one feature."""
        return np.asarray(self.by_feature[j, : len(self.bias)])

    def feature_means(self) -> Floats:
        """Return each feature's mean weight over the classes."""
        return np.asarray(self.by_feature[:, : len(self.bias)].mean(axis=1))


class SparseWeights:
    r"""Weights of very many classes, most of which never saw most features.

    .. math:: w_{jc} = s_c u_j + d_c + e_{jc}

    with :math:`e_{jc}` stored only where class c has feature j: memory grows with the entries of
    the tally. ``excess`` is feature-major, (n_features, n_classes).
    """

    def __init__(
        self,
        excess: sp.csr_array,
        feature_base: Floats,
        class_scale: Floats,
        class_base: Floats,
        bias: Floats,
        limits: Sequence[Limit] = (),
    ) -> None:
        self.excess = excess
        # SciPy chooses the width of its indices by itself; once here, not at each prediction.
        self._indptr = np.asarray(excess.indptr, dtype=np.int64)
        self._classes = np.asarray(excess.indices, dtype=np.int32)
        self.feature_base = feature_base
        self.class_scale = class_scale
        self.class_base = class_base
        self.bias = bias
        self.limits = limits

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.feature_base)

    def scores(self, matrix: CsrArrays, prior: Floats, how: Execution) -> Floats:
        """Return prior + bias + the weighted sum of each row, (n_rows, n_classes)."""
        scores = score.csr_score_sparse_classes(
            matrix,
            *how,
            bias=prior + self.bias,
            class_scale=self.class_scale,
            class_base=self.class_base,
            feature_base=self.feature_base,
            excess_indptr=self._indptr,
            excess_classes=self._classes,
            excess=self.excess.data,
        )
        for limit in self.limits:
            limit.apply(scores, matrix)
        return scores

    def class_sums(self) -> Floats:
        """Return the sum of each class's weights."""
        base = self.class_scale * self.feature_base.sum() + self.n_features * self.class_base
        return np.asarray(base + np.asarray(self.excess.sum(axis=0)).ravel())

    def divide(self, divisors: Floats) -> None:
        """Divide the weights of each class."""
        self.class_scale = self.class_scale / divisors
        self.class_base = self.class_base / divisors
        self.excess.data /= divisors[self.excess.indices]

    def table(self) -> Floats:
        """Return the weights as one array, (n_classes, n_features), if it is not too large."""
        check_table_size(len(self.bias), self.n_features)
        table: Floats = self.excess.T.toarray()
        table += np.multiply.outer(self.class_scale, self.feature_base)
        table += self.class_base[:, np.newaxis]
        return np.asarray(table)

    def of_classes(self, codes: list[int]) -> Iterator[Floats]:
        """Return the weights of each of these classes."""
        by_class = self.excess.tocsc()
        for c in codes:
            weights = self.class_scale[c] * self.feature_base + self.class_base[c]
            entries = slice(by_class.indptr[c], by_class.indptr[c + 1])
            weights[by_class.indices[entries]] += by_class.data[entries]
            yield weights

    def of_feature(self, j: int) -> Floats:
        """Return the weights of one feature."""
        base = self.class_scale * self.feature_base[j] + self.class_base
        return np.asarray(base + self.excess[[j], :].toarray().ravel())

    def feature_means(self) -> Floats:
        """Return each feature's mean weight over the classes."""
        base = self.class_scale.mean() * self.feature_base + self.class_base.mean()
        return np.asarray(base + np.asarray(self.excess.mean(axis=1)).ravel())


Weights: TypeAlias = DenseWeights | SparseWeights


class Learnt:
    """The tallies and how to weigh them; the weights are made when they are first asked for.

    So a stream of small batches pays for its weights once, before the first prediction.
    """

    def __init__(
        self,
        weigh: Callable[["Learnt"], Weights],
        tally: ClassTally,
        class_count: Floats,
        pseudo_counts: Floats,
        layout: Layout,
        n_jobs: int | None,
    ) -> None:
        self.weigh = weigh
        self.tally = tally
        self.class_count = class_count
        self.pseudo_counts = pseudo_counts  # (1 or n_classes, 1 or n_features)
        self.layout = layout
        self.n_jobs = n_jobs
        self._weights: Weights | None = None

    @property
    def how(self) -> Execution:
        """Threads and instruction set of the machine at hand, not of the one that fitted."""
        return execution(self.n_jobs)

    @property
    def weights(self) -> Weights:
        """Weights and bias of each class."""
        # Two threads may both make them, the same ones; a lock could be held while a process forks.
        if self._weights is None:
            self._weights = self.weigh(self)
        return self._weights

    def prepare(self) -> None:
        """Make the weights now, not at the first prediction."""
        _ = self.weights

    def apart(self) -> "Learnt":
        """Return the same with a tally of its own."""
        copied = copy(self)
        copied.tally = self.tally.copy()
        return copied
