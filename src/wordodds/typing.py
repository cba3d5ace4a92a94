"""Types of arguments and results, for annotations.

Arrays are named by what they hold: `Floats`, `Ints`, `Codes`. Arguments are named by what they
mean: `Texts`, `Labels`, `MatrixLike`. Importing this module imports NumPy and nothing heavier.

Examples
--------
>>> from wordodds.typing import Floats, Texts
>>> def certainty(texts: Texts) -> Floats: ...
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = [
    "AnyArray",
    "AnyFloats",
    "ArrowColumn",
    "Booleans",
    "ClassWeight",
    "Codes",
    "Floats",
    "Floats32",
    "Ints",
    "Label",
    "Labels",
    "MatrixLike",
    "Positions",
    "RandomState",
    "SparseMatrix",
    "Texts",
    "WeightsLike",
]

# --- Arrays ---

Floats: TypeAlias = npt.NDArray[np.float64]
"""Scores, probabilities, weights."""
Floats32: TypeAlias = npt.NDArray[np.float32]
"""Weights in single precision."""
AnyFloats: TypeAlias = npt.NDArray[np.floating[Any]]
"""Numbers in any precision."""
Ints: TypeAlias = npt.NDArray[np.int64]
"""Counts, offsets, numbers of documents."""
Codes: TypeAlias = npt.NDArray[np.int32]
"""Classes of rows, columns of entries: the position of each in a table."""
Positions: TypeAlias = npt.NDArray[np.intp]
"""What NumPy indexes with."""
Booleans: TypeAlias = npt.NDArray[np.bool_]
"""A mask."""
AnyArray: TypeAlias = npt.NDArray[Any]
"""An array of any type, such as labels."""

# --- Arguments ---


class ArrowColumn(Protocol):
    """A column that exports Arrow's C data interface, such as those of pyarrow and polars."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return a capsule with the stream of chunks."""


class SparseMatrix(Protocol):
    """A sparse matrix or array of SciPy, of any format."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows and columns."""

    @property
    def nnz(self) -> int:
        """The number of stored entries."""

    def tocsr(self) -> Any:
        """Return the same matrix in CSR format."""


class _ArrayLike(Protocol):
    """A table or column with a length that NumPy can read: pandas, polars, Arrow."""

    def __array__(self, dtype: Any = None) -> AnyArray: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...


Texts: TypeAlias = Iterable[str | bytes | None] | ArrowColumn
"""Documents: a list, generator or column of str or bytes."""
Label: TypeAlias = Any
"""One label: str, int or bool, in NumPy's or Python's type."""
Labels: TypeAlias = npt.ArrayLike | _ArrayLike | Iterable[Label]
"""One label for each row."""
MatrixLike: TypeAlias = npt.ArrayLike | _ArrayLike | SparseMatrix
"""Rows of features: a sparse matrix, an array, a data frame."""
WeightsLike: TypeAlias = npt.ArrayLike | _ArrayLike | None
"""One weight for each row, or None where all weigh 1."""
ClassWeight: TypeAlias = Mapping[Label, float] | Literal["balanced"] | None
"""Factors by label; "balanced" gives every class the same total weight."""
RandomState: TypeAlias = int | np.random.Generator | np.random.RandomState | None
"""A seed, a source of random numbers, or None for a fixed seed."""
