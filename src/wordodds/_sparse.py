"""Matrices at the public border: anything matrix-like becomes one validated CSR form."""

import sys
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from wordodds._core import sparse as core
from wordodds._execution import Execution

__all__ = [
    "CsrArrays",
    "as_csr",
    "refuse_masked",
    "refuse_text",
    "require_rows",
    "sparse_of_frame",
    "without_repeats",
    "without_zeros",
]

_MESSAGES = {
    "indptr_length": "indptr must have n_rows + 1 = {expected_indptr} entries",
    "indptr_start": "indptr must start at 0",
    "indptr_decreases": "indptr decreases after row {row}",
    "indptr_end": "indptr ends at {position}, past the {n_stored} stored indices",
    "data_length": "data and indices must have the same length",
    "index_out_of_range": "indices[{position}] in row {row} is outside the {n_cols} columns",
    "value_not_finite": "row {row} holds NaN or infinity (data[{position}])",
    "value_negative": "Negative values in data passed to {owner} (input {name}): data[{position}] "
    "in row {row}; counts must be >= 0",
}


class CsrArrays(NamedTuple):
    """A validated CSR matrix in the types that the kernels take."""

    indptr: npt.NDArray[np.signedinteger[Any]]
    indices: npt.NDArray[np.signedinteger[Any]]
    data: npt.NDArray[Any]  # float32, float64 or int64
    n_rows: int
    n_cols: int


def as_csr(
    X: Any, *, non_negative: bool, execution: Execution, name: str = "X", owner: str = "the model"
) -> CsrArrays:
    """Convert ``X`` to CSR and check every part of it before anything trusts an index.

    Parameters
    ----------
    X : sparse matrix or array of any format, or dense array-like of two dimensions
        Not changed. Unsorted and repeated entries are fine.
    non_negative : bool
        Whether a negative value is an error.
    execution : Execution
        Threads and instruction set for the checks.
    name, owner : str
        What the messages call the matrix and whoever asks for it.

    Raises
    ------
    ValueError
        Naming the field and the row, if the matrix is malformed or a value is not finite.
    TypeError
        If the values are not numbers.
    """
    X = sparse_of_frame(X)
    if not sp.issparse(X):
        matrix = _dense_to_csr(X, name, execution)
    else:
        if X.ndim != 2:
            raise ValueError(f"{name} must have two dimensions, got {X.ndim}")
        if X.format != "csr":
            _check_foreign(X, name, execution)
            X = X.tocsr()
        matrix = _with_kernel_types(X, name)
    _raise_defect(matrix, name, execution, finite=True, non_negative=non_negative, owner=owner)
    n_entries = int(matrix.indptr[-1])
    if n_entries < len(matrix.indices):  # nobody looks at what lies behind the last row
        matrix = matrix._replace(indices=matrix.indices[:n_entries], data=matrix.data[:n_entries])
    return matrix


def sparse_of_frame(X: Any) -> Any:
    """Return the matrix of a pandas frame all of whose columns are sparse; else ``X`` itself.

    Parameters
    ----------
    X : object
        What somebody passed.
    """
    pandas = sys.modules.get("pandas")
    if pandas is None or not isinstance(X, pandas.DataFrame) or not len(X.columns):
        return X
    if not all(isinstance(dtype, pandas.SparseDtype) for dtype in X.dtypes):
        return X
    return X.sparse.to_coo().tocsr()


def refuse_masked(values: Any, name: str) -> None:
    """Refuse an array with masked values, which arithmetic would silently read.

    Parameters
    ----------
    values : object
        What somebody passed.
    name : str
        What the message calls it.
    """
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(f"{name} has masked values; fill them first")


def require_rows(matrix: CsrArrays) -> None:
    """Refuse a matrix that there is nothing to learn from.

    Parameters
    ----------
    matrix : CsrArrays
        Validated.
    """
    if matrix.n_rows == 0 or matrix.n_cols == 0:
        raise ValueError(
            f"Found array with {matrix.n_rows} sample(s) and {matrix.n_cols} feature(s) "
            f"(shape=({matrix.n_rows}, {matrix.n_cols})) while a minimum of 1 is required."
        )


def without_repeats(matrix: CsrArrays, execution: Execution) -> CsrArrays:
    """Return a matrix with one entry a cell: the sum of those that there were.

    Parameters
    ----------
    matrix : CsrArrays
        Validated; not changed, and returned as it is if no row has a column twice.
    execution : Execution
        Threads and instruction set.
    """
    indptr, indices, data, n_rows, n_cols = matrix
    if not core.csr_has_repeats(indptr, indices, n_cols, *execution):
        return matrix
    # In double, as every sum; a copy, as the matrix is the caller's.
    whole = sp.csr_array(
        (data, indices, indptr), shape=(n_rows, n_cols), dtype=np.float64, copy=True
    )
    whole.has_canonical_format = False
    whole.sum_duplicates()
    if not np.isfinite(whole.data).all():
        raise ValueError("repeated entries of X add up to more than 1e308: scale X down")
    return CsrArrays(whole.indptr, whole.indices, whole.data, n_rows, n_cols)


def without_zeros(matrix: CsrArrays) -> CsrArrays:
    """Return a matrix without the zeros that it stores.

    Parameters
    ----------
    matrix : CsrArrays
        Validated; not changed, and returned as it is if no entry is zero.
    """
    if np.count_nonzero(matrix.data) == len(matrix.data):
        return matrix
    kept = matrix.data != 0
    before = np.concatenate([[0], np.cumsum(kept)]).astype(matrix.indptr.dtype)
    return matrix._replace(
        indptr=before[matrix.indptr], indices=matrix.indices[kept], data=matrix.data[kept]
    )


