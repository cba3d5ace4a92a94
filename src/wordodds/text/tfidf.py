"""TfidfTransformer and TfidfVectorizer: counts and documents into tf-idf weights."""

from typing import Any, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.feature_extraction import text as peer
from sklearn.utils.validation import check_is_fitted, validate_data

from wordodds._core import text as core
from wordodds._core.text import Vocabulary
from wordodds._execution import execution
from wordodds._sparse import as_csr
from wordodds.text.count import CountVectorizer
from wordodds.text.grow import Frequencies
from wordodds.text.vectorizer import constraints, matrix_type, unchanged_on_error

__all__ = ["TfidfTransformer", "TfidfVectorizer"]


class TfidfTransformer(  # type: ignore[call-arg]
    peer.TfidfTransformer,  # type: ignore[misc]
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
        norm: Any = "l2",
        use_idf: Any = True,
        smooth_idf: Any = True,
        sublinear_tf: Any = False,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            norm=norm, use_idf=use_idf, smooth_idf=smooth_idf, sublinear_tf=sublinear_tf
        )
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the inverse document frequencies.

        Parameters
        ----------
        X : sparse matrix or array-like of shape (n_documents, n_features)
            Counts.
        y : ignored
            So that the transformer fits into pipelines.
        """
        _check_structure(X, self.n_jobs)
        super().fit(X, y)
        return self

    def _fit_frequencies(
        self, document_frequency: npt.NDArray[np.int64], n_documents: int, dtype: Any = np.float64
    ) -> Self:
        """Learn the inverse document frequencies from counts of documents alone.

        Parameters
        ----------
        document_frequency : ndarray of int, (n_features,)
            In how many documents each feature occurs.
        n_documents : int
            How many documents there are.
        dtype : dtype, default=float64
            Of the result.

        Examples
        --------
        >>> import numpy as np
        >>> from wordodds import TfidfTransformer
        >>> TfidfTransformer()._fit_frequencies(np.array([2, 1]), 2).idf_.round(3)
        array([1.   , 1.405])
        """
        self.n_features_in_ = len(document_frequency)
        if self.use_idf:
            kind: Any = np.float32 if np.dtype(dtype) == np.float32 else np.float64
            smooth = int(bool(self.smooth_idf))
            # In scikit-learn's order of operations, for the same bits.
            idf = np.full(len(document_frequency), n_documents + smooth, dtype=kind)
            idf /= document_frequency.astype(kind) + smooth
            self.idf_ = np.log(idf, out=idf) + kind(1.0)
        return self

    def transform(self, X: Any, copy: bool = True) -> Any:
        """Weigh counts by what was learned.

        Parameters
        ----------
        X : sparse matrix or array-like of shape (n_documents, n_features)
            Counts.
        copy : bool, default=True
            Whether to leave X as it is; else its values may be overwritten.
        """
        check_is_fitted(self)
        _check_structure(X, self.n_jobs)
        X = validate_data(
            self,
            X,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            copy=copy,
            reset=False,
        )
        if not sp.issparse(X):
            X = sp.csr_array(X, dtype=X.dtype)
        idf = self.idf_.astype(X.dtype, copy=False) if hasattr(self, "idf_") else None
        core.csr_weigh_terms(
            X.indptr,
            X.indices,
            X.data,
            idf,
            bool(self.sublinear_tf),
            self.norm or "none",
            *execution(self.n_jobs),
        )
        wanted = matrix_type()
        if isinstance(X, wanted):
            return X
        return wanted((X.data, X.indices, X.indptr), shape=X.shape)


def _check_structure(X: Any, n_jobs: int | None) -> None:
    """Raise on a malformed matrix before scikit-learn or SciPy trusts its indices."""
    if sp.issparse(X):
        as_csr(X, non_negative=False, execution=execution(n_jobs))


class TfidfVectorizer(peer.TfidfVectorizer, CountVectorizer):  # type: ignore[misc]
    """Turn documents into tf-idf weights: CountVectorizer, then TfidfTransformer.

    scikit-learn's ``TfidfVectorizer`` with the same parameters, attributes and results.

    Parameters
    ----------
    input, encoding, decode_error, strip_accents, lowercase, preprocessor, tokenizer, \
