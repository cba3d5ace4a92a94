"""Matrices at the public border: anything matrix-like becomes one validated CSR form."""

import sys
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from wordodds._border.execution import Execution
from wordodds._border.structure import (
    CsrArrays,
    Sparse,
    check_shape,
    check_structure,
    index_arrays,
    kernel_array,
    raise_defect,
)
from wordodds._core import sparse as core
from wordodds.typing import AnyArray, DTypeLike, MatrixLike

__all__ = [
    "CsrArrays",
    "as_csr",
    "canonical",
    "refuse_masked",
    "refuse_text",
    "require_rows",
    "sparse_of_frame",
    "without_repeats",
    "without_zeros",
]

# A fit takes time and memory for every column, also for those without entries: with this many,
# half a minute and 12 GB in the slowest models.
N_COLS_MAX = 1 << 28


def as_csr(
    X: MatrixLike,
    *,
    non_negative: bool,
    execution: Execution,
    name: str = "X",
    owner: str = "the model",
) -> CsrArrays:
    """Convert ``X`` to CSR and check every part of it before anything trusts an index.

    ``X`` is not changed. Unsorted and repeated entries are fine; entries after the last row are
    dropped. Raises ValueError, naming the field and the row, for a malformed matrix or a value that
    is not finite; TypeError for values that are not numbers. ``owner`` is the estimator's name.
    """
    X = sparse_of_frame(X)
    to_csr = _sparse_to_csr if sp.issparse(X) else _dense_to_csr
    matrix = to_csr(X, name, execution)
    check = partial(raise_defect, name=name, execution=execution, finite=True, owner=owner)
    try:
        check(matrix, non_negative=non_negative)
    except ValueError:
        if not non_negative:
            raise
        check(matrix, non_negative=False)  # malformed matrices end here
        # Entries of one cell may cancel out: the cell is what must not be negative.
        matrix = without_repeats(_trimmed(matrix), execution)
        check(matrix, non_negative=True)
    return _trimmed(matrix)


def sparse_of_frame(X: MatrixLike) -> MatrixLike | sp.csr_array:
    """Return the matrix of a pandas frame all of whose columns are sparse; else ``X`` itself."""
    pandas = sys.modules.get("pandas")
    if pandas is None or not isinstance(X, pandas.DataFrame) or not len(X.columns):
        return X
    if not all(isinstance(dtype, pandas.SparseDtype) for dtype in X.dtypes):
        return X
    return X.sparse.to_coo().tocsr()


