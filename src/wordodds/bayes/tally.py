"""Class tallies: what each class has of each feature, dense or, for very many classes, sparse.

Tallies of whole numbers are exact (up to 2**53), so they add up, merge and unlearn without a trace
of the order in which the documents came.
"""

from typing import TypeAlias

import numpy as np
import scipy.sparse as sp

from wordodds._border.csr import CsrArrays
from wordodds._border.execution import Execution
from wordodds._core import bayes as core
from wordodds._core import sparse as sparse_core
from wordodds.typing import Codes, Floats, Ints, Positions

__all__ = [
    "DENSE_CELLS_MAX",
    "ClassTally",
    "DenseTally",
    "SparseTally",
    "check_table_size",
    "empty_tally",
    "features_of",
    "read_only",
    "remainder",
    "tally_batch",
    "tally_entries",
    "tally_rows",
]

# Above this many cells (half a gigabyte of doubles) memory must grow with the entries alone. By
# shape, not by content: so equal documents give equal bits, however they came.
DENSE_CELLS_MAX = 1 << 26
TABLE_CELLS_MAX = 1 << 29
CELLS_PER_ENTRY = 8  # an entry that is sorted and added by itself costs as much as that many cells

PARTS = "ask log_odds or top_features for parts"
NEVER_LEARNT = (
    "these documents were never learnt: a count would fall below zero; forget exactly the rows, "
    "labels and weights that were fitted"
)


class DenseTally:
    """Counts as one array, (n_classes, n_features)."""

    def __init__(self, counts: Floats) -> None:
        self.counts = counts

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return int(self.counts.shape[1])

    def table(self) -> Floats:
        """Return the counts, (n_classes, n_features), to be read."""
        return read_only(self.counts)

    def of_class(self, c: int) -> Floats:
        """Return the counts of one class."""
        return np.asarray(self.counts[c])

    def class_totals(self) -> Floats:
        """Return the sum of each class's counts."""
        return np.asarray(self.counts.sum(axis=1))

    def feature_totals(self) -> Floats:
        """Return the sum of each feature's counts."""
        return np.asarray(self.counts.sum(axis=0))

    def add(self, batch: Floats | sp.csr_array) -> None:
        """Add a batch, as `tally_batch` gives it."""
        if not self.counts.flags.writeable:  # a model that was loaded without copying its arrays
            self.counts = self.counts.copy()
        if isinstance(batch, np.ndarray):
            self.counts += batch
            return
        entries = batch
        classes, features = entries.indices, features_of(entries)
        self.counts[classes, features] += entries.data

    def subtract(self, entries: sp.csr_array) -> None:
        """Take a batch away; ValueError, and nothing taken, if it was never added."""
        classes, features = entries.indices, features_of(entries)
        left = remainder(self.counts[classes, features], entries.data)
        if not self.counts.flags.writeable:
            self.counts = self.counts.copy()
        self.counts[classes, features] = left

    def merged(self, other: "ClassTally") -> "DenseTally":
        """Return the sum with another tally of the same shape, and so of the same form."""
        return DenseTally(self.counts + other.table())

    def copy(self) -> "DenseTally":
        """Return a tally that may change by itself."""
        return DenseTally(self.counts.copy())

    def regrouped(self, positions: Positions, n_classes: int, how: Execution) -> "ClassTally":
        """Return the tally with class c at positions[c] of n_classes, in the form of that shape."""
        if n_classes * self.n_features > DENSE_CELLS_MAX:
            indptr, indices, data = sparse_core.dense_compress_rows(self.counts.T, *how)
            entries = sp.csr_array((data, indices, indptr), shape=self.counts.shape[::-1])
            return SparseTally(entries).regrouped(positions, n_classes, how)
        counts = np.zeros((n_classes, self.n_features))
        counts[positions] = self.counts
        return DenseTally(counts)


class SparseTally:
    """Counts as a sparse matrix, feature-major: (n_features, n_classes)."""

    def __init__(self, by_feature: sp.csr_array) -> None:
        self.by_feature = by_feature

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.by_feature.shape[0])

    def table(self) -> Floats:
        """Return the counts as one array, if it is not too large."""
        n_features, n_classes = self.by_feature.shape
        check_table_size(n_classes, n_features)
        return np.asarray(self.by_feature.T.toarray())

    def of_class(self, c: int) -> Floats:
        """Return the counts of one class."""
        return np.asarray(self.by_feature[:, [c]].toarray().ravel())

    def class_totals(self) -> Floats:
        """Return the sum of each class's counts."""
        return np.asarray(self.by_feature.sum(axis=0)).ravel()

    def feature_totals(self) -> Floats:
        """Return the sum of each feature's counts."""
        return np.asarray(self.by_feature.sum(axis=1)).ravel()

    def add(self, entries: sp.csr_array) -> None:
        """Add a batch, as `tally_entries` gives it."""
        self.by_feature = self.by_feature + entries

    def subtract(self, entries: sp.csr_array) -> None:
        """Take a batch away; ValueError, and nothing taken, if it was never added."""
        ours, theirs = cell_numbers(self.by_feature), cell_numbers(entries)
        where = np.searchsorted(ours, theirs)
        found = np.take(ours, where, mode="clip") == theirs if len(ours) else where < 0
        if not found.all():
            raise ValueError(NEVER_LEARNT)
        left = self.by_feature.copy()
        left.data[where] = remainder(left.data[where], entries.data)
        left.eliminate_zeros()
        self.by_feature = left

    def merged(self, other: "ClassTally") -> "SparseTally":
        """Return the sum with another tally of the same shape, and so of the same form."""
        assert isinstance(other, SparseTally)
        return SparseTally(self.by_feature + other.by_feature)

    def copy(self) -> "SparseTally":
        """Return a tally that may change by itself: additions make a new matrix anyway."""
        return SparseTally(self.by_feature)

    def regrouped(self, positions: Positions, n_classes: int, how: Execution) -> "SparseTally":
        """Return the tally with class c at positions[c] of n_classes."""
        entries = self.by_feature
        return SparseTally(
            sp.csr_array(
                (entries.data, positions[entries.indices], entries.indptr),
                shape=(self.n_features, n_classes),
            )
        )


