"""Types of arguments and results, for annotations.

Arrays are named by what they hold: `Floats`, `Ints`, `Codes`. Arguments are named by what they
mean: `Texts`, `Labels`, `MatrixLike`. Importing this module imports NumPy and nothing heavier.

Examples
--------
>>> from wordodds.typing import Floats, Texts
>>> def certainty(texts: Texts) -> Floats: ...
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

__all__ = [
    "Analyzer",
    "AnalyzerName",
    "AnyArray",
    "AnyFloats",
    "ArrowColumn",
    "Booleans",
    "ByView",
    "ClassWeight",
    "Codes",
    "DTypeLike",
    "DecodeError",
    "DocumentLimit",
    "Floats",
    "Floats32",
    "InputKind",
    "Ints",
    "Label",
    "Labels",
    "MatrixLike",
    "Missing",
    "NgramRange",
    "Norm",
    "Positions",
    "Preprocessor",
    "RandomState",
    "RawDocuments",
    "SparseMatrix",
    "StopWords",
    "StripAccents",
    "Texts",
    "Tokenizer",
    "Unknown",
    "Vocabulary",
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

    def tocsr(self) -> "SparseMatrix":
        """Return the same matrix in CSR format."""


class _ArrayLike(Protocol):
    """A table or column with a length that NumPy can read: pandas, polars, Arrow."""

    def __array__(self) -> AnyArray: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...


Texts: TypeAlias = Iterable[str | bytes | None] | ArrowColumn
"""Documents: a list, generator or column of str or bytes."""
RawDocuments: TypeAlias = Iterable[Any] | ArrowColumn
"""Documents of a vectorizer: text, file names, files, or what a user's function takes."""
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
DTypeLike: TypeAlias = npt.DTypeLike
"""The type of values, such as float or np.float32."""
RandomState: TypeAlias = int | np.random.Generator | np.random.RandomState | None
"""A seed, a source of random numbers, or None: a fixed seed for a fit, a fresh one for `sample`."""

# --- Options of text ---

Value = TypeVar("Value")
ByView: TypeAlias = Value | Mapping[str, Value]
"""An option, or with several analyzers its value for each of them by name."""

AnalyzerName: TypeAlias = Literal["word", "char", "char_wb", "unicode_word"]
"""What features are."""
Analyzer: TypeAlias = AnalyzerName | Sequence[AnalyzerName] | Callable[[Any], Iterable[str]]
"""What features are, of one kind or of several, or a function that finds those of a document."""
DecodeError: TypeAlias = Literal["strict", "ignore", "replace"]
"""What to do with bytes that are not text, as in `bytes.decode`."""
DocumentLimit: TypeAlias = int | float
"""A number of documents (int), or a share of them (float)."""
InputKind: TypeAlias = Literal["content", "filename", "file"]
"""What documents are: text, names of files, open files."""
Missing: TypeAlias = Literal["error", "empty"]
"""Whether missing documents are refused or count as empty text."""
NgramRange: TypeAlias = tuple[int, int]
"""The least and the largest number of words or characters in a feature."""
Norm: TypeAlias = Literal["l1", "l2"] | None
"""What each row is divided by."""
Preprocessor: TypeAlias = Callable[[Any], str] | None
"""A function of one document, before it is analyzed."""
StopWords: TypeAlias = Literal["english"] | Collection[str] | None
"""Words that are left out."""
StripAccents: TypeAlias = Literal["ascii", "unicode"] | Callable[[str], str] | None
"""How letters lose their accents."""
Tokenizer: TypeAlias = Callable[[str], Sequence[str]] | None
"""A function that finds the words of a text."""
Unknown: TypeAlias = Literal["ignore", "count"] | int
"""What happens to words outside the vocabulary: dropped, counted in one or more columns."""
Vocabulary: TypeAlias = Mapping[str, int] | Iterable[str] | None
"""Terms and their columns, or terms in the order of their columns."""
