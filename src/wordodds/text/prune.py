"""Terms that are too rare, too frequent or too many: min_df, max_df, max_features."""

from collections.abc import Sequence
from numbers import Integral
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from wordodds._border.execution import Execution
from wordodds._border.structure import CsrArrays
from wordodds._core import sparse
from wordodds._core import text as core
from wordodds.typing import AnyArray, Booleans, DocumentLimit, Ints

if TYPE_CHECKING:
    from wordodds.text.fitted import FittedVocabulary

__all__ = [
    "column_map",
    "document_count",
    "kept_columns",
    "kept_terms",
    "map_columns",
    "n_columns_of",
]


class _Limits(NamedTuple):
    """What ``min_df``, ``max_df`` and ``max_features`` come to."""

    least: float
    most: float
    n_terms: int | None


def kept_columns(
    rows: Sequence[AnyArray], n_columns: int, vectorizer: "FittedVocabulary"
) -> Booleans | None:
    """Find the columns that a vectorizer's limits leave, or None if it has no limit.

    The rows are (indptr, indices, data) without repeated entries. Raises ValueError if the limits
    contradict each other or leave nothing.
    """
    indptr, indices, data = rows
    limits = _limits(vectorizer, len(indptr) - 1)
    if limits is None:
        return None
    frequency = np.bincount(indices, minlength=n_columns)
    totals = None
    if limits.n_terms is not None:
        # Of the values as the user gets them: as bool, each counts once.
        values = data.astype(vectorizer.dtype, copy=False)
        totals = np.bincount(indices, weights=values, minlength=n_columns).astype(data.dtype)
    return _kept(frequency, totals, limits)


def kept_terms(
    frequency: Ints, totals: Ints, n_documents: int, vectorizer: "FittedVocabulary"
) -> Booleans | None:
    """Find the terms that a vectorizer's limits leave, or None if it has no limit.

    ``frequency`` counts the documents of each term, ``totals`` its occurrences.
    """
    limits = _limits(vectorizer, n_documents)
    if limits is None:
        return None
    return _kept(frequency, frequency if vectorizer.binary else totals, limits)


def _limits(vectorizer: "FittedVocabulary", n_documents: int) -> _Limits | None:
    most = document_count(vectorizer.max_df, n_documents)
    least = document_count(vectorizer.min_df, n_documents)
    if most < least:
        raise ValueError("max_df corresponds to < documents than min_df")
    if most >= n_documents and least <= 1 and vectorizer.max_features is None:
        return None
    return _Limits(least, most, vectorizer.max_features)


def _kept(frequency: Ints, totals: AnyArray | None, limits: _Limits) -> Booleans:
    keep: Booleans = (frequency <= limits.most) & (frequency >= limits.least)
    if limits.n_terms is not None and totals is not None and keep.sum() > limits.n_terms:
        # scikit-learn's order of ties: that of NumPy's default sort on the same numbers.
        leaders = (-totals[keep]).argsort()[: limits.n_terms]
        chosen = np.zeros(len(keep), dtype=bool)
        chosen[np.flatnonzero(keep)[leaders]] = True
        keep = chosen
    if not keep.any():
        raise ValueError("After pruning, no terms remain. Try a lower min_df or a higher max_df.")
    return keep


def column_map(vocabulary: core.Vocabulary, keep: Booleans, n_unknown: int) -> tuple[Ints, int]:
    """Return the new column of each term, -1 for those that go, and the number of columns.

    Terms that go are counted in ``n_unknown`` columns after the others, if there are any.
    """
    n_kept = int(keep.sum())
    n_columns = n_columns_of(n_kept, n_unknown)
    columns = np.cumsum(keep) - 1
    columns[~keep] = -1
    if n_unknown:
        columns[~keep] = n_kept + vocabulary.hashed_columns(n_unknown)[~keep]
    return columns, n_columns


def n_columns_of(n_terms: int, n_unknown: int) -> int:
    """Return the width of a matrix, which must fit 32 bits."""
    if n_terms + n_unknown >= 2**31:
        raise ValueError(
            f"{n_terms} terms and {n_unknown} columns for unknown ones are more than 2**31 - 1: "
            "lower unknown"
        )
    return n_terms + n_unknown


def map_columns(
    rows: CsrArrays,
    columns: Ints,
    n_columns: int,
    how: Execution,
    *,
    binary: bool,
    sums: bool,
) -> CsrArrays:
    """Renumber the columns of entries and drop those of column -1, in the order of the rows.

    The rows have no repeated entries. With ``sums``, several old columns may have the same new one:
    their entries are added, or make 1 if ``binary``, and the rows are sorted.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from wordodds._border.execution import execution
    >>> rows = CsrArrays.of(sp.csr_array([[6, 0, 5], [0, 7, 0]]))
    >>> moved = map_columns(
    ...     rows, np.array([0, -1, 1]), 2, execution(None), binary=False, sums=False
    ... )
    >>> moved.to_scipy().toarray()
    array([[6, 5],
           [0, 0]])
    """
    arrays = sparse.csr_map_columns(rows, columns.astype(np.int32), *how)
    moved = CsrArrays(*arrays, rows.n_rows, n_columns)
    if not sums:
        return moved
    matrix = moved.to_scipy()
    matrix.sum_duplicates()
    if binary:
        matrix.data.fill(1)
    return CsrArrays.of(matrix)


def document_count(limit: DocumentLimit, n_documents: int) -> float:
    """Return the documents that ``min_df`` or ``max_df`` stands for: a number, or a share."""
    return limit if isinstance(limit, Integral) else limit * n_documents