def refuse_masked(values: object, name: str) -> None:
    """Refuse an array with masked values, which arithmetic would silently read."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(f"{name} has masked values; fill them first")


def require_rows(matrix: CsrArrays) -> None:
    """Refuse a matrix that has nothing to learn from, or more columns than a fit can take."""
    if matrix.n_rows == 0 or matrix.n_cols == 0:
        raise ValueError(
            f"Found array with {matrix.n_rows} sample(s) and {matrix.n_cols} feature(s) "
            f"(shape=({matrix.n_rows}, {matrix.n_cols})) while a minimum of 1 is required."
        )
    _refuse_too_wide(matrix.n_cols)


def _refuse_too_wide(n_cols: int) -> None:
    """Refuse a matrix with more columns than a fit can handle in reasonable time."""
    if n_cols > N_COLS_MAX:
        raise ValueError(
            f"X has {n_cols:,} columns; a fit takes time and memory for every column, empty or "
            f"not, and accepts at most {N_COLS_MAX:,}. Hash the words into fewer columns, for "
            "example with HashingVectorizer(n_features=2**24), or drop empty columns with "
            "X[:, np.unique(X.indices)]"
        )


def canonical(matrix: CsrArrays, execution: Execution) -> CsrArrays:
    """Return a matrix with one entry for each cell that is not zero, by column within each row."""
    whole = without_zeros(without_repeats(matrix, execution)).to_scipy()
    if not whole.has_sorted_indices:
        whole = whole.sorted_indices()
    return CsrArrays.of(whole)


def without_repeats(matrix: CsrArrays, execution: Execution) -> CsrArrays:
    """Return a matrix with one entry a cell: the sum of those that there were.

    A matrix where no row has a column twice is returned as it is.
    """
    if not core.csr_has_repeats(matrix, *execution):
        return matrix
    # In double, as every sum; a copy, as the matrix is the caller's.
    whole = matrix.to_scipy().astype(np.float64, copy=True)
    whole.has_canonical_format = False
    whole.sum_duplicates()
    if not np.isfinite(whole.data).all():
        raise ValueError("repeated entries of X add up to more than 1e308: scale X down")
    return CsrArrays.of(whole)


def without_zeros(matrix: CsrArrays) -> CsrArrays:
    """Return a matrix without the zeros that it stores; itself if no entry is zero."""
    if np.count_nonzero(matrix.data) == len(matrix.data):
        return matrix
    kept = matrix.data != 0
    before = np.concatenate([[0], np.cumsum(kept)]).astype(np.int64)
    return matrix._replace(
        indptr=before[matrix.indptr], indices=matrix.indices[kept], data=matrix.data[kept]
    )


def refuse_text(values: AnyArray, name: str) -> None:
    """Refuse an array of documents where one of numbers is needed."""
    if values.dtype.kind in "UST" or (values.dtype.kind == "O" and _any_text(values)):
        raise TypeError(
            f"{name} must hold numbers and holds text: turn it into counts first, for example by "
            "CountVectorizer"
        )


def _sparse_to_csr(X: Sparse, name: str, execution: Execution) -> CsrArrays:
    """Return a sparse matrix of any format as CSR arrays; of CSR itself nothing is checked yet."""
    check_shape(X, name)
    if X.format != "csr" or not isinstance(X.data, np.ndarray) or X.dtype.kind not in "biuf":
        check_structure(X, name, execution)
        _check_value_type(X.dtype, name)
        X = X.astype(_kernel_type(X.dtype), copy=False).tocsr()
    if X.data.ndim != 1:
        raise ValueError(f"{name}.data must be a 1-D array")
    indptr, indices = index_arrays(X, X.shape[1], name)
    return CsrArrays(indptr, indices, kernel_array(X.data, _kernel_type(X.dtype)), *X.shape)


def _trimmed(matrix: CsrArrays) -> CsrArrays:
    """Drop the entries that are stored after the last row."""
    n_entries = int(matrix.indptr[-1])
    if n_entries == len(matrix.indices):
        return matrix
    return matrix._replace(indices=matrix.indices[:n_entries], data=matrix.data[:n_entries])


def _dense_to_csr(X: MatrixLike, name: str, execution: Execution) -> CsrArrays:
    refuse_masked(X, name)
    dense = np.asarray(X)
    refuse_text(dense, name)
    if dense.ndim != 2:
        raise ValueError(
            f"{name} must have two dimensions, got {dense.ndim}. Expected 2D array, one row per "
            "document. Reshape your data with X.reshape(1, -1) if it is a single document"
        )
    if dense.dtype.kind == "O":
        try:
            dense = dense.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise TypeError(f"{name} must hold numbers: {error}") from error
    _check_value_type(dense.dtype, name)
    dense = dense.astype(_kernel_type(dense.dtype), copy=False)
    if not (dense.flags.aligned and (dense.flags.c_contiguous or dense.flags.f_contiguous)):
        dense = dense.copy()
    return CsrArrays(*core.dense_compress_rows(dense, *execution), *dense.shape)


def _kernel_type(dtype: np.dtype[Any]) -> DTypeLike:
    """Return the type, of those that the kernels take, for values of another."""
    return dtype if dtype in (np.float32, np.int64) else np.float64


def _any_text(values: AnyArray) -> bool:
    """Return whether an array of objects holds a string."""
    return any(isinstance(value, str | bytes) for value in values.flat)


def _check_value_type(dtype: np.dtype[Any], name: str) -> None:
    if dtype.kind == "c":
        raise ValueError(f"{name} is complex. Complex data not supported")
    if dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold numbers, got dtype {dtype}")
