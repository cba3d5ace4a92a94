"""What the steps of a pipeline do to the columns of counts, written down as one weighting.

Whatever the steps, a document's value in column j is ``tf(count_j) * scale_j / norm``, where the
norm is that of ``tf(count_j) * norm_weights_j``: dividing a document by its norm twice is to divide
it once, by the later one.
"""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from wordodds._border.checks import one_of
from wordodds._border.terms import frozen_terms
from wordodds._core import text as core
from wordodds.model.features import TextFeatures
from wordodds.typing import Booleans, Floats

__all__ = ["Columns"]


class Columns:
    """The columns of a vectorizer, on their way through a pipeline.

    ``features`` lack the terms, which are the ``vocabulary``, or None if the vectorizer hashes.
    """

    def __init__(self, features: TextFeatures, vocabulary: core.Vocabulary | None) -> None:
        self._features = features
        self._vocabulary = vocabulary
        n_terms = 0 if vocabulary is None else len(vocabulary) + features.n_unknown
        self._n = features.n_hashed if vocabulary is None else n_terms
        self._scale = np.ones(self._n)
        self._kept = np.arange(self._n)  # column now -> column of the vectorizer
        self._norm: str | None = None
        self._norm_weights: Floats | None = None

    def logarithm(self) -> None:
        """Put 1 + log(value) in the place of each value."""
        raw = self._norm is None and bool((self._scale == 1.0).all())
        if not raw or (self._vocabulary is None and self._features.alternate_sign):
            raise ValueError(
                "sublinear_tf works on plain counts: nothing before it may scale or normalise "
                "them, or give them signs"
            )
        self._features = replace(self._features, sublinear=True)

    def scale(self, factors: npt.ArrayLike) -> None:
        """Multiply each column."""
        each = np.asarray(factors, dtype=np.float64)
        self._check_width(len(each))
        self._scale[self._kept] *= each

    def normalise(self, norm: str | None) -> None:
        """Divide each document by its norm, if there is one."""
        if norm is None:
            return
        one_of(norm, "norm", ("l1", "l2", None))
        self._norm = norm
        self._norm_weights = self._scale.copy()

    def select(self, support: npt.ArrayLike) -> None:
        """Drop the columns without support."""
        stays = np.asarray(support, dtype=bool)
        self._check_width(len(stays))
        self._scale[self._kept[~stays]] = 0.0
        self._kept = self._kept[stays]

    def binarise(self, threshold: float) -> None:
        """Put 1 in the place of each value above a threshold, 0 for others.

        Raises ValueError unless that is 1 exactly where a word occurs.
        """
        signs = self._vocabulary is None and self._features.alternate_sign
        plain = self._norm is None and bool((self._scale[self._kept] == 1.0).all())
        plain = plain and not self._features.sublinear
        if signs or not (threshold == 0.0 or (plain and 0.0 < threshold < 1.0)):
            raise ValueError(f"binarize={threshold!r} depends on more than whether a word occurs")
        self._features = replace(self._features, binary=True, sublinear=False)
        self._scale[self._kept] = 1.0
        self._norm = self._norm_weights = None

    def finish(self, weights: Floats) -> tuple[Floats, TextFeatures]:
        """Return weights by feature, (n_features, n_columns), and the features."""
        self._check_width(len(weights))
        if len(self._kept) == self._n:
            every = weights * self._scale[:, None]
        else:
            every = np.zeros((self._n, weights.shape[1]))
            every[self._kept] = weights * self._scale[self._kept, None]
        if not np.isfinite(every).all():
            raise ValueError("its weights are not finite: with naive Bayes use alpha > 0")
        features, norm_weights = self._features, self._norm_weights
        if self._vocabulary is not None:
            needed = self._needed()
            if not needed.all():
                n_terms = len(self._vocabulary)
                self._vocabulary = self._vocabulary.subset(needed[:n_terms].astype(np.uint8))
                needed[n_terms:] = True
                every = every[needed]
                norm_weights = None if norm_weights is None else norm_weights[needed]
            terms = frozen_terms(self._vocabulary)
            features = replace(features, terms=terms)
        if norm_weights is not None and (norm_weights == 1.0).all():
            norm_weights = None
        return every, replace(features, norm=self._norm, norm_weights=norm_weights)

    def _needed(self) -> Booleans:
        """Return which columns some document's scores depend on."""
        needed = np.zeros(self._n, dtype=bool)
        needed[self._kept] = True
        if self._norm_weights is not None:
            needed |= self._norm_weights != 0.0
        if self._features.n_unknown:  # their columns come after those of all terms
            needed[:] = True
        return needed

    def _check_width(self, n: int) -> None:
        if n != len(self._kept):
            raise ValueError(
                f"it was fitted on {n} columns, the step before gives {len(self._kept)}"
            )
