"""A matrix as its decomposition sees it: a short side, a long side, and the products between."""

from typing import Protocol

import numpy as np

from wordodds._border.csr import CsrArrays
from wordodds._border.execution import Execution
from wordodds._border.interruptible import product
from wordodds._core import linear as core
from wordodds._core.base import lane_stride
from wordodds.typing import AnyArray, Floats

__all__ = ["DenseSides", "Sides", "SparseSides", "padded", "sides_of", "well_scaled"]

# Entries within these are left as they are: their squares stay far from the ends of double.
LEAST, LARGEST = 1e-30, 1e30
LINE = 8  # doubles


class Sides(Protocol):
    """The products of a matrix A, n_short by n_long: the matrix as given, or its transpose."""

    n_short: int
    n_long: int
    rows_are_short: bool

    def to_long(self, block: Floats) -> Floats:
        """Return A^T block, (n_long, n_columns)."""

    def to_short(self, block: Floats) -> Floats:
        """Return A block, (n_short, n_columns)."""

    def there_and_back(self, block: Floats) -> Floats:
        """Return A A^T block, (n_short, n_columns); the next call overwrites it."""

    def dense_long(self) -> Floats:
        """Return A^T as a dense array, (n_long, n_short)."""


def sides_of(rows: CsrArrays | AnyArray, how: Execution) -> Sides:
    """Return the products of a matrix."""
    return SparseSides(rows, how) if isinstance(rows, CsrArrays) else DenseSides(rows)


class DenseSides:
    """The products of a dense matrix, by the linear algebra library of NumPy."""

    def __init__(self, rows: AnyArray) -> None:
        self.rows_are_short = rows.shape[0] <= rows.shape[1]
        # In double, as every sum; row by row, so that its order in memory leaves no trace.
        whole = np.ascontiguousarray(rows, dtype=np.float64)
        self._short_rows = whole if self.rows_are_short else whole.T
        self.n_short, self.n_long = self._short_rows.shape

    def to_long(self, block: Floats) -> Floats:
        """Return A^T block."""
        return product(self._short_rows.T, block)

    def to_short(self, block: Floats) -> Floats:
        """Return A block."""
        return product(self._short_rows, block)

    def there_and_back(self, block: Floats) -> Floats:
        """Return A A^T block."""
        return self.to_short(self.to_long(block))

    def dense_long(self) -> Floats:
        """Return A^T."""
        return self._short_rows.T