ClassTally: TypeAlias = DenseTally | SparseTally


def empty_tally(n_classes: int, n_features: int) -> ClassTally:
    """Return a tally of nothing, in the form that its shape asks for."""
    if n_classes * n_features <= DENSE_CELLS_MAX:
        return DenseTally(np.zeros((n_classes, n_features)))
    return SparseTally(sp.csr_array((n_features, n_classes), dtype=np.float64))


def tally_rows(
    matrix: CsrArrays, codes: Codes, n_classes: int, row_weights: Floats | None, how: Execution
) -> ClassTally:
    """Return the sums of the rows of each class, in the form that their shape asks for."""
    if n_classes * matrix.n_cols > DENSE_CELLS_MAX:
        return SparseTally(tally_entries(matrix, codes, n_classes, row_weights, how))
    return DenseTally(core.csr_tally_classes(matrix, codes, n_classes, row_weights, *how))


def tally_entries(
    matrix: CsrArrays, codes: Codes, n_classes: int, row_weights: Floats | None, how: Execution
) -> sp.csr_array:
    """Return the sums of the rows of each class as a sparse matrix, (n_features, n_classes).

    Time and memory grow with the entries: what a small batch adds to a large model.
    """
    indptr, classes, sums = core.csr_tally_entries(matrix, codes, n_classes, row_weights, *how)
    return sp.csr_array((sums, classes, indptr), shape=(matrix.n_cols, n_classes))


def tally_batch(
    matrix: CsrArrays, codes: Codes, n_classes: int, row_weights: Floats | None, how: Execution
) -> Floats | sp.csr_array:
    """Return the same sums in the form that is quicker to make and to add to a tally.

    That is an array, (n_classes, n_features), where the batch has an entry for every few cells.
    """
    n_cells = n_classes * matrix.n_cols
    if n_cells > min(CELLS_PER_ENTRY * len(matrix.data), DENSE_CELLS_MAX):
        return tally_entries(matrix, codes, n_classes, row_weights, how)
    return core.csr_tally_classes(matrix, codes, n_classes, row_weights, *how)


def read_only(table: Floats) -> Floats:
    """Return a view that cannot be written to: what a model has learnt is not changed by hand."""
    view = table.view()
    view.flags.writeable = False
    return view


def features_of(by_feature: sp.csr_array) -> Positions:
    """Return the feature of each stored entry of a feature-major matrix."""
    if CELLS_PER_ENTRY * by_feature.nnz < by_feature.shape[0]:  # most features have no entry
        stored = np.arange(by_feature.nnz)
        return np.searchsorted(by_feature.indptr, stored, side="right") - 1
    return np.repeat(np.arange(by_feature.shape[0]), np.diff(by_feature.indptr))


def cell_numbers(by_feature: sp.csr_array) -> Ints:
    """Return a number for each stored cell of a feature-major matrix, ascending."""
    rows = features_of(by_feature).astype(np.int64)
    return np.asarray(rows * by_feature.shape[1] + by_feature.indices)


def remainder(counts: Floats, gone: Floats) -> Floats:
    """Return counts - gone, which must not fall below zero but for the rounding of fractions."""
    left = counts - gone
    rounded = (counts != np.floor(counts)) | (gone != np.floor(gone))
    if (left < np.where(rounded, -1e-9 * gone, 0.0)).any():
        raise ValueError(NEVER_LEARNT)
    # What rounding leaves of fractional counts is no evidence: a word unlearnt is a word unseen.
    left[rounded & (left <= 1e-12 * gone)] = 0.0
    return left


def check_table_size(n_classes: int, n_features: int, remedy: str = PARTS) -> None:
    """Refuse to fill the memory with a table that is mostly empty."""
    if n_classes * n_features > TABLE_CELLS_MAX:
        raise MemoryError(
            f"a table of {n_classes} classes x {n_features} features would take "
            f"{n_classes * n_features * 8 / 1e9:.0f} GB; {remedy}"
        )
