"""TfidfTransformer and TfidfVectorizer: counts and documents into tf-idf weights."""

from copy import copy
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.feature_extraction import text as sklearn_text
from sklearn.utils.validation import check_is_fitted

import wordodds.typing as wt
from wordodds._border.csr import CsrArrays, as_csr, require_rows, without_repeats, without_zeros
from wordodds._border.execution import Execution, execution
from wordodds._border.structure import kernel_array
from wordodds._core import text as core
from wordodds._estimator.state import adopt, check_width
from wordodds.text.count import CountVectorizer
from wordodds.text.fitted import Frequencies
from wordodds.text.vectorizer import (
    CsrMatrix,
    as_matrix,
    constraints,
    keep_parameters,
    matrix_type,
    unchanged_on_error,
)
from wordodds.typing import AnyArray, AnyFloats, Codes, Ints

__all__ = ["TfidfTransformer", "TfidfVectorizer"]


class TfidfTransformer(  # type: ignore[call-arg]
    sklearn_text.TfidfTransformer,  # type: ignore[misc]
    auto_wrap_output_keys=None,  # as in scikit-learn: no set_output for sparse matrices
):
    """Turn word counts into tf-idf weights.

    scikit-learn's ``TfidfTransformer`` with the same parameters, attributes and results.

    Parameters
    ----------
    norm, use_idf, smooth_idf, sublinear_tf
        As in scikit-learn.
    n_jobs : int or None, default=None
        Threads, as in `CountVectorizer`; the result does not depend on it.

    Examples
    --------
    >>> from wordodds import TfidfTransformer
    >>> TfidfTransformer().fit_transform([[3, 0], [1, 1]]).toarray().round(3)
    array([[1.   , 0.   ],
           [0.58 , 0.815]])
    """

    def __init__(
        self,
        *,
        norm: wt.Norm = "l2",
        use_idf: bool = True,
        smooth_idf: bool = True,
        sublinear_tf: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__()
        keep_parameters(self, locals())

    def fit(self, X: wt.MatrixLike, y: object = None) -> Self:
        """Learn the inverse document frequencies.

        Parameters
        ----------
        X : sparse matrix or array-like of shape (n_documents, n_features)
            Counts.
        y : ignored
            So that the transformer fits into pipelines.
        """
        self._validate_params()
        how = execution(self.n_jobs)
        rows = _checked_counts(X, self, how)
        require_rows(rows)
        frequencies = np.bincount(rows.indices, minlength=rows.n_cols)
        learnt = copy(self)._fit_frequencies(frequencies, rows.n_rows, rows.data.dtype)
        adopt(self, X, **({"idf_": learnt.idf_} if self.use_idf else {}))
        if not self.use_idf:
            self.__dict__.pop("idf_", None)
        return self

    def _fit_frequencies(
        self, document_frequency: Ints, n_documents: int, dtype: wt.DTypeLike = np.float64
    ) -> Self:
        """Learn the inverse document frequencies from counts of documents alone."""
        self.n_features_in_ = len(document_frequency)
        if self.use_idf:
            kind: Any = np.float32 if np.dtype(dtype) == np.float32 else np.float64
            smooth = int(bool(self.smooth_idf))
            # In scikit-learn's order of operations, for the same bits.
            idf = np.full(len(document_frequency), n_documents + smooth, dtype=kind)
            idf /= document_frequency.astype(kind) + smooth
            self.idf_ = np.log(idf, out=idf) + kind(1.0)
        return self

    def transform(self, X: wt.MatrixLike, copy: bool = True) -> CsrMatrix:
        """Weigh counts by what was learned.

        Parameters
        ----------
        X : sparse matrix or array-like of shape (n_documents, n_features)
            Counts.
        copy : bool, default=True
            Whether to leave X as it is; else its values may be overwritten.
        """
        check_is_fitted(self)
        self._validate_params()
        how = execution(self.n_jobs)
        rows = _checked_counts(X, self, how)
        # Without a fit idf_ may have been set by hand: `_weighed` compares its length.
        check_width(self, X, rows.n_cols, getattr(self, "n_features_in_", rows.n_cols))
        kind: Any = np.float32 if rows.data.dtype == np.float32 else np.float64
        data = np.array(rows.data, dtype=kind) if copy else np.require(rows.data, kind, "W")
        if len(data):
            self._refuse_overflow(rows, float(np.abs(data).max()), kind)
        if copy:  # or sorting the result would reorder the columns of X as well
            rows = rows._replace(indices=rows.indices.copy())
        weighed = self._weighed(rows._replace(data=data), how)
        if copy or getattr(X, "data", None) is not data:
            return weighed
        return X if isinstance(X, matrix_type()) else matrix_type()(X)  # which shares all arrays

    def _weighed_counts(self, counts: CsrMatrix, view_begins: Codes | None) -> CsrMatrix:
        """Weigh a matrix that a vectorizer has counted, and that nothing else will read."""
        kind: Any = np.float32 if counts.dtype == np.float32 else np.float64
        data = counts.data.astype(kind, copy=False)
        rows = CsrArrays.of(counts)._replace(data=data)
        return self._weighed(rows, execution(self.n_jobs), view_begins)

    def _weighed(
        self, rows: CsrArrays, how: Execution, view_begins: Codes | None = None
    ) -> CsrMatrix:
        """Return rows of floats weighed in place; no cell twice, none that stores a zero."""
        idf = _checked_weights(self.idf_, rows) if hasattr(self, "idf_") else None
        n_jobs, instruction_set = how  # unpacked in the call it would cost 0.2 us
        core.csr_weigh_terms(
            idf,
            n_jobs,
            instruction_set,
            sublinear=bool(self.sublinear_tf),
            norm=self.norm or "none",
            view_begins=view_begins,
            matrix_in_out=rows,
        )
        return as_matrix(rows[:3], rows.n_cols, rows.data.dtype)

    def _refuse_overflow(
        self, rows: CsrArrays, largest: float, kind: type[np.floating[Any]]
    ) -> None:
        idf = _checked_weights(self.idf_, rows) if hasattr(self, "idf_") else np.ones(1)
        weight = float(np.max(idf, initial=1.0, where=np.isfinite(idf)))
        if largest > float(np.finfo(kind).max) / weight:
            raise ValueError(
                f"X holds {largest:g}, which times its idf is beyond {np.dtype(kind)}: scale X down"
            )


def _checked_weights(idf: npt.ArrayLike, rows: CsrArrays) -> AnyArray:
    """Return the idf, which may have been set by hand, in the type of the rows."""
    try:
        weights = kernel_array(idf, np.float32 if rows.data.dtype == np.float32 else np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"idf_ must be an array of numbers: {error}") from error
    if weights.shape != (rows.n_cols,):
        raise ValueError(f"idf_ has the shape {weights.shape}, X has {rows.n_cols} columns")
    # The smaller of the two: one short document, or all columns.
    used = weights[rows.indices] if len(rows.indices) < rows.n_cols else weights
    if not np.isfinite(used).all():
        never = np.flatnonzero(~np.isfinite(weights[rows.indices]))
        if len(never):
            column = rows.indices[never[0]]
            raise ValueError(
                f"column {column} has the idf {weights[column]}: a column that occurs in no "
                "document of the fit needs smooth_idf=True"
            )
    return weights


def _checked_counts(X: wt.MatrixLike, transformer: TfidfTransformer, how: Execution) -> CsrArrays:
    """Return X with one entry for each cell that is not zero."""
    rows = as_csr(
        X,
        # The logarithm of a negative count is not a number.
        non_negative=bool(transformer.sublinear_tf),
        execution=how,
        owner=type(transformer).__name__,
    )
    return without_zeros(without_repeats(rows, how))


class TfidfVectorizer(sklearn_text.TfidfVectorizer, CountVectorizer):  # type: ignore[misc]
    """Turn documents into tf-idf weights: CountVectorizer, then TfidfTransformer.

    scikit-learn's ``TfidfVectorizer`` with the same parameters, attributes and results.

    Parameters
    ----------
    input, encoding, decode_error, strip_accents, lowercase, preprocessor, tokenizer, \
stop_words, token_pattern, ngram_range, max_df, min_df, max_features, vocabulary, binary, dtype, \
norm, use_idf, smooth_idf, sublinear_tf
        As in scikit-learn.
    analyzer, unknown, missing, stemmer, max_terms, n_jobs, verbose
        As in `CountVectorizer`; the result does not depend on ``n_jobs``. Each of several analyzers
        has a norm of its own.

    Examples
    --------
    >>> from wordodds import TfidfVectorizer
    >>> vectorizer = TfidfVectorizer()
    >>> vectorizer.fit_transform(["a cat sat", "the cat"]).toarray().round(3)
    array([[0.58 , 0.815, 0.   ],
           [0.58 , 0.   , 0.815]])
    """

    _parameter_constraints = constraints(sklearn_text.TfidfVectorizer._parameter_constraints)

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
        analyzer: wt.Analyzer = "word",
        stop_words: wt.ByView[wt.StopWords] = None,
        token_pattern: wt.ByView[str | None] = r"(?u)\b\w\w+\b",
        ngram_range: wt.ByView[wt.NgramRange] = (1, 1),
        max_df: wt.ByView[wt.DocumentLimit] = 1.0,
        min_df: wt.ByView[wt.DocumentLimit] = 1,
        max_features: wt.ByView[int | None] = None,
        vocabulary: wt.Vocabulary = None,
        binary: bool = False,
        dtype: wt.DTypeLike = np.float64,
        norm: wt.Norm = "l2",
        use_idf: bool = True,
        smooth_idf: bool = True,
        sublinear_tf: bool = False,
        unknown: wt.Unknown = "ignore",
        missing: wt.Missing = "error",
        stemmer: wt.ByView[str | None] = None,
        max_terms: int | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        super().__init__()
        keep_parameters(self, locals())

    def fit(self, raw_documents: wt.RawDocuments, y: object = None) -> Self:
        """Learn vocabulary and inverse document frequencies.

        Parameters
        ----------
        raw_documents : iterable of str or bytes, of file names or files
            The documents; see the parameter ``input``.
        y : ignored
            So that the vectorizer fits into pipelines.
        """
        self._count_and_fit(raw_documents)
        return self

    def fit_transform(self, raw_documents: wt.RawDocuments, y: object = None) -> CsrMatrix:
        """Learn vocabulary and inverse document frequencies, and weigh the documents.

        Parameters
        ----------
        raw_documents : iterable of str or bytes, of file names or files
            The documents; see the parameter ``input``.
        y : ignored
            So that the vectorizer fits into pipelines.
        """
        counts = self._count_and_fit(raw_documents)
        return self._tfidf._weighed_counts(counts, self._view_begins())

    def transform(self, raw_documents: wt.RawDocuments) -> CsrMatrix:
        """Weigh documents by the vocabulary and the frequencies that were learned.

        Parameters
        ----------
        raw_documents : iterable of str or bytes, of file names or files
            The documents; see the parameter ``input``.
        """
        check_is_fitted(self, msg="The TF-IDF vectorizer is not fitted")
        counts = CountVectorizer.transform(self, raw_documents)  # after partial_fit, learns the idf
        return self._tfidf._weighed_counts(counts, self._view_begins())

    def _check_can_grow(self) -> None:
        super()._check_can_grow()
        if self.use_idf and self.unknown != "ignore":
            raise ValueError(
                "partial_fit cannot tell in how many documents unknown words occur: pass "
                'unknown="ignore" or use_idf=False'
            )

    @property
    def idf_(self) -> AnyFloats:
        """Inverse document frequencies, by column."""
        if getattr(self, "_tally", None) is not None:
            self._frequencies_for("idf_")
        idf: AnyFloats = sklearn_text.TfidfVectorizer.idf_.fget(self)
        return idf

    @idf_.setter
    def idf_(self, value: npt.ArrayLike) -> None:
        if not hasattr(self, "_tfidf"):
            self._tfidf = self._transformer()
        sklearn_text.TfidfVectorizer.idf_.fset(self, value)

    def _adopt(self, vocabulary: core.Vocabulary, frequencies: Frequencies) -> None:
        assert self._tally is not None
        tfidf = self._transformer()
        tfidf._validate_params()  # or a wrong norm would stay after it was mended
        tfidf._fit_frequencies(frequencies.document_frequency, self._tally.n_documents, self.dtype)
        tfidf.n_features_in_ += self._n_unknown()  # without idf: see _check_can_grow
        # First: another thread that sees the vocabulary will ask for the weights.
        self._tfidf = tfidf
        super()._adopt(vocabulary, frequencies)

    def _transformer(self) -> TfidfTransformer:
        return TfidfTransformer(
            norm=self.norm,
            use_idf=self.use_idf,
            smooth_idf=self.smooth_idf,
            sublinear_tf=self.sublinear_tf,
            n_jobs=self.n_jobs,
        )

    def _count_and_fit(self, raw_documents: wt.RawDocuments) -> CsrMatrix:
        tfidf = self._transformer()
        with unchanged_on_error(self):
            counts = CountVectorizer.fit_transform(self, raw_documents)
            tfidf._validate_params()
            frequencies = np.bincount(counts.indices, minlength=counts.shape[1])
            self._tfidf = tfidf._fit_frequencies(frequencies, counts.shape[0], counts.dtype)
        return counts

    def _check_before_fit(self, raw_documents: wt.RawDocuments) -> None:
        self._check_params()
        super()._check_before_fit(raw_documents)
        if self.unknown != "ignore" and self.use_idf and not self.smooth_idf:
            raise ValueError(
                "unknown words that no training document has would weigh infinitely: pass "
                'unknown="ignore", smooth_idf=True or use_idf=False'
            )
