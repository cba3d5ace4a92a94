"""What a pseudo-count of zero makes impossible, where no finite weight can say it.

Each limit corrects the scores of a matrix in place. They are sparse products of patterns, made only
for models with a pseudo-count of zero.
"""

from typing import Protocol

import numpy as np
import scipy.sparse as sp

from wordodds._border.csr import CsrArrays
from wordodds.typing import AnyArray, Booleans, Floats

__all__ = ["Exclusive", "Limit", "Required", "Unseen", "pattern"]


class Limit(Protocol):
    """A correction of scores."""

    def apply(self, scores: Floats, matrix: CsrArrays) -> None:
        """Correct the scores of a matrix in place."""


def pattern(features: AnyArray, classes: AnyArray, shape: tuple[int, int]) -> sp.csr_array:
    """Return ones at the given cells, feature-major: (n_features, n_classes)."""
    ones = np.ones(len(features))
    return sp.coo_array((ones, (features, classes)), shape=shape).tocsr()


class Unseen:
    """A class cannot give a feature without pseudo-count that it never saw."""

    def __init__(self, strict: Booleans, seen: sp.csr_array) -> None:
        self.strict = strict  # features without pseudo-count
        self.seen = seen  # pattern of what each class saw of them

    def apply(self, scores: Floats, matrix: CsrArrays) -> None:
        """Make the classes impossible that lack a feature of the row."""
        used = matrix.to_scipy(((matrix.data != 0) & self.strict[matrix.indices]).astype(float))
        n_used = np.asarray(used.sum(axis=1)).reshape(-1, 1)
        scores[(used @ self.seen).toarray() < n_used] = -np.inf


class Required:
    """A class whose every document had a feature cannot give a row without it."""

    def __init__(self, cells: sp.csr_array) -> None:
        self.cells = cells
        self.n_required = np.asarray(cells.sum(axis=0)).ravel()

    def apply(self, scores: Floats, matrix: CsrArrays) -> None:
        """Make the classes impossible whose features the row lacks."""
        present = matrix.to_scipy((matrix.data >= 1).astype(float))
        scores[(present @ self.cells).toarray() < self.n_required] = -np.inf


class Exclusive:
    """A feature that no other class has decides for its class, however small the rest.

    It is the limit of pseudo-counts that go to zero: the class with the most such occurrences wins,
    and among equals their finite scores.
    """

    def __init__(self, cells: sp.csr_array) -> None:
        self.cells = cells

    def apply(self, scores: Floats, matrix: CsrArrays) -> None:
        """Make the classes impossible that have fewer exclusive occurrences than another."""
        n_exclusive = (matrix.to_scipy(matrix.data.astype(float)) @ self.cells).toarray()
        scores[n_exclusive < n_exclusive.max(axis=1, keepdims=True)] = -np.inf