class SparseSides:
    """The products of a sparse matrix.

    A word of one document alone adds to the diagonal of A A^T and nothing else. That is half of the
    words, and so much less to write and read in `there_and_back`. The other words go by frequency:
    those that most entries ask for lie together, and stay in the cache.
    """

    def __init__(self, rows: CsrArrays, how: Execution) -> None:
        self.rows_are_short = rows.n_rows <= rows.n_cols
        rows = rows._replace(data=_compact(rows.data))
        sides = (rows, rows.transposed())
        self._short_rows, self._long_rows = sides if self.rows_are_short else sides[::-1]
        self.n_short, self.n_long = self._short_rows.n_rows, self._long_rows.n_rows
        self._how = how
        self._arrange()
        self._buffers: tuple[Floats, Floats, Floats] | None = None

    def _arrange(self) -> None:
        """Order the long side by frequency, and set apart those of one entry."""
        indptr, indices, data, _, _ = self._long_rows
        frequencies = np.diff(indptr)
        order = np.argsort(-frequencies, kind="stable")
        n_shared = int(np.count_nonzero(frequencies > 1))
        self._alone = np.zeros((self.n_short, 1))
        if 3 * n_shared > 2 * self.n_long:  # not worth the trouble
            self._shared_long, self._shared_short = self._long_rows, self._short_rows
            return
        self._shared_long = self._long_rows.take(order[:n_shared])
        self._shared_short = self._shared_long.transposed()
        alone = indptr[:-1][frequencies == 1]
        squares = np.square(data[alone], dtype=np.float64)
        self._alone[:, 0] = np.bincount(indices[alone], squares, self.n_short)

    def to_long(self, block: Floats) -> Floats:
        """Return A^T block."""
        return self._wide_product(self._long_rows, block)

    def to_short(self, block: Floats) -> Floats:
        """Return A block."""
        return self._wide_product(self._short_rows, block)

    def _wide_product(self, rows: CsrArrays, block: Floats) -> Floats:
        """Multiply a cache line of columns at a time: many at once would not stay in the cache."""
        n_columns = block.shape[1]
        wide = np.empty((rows.n_rows, n_columns))
        right, product = _aligned(rows.n_cols, LINE), _aligned(rows.n_rows, LINE)
        for begin in range(0, n_columns, LINE):
            n = min(LINE, n_columns - begin)
            right[:, :n] = block[:, begin : begin + n]
            right[:, n:] = 0.0
            self._multiply(rows, right, product)
            wide[:, begin : begin + n] = product[:, :n]
        return wide

    def there_and_back(self, block: Floats) -> Floats:
        """Return A A^T block."""
        n, stride = block.shape[1], lane_stride(block.shape[1])
        if self._buffers is None or self._buffers[0].shape[1] != stride:
            # The same memory for every call: new pages cost as much as half a product.
            self._buffers = (
                _aligned(self.n_short, stride),
                _aligned(self._shared_long.n_rows, stride),
                _aligned(self.n_short, stride),
            )
        right, long, product = self._buffers
        right[:, :n] = block
        right[:, n:] = 0.0  # whatever the memory held might overflow, and warn
        self._multiply(self._shared_long, right, long)
        alone = None
        if self._shared_long is not self._long_rows:
            alone = np.multiply(right, self._alone, out=right)
        self._multiply(self._shared_short, long, product, alone)
        return product[:, :n]

    def dense_long(self) -> Floats:
        """Return A^T."""
        short = self._short_rows.to_scipy().astype(np.float64)
        return np.asarray(short.T.toarray())

    def _multiply(
        self, rows: CsrArrays, right: Floats, product: Floats, addend: Floats | None = None
    ) -> None:
        core.csr_multiply(
            rows,
            right,
            *self._how,
            bias=None,
            addend_factor=1.0,
            addend=addend,
            squares=False,
            product_out=product,
        )


def padded(block: Floats) -> Floats:
    """Return a block, row by row in memory, with columns of zeros as the kernels want them."""
    stride = lane_stride(block.shape[1])
    if stride == block.shape[1]:
        return np.ascontiguousarray(block)
    wider = np.zeros((len(block), stride))
    wider[:, : block.shape[1]] = block
    return wider


def well_scaled(rows: CsrArrays | AnyArray) -> tuple[CsrArrays | AnyArray, int]:
    """Divide very large or very small entries by a power of two; return its exponent too."""
    entries = rows.data if isinstance(rows, CsrArrays) else rows
    # Not by abs, which fills another array of this size.
    largest = float(max(entries.max(), -entries.min())) if entries.size else 0.0
    if largest == 0.0 or LEAST <= largest <= LARGEST:
        return rows, 0
    exponent = int(np.frexp(largest)[1])
    scaled = np.ldexp(entries.astype(np.float64), -exponent)
    return (rows._replace(data=scaled) if isinstance(rows, CsrArrays) else scaled), exponent


def _compact(data: AnyArray) -> AnyArray:
    """Return counts as float32, which is exact for small ones and half as much to read."""
    if data.dtype == np.float32:
        return data
    small = data.astype(np.float32)
    if np.array_equal(small, data):
        return small
    return data.astype(np.float64, copy=False)


def _aligned(n: int, stride: int) -> Floats:
    """Return a block whose rows begin where cache lines do, if they have whole ones."""
    space = np.empty(n * stride + LINE)
    begin = -(space.ctypes.data // space.itemsize) % LINE
    return space[begin : begin + n * stride].reshape(n, stride)
