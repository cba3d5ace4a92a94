"""Terms that are too rare, too frequent or too many: min_df, max_df, max_features."""

from collections.abc import Sequence
from itertools import pairwise
from numbers import Integral
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from wordodds._border.execution import Execution
from wordodds._border.structure import CsrArrays
from wordodds._core import sparse
from wordodds._core import text as core
from wordodds.text.views import views_of
from wordodds.typing import AnyArray, Booleans, DocumentLimit, Ints

if TYPE_CHECKING:
    from wordodds.text.fitted import FittedVocabulary

__all__ = [
    "column_map",
    "document_count",
    "kept_columns",
    "kept_terms",
    "least_documents",
    "map_columns",
    "n_columns_of",
]


class _Limits(NamedTuple):
    """What ``min_df``, ``max_df`` and ``max_features`` come to."""

    least: float
    most: float
    n_terms: int | None


def kept_columns(
    rows: Sequence[AnyArray], vocabulary: core.Vocabulary, vectorizer: "FittedVocabulary"
) -> Booleans | None:
    """Find the columns that a vectorizer's limits leave, or None if it has no limit.

    The rows are (indptr, indices, data) without repeated entries. Raises ValueError if the limits
    contradict each other or leave nothing.
    """
    indptr, indices, data = rows
    limits = _all_limits(vectorizer, len(indptr) - 1)
    if limits is None:
        return None
    frequency = np.bincount(indices, minlength=len(vocabulary))
    totals = None
    if any(of_view is not None and of_view.n_terms is not None for of_view in limits):
        # Of the values as the user gets them: as bool, each counts once.
        values = data.astype(vectorizer.dtype, copy=False)
        totals = np.bincount(indices, weights=values, minlength=len(vocabulary)).astype(data.dtype)
    return _kept_of_views(frequency, totals, vocabulary, limits)


def kept_terms(
    frequency: Ints,
    totals: Ints,
    n_documents: int,
    vocabulary: core.Vocabulary,
    vectorizer: "FittedVocabulary",
) -> Booleans | None:
    """Find the terms that a vectorizer's limits leave, or None if it has no limit.

    ``frequency`` counts the documents of each term, ``totals`` its occurrences.
    """
    limits = _all_limits(vectorizer, n_documents)
    if limits is None:
        return None
    totals = frequency if vectorizer.binary else totals
    return _kept_of_views(frequency, totals, vocabulary, limits)


def _all_limits(vectorizer: "FittedVocabulary", n_documents: int) -> list[_Limits | None] | None:
    """Return the limits of each view, or None if there are none at all."""
    views = [vectorizer] if vectorizer.view_names is None else views_of(vectorizer)
    limits = [_limits(cast("FittedVocabulary", view), n_documents) for view in views]
    return None if all(of_view is None for of_view in limits) else limits


def _kept_of_views(
    frequency: Ints,
    totals: AnyArray | None,
    vocabulary: core.Vocabulary,
    limits: Sequence[_Limits | None],
) -> Booleans:
    """Apply the limits of each view to its own terms."""
    keep: Booleans = np.ones(len(frequency), dtype=bool)
    borders = [0, *vocabulary.view_begins(len(limits)).tolist(), len(frequency)]
    for (begin, end), of_view in zip(pairwise(borders), limits, strict=True):
        if of_view is not None:
            part = None if totals is None else totals[begin:end]
            keep[begin:end] = _kept(frequency[begin:end], part, of_view)
    if not keep.any():
        raise ValueError("After pruning, no terms remain. Try a lower min_df or a higher max_df.")
    return keep


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


def least_documents(vectorizer: "FittedVocabulary", n_documents: int) -> float:
    """Return the least number of documents with which ``min_df`` keeps a term of any view."""
    views = [vectorizer] if vectorizer.view_names is None else views_of(vectorizer)
    limits = [cast("FittedVocabulary", view).min_df for view in views]
    return min(document_count(limit, n_documents) for limit in limits)


def document_count(limit: DocumentLimit, n_documents: int) -> float:
    """Return the documents that ``min_df`` or ``max_df`` stands for: a number, or a share."""
    return limit if isinstance(limit, Integral) else limit * n_documents
