"""CountVectorizer: documents into a matrix of word counts."""

import secrets
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn import get_config
from sklearn.feature_extraction import text as peer

from wordodds._core import text as core
from wordodds._execution import execution
from wordodds.text.analysis import Analysis, analysis_of, pack_vocabulary
from wordodds.text.prune import kept_columns, select_columns

__all__ = ["CountVectorizer", "as_matrix", "engine_dtype", "matrix_type", "new_hash_key"]


class CountVectorizer(peer.CountVectorizer):  # type: ignore[misc]
    r"""Count the words of each document.

    scikit-learn's ``CountVectorizer``, with the same parameters, attributes, errors and results:
    the same vocabulary and the same ``indptr``, ``indices`` and ``data``, on every Unicode string.

    The analyzers "word" (with the default ``token_pattern`` and its relatives such as ``\w+`` or
    ``\w{3,}``), "char" and "char_wb" with any ``ngram_range``, lower-casing and stop words run
    compiled and on several threads. A ``preprocessor`` and ``strip_accents`` run in Python before
    that; a ``tokenizer``, a callable ``analyzer`` and any other pattern find their features in
    Python, and the engine counts them.

    Parameters
    ----------
    input, encoding, decode_error, strip_accents, lowercase, preprocessor, tokenizer, stop_words, \
token_pattern, ngram_range, analyzer, max_df, min_df, max_features, vocabulary, binary, dtype
        As in scikit-learn.
    n_jobs : int or None, default=None
        Threads. None: the usable cores, at most ``OMP_NUM_THREADS``; negative: counted back from
        the usable cores, -1 meaning all. The result does not depend on it.

    Attributes
    ----------
    vocabulary_ : dict of str to int
        The column of each word; built when first asked for.
    fixed_vocabulary_ : bool
        Whether the vocabulary was given.

    Examples
    --------
    >>> from wordodds import CountVectorizer
    >>> vectorizer = CountVectorizer()
    >>> vectorizer.fit_transform(["a cat sat", "The cat, the hat"]).toarray()
    array([[1, 0, 1, 0],
           [1, 1, 0, 2]])
    >>> vectorizer.get_feature_names_out()
    array(['cat', 'hat', 'sat', 'the'], dtype=object)
    """

    def __init__(
        self,
        *,
        input: Any = "content",
        encoding: Any = "utf-8",
        decode_error: Any = "strict",
        strip_accents: Any = None,
        lowercase: Any = True,
        preprocessor: Any = None,
        tokenizer: Any = None,
        stop_words: Any = None,
        token_pattern: Any = r"(?u)\b\w\w+\b",
        ngram_range: Any = (1, 1),
        analyzer: Any = "word",
        max_df: Any = 1.0,
        min_df: Any = 1,
        max_features: Any = None,
        vocabulary: Any = None,
        binary: Any = False,
        dtype: Any = np.int64,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            input=input,
            encoding=encoding,
            decode_error=decode_error,
            strip_accents=strip_accents,
            lowercase=lowercase,
            preprocessor=preprocessor,
            tokenizer=tokenizer,
            stop_words=stop_words,
            token_pattern=token_pattern,
            ngram_range=ngram_range,
            analyzer=analyzer,
            max_df=max_df,
            min_df=min_df,
            max_features=max_features,
            vocabulary=vocabulary,
            binary=binary,
            dtype=dtype,
        )
        self.n_jobs = n_jobs

    def fit_transform(self, raw_documents: Any, y: Any = None) -> Any:
        """Learn the vocabulary and count its words, in one pass over the text.

        Parameters
        ----------
        raw_documents : iterable of str or bytes, of file names or files
            The documents; see the parameter ``input``.
        y : ignored
            So that the vectorizer fits into pipelines.

        Returns
        -------
        csr_matrix, (n_documents, n_words)
            Or csr_array, as scikit-learn's ``sparse_interface`` setting says.
        """
        self._validate_params()
        if isinstance(raw_documents, str):
            raise ValueError("Iterable over raw text documents expected, string object received.")
        self._validate_ngram_range()
        self._warn_for_unused_params()
        if self.vocabulary is not None:
            return self._count_with_given_vocabulary(raw_documents)
        key = new_hash_key()
        analysis = analysis_of(self, key)
        if analysis.options is None:
            vocabulary, *rows = self._count_in_python(
                raw_documents, analysis, core.FeatureCounter.growing(key)
            )
        else:
            vocabulary, *rows = core.documents_count_growing(
                analysis.prepare(raw_documents),
                analysis.options,
                key,
                engine_dtype(self.dtype),
                bool(self.binary),
                *execution(self.n_jobs),
            )
        if not len(vocabulary):
            raise ValueError(
                "empty vocabulary; perhaps the documents only contain stop words, or no word that "
                "the token_pattern takes"
            )
        keep = kept_columns(rows, len(vocabulary), self)
        if keep is not None:
            rows = select_columns(rows, keep)
            vocabulary = vocabulary.subset(keep.astype(np.uint8))
        # Only now: a failed fit leaves the vectorizer as it was.
        self.fixed_vocabulary_ = False
        self._vocabulary: core.Vocabulary | None = vocabulary
        self._vocabulary_dict: dict[str, int] | None = None
        return as_matrix(rows, len(vocabulary), self.dtype)

    def transform(self, raw_documents: Any) -> Any:
        """Count the words of the vocabulary; other words are dropped.

        Parameters
        ----------
        raw_documents : iterable of str or bytes, of file names or files
            The documents; see the parameter ``input``.

        Returns
        -------
        csr_matrix, (n_documents, n_words)
            Or csr_array, as scikit-learn's ``sparse_interface`` setting says.
        """
        if isinstance(raw_documents, str):
            raise ValueError("Iterable over raw text documents expected, string object received.")
        self._check_vocabulary()
        return self._count_frozen(raw_documents)

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Return the words in column order.

        Parameters
        ----------
        input_features : ignored
            So that the vectorizer fits into pipelines.
        """
        self._check_vocabulary()
        return np.array(self._engine_vocabulary().terms(), dtype=object)

    @property
    def vocabulary_(self) -> dict[str, int]:
        """The column of each word."""
        # AttributeError before fit, so that hasattr answers as for any fitted attribute.
        if self._vocabulary_dict is None:
            terms = self._engine_vocabulary().terms()
            self._vocabulary_dict = {term: column for column, term in enumerate(terms)}
        return self._vocabulary_dict

    @vocabulary_.setter
    def vocabulary_(self, vocabulary: dict[str, int]) -> None:
        self._vocabulary_dict = vocabulary
        self._vocabulary = None

    def _engine_vocabulary(self) -> core.Vocabulary:
        if self._vocabulary is None:
            assert self._vocabulary_dict is not None
            terms = sorted(self._vocabulary_dict, key=self._vocabulary_dict.__getitem__)
            self._vocabulary = pack_vocabulary(terms, new_hash_key())
        return self._vocabulary

    def _count_with_given_vocabulary(self, raw_documents: Any) -> Any:
        self._validate_vocabulary()
        if self.lowercase and any(any(map(str.isupper, term)) for term in self.vocabulary_):
            warnings.warn(
                "Upper case characters found in vocabulary while 'lowercase' is True. These "
                "entries will not be matched with any documents",
                stacklevel=3,
            )
        return self._count_frozen(raw_documents)

    def _count_frozen(self, raw_documents: Any) -> Any:
        vocabulary = self._engine_vocabulary()
        analysis = analysis_of(self, new_hash_key())
        if analysis.options is None:
            _, *rows = self._count_in_python(
                raw_documents, analysis, core.FeatureCounter.frozen(vocabulary)
            )
        else:
            rows = list(
                core.documents_count_frozen(
                    analysis.prepare(raw_documents),
                    analysis.options,
                    vocabulary,
                    engine_dtype(self.dtype),
                    bool(self.binary),
                    *execution(self.n_jobs),
                )
            )
        return as_matrix(rows, len(vocabulary), self.dtype)

    def _count_in_python(
        self, raw_documents: Any, analysis: Analysis, counter: core.FeatureCounter
    ) -> Any:
        for document in analysis.prepare(raw_documents):
            counter.add_row(analysis.analyze(document))
        return counter.finish(engine_dtype(self.dtype), bool(self.binary), *execution(self.n_jobs))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_vocabulary")

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__().copy()
        if state.get("_vocabulary") is not None:
            state["_vocabulary"] = state["_vocabulary"].packed()
            state["_vocabulary_dict"] = None
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if state.get("_vocabulary") is not None:
            arena, offsets = state["_vocabulary"]
            state = state | {"_vocabulary": core.Vocabulary(arena, offsets, new_hash_key())}
        super().__setstate__(state)


def new_hash_key() -> tuple[int, int]:
    """Draw the secret of a vocabulary's hash, so that no text can be made to collide under it."""
    return secrets.randbits(64), secrets.randbits(64)


def engine_dtype(dtype: Any) -> Any:
    """Return the type that the engine writes for a vectorizer's ``dtype``: itself, or the widest.

    Parameters
    ----------
    dtype : dtype
        The vectorizer's parameter.
    """
    return np.dtype(dtype) if np.dtype(dtype) in (np.float32, np.float64) else np.dtype(np.int64)


def as_matrix(rows: Any, n_columns: int, dtype: Any) -> Any:
    """Make a matrix of what the engine counted.

    Parameters
    ----------
    rows : (indptr, indices, data)
        The CSR arrays.
    n_columns : int
        The width.
    dtype : dtype
        Of the values.
    """
    indptr, indices, data = rows
    values = data.astype(dtype, copy=False)
    return matrix_type()((values, indices, indptr), shape=(len(indptr) - 1, n_columns))


def matrix_type() -> Any:
    """Return the class that scikit-learn's setting ``sparse_interface`` asks for."""
    return sp.csr_array if get_config().get("sparse_interface") == "sparray" else sp.csr_matrix
