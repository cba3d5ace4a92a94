"""The matrix of a fit: the two products that solvers need, sparse or dense."""

from typing import Protocol

import numpy as np
import scipy.sparse as sp

from wordodds._border.cached_property import cached_property
from wordodds._border.csr import CsrArrays
from wordodds._border.execution import Execution
from wordodds._border.interruptible import product
from wordodds._core import linear as core
from wordodds._core import sparse as sparse_core
from wordodds.typing import AnyArray, Floats

__all__ = ["DenseMatrix", "Matrix", "SparseMatrix", "csr_of_dense", "csr_product", "matrix_of"]


class Matrix(Protocol):
    """What an objective asks of its matrix X, (n_rows, n_cols).

    Every dense side has 1 column or a multiple of four, as `lane_stride` says.
    """

    n_rows: int
    n_cols: int
    is_sparse: bool

    def times(self, right: Floats, bias: Floats | None = None) -> Floats:
        """Return X right + bias, (n_rows, stride)."""

    def transposed_times(self, right: Floats) -> Floats:
        """Return X^T right, (n_cols, stride)."""

    def transposed_times_plus(
        self, right: Floats, factor: float, addend: Floats, out: Floats
    ) -> float:
        """Write X^T right + factor addend, and return its inner product with the addend."""

    def transposed_squares_times(self, right: Floats) -> Floats:
        """Return the product of the entries' squares, transposed, with ``right``."""

    def block(self, begin: int, end: int) -> Floats:
        """Return some rows as a dense array."""

    def gram(self, scale: Floats) -> Floats:
        """Return X diag(scale) X^T, (n_rows, n_rows)."""

    def row_squares(self) -> Floats:
        """Return the squared length of each row."""

    def squares(self) -> float:
        """Return the sum of the squared entries."""

    def as_csr(self) -> CsrArrays:
        """Return the matrix for kernels that visit row by row."""


class SparseMatrix:
    """A CSR matrix, and its transpose from the first time that it is needed."""

    is_sparse = True

    def __init__(self, rows: CsrArrays, how: Execution) -> None:
        data = rows.data if rows.data.dtype.kind == "f" else rows.data.astype(np.float64)
        self.rows = rows._replace(data=data)
        self.n_rows, self.n_cols = rows.n_rows, rows.n_cols
        self._how = how

    @cached_property
    def columns(self) -> CsrArrays:
        """The rows of the transpose."""
        return self.rows.transposed()

    def times(self, right: Floats, bias: Floats | None = None) -> Floats:
        """Return X right + bias."""
        return csr_product(self.rows, right, self._how, bias=bias)

    def transposed_times(self, right: Floats) -> Floats:
        """Return X^T right."""
        return csr_product(self.columns, right, self._how)

    def transposed_times_plus(
        self, right: Floats, factor: float, addend: Floats, out: Floats
    ) -> float:
        """Write X^T right + factor addend, and return its inner product with the addend."""
        return core.csr_multiply(
            self.columns,
            right,
            *self._how,
            bias=None,
            addend_factor=factor,
            addend=addend,
            squares=False,
            product_out=out,
        )

    def transposed_squares_times(self, right: Floats) -> Floats:
        """Return the product of the entries' squares, transposed, with ``right``."""
        return csr_product(self.columns, right, self._how, squares=True)

    def block(self, begin: int, end: int) -> Floats:
        """Return some rows as a dense array."""
        indptr, indices, data, _, n_cols = self.rows
        first, last = indptr[begin], indptr[end]
        part = (data[first:last], indices[first:last], indptr[begin : end + 1] - first)
        dense = sp.csr_array(part, shape=(end - begin, n_cols)).toarray()
        return np.asarray(dense, dtype=np.float64)

    def gram(self, scale: Floats) -> Floats:
        """Return X diag(scale) X^T."""
        matrix = self.rows.to_scipy(self.rows.data.astype(np.float64, copy=False))
        scaled = self.rows.to_scipy(matrix.data * scale[self.rows.indices])
        return np.asarray((scaled @ matrix.T).toarray())

    def row_squares(self) -> Floats:
        """Return the squared length of each row."""
        ones = np.ones((self.n_cols, 1))
        return csr_product(self.rows, ones, self._how, squares=True)[:, 0]

    def squares(self) -> float:
        """Return the sum of the squared entries."""
        # Not by a linear algebra library, which may start threads for it.
        return float(np.einsum("i,i->", self.rows.data, self.rows.data))

    def as_csr(self) -> CsrArrays:
        """Return the rows."""
        return self.rows


class DenseMatrix:
    """A dense matrix, multiplied by the linear algebra library of NumPy."""

    is_sparse = False

    def __init__(self, rows: AnyArray, how: Execution) -> None:
        # In double, as every sum; row by row, so that its order in memory leaves no trace.
        self._rows = np.ascontiguousarray(rows, dtype=np.float64)
        self._how = how
        self.n_rows, self.n_cols = rows.shape

    def times(self, right: Floats, bias: Floats | None = None) -> Floats:
        """Return X right + bias."""
        scores = product(self._rows, right)
        if bias is not None:
            scores += bias
        return scores

    def transposed_times(self, right: Floats) -> Floats:
        """Return X^T right."""
        return product(self._rows.T, right)

    def transposed_times_plus(
        self, right: Floats, factor: float, addend: Floats, out: Floats
    ) -> float:
        """Write X^T right + factor addend, and return its inner product with the addend."""
        np.add(product(self._rows.T, right), factor * addend, out=out)
        return float(np.vdot(addend, out))

    def transposed_squares_times(self, right: Floats) -> Floats:
        """Return the product of the entries' squares, transposed, with ``right``."""
        return product(np.square(self._rows).T, right)

    def block(self, begin: int, end: int) -> Floats:
        """Return some rows."""
        return self._rows[begin:end]

    def gram(self, scale: Floats) -> Floats:
        """Return X diag(scale) X^T."""
        return product(self._rows * scale, self._rows.T)

    def row_squares(self) -> Floats:
        """Return the squared length of each row."""
        return np.asarray(np.einsum("ij,ij->i", self._rows, self._rows))

    def squares(self) -> float:
        """Return the sum of the squared entries."""
        return float(np.einsum("ij,ij->", self._rows, self._rows))

    def as_csr(self) -> CsrArrays:
        """Return the rows without their zeros."""
        return csr_of_dense(self._rows, self._how)


def csr_product(
    rows: CsrArrays,
    right: Floats,
    how: Execution,
    *,
    bias: Floats | None = None,
    squares: bool = False,
) -> Floats:
    """Return X right + bias, X having float32 or float64 entries; or of the entries' squares."""
    product = np.empty((rows.n_rows, right.shape[1]))
    core.csr_multiply(
        rows,
        right,
        *how,
        bias=bias,
        addend_factor=0.0,
        addend=None,
        squares=squares,
        product_out=product,
    )
    return product


def csr_of_dense(rows: AnyArray, how: Execution) -> CsrArrays:
    """Return the entries of a dense array that are not zero, in double."""
    whole = np.ascontiguousarray(rows, dtype=np.float64)
    return CsrArrays(*sparse_core.dense_compress_rows(whole, *how), *whole.shape)


def matrix_of(rows: CsrArrays | AnyArray, how: Execution) -> Matrix:
    """Return checked rows as a matrix, sparse or dense as they are."""
    if isinstance(rows, CsrArrays):
        return SparseMatrix(rows, how)
    return DenseMatrix(rows, how)