stop_words, token_pattern, ngram_range, max_df, min_df, max_features, vocabulary, binary, dtype, \
norm, use_idf, smooth_idf, sublinear_tf
        As in scikit-learn.
    analyzer, unknown, missing, stemmer, max_terms, n_jobs, verbose
        As in `CountVectorizer`; the result does not depend on ``n_jobs``.

    Examples
    --------
    >>> from wordodds import TfidfVectorizer
    >>> vectorizer = TfidfVectorizer()
    >>> vectorizer.fit_transform(["a cat sat", "the cat"]).toarray().round(3)
    array([[0.58 , 0.815, 0.   ],
           [0.58 , 0.   , 0.815]])
    """

    _parameter_constraints = constraints(peer.TfidfVectorizer._parameter_constraints)

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
        analyzer: Any = "word",
        stop_words: Any = None,
        token_pattern: Any = r"(?u)\b\w\w+\b",
        ngram_range: Any = (1, 1),
        max_df: Any = 1.0,
        min_df: Any = 1,
        max_features: Any = None,
        vocabulary: Any = None,
        binary: Any = False,
        dtype: Any = np.float64,
        norm: Any = "l2",
        use_idf: Any = True,
        smooth_idf: Any = True,
        sublinear_tf: Any = False,
        unknown: Any = "ignore",
        missing: Any = "error",
        stemmer: Any = None,
        max_terms: Any = None,
        n_jobs: int | None = None,
        verbose: Any = False,
    ) -> None:
        CountVectorizer.__init__(
            self,
            input=input,
            encoding=encoding,
            decode_error=decode_error,
            strip_accents=strip_accents,
            lowercase=lowercase,
            preprocessor=preprocessor,
            tokenizer=tokenizer,
            analyzer=analyzer,
            stop_words=stop_words,
            token_pattern=token_pattern,
            ngram_range=ngram_range,
            max_df=max_df,
            min_df=min_df,
            max_features=max_features,
            vocabulary=vocabulary,
            binary=binary,
            dtype=dtype,
            unknown=unknown,
            missing=missing,
            stemmer=stemmer,
            max_terms=max_terms,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.norm = norm
        self.use_idf = use_idf
        self.smooth_idf = smooth_idf
        self.sublinear_tf = sublinear_tf

    def fit(self, raw_documents: Any, y: Any = None) -> Self:
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

    def fit_transform(self, raw_documents: Any, y: Any = None) -> Any:
        """Learn vocabulary and inverse document frequencies, and weigh the documents.

        Parameters
        ----------
        raw_documents : iterable of str or bytes, of file names or files
            The documents; see the parameter ``input``.
        y : ignored
            So that the vectorizer fits into pipelines.
        """
        counts = self._count_and_fit(raw_documents)
        return self._tfidf.transform(counts, copy=False)

    def partial_fit(self, raw_documents: Any, y: Any = None) -> Self:
        """Add documents to those that vocabulary and document frequencies were learned from.

        Parameters
        ----------
        raw_documents : iterable of str or bytes, of file names or files
            The next documents; see `CountVectorizer.partial_fit`.
        y : ignored
            So that the vectorizer fits into pipelines.
        """
        self._check_params()
        super().partial_fit(raw_documents, y)
        return self

    def _check_can_grow(self) -> None:
        super()._check_can_grow()
        if self.use_idf and self.unknown != "ignore":
            raise ValueError(
                "partial_fit cannot tell in how many documents unknown words occur: pass "
                'unknown="ignore" or use_idf=False'
            )

    @property
    def idf_(self) -> npt.NDArray[np.floating[Any]]:
        """Inverse document frequencies, by column."""
        if getattr(self, "_tally", None) is not None:
            self._frequencies_for("idf_")
        idf: npt.NDArray[np.floating[Any]] = peer.TfidfVectorizer.idf_.fget(self)
        return idf

    @idf_.setter
    def idf_(self, value: Any) -> None:
        peer.TfidfVectorizer.idf_.fset(self, value)

    def _adopt(self, vocabulary: Vocabulary, frequencies: Frequencies) -> None:
        assert self._tally is not None
        # First: another thread that sees the vocabulary will ask for the weights.
        tfidf = self._transformer()._fit_frequencies(
            frequencies.document_frequency, self._tally.n_documents, self.dtype
        )
        tfidf.n_features_in_ += self._n_unknown()  # without idf: see _check_can_grow
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

    def _count_and_fit(self, raw_documents: Any) -> Any:
        self._check_params()
        tfidf = self._transformer()
        with unchanged_on_error(self):
            counts = CountVectorizer.fit_transform(self, raw_documents)
            self._tfidf = tfidf.fit(counts)
        return counts

    def _check_before_fit(self, raw_documents: Any) -> None:
        super()._check_before_fit(raw_documents)
        if self.unknown != "ignore" and self.use_idf and not self.smooth_idf:
            raise ValueError(
                "unknown words that no training document has would weigh infinitely: pass "
                'unknown="ignore", smooth_idf=True or use_idf=False'
            )