def refuse_text(values: npt.NDArray[Any], name: str) -> None:
    """Refuse an array of documents where one of numbers is needed.

    Parameters
    ----------
    values : ndarray
        What somebody passed.
    name : str
        What the message calls it.
    """
    if values.dtype.kind in "UST" or (values.dtype.kind == "O" and _any_text(values)):
        raise TypeError(
            f"{name} must hold numbers and holds text: turn it into counts first, for example by "
            "CountVectorizer"
        )


def _dense_to_csr(X: Any, name: str, execution: Execution) -> CsrArrays:
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


def _kernel_type(dtype: np.dtype[Any]) -> Any:
    """Return the type, of those that the kernels take, for values of another."""
    return dtype if dtype in (np.float32, np.int64) else np.float64


def _any_text(values: npt.NDArray[Any]) -> bool:
    """Return whether an array of objects holds a string."""
    return any(isinstance(value, str | bytes) for value in values.flat)


def _check_value_type(dtype: np.dtype[Any], name: str) -> None:
    if dtype.kind == "c":
        raise ValueError(f"{name} is complex. Complex data not supported")
    if dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold numbers, got dtype {dtype}")


def _check_foreign(X: Any, name: str, execution: Execution) -> None:
    """Check the structure that SciPy's own conversion to CSR would trust."""
    if X.format in ("csc", "bsr"):
        if np.ndim(X.data) != (3 if X.format == "bsr" else 1):
            raise ValueError(f"{name}.data has {np.ndim(X.data)} dimensions")
        block_rows, block_cols = X.blocksize if X.format == "bsr" else (1, 1)
        if block_rows < 1 or block_cols < 1:
            raise ValueError(f"{name} has blocks of shape {(block_rows, block_cols)}")
        rows, cols = X.shape[0] // block_rows, X.shape[1] // block_cols
        n_major, n_minor = (cols, rows) if X.format == "csc" else (rows, cols)
        indptr, indices = _index_arrays(X.indptr, X.indices, name)
        structure = CsrArrays(
            indptr, indices, np.zeros(len(X.data), dtype=np.float32), n_major, n_minor
        )
        _raise_defect(structure, name, execution, finite=False, non_negative=False)
    elif X.format == "coo":
        _check_coordinates(X, name)
    elif X.format == "dia":
        _check_diagonals(X, name)
    elif X.format == "lil" and any(
        len(columns) != len(values) for columns, values in zip(X.rows, X.data, strict=True)
    ):
        raise ValueError(f"{name} has a row with other numbers of columns and values")


def _check_coordinates(X: Any, name: str) -> None:
    for axis, coordinate in enumerate(X.coords):
        if coordinate.dtype.kind not in "iu" or coordinate.shape != X.data.shape:
            raise ValueError(
                f"{name} must have one integer coordinate per value on axis {axis}, "
                f"got {coordinate.dtype} of shape {coordinate.shape}"
            )
        if coordinate.size and not 0 <= coordinate.min() <= coordinate.max() < X.shape[axis]:
            raise ValueError(f"{name} has a coordinate outside its shape {X.shape}")


def _check_diagonals(X: Any, name: str) -> None:
    offsets, data = np.asarray(X.offsets), np.asarray(X.data)
    if offsets.ndim != 1 or offsets.dtype.kind not in "iu" or data.ndim != 2:
        raise ValueError(f"{name}.offsets must be a 1-D array of integers and {name}.data 2-D")
    if len(offsets) != len(data) or len(np.unique(offsets)) != len(offsets):
        raise ValueError(f"{name} must have one row of data per offset, and each offset once")


def _index_arrays(indptr: Any, indices: Any, name: str) -> tuple[Any, Any]:
    for field, array in (("indptr", indptr), ("indices", indices)):
        if not isinstance(array, np.ndarray):
            kind = type(array).__name__
            raise ValueError(f"{name}.{field} must be a 1-D array of integers, got {kind}")
        if array.ndim != 1 or array.dtype.kind not in "iu":
            raise ValueError(f"{name}.{field} must be a 1-D array of integers, got {array.dtype}")
    small = indptr.dtype == indices.dtype == np.int32
    dtype = np.int32 if small else np.int64
    return np.ascontiguousarray(indptr, dtype), np.ascontiguousarray(indices, dtype)


def _with_kernel_types(X: Any, name: str) -> CsrArrays:
    if not isinstance(X.data, np.ndarray) or X.data.ndim != 1:
        raise ValueError(f"{name}.data must be a 1-D array")
    _check_value_type(X.dtype, name)
    indptr, indices = _index_arrays(X.indptr, X.indices, name)
    data = np.ascontiguousarray(X.data, _kernel_type(X.dtype))
    return CsrArrays(indptr, indices, data, *X.shape)


def _raise_defect(
    matrix: CsrArrays,
    name: str,
    execution: Execution,
    *,
    finite: bool,
    non_negative: bool,
    owner: str = "",
) -> None:
    defect, row, position = core.csr_find_defect(*matrix, finite, non_negative, *execution)
    if defect == "none":
        return
    message = _MESSAGES[defect].format(
        name=name,
        owner=owner,
        row=row,
        position=position,
        n_cols=matrix.n_cols,
        n_stored=len(matrix.indices),
        expected_indptr=matrix.n_rows + 1,
    )
    if defect == "value_negative":  # the matrix is one, but not of counts
        raise ValueError(message)
    raise ValueError(f"{name} is not a valid matrix: {message}")
