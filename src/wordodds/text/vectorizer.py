"""What the vectorizers share beyond scikit-learn's: compiled analysis, stems, missing documents."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import get_config
from sklearn.utils._param_validation import StrOptions

from wordodds._border.analyzer import WORD_ANALYZERS
from wordodds._border.documents import Documents
from wordodds._border.execution import Execution, execution
from wordodds._border.stem import check_stemmer, stem
from wordodds._border.structure import N_MINOR_MAX
from wordodds._core import text as core
from wordodds._files.progress import progress
from wordodds.text.analysis import analyzed

__all__ = [
    "EngineVectorizer",
    "as_matrix",
    "constraints",
    "engine_dtype",
    "matrix_type",
    "unchanged_on_error",
]

_QUIET: AbstractContextManager[None] = nullcontext()


def constraints(inherited: dict[str, Any]) -> dict[str, Any]:
    """Widen scikit-learn's rules for parameters by what our vectorizers take beyond them.

    Parameters
    ----------
    inherited : dict
        ``_parameter_constraints`` of scikit-learn's class.
    """
    return inherited | {
        "analyzer": [StrOptions({"word", "char", "char_wb", "unicode_word"}), callable],
        "missing": [StrOptions({"error", "empty"})],
        "stemmer": [str, None],
        "verbose": ["verbose"],
    }


class EngineVectorizer:
    """A part of each vectorizer, in front of scikit-learn's class."""

    def build_analyzer(self: Any) -> Callable[[Any], list[str]]:
        """Return a function that turns one document into its features."""
        if self.analyzer != "unicode_word":
            return super().build_analyzer()  # type: ignore[no-any-return, misc]
        return partial(_analyze_compiled, self)

    def _word_ngrams(self: Any, tokens: list[str], stop_words: Any = None) -> list[str]:
        if self.stemmer is not None:
            if stop_words is not None:
                tokens = [word for word in tokens if word not in stop_words]
            tokens, stop_words = [stem(self.stemmer, word) for word in tokens], None
        return super()._word_ngrams(tokens, stop_words)  # type: ignore[no-any-return, misc]

    def _warn_for_unused_params(self: Any) -> None:
        if self.analyzer != "unicode_word":
            return super()._warn_for_unused_params()  # type: ignore[no-any-return, misc]
        for name, default in (("tokenizer", None), ("token_pattern", r"(?u)\b\w\w+\b")):
            if getattr(self, name) not in (None, default):
                warnings.warn(
                    f"The parameter '{name}' will not be used since 'analyzer' != 'word'",
                    stacklevel=3,
                )
        return None

    def _check_stemmer(self: Any) -> None:
        if self.stemmer is None:
            return
        if self.analyzer not in WORD_ANALYZERS:
            raise ValueError(
                "stemmer needs words: use analyzer='word' or 'unicode_word', "
                f"got analyzer={self.analyzer!r}"
            )
        check_stemmer(self.stemmer)

    def _analyze(
        self: Any, raw_documents: Any, how: Execution
    ) -> tuple[Documents, core.AnalyzerOptions | None]:
        """Return the documents and how the engine is to read them; None if Python must."""
        self._check_stemmer()
        return analyzed(self, raw_documents, how)

    def _count_features(self: Any, documents: Any, counter: Any) -> None:
        """Find the features of each document in Python and have the engine count them."""
        analyze = self.build_analyzer()
        total = len(documents) if hasattr(documents, "__len__") else None
        with self._progress(total) as advance:
            for document in documents:
                counter.add_row(analyze(document))
                if advance is not None:
                    advance(1)

    def _progress(
        self: Any, total: int | None
    ) -> AbstractContextManager[Callable[[int], None] | None]:
        if not self.verbose:
            return _QUIET
        return progress(type(self).__name__, total, unit="documents")


def _analyze_compiled(vectorizer: Any, document: Any) -> list[str]:
    how = execution(1)
    (text,), options = vectorizer._analyze((document,), how)
    return options.features(text, *how)  # type: ignore[no-any-return]


@contextmanager
def unchanged_on_error(vectorizer: Any) -> Iterator[None]:
    """Put an object's attributes back if something is raised.

    Parameters
    ----------
    vectorizer : object
        With attributes in a ``__dict__``.
    """
    before = vars(vectorizer).copy()
    try:
        yield
    except BaseException:
        vars(vectorizer).clear()
        vars(vectorizer).update(before)
        raise


def engine_dtype(dtype: Any) -> Any:
    """Return the type that the engine writes for a vectorizer's ``dtype``: itself, or the widest.

    Parameters
    ----------
    dtype : dtype
        The vectorizer's parameter.
    """
    return _FLOATS.get(np.dtype(dtype), _INTEGER)


def as_matrix(rows: Any, n_columns: int, dtype: Any) -> Any:
    """Make a matrix of what the engine counted.

    Parameters
    ----------
    rows : (indptr, indices, data)
        The CSR arrays, as in CsrArrays.
    n_columns : int
        The width.
    dtype : dtype
        Of the values.
    """
    indptr, indices, data = rows
    # SciPy has one type for both.
    if len(indices) <= N_MINOR_MAX:
        indptr = indptr.astype(_NARROW)
    else:
        indices = indices.astype(_INTEGER)
    value_type = np.dtype(dtype)
    shape = (len(indptr) - 1, int(n_columns))
    wanted = matrix_type()
    if not _LAYOUT_IS_KNOWN or value_type not in _SPARSE_DTYPES:
        return wanted((data, indices, indptr), shape=shape, dtype=value_type)
    values = data if data.dtype is value_type else data.astype(value_type, copy=False)
    # As the constructor would leave it, without its checks: these take longer than counting a short
    # document, and it is the engine that wrote the arrays.
    matrix = wanted.__new__(wanted)
    matrix.__dict__.update(_EMPTY[wanted].__dict__)
    matrix._shape = shape
    matrix.data = values
    matrix.indices = indices
    matrix.indptr = indptr
    return matrix


def matrix_type() -> Any:
    """Return the class that scikit-learn's setting ``sparse_interface`` asks for."""
    return sp.csr_array if get_config().get("sparse_interface") == "sparray" else sp.csr_matrix


_FLOATS = {np.dtype(kind): np.dtype(kind) for kind in (np.float32, np.float64)}
_INTEGER, _NARROW = np.dtype(np.int64), np.dtype(np.int32)
# For others SciPy has the error.
_SPARSE_DTYPES = {np.dtype(code) for code in "?bBhHiIlLqQfdgFDG"}
_EMPTY = {kind: kind((0, 0)) for kind in (sp.csr_array, sp.csr_matrix)}
_LAYOUT_IS_KNOWN = all(
    {"_shape", "data", "indices", "indptr"} <= empty.__dict__.keys() for empty in _EMPTY.values()
)
