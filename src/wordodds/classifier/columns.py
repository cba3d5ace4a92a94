"""What the steps of a pipeline do to the columns of counts, written down as one weighting.

Whatever the steps, a document's value in column j is ``tf(count_j) * scale_j / norm``, where the
norm is that of ``tf(count_j) * norm_weights_j``: dividing a document by its norm twice is to divide
it once, by the later one. Where a text is read in several ways, each view has a norm of its own.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np
import numpy.typing as npt

from wordodds._border.checks import one_of
from wordodds._border.terms import frozen_terms, pack_vocabulary
from wordodds._border.views import VIEWS_MAX, stored_term
from wordodds._core import text as core
from wordodds.model.features import SHARED, TextFeatures
from wordodds.typing import Booleans, Floats

__all__ = ["Columns"]


class Columns:
    """The columns of a vectorizer, on their way through a pipeline.

    ``features`` lack the terms, which are the ``vocabulary``, or None if the vectorizer hashes.
    """

    def __init__(self, features: TextFeatures, vocabulary: core.Vocabulary | None) -> None:
        self._views = list(features.views)
        self._vocabulary = vocabulary
        n_terms = 0 if vocabulary is None else len(vocabulary) + features.n_unknown
        self._n = features.n_hashed * len(self._views) if vocabulary is None else n_terms
        self._scale = np.ones(self._n)
        self._kept = np.arange(self._n)  # column now -> column of the vectorizer
        self._norms: list[str | None] = [None] * len(self._views)
        self._norm_weights: Floats | None = None

    @classmethod
    def beside(cls, names: Sequence[str], parts: "Sequence[Columns]") -> "Columns":
        """Join the columns of several ways of reading a text, each of which has a name."""
        if not 1 <= len(parts) <= VIEWS_MAX:
            raise ValueError(f"it must join at most {VIEWS_MAX} vectorizers, got {len(parts)}")
        if len(parts) == 1:
            return parts[0]
        if wrong := [name for name in names if name.endswith("_")]:
            raise ValueError(f"the name {wrong[0]!r} must not end with an underscore: rename it")
        if any(len(part._views) > 1 for part in parts):
            raise ValueError("a vectorizer within it has several analyzers: list them one by one")
        views = [
            replace(part._views[0], view=name) for name, part in zip(names, parts, strict=True)
        ]
        if any(view.n_unknown for view in views):
            raise ValueError('its vectorizers must have unknown="ignore"')
        if len({view.n_hashed for view in views}) > 1:
            raise ValueError(
                "its vectorizers must either all have vocabularies or all hash to as many columns"
            )
        for option in SHARED:
            first, *others = (getattr(view, option) for view in views)
            for other in others:
                if other != first:
                    raise ValueError(
                        f"its vectorizers must agree in {option}, got {first!r} and {other!r}"
                    )
        joined = None
        if parts[0]._vocabulary is not None:
            joined = pack_vocabulary(
                stored_term(number, term)
                for number, part in enumerate(parts)
                for term in cast("core.Vocabulary", part._vocabulary).terms()
            )
        together = cls(replace(views[0], beside=tuple(views[1:])), joined)
        together._scale = np.concatenate([part._scale for part in parts])
        firsts = np.cumsum([0, *(part._n for part in parts)])
        together._kept = np.concatenate(
            [part._kept + first for part, first in zip(parts, firsts, strict=False)]
        )
        together._norms = [part._norms[0] for part in parts]
        weights = [
            np.ones(part._n) if part._norm_weights is None else part._norm_weights for part in parts
        ]
        together._norm_weights = np.concatenate(weights)
        return together

    @property
    def _signs(self) -> bool:
        return self._vocabulary is None and self._views[0].alternate_sign

    @property
    def _is_normed(self) -> bool:
        return any(norm is not None for norm in self._norms)

    def logarithm(self) -> None:
        """Put 1 + log(value) in the place of each value."""
        raw = not self._is_normed and bool((self._scale == 1.0).all())
        if not raw or self._signs:
            raise ValueError(
                "sublinear_tf works on plain counts: nothing before it may scale or normalise "
                "them, or give them signs"
            )
        self._views = [replace(view, sublinear=True) for view in self._views]

    def scale(self, factors: npt.ArrayLike) -> None:
        """Multiply each column."""
        each = np.asarray(factors, dtype=np.float64)
        self._check_width(len(each))
        self._scale[self._kept] *= each

    def scale_all(self, factor: float) -> None:
        """Multiply every column."""
        self._scale *= factor

    def normalise(self, norm: str | None, *, by_view: bool = False) -> None:
        """Divide each document by its norm, if there is one; or each view of it by its own."""
        if norm is None:
            return
        one_of(norm, "norm", ("l1", "l2", None))
        if len(self._views) > 1 and not by_view:
            raise ValueError(
                "it divides several vectorizers together by one norm: give each of them its own "
                "norm, and fit again"
            )
        self._norms = [norm] * len(self._views)
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
        plain = not self._is_normed and bool((self._scale[self._kept] == 1.0).all())
        plain = plain and not any(view.sublinear for view in self._views)
        if self._signs or not (threshold == 0.0 or (plain and 0.0 < threshold < 1.0)):
            raise ValueError(f"binarize={threshold!r} depends on more than whether a word occurs")
        self._views = [replace(view, binary=True, sublinear=False) for view in self._views]
        # A scale of zero or less leaves no value above the threshold.
        self._scale[self._kept] = np.where(self._scale[self._kept] > 0.0, 1.0, 0.0)
        self._norms, self._norm_weights = [None] * len(self._views), None

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
        terms, norm_weights = None, self._norm_weights
        if self._vocabulary is not None:
            needed = self._needed()
            if not needed.all():
                n_terms = len(self._vocabulary)
                self._vocabulary = self._vocabulary.subset(needed[:n_terms].astype(np.uint8))
                needed[n_terms:] = True
                every = every[needed]
                norm_weights = None if norm_weights is None else norm_weights[needed]
            terms = frozen_terms(self._vocabulary)
        if not self._is_normed or (norm_weights is not None and (norm_weights == 1.0).all()):
            norm_weights = None
        first, *others = (
            replace(view, norm=norm) for view, norm in zip(self._views, self._norms, strict=True)
        )
        return every, replace(first, terms=terms, norm_weights=norm_weights, beside=tuple(others))

    def _needed(self) -> Booleans:
        """Return which columns some document's scores depend on."""
        needed = np.zeros(self._n, dtype=bool)
        needed[self._kept] = True
        if self._norm_weights is not None:
            needed |= self._norm_weights != 0.0
        if self._views[0].n_unknown:  # their columns come after those of all terms
            needed[:] = True
        return needed

    def _check_width(self, n: int) -> None:
        if n != len(self._kept):
            raise ValueError(
                f"it was fitted on {n} columns, the step before gives {len(self._kept)}"
            )
