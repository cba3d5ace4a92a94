"""TfidfTransformer and TfidfVectorizer: counts and documents into tf-idf weights."""

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction import text as peer
from sklearn.utils.validation import check_is_fitted, validate_data

from wordodds._core import text as core
from wordodds._execution import execution
from wordodds._sparse import as_csr
from wordodds.text.count import CountVectorizer, matrix_type

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
    input, encoding, decode_error, strip_accents, lowercase, preprocessor, tokenizer, analyzer, \
stop_words, token_pattern, ngram_range, max_df, min_df, max_features, vocabulary, binary, dtype, \
norm, use_idf, smooth_idf, sublinear_tf
        As in scikit-learn.
    n_jobs : int or None, default=None
        Threads, as in `CountVectorizer`; the result does not depend on it.

    Examples
    --------
    >>> from wordodds import TfidfVectorizer
    >>> vectorizer = TfidfVectorizer()
    >>> vectorizer.fit_transform(["a cat sat", "the cat"]).toarray().round(3)
    array([[0.58 , 0.815, 0.   ],
           [0.58 , 0.   , 0.815]])
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
        n_jobs: int | None = None,
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
            n_jobs=n_jobs,
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

    def _count_and_fit(self, raw_documents: Any) -> Any:
        self._check_params()
        tfidf = TfidfTransformer(
            norm=self.norm,
            use_idf=self.use_idf,
            smooth_idf=self.smooth_idf,
            sublinear_tf=self.sublinear_tf,
            n_jobs=self.n_jobs,
        )
        counts = CountVectorizer.fit_transform(self, raw_documents)
        self._tfidf = tfidf.fit(counts)
        return counts
