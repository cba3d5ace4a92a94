"""The structure of sparse matrices, checked before anything trusts an index.

SciPy and scikit-learn read the index arrays of a sparse matrix as they are: converting, indexing,
adding or even printing a matrix whose indptr or indices are wrong reads and writes outside its
arrays. So this check comes first, whatever the values are and whatever happens next.
"""

from numbers import Integral
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from wordodds._border.execution import Execution
from wordodds._core import sparse as core
from wordodds.typing import AnyArray, Codes, Ints, MatrixLike

__all__ = [
    "N_MINOR_MAX",
    "CsrArrays",
    "Sparse",
    "check_shape",
    "check_structure",
    "index_arrays",
    "kernel_array",
    "raise_defect",
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


Sparse: TypeAlias = sp.spmatrix | sp.sparray
# Kernels number entries with 64 bits, and the columns of a matrix with 32.
N_MINOR_MAX = int(np.iinfo(np.int32).max)


class CsrArrays(NamedTuple):
    """A CSR matrix in the types that the kernels take."""

    indptr: Ints
    indices: Codes
    data: AnyArray  # float32, float64 or int64
    n_rows: int
    n_cols: int

    @classmethod
    def of(cls, matrix: Sparse) -> "CsrArrays":
        """Return the arrays of a CSR matrix that is known to be sound; values are shared."""
        indptr, indices = kernel_array(matrix.indptr, np.int64), _narrow(matrix.indices)
        return cls(indptr, indices, matrix.data, *matrix.shape)

    def to_scipy(self, data: AnyArray | None = None) -> sp.csr_array:
        """Return the matrix for SciPy, with other values if there are any; the rest is shared."""
        values = self.data if data is None else data
        return sp.csr_array((values, self.indices, self.indptr), shape=(self.n_rows, self.n_cols))

    def take(self, which: AnyArray) -> "CsrArrays":
        """Return some of the rows, by their numbers."""
        return CsrArrays.of(self.to_scipy()[which])

    def transposed(self) -> "CsrArrays":
        """Return the columns as rows."""
        if self.n_rows > N_MINOR_MAX:
            raise ValueError(
                f"X has {self.n_rows:,} rows, and this takes at most {N_MINOR_MAX:,}: learn from "
                "fewer, or in batches by SGDClassifier.partial_fit"
            )
        return CsrArrays.of(self.to_scipy().T.tocsr())


def check_structure(X: MatrixLike | Sparse, name: str, execution: Execution) -> None:
    """Refuse a sparse matrix of any format and value type whose index arrays are wrong.

    Dense input passes: it has no such arrays.
    """
    if not sp.issparse(X):
        return
    check_shape(X, name)
    check = _CHECKS.get(getattr(X, "format", ""))
    if check is not None:
        check(X, name, execution)


def check_shape(X: Sparse, name: str) -> None:
    """Refuse a sparse matrix with masked values, or a shape that is not two numbers of 64 bits."""
    shape = X.shape
    if not isinstance(shape, tuple) or len(shape) != 2:
        n_dimensions = len(shape) if isinstance(shape, tuple) else None
        raise ValueError(f"{name} must have two dimensions, got {n_dimensions}")
    if not all(_is_position(n, 1 << 62) for n in shape):
        raise ValueError(f"{name} has the shape {shape}, which no matrix can have")
    if np.ma.is_masked(getattr(X, "data", None)):
        raise ValueError(f"{name} has masked values; fill them first")


def kernel_array(values: npt.ArrayLike, dtype: npt.DTypeLike) -> AnyArray:
    """Return an array as kernels read it: plain, aligned, in C order and in native byte order."""
    return np.require(values, dtype, ["C_CONTIGUOUS", "ALIGNED", "ENSUREARRAY"])


def raise_defect(
    matrix: CsrArrays,
    name: str,
    execution: Execution,
    *,
    finite: bool,
    non_negative: bool,
    owner: str = "",
) -> None:
    """Raise ValueError for the first defect of a matrix, if it has one.

    ``finite`` makes NaN and infinities defects, ``non_negative`` negative values.
    """
    defect, row, position = core.csr_find_defect(
        matrix, *execution, finite=finite, non_negative=non_negative
    )
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
    if defect == "value_negative":  # the matrix is valid, but not one of counts
        raise ValueError(message)
    raise ValueError(f"{name} is not a valid matrix: {message}")


def _check_compressed(X: Sparse, name: str, execution: Execution) -> None:
    """Check csr, csc and bsr: bounds by blocks, major axis first."""
    n_dimensions = 3 if X.format == "bsr" else 1
    if not isinstance(X.data, np.ndarray) or X.data.ndim != n_dimensions:
        raise ValueError(f"{name}.data must be a {n_dimensions}-D array")
    block_rows, block_cols = X.blocksize if X.format == "bsr" else (1, 1)
    if block_rows < 1 or block_cols < 1:
        raise ValueError(f"{name} has blocks of shape {(block_rows, block_cols)}")
    if X.shape[0] % block_rows or X.shape[1] % block_cols:
        raise ValueError(f"{name} has blocks of shape {(block_rows, block_cols)}, which do not fit")
    rows, cols = X.shape[0] // block_rows, X.shape[1] // block_cols
    n_major, n_minor = (cols, rows) if X.format == "csc" else (rows, cols)
    indptr, indices = index_arrays(X, n_minor, name)
    # The values are not looked at: only how many there are counts here.
    values = np.empty(len(X.data), dtype=np.float32)
    structure = CsrArrays(indptr, indices, values, n_major, n_minor)
    raise_defect(structure, name, execution, finite=False, non_negative=False)


def index_arrays(X: Sparse, n_minor: int, name: str) -> tuple[Ints, Codes]:
    """Return indptr and indices of a compressed matrix in the types that kernels take.

    Indices must stay below ``n_minor``; one that 32 bits cannot hold becomes -1, which is as wrong
    as it was.
    """
    if n_minor > N_MINOR_MAX:
        axis = "rows" if X.format == "csc" else "columns"
        raise ValueError(f"{name} has {n_minor:,} {axis}, and at most {N_MINOR_MAX:,} are taken")
    for field, array in (("indptr", X.indptr), ("indices", X.indices)):
        if not isinstance(array, np.ndarray):
            kind = type(array).__name__
            raise ValueError(f"{name}.{field} must be a 1-D array of integers, got {kind}")
        if array.ndim != 1 or array.dtype.kind not in "iu":
            raise ValueError(f"{name}.{field} must be a 1-D array of integers, got {array.dtype}")
    return kernel_array(X.indptr, np.int64), _narrow(X.indices)


def _narrow(indices: AnyArray) -> Codes:
    """Return indices with 32 bits; -1 for those that do not fit."""
    narrow = kernel_array(indices, np.int32)
    if indices.dtype == np.int32 or not len(indices):
        return narrow
    if indices.min() < 0 or indices.max() > N_MINOR_MAX:
        narrow[(indices < 0) | (indices > N_MINOR_MAX)] = -1
    return narrow


def _check_coordinates(X: Sparse, name: str, execution: Execution) -> None:
    if not isinstance(X.data, np.ndarray) or X.data.ndim != 1 or len(X.coords) != 2:
        raise ValueError(f"{name}.data must be a 1-D array, with two coordinates per value")
    for axis, coordinate in enumerate(X.coords):
        is_integer = isinstance(coordinate, np.ndarray) and coordinate.dtype.kind in "iu"
        if not is_integer or coordinate.shape != X.data.shape:
            raise ValueError(
                f"{name} must have one integer coordinate per value on axis {axis}: "
                f"{len(X.data)} values, coordinates {coordinate!r}"
            )
        if coordinate.size and not 0 <= coordinate.min() <= coordinate.max() < X.shape[axis]:
            raise ValueError(f"{name} has a coordinate outside its shape {X.shape}")


def _check_diagonals(X: Sparse, name: str, execution: Execution) -> None:
    offsets, data = np.asarray(X.offsets), np.asarray(X.data)
    n_rows, n_cols = X.shape
    if offsets.ndim != 1 or offsets.dtype.kind not in "iu" or data.ndim != 2:
        raise ValueError(f"{name}.offsets must be a 1-D array of integers and {name}.data 2-D")
    if len(offsets) != len(data) or len(np.unique(offsets)) != len(offsets):
        raise ValueError(f"{name} must have one row of data per offset, and each offset once")
    # SciPy counts the entries of a diagonal with 64 bits, and writes them with 32.
    if len(offsets) and not -n_rows < offsets.min() <= offsets.max() < n_cols:
        raise ValueError(f"{name} has a diagonal outside its shape {X.shape}")


def _check_lists(X: Sparse, name: str, execution: Execution) -> None:
    if len(X.rows) != X.shape[0] or len(X.data) != X.shape[0]:
        raise ValueError(f"{name} must have one list of columns and one of values per row")
    for row, (columns, values) in enumerate(zip(X.rows, X.data, strict=True)):
        if not isinstance(columns, list) or not isinstance(values, list):
            raise ValueError(f"{name} must hold lists, row {row} does not")
        if len(columns) != len(values):
            raise ValueError(
                f"row {row} of {name} has {len(columns)} columns but {len(values)} values"
            )
        if not all(_is_position(column, X.shape[1]) for column in columns):
            raise ValueError(f"{name} has a column outside its shape {X.shape} in row {row}")


def _check_dictionary(X: Sparse, name: str, execution: Execution) -> None:
    for key in X.keys():  # noqa: SIM118 - a matrix itself yields no keys
        if len(key) != 2 or not all(map(_is_position, key, X.shape)):
            raise ValueError(f"{name} has a key outside its shape {X.shape}: {key}")


def _is_position(number: object, n: int) -> bool:
    return isinstance(number, Integral) and 0 <= int(number) < n


_CHECKS = {
    "csr": _check_compressed,
    "csc": _check_compressed,
    "bsr": _check_compressed,
    "coo": _check_coordinates,
    "dia": _check_diagonals,
    "lil": _check_lists,
    "dok": _check_dictionary,
}
