"""CountVectorizer: documents into a matrix of word counts."""

import warnings
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from sklearn.feature_extraction import text as sklearn_text

import wordodds.typing as wt
from wordodds._border.checks import whole_number
from wordodds._border.csr import CsrArrays, as_csr, canonical
from wordodds._border.documents import Documents
from wordodds._border.execution import Execution, execution
from wordodds._border.terms import new_hash_key
from wordodds._core import text as core
from wordodds.text.errors import EmptyVocabularyError
from wordodds.text.grow import GrowingVocabulary
from wordodds.text.prune import column_map, kept_columns, map_columns, n_columns_of
from wordodds.text.vectorizer import (
    CsrMatrix,
    as_matrix,
    constraints,
    engine_dtype,
    keep_parameters,
    refuse_string,
    unchanged_on_error,
)
from wordodds.typing import AnyArray

__all__ = ["CountVectorizer"]


class CountVectorizer(GrowingVocabulary, sklearn_text.CountVectorizer):  # type: ignore[misc]
    r"""Count the words of each document.

    scikit-learn's ``CountVectorizer``, with the same parameters, attributes, errors and results:
    the same vocabulary and the same ``indptr``, ``indices`` and ``data``, on every Unicode string.

    The analyzers "word" (with the default ``token_pattern`` and its relatives such as ``\w+`` or
    ``\w{3,}``), "char" and "char_wb" with any ``ngram_range``, lower-casing, ``strip_accents`` and
    stop words run compiled and on several threads. A ``preprocessor`` runs in Python before that;
    a ``tokenizer``, a callable ``analyzer`` and any other pattern find their features in Python,
    and the engine counts them. The text of Arrow columns is read where it lies.

    Parameters
    ----------
    input, encoding, decode_error, strip_accents, lowercase, preprocessor, tokenizer, stop_words
        As in scikit-learn.
    token_pattern, ngram_range, max_df, min_df, max_features, vocabulary, binary, dtype
        As in scikit-learn.
    analyzer : {"word", "char", "char_wb", "unicode_word"}, several of them or callable, \
default="word"
        As in scikit-learn. "unicode_word" finds words by the word boundaries of Unicode (UAX #29),
        which keep "can't", "3.14" and the vowel signs of Indic scripts in one piece; it
        takes words of any length that hold a letter or digit and leaves ``token_pattern`` aside.
        Several, such as ``("word", "char_wb")``, give the columns of one after those of the other,
        as a FeatureUnion of vectorizers does, under names such as "word__cat". Then
        ``ngram_range``, ``lowercase``, ``strip_accents``, ``token_pattern``, ``stop_words``,
        ``stemmer``, ``min_df``, ``max_df`` and ``max_features`` may be given for each by name, such
        as ``ngram_range={"word": (1, 2), "char_wb": (3, 5)}``.
    unknown : {"ignore", "count"} or int, default="ignore"
        What happens to words outside the vocabulary, pruned ones among them: dropped, counted in
        one more column after the others, or hashed to this many more columns.
    missing : {"error", "empty"}, default="error"
        Whether None, NaN and null are refused or count as empty text.
    stemmer : str or None, default=None
        A Snowball language such as "english": words are replaced by their stems, after stop
        words are dropped. Each distinct word of up to 1,000 characters is stemmed once. Needs
        PyStemmer.
    max_terms : int or None, default=None
        Limits the memory of terms: whenever twice as many are held after 32 million characters,
        the rarest are dropped. Feed a corpus that does not fit by `partial_fit` in batches.
        Every term that occurs in more than ``undercount_`` documents is kept, and no document
        frequency is wrong by more than that. At most this many terms remain, and ``fit_transform``
        reads the text twice.
    n_jobs : int or None, default=None
        Threads. None: the usable cores, at most ``OMP_NUM_THREADS``; negative: counted back from
        the usable cores, -1 meaning all. The result does not depend on it.
    verbose : bool, default=False
        Whether to show a progress bar, on a terminal.

    Attributes
    ----------
    vocabulary_ : dict of str to int
        The column of each word; built when first asked for.
    fixed_vocabulary_ : bool
        Whether the vocabulary was given.
    n_documents_ : int
        Documents seen; after `partial_fit`, `merge`, or a fit with ``max_terms``.
    document_frequency_ : ndarray of int
        How many of them hold each word of the vocabulary; under the same condition.
    undercount_ : int
        How many documents a document frequency may have missed: 0 without ``max_terms``.

    Examples
    --------
    >>> from wordodds import CountVectorizer
    >>> vectorizer = CountVectorizer()
    >>> vectorizer.fit_transform(["a cat sat", "The cat, the hat"]).toarray()
    array([[1, 0, 1, 0],
           [1, 1, 0, 2]])
    >>> vectorizer.get_feature_names_out()
    array(['cat', 'hat', 'sat', 'the'], dtype=object)

    Words, and characters within them:

    >>> both = CountVectorizer(analyzer=("word", "char_wb"), ngram_range={"char_wb": (3, 3)})
    >>> both.fit(["a cat", "cats"]).get_feature_names_out()
    array(['word__cat', 'word__cats', 'char_wb__ a ', 'char_wb__ ca',
           'char_wb__at ', 'char_wb__ats', 'char_wb__cat', 'char_wb__ts '],
          dtype=object)

    A vocabulary that grows batch by batch:

    >>> grown = CountVectorizer().partial_fit(["a cat sat"]).partial_fit(["the hat"])
    >>> grown.get_feature_names_out(), grown.document_frequency_
    (array(['cat', 'hat', 'sat', 'the'], dtype=object), array([1, 1, 1, 1]))
    """

    vocabulary: wt.Vocabulary
    unknown: wt.Unknown

    _parameter_constraints = constraints(sklearn_text.CountVectorizer._parameter_constraints)

    def __init__(
        self,
        *,
        input: wt.InputKind = "content",
        encoding: str = "utf-8",
        decode_error: wt.DecodeError = "strict",
        strip_accents: wt.ByView[wt.StripAccents] = None,
        lowercase: wt.ByView[bool] = True,
        preprocessor: wt.Preprocessor = None,
        tokenizer: wt.Tokenizer = None,
        stop_words: wt.ByView[wt.StopWords] = None,
        token_pattern: wt.ByView[str | None] = r"(?u)\b\w\w+\b",
        ngram_range: wt.ByView[wt.NgramRange] = (1, 1),
        analyzer: wt.Analyzer = "word",
        max_df: wt.ByView[wt.DocumentLimit] = 1.0,
        min_df: wt.ByView[wt.DocumentLimit] = 1,
        max_features: wt.ByView[int | None] = None,
        vocabulary: wt.Vocabulary = None,
        binary: bool = False,
        dtype: wt.DTypeLike = np.int64,
        unknown: wt.Unknown = "ignore",
        missing: wt.Missing = "error",
        stemmer: wt.ByView[str | None] = None,
        max_terms: int | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        super().__init__()
        keep_parameters(self, locals())

    def fit_transform(self, raw_documents: wt.RawDocuments, y: object = None) -> CsrMatrix:
        """Learn the vocabulary and count its words, in one pass over the text.

        Parameters
        ----------
        raw_documents : iterable of str or bytes, of file names or files; or a column of text
            The documents; see the parameter ``input``.
        y : ignored
            So that the vectorizer fits into pipelines.

        Returns
        -------
        csr_matrix, (n_documents, n_words)
            Or csr_array, as scikit-learn's ``sparse_interface`` setting says.
        """
        self._check_before_fit(raw_documents)
        if self.vocabulary is not None:
            with unchanged_on_error(self):
                return self._count_with_given_vocabulary(raw_documents)
        if self.max_terms is not None:
            return self._fit_transform_pruned(raw_documents)
        how = execution(self.n_jobs)
        documents, options = self._analyze(raw_documents, how)
        key = new_hash_key()
        rows: Sequence[AnyArray]
        if options is None:
            counter = core.FeatureCounter.growing(key, self._n_views)
            self._count_features(documents, counter)
            vocabulary, *rows = counter.finish(
                *how, dtype=engine_dtype(self.dtype), binary=bool(self.binary)
            )
        else:
            with self._progress(len(documents)) as advance:
                vocabulary, *rows = core.documents_count_growing(
                    documents,
                    options,
                    key,
                    *how,
                    dtype=engine_dtype(self.dtype),
                    binary=bool(self.binary),
                    advance=advance,
                )
        if not len(vocabulary):
            raise EmptyVocabularyError
        n_unknown = self._n_unknown()
        keep = kept_columns(rows, vocabulary, self)
        if keep is not None:
            columns, n_columns = column_map(vocabulary, keep, n_unknown)
            indptr, indices, data = rows
            whole = CsrArrays(indptr, indices, data, len(indptr) - 1, len(vocabulary))
            rows = map_columns(
                whole, columns, n_columns, how, binary=bool(self.binary), sums=n_unknown > 0
            )[:3]
            vocabulary = vocabulary.subset(keep.astype(np.uint8))
        else:
            n_columns = n_columns_of(len(vocabulary), n_unknown)
        # Only now: a failed fit leaves the vectorizer as it was.
        self._forget_vocabulary()
        self._vocabulary = vocabulary
        return as_matrix(rows, n_columns, self.dtype)

    def transform(self, raw_documents: wt.RawDocuments) -> CsrMatrix:
        """Count the words of the vocabulary; others go where ``unknown`` says.

        Parameters
        ----------
        raw_documents : iterable of str or bytes, of file names or files; or a column of text
            The documents; see the parameter ``input``.

        Returns
        -------
        csr_matrix, (n_documents, n_words)
            Or csr_array, as scikit-learn's ``sparse_interface`` setting says.
        """
        refuse_string(raw_documents)
        self._check_vocabulary()
        return self._count_frozen(raw_documents, self._engine_vocabulary())

    def get_feature_names_out(self, input_features: object = None) -> npt.NDArray[np.object_]:
        """Return the words in column order, then names for the columns of unknown ones.

        Parameters
        ----------
        input_features : ignored
            So that the vectorizer fits into pipelines.
        """
        self._check_vocabulary()
        return np.array([*self._terms(), *self._unknown_names()], dtype=object)

    def inverse_transform(self, X: wt.MatrixLike) -> list[npt.NDArray[np.str_]]:
        """Return the words of each row, in the order of their columns.

        Parameters
        ----------
        X : sparse matrix or array-like of shape (n_documents, n_words)
            Counts, or weights; columns of unknown words are left out.
        """
        self._check_vocabulary()
        how = execution(self.n_jobs)
        rows = canonical(as_csr(X, non_negative=False, execution=how), how)
        terms = np.array(self._terms())
        if rows.n_cols > len(terms) + self._n_unknown():
            raise ValueError(
                f"X has {rows.n_cols} columns, the vocabulary {len(terms) + self._n_unknown()}: "
                "X comes from another vectorizer"
            )
        found = []
        for begin, end in pairwise(rows.indptr):
            columns = rows.indices[begin:end]
            found.append(terms[columns[columns < len(terms)]])
        return found

    def _fit_transform_pruned(self, raw_documents: wt.RawDocuments) -> CsrMatrix:
        how = execution(self.n_jobs)
        documents, options = self._analyze(raw_documents, how)
        # Read twice: once to choose the terms, once to count them.
        tally = self._tally_of(documents, options, how)
        vocabulary, frequencies = self._choose(tally)
        counts = self._count_analyzed(documents, options, how, vocabulary)
        self._forget_vocabulary()
        self._add_tally(tally)
        self._adopt(vocabulary, frequencies)
        return counts

    def _check_before_fit(self, raw_documents: wt.RawDocuments) -> None:
        self._validate_params()
        refuse_string(raw_documents)
        self._validate_ngram_range()
        self._warn_for_unused_params()
        self._n_unknown()
        self._check_max_terms()
        if self.vocabulary is not None and self.max_terms is not None:
            raise ValueError(
                "a given vocabulary leaves max_terms nothing to choose: pass one of them"
            )

    def _n_unknown(self) -> int:
        if self.unknown == "ignore":
            return 0
        if self.view_names is not None:
            raise ValueError('unknown="ignore" is the only choice with several analyzers')
        if self.unknown == "count":
            return 1
        wanted = '"ignore", "count" or a number of columns from 1 to 2**31 - 1'
        return whole_number(
            self.unknown, "unknown", 1, 2**31 - 1, wanted=wanted, wrong_type=ValueError
        )

    def _unknown_names(self) -> list[str]:
        if self.unknown == "count":
            return ["<unknown>"]
        return [f"<unknown {i}>" for i in range(self._n_unknown())]

    def _count_with_given_vocabulary(self, raw_documents: wt.RawDocuments) -> CsrMatrix:
        self._validate_vocabulary()
        if self.lowercase is True and any(any(map(str.isupper, term)) for term in self.vocabulary_):
            warnings.warn(
                "Upper case characters found in vocabulary while 'lowercase' is True. These "
                "entries will not be matched with any documents",
                stacklevel=3,
            )
        return self._count_frozen(raw_documents, self._engine_vocabulary())

    def _count_frozen(
        self, raw_documents: wt.RawDocuments, vocabulary: core.Vocabulary
    ) -> CsrMatrix:
        how = execution(self.n_jobs)
        return self._count_analyzed(*self._analyze(raw_documents, how), how, vocabulary)

    def _count_analyzed(
        self,
        documents: Documents,
        options: core.AnalyzerOptions | None,
        how: Execution,
        vocabulary: core.Vocabulary,
    ) -> CsrMatrix:
        n_unknown = self._n_unknown()
        rows: Sequence[AnyArray]
        if options is None:
            counter = core.FeatureCounter.frozen(vocabulary, n_unknown, self._n_views)
            self._count_features(documents, counter)
            _, *rows = counter.finish(
                *how, dtype=engine_dtype(self.dtype), binary=bool(self.binary)
            )
        else:
            with self._progress(len(documents)) as advance:
                n_jobs, instruction_set = how  # unpacked in the call it would cost 0.2 us
                rows = core.documents_count_frozen(
                    documents,
                    options,
                    vocabulary,
                    n_unknown,
                    n_jobs,
                    instruction_set,
                    dtype=engine_dtype(self.dtype),
                    binary=bool(self.binary),
                    advance=advance,
                )
        return as_matrix(rows, len(vocabulary) + n_unknown, self.dtype)
