"""What the vectorizers share beyond scikit-learn's: compiled analysis, stems, missing documents."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import Any, Protocol, TypeAlias, cast

import numpy as np
import scipy.sparse as sp
from sklearn import get_config
from sklearn.feature_extraction.text import _VectorizerMixin
from sklearn.utils._param_validation import StrOptions

import wordodds.typing as wt
from wordodds._border.analyzer import WORD_ANALYZERS
from wordodds._border.documents import Documents, as_strings
from wordodds._border.execution import Execution, execution
from wordodds._border.stem import check_stemmer, stem
from wordodds._border.structure import N_MINOR_MAX
from wordodds._border.views import feature_name
from wordodds._core import text as core
from wordodds._estimator.inherited import own_methods
from wordodds._files.progress import progress
from wordodds.text.analysis import analyzed
from wordodds.text.views import ANALYZERS, view_names, views_of
from wordodds.typing import AnyArray

__all__ = [
    "CsrMatrix",
    "EngineVectorizer",
    "as_matrix",
    "constraints",
    "engine_dtype",
    "keep_parameters",
    "matrix_type",
    "refuse_string",
    "unchanged_on_error",
]

CsrMatrix: TypeAlias = sp.csr_matrix | sp.csr_array
_QUIET: AbstractContextManager[None] = nullcontext()


def constraints(inherited: Mapping[str, Any]) -> dict[str, Any]:
    """Widen scikit-learn's rules for parameters by what our vectorizers take beyond them."""
    return {
        **inherited,
        "analyzer": [StrOptions(set(ANALYZERS)), callable],
        "missing": [StrOptions({"error", "empty"})],
        "stemmer": [str, None],
        "verbose": ["verbose"],
    }


def keep_parameters(estimator: object, given: Mapping[str, Any]) -> None:
    """Store the arguments of a constructor, which are its ``locals()``, as attributes."""
    kept = {name: value for name, value in given.items() if name not in ("self", "__class__")}
    vars(estimator).update(kept)


class FeatureRows(Protocol):
    """Takes the features of one document after the other."""

    def add_view(self, features: Iterable[str]) -> None:
        """Take the features of the next view; with the last one a document ends."""


class EngineVectorizer(_VectorizerMixin):  # type: ignore[misc]
    """The base of each vectorizer, before scikit-learn's class."""

    # Of a single view. With several analyzers, options may be mappings by name: see views.py.
    input: wt.InputKind
    strip_accents: wt.StripAccents
    lowercase: bool
    preprocessor: wt.Preprocessor
    tokenizer: wt.Tokenizer
    stop_words: wt.StopWords
    token_pattern: str | None
    ngram_range: wt.NgramRange
    analyzer: wt.AnalyzerName | Callable[[Any], Iterable[str]]
    binary: bool
    dtype: wt.DTypeLike
    missing: wt.Missing
    stemmer: str | None
    n_jobs: int | None
    verbose: bool

    views_share_vocabulary = True
    """Whether features of several views lie in one vocabulary; else each view is hashed apart."""

    @property
    def view_names(self) -> tuple[str, ...] | None:
        """The names of the views, None unless there are several analyzers."""
        return view_names(self.analyzer)

    def build_analyzer(self) -> Callable[[Any], list[str]]:
        """Return a function that turns one document into its features."""
        if (names := self.view_names) is not None:
            return partial(_analyze_views, names, *self._view_analyzers())
        if self.analyzer != "unicode_word":
            analyze: Callable[[Any], list[str]] = super().build_analyzer()
            return analyze
        return partial(_analyze_compiled, self)

    def _view_analyzers(self) -> tuple[Callable[[Any], Any], list[Callable[[Any], list[str]]]]:
        """Return what is done to a document once, and what finds the features of each view."""
        views = views_of(self)
        if own_methods(self, frozenset({"decode", "build_preprocessor"})):
            return _as_it_is, [view.build_analyzer() for view in views]
        preprocess = self.preprocessor
        if preprocess is None:
            return self.decode, [view.build_analyzer() for view in views]
        for view in views:
            view.preprocessor, view.lowercase, view.strip_accents = None, False, None
        analyzers = [view.build_analyzer() for view in views]
        return lambda document: preprocess(self.decode(document)), analyzers

    def _validate_params(self) -> None:
        # Of several views each is checked by the rules for one.
        if self.view_names is None:
            super()._validate_params()
            return
        for view in views_of(self):
            view._validate_params()

    def _validate_ngram_range(self) -> None:
        if self.view_names is None:
            super()._validate_ngram_range()
            return
        for view in views_of(self):
            view._validate_ngram_range()

    def _word_ngrams(
        self, tokens: Sequence[str], stop_words: Iterable[str] | None = None
    ) -> list[str]:
        if self.stemmer is not None:
            if stop_words is not None:
                tokens = [word for word in tokens if word not in stop_words]
            tokens, stop_words = [stem(self.stemmer, word) for word in tokens], None
        ngrams: list[str] = super()._word_ngrams(tokens, stop_words)
        return ngrams

    def _warn_for_unused_params(self) -> None:
        if self.view_names is not None:
            for view in views_of(self):
                view._warn_for_unused_params()
            return
        if self.analyzer != "unicode_word":
            super()._warn_for_unused_params()
            return
        for name, default in (("tokenizer", None), ("token_pattern", r"(?u)\b\w\w+\b")):
            if getattr(self, name) not in (None, default):
                warnings.warn(
                    f"The parameter '{name}' will not be used since 'analyzer' != 'word'",
                    stacklevel=3,
                )

    def _check_stemmer(self) -> None:
        if self.stemmer is None:
            return
        if self.view_names is not None:
            for view in views_of(self):
                view._check_stemmer()
            return
        if self.analyzer not in WORD_ANALYZERS:
            raise ValueError(
                "stemmer needs words: use analyzer='word' or 'unicode_word', "
                f"got analyzer={self.analyzer!r}"
            )
        check_stemmer(self.stemmer)

    def _analyze(
        self, raw_documents: wt.RawDocuments, how: Execution
    ) -> tuple[Documents, core.AnalyzerOptions | None]:
        """Return the documents and how the engine is to read them; None if Python must."""
        self._check_stemmer()
        return analyzed(self, raw_documents, how)

    def _count_features(self, documents: Documents, counter: FeatureRows) -> None:
        """Find the features of each document in Python and have the engine count them."""
        prepare: Callable[[Any], Any] = _as_it_is
        if self.view_names is None:
            analyzers = [self.build_analyzer()]
        else:
            prepare, analyzers = self._view_analyzers()
        total = len(documents) if hasattr(documents, "__len__") else None
        with self._progress(total) as advance:
            for document in cast("Iterable[object]", documents):
                prepared = prepare(document)
                for analyze in analyzers:
                    counter.add_view(analyze(prepared))
                if advance is not None:
                    advance(1)

    def _progress(self, total: int | None) -> AbstractContextManager[Callable[[int], None] | None]:
        if not self.verbose:
            return _QUIET
        return progress(type(self).__name__, total, unit="documents")


