"""Terms that are too rare, too frequent or too many: min_df, max_df, max_features."""

from numbers import Integral
from typing import Any

import numpy as np

from wordodds._border.execution import Execution
from wordodds._border.structure import CsrArrays
from wordodds._core import sparse
from wordodds._core import text as core
from wordodds.typing import Booleans, Ints

__all__ = [
    "column_map",
    "document_count",
    "kept_columns",
    "kept_terms",
    "map_columns",
    "n_columns_of",
]


def kept_columns(rows: Any, n_columns: int, vectorizer: Any) -> Booleans | None:
    """Find the columns that a vectorizer's limits leave, or None if it has no limit.

    Parameters
    ----------
    rows : (indptr, indices, data)
        CSR arrays without repeated entries.
    n_columns : int
        The width.
    vectorizer : CountVectorizer
        With ``min_df``, ``max_df``, ``max_features`` and ``binary``.

    Raises
    ------
    ValueError
        If the limits contradict each other or leave nothing.
    """
    indptr, indices, data = rows
    if not _has_limits(vectorizer, len(indptr) - 1):
        return None
    frequency = np.bincount(indices, minlength=n_columns)
    totals = None
    if vectorizer.max_features is not None:
        # Of the values as the user gets them: as bool, each counts once.
        values = data.astype(vectorizer.dtype, copy=False)
        totals = np.bincount(indices, weights=values, minlength=n_columns).astype(data.dtype)
    return _kept(frequency, totals, len(indptr) - 1, vectorizer)


def kept_terms(
    frequency: Ints,
    totals: Ints,
    n_documents: int,
    vectorizer: Any,
) -> Booleans | None:
    """Find the terms that a vectorizer's limits leave, or None if it has no limit.

    Parameters
    ----------
    frequency : ndarray of int
        In how many documents each term occurs.
    totals : ndarray of int
        How often it occurs.
    n_documents : int
        How many documents there are.
    vectorizer : CountVectorizer
        As in `kept_columns`.
    """
    if not _has_limits(vectorizer, n_documents):
        return None
    return _kept(frequency, frequency if vectorizer.binary else totals, n_documents, vectorizer)


def _has_limits(vectorizer: Any, n_documents: int) -> bool:
    most = document_count(vectorizer.max_df, n_documents)
    least = document_count(vectorizer.min_df, n_documents)
    if most < least:
        raise ValueError("max_df corresponds to < documents than min_df")
    return bool(most < n_documents or least > 1 or vectorizer.max_features is not None)


def _kept(frequency: Ints, totals: Any, n_documents: int, vectorizer: Any) -> Booleans:
    most = document_count(vectorizer.max_df, n_documents)
    least = document_count(vectorizer.min_df, n_documents)
    keep: Booleans = (frequency <= most) & (frequency >= least)
    limit = vectorizer.max_features
    if limit is not None and keep.sum() > limit:
        # scikit-learn's order of ties: that of NumPy's default sort on the same numbers.
        leaders = (-totals[keep]).argsort()[:limit]
        chosen = np.zeros(len(keep), dtype=bool)
        chosen[np.flatnonzero(keep)[leaders]] = True
        keep = chosen
    if not keep.any():
        raise ValueError("After pruning, no terms remain. Try a lower min_df or a higher max_df.")
    return keep


def column_map(vocabulary: core.Vocabulary, keep: Booleans, n_unknown: int) -> tuple[Ints, int]:
    """Return the new column of each term, -1 for those that go, and the number of columns.

    Parameters
    ----------
    vocabulary : Vocabulary
        The terms, one per column.
    keep : ndarray of bool
        Which of them stay.
    n_unknown : int
        Columns behind the others where those that do not stay are counted.
    """
    n_kept = int(keep.sum())
    n_columns = n_columns_of(n_kept, n_unknown)
    columns = np.cumsum(keep) - 1
    columns[~keep] = -1
    if n_unknown:
        columns[~keep] = n_kept + vocabulary.hashed_columns(n_unknown)[~keep]
    return columns, n_columns


def n_columns_of(n_terms: int, n_unknown: int) -> int:
    """Return the width of a matrix, which must fit 32 bits.

    Parameters
    ----------
    n_terms : int
        Columns of the vocabulary.
    n_unknown : int
        Columns behind them.
    """
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

    Parameters
    ----------
    rows : CsrArrays
        Without repeated entries.
    columns : ndarray of int
        The new column of each old one.
    n_columns : int
        How many there are then.
    how : Execution
        Threads and instruction set.
    binary : bool
        Whether entries that meet make 1 instead of their sum.
    sums : bool
        Whether several old columns may have the same new one; the rows are sorted then.

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


def document_count(limit: Any, n_documents: int) -> Any:
    """Return the documents that a limit stands for: a number of them, or a share.

    Parameters
    ----------
    limit : int or float
        ``min_df`` or ``max_df``.
    n_documents : int
        How many documents there are.
    """
    return limit if isinstance(limit, Integral) else limit * n_documents
