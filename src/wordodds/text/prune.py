"""Terms that are too rare, too frequent or too many: min_df, max_df, max_features."""

from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["kept_columns", "select_columns"]


def kept_columns(rows: Any, n_columns: int, vectorizer: Any) -> npt.NDArray[np.bool_] | None:
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
    n_documents = len(indptr) - 1
    most = _document_count(vectorizer.max_df, n_documents)
    least = _document_count(vectorizer.min_df, n_documents)
    if most < least:
        raise ValueError("max_df corresponds to < documents than min_df")
    limit = vectorizer.max_features
    if most >= n_documents and least <= 1 and limit is None:
        return None
    frequency = np.bincount(indices, minlength=n_columns)
    keep: npt.NDArray[np.bool_] = (frequency <= most) & (frequency >= least)
    if limit is not None and keep.sum() > limit:
        # scikit-learn's order of ties: that of NumPy's default sort on the same numbers.
        totals = np.bincount(indices, weights=data, minlength=n_columns).astype(data.dtype)
        leaders = (-totals[keep]).argsort()[:limit]
        chosen = np.zeros(n_columns, dtype=bool)
        chosen[np.flatnonzero(keep)[leaders]] = True
        keep = chosen
    if not keep.any():
        raise ValueError("After pruning, no terms remain. Try a lower min_df or a higher max_df.")
    return keep


def select_columns(rows: Any, keep: npt.NDArray[np.bool_]) -> list[Any]:
    """Drop the entries of other columns and renumber the rest, in the order of the rows.

    Parameters
    ----------
    rows : (indptr, indices, data)
        CSR arrays.
    keep : ndarray of bool
        One per column.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.array([0, 2, 3]), np.array([2, 0, 1]), np.array([5, 6, 7])
    >>> select_columns(rows, np.array([True, False, True]))
    [array([0, 2, 2]), array([1, 0]), array([5, 6])]
    """
    indptr, indices, data = rows
    column = (np.cumsum(keep) - 1).astype(indices.dtype)
    stays = keep[indices]
    before = np.concatenate([[0], np.cumsum(stays)])
    return [before[indptr].astype(indptr.dtype), column[indices[stays]], data[stays]]


def _document_count(limit: Any, n_documents: int) -> Any:
    return limit if isinstance(limit, Integral) else limit * n_documents