def _analyze_compiled(vectorizer: EngineVectorizer, document: object) -> list[str]:
    how = execution(1)
    documents, options = vectorizer._analyze((document,), how)
    assert options is not None
    (text,) = as_strings(documents)
    return options.features(text, *how)


def _as_it_is(document: object) -> object:
    return document


def _analyze_views(
    names: Sequence[str],
    prepare: Callable[[Any], Any],
    analyzers: Sequence[Callable[[Any], list[str]]],
    document: object,
) -> list[str]:
    prepared = prepare(document)
    return [
        feature_name(name, feature)
        for name, analyze in zip(names, analyzers, strict=True)
        for feature in analyze(prepared)
    ]


def refuse_string(raw_documents: object) -> None:
    """Refuse one text where a collection of them is expected."""
    if isinstance(raw_documents, str):
        raise ValueError("Iterable over raw text documents expected, string object received.")


@contextmanager
def unchanged_on_error(vectorizer: object) -> Iterator[None]:
    """Put an object's attributes back if something is raised."""
    before = vars(vectorizer).copy()
    try:
        yield
    except BaseException:
        vars(vectorizer).clear()
        vars(vectorizer).update(before)
        raise


def engine_dtype(dtype: wt.DTypeLike) -> np.dtype[Any]:
    """Return the type that the engine writes for values of a type: itself, or the widest."""
    return _FLOATS.get(np.dtype(dtype), _INTEGER)


def as_matrix(rows: Sequence[AnyArray], n_columns: int, dtype: wt.DTypeLike) -> CsrMatrix:
    """Make a matrix of what the engine counted: (indptr, indices, data)."""
    indptr, indices, data = rows
    # SciPy has one type for both.
    if len(indices) <= N_MINOR_MAX:
        indptr = indptr.astype(_NARROW)
    else:
        indices = indices.astype(_INTEGER)
    value_type = np.dtype(dtype)
    shape = (len(indptr) - 1, int(n_columns))
    wanted: Any = matrix_type()
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


def matrix_type() -> type[CsrMatrix]:
    """Return the class that scikit-learn's setting ``sparse_interface`` asks for."""
    is_array = get_config().get("sparse_interface") == "sparray"
    wanted: type[CsrMatrix] = sp.csr_array if is_array else sp.csr_matrix
    return wanted


_FLOATS: dict[np.dtype[Any], np.dtype[Any]] = {
    np.dtype(kind): np.dtype(kind) for kind in (np.float32, np.float64)
}
_INTEGER: np.dtype[Any] = np.dtype(np.int64)
_NARROW = np.dtype(np.int32)
# For others SciPy has the error.
_SPARSE_DTYPES = {np.dtype(code) for code in "?bBhHiIlLqQfdgFDG"}
_EMPTY = {kind: kind((0, 0)) for kind in (sp.csr_array, sp.csr_matrix)}
_LAYOUT_IS_KNOWN = all(
    {"_shape", "data", "indices", "indptr"} <= empty.__dict__.keys() for empty in _EMPTY.values()
)
