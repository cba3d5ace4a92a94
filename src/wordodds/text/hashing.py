"""HashingVectorizer: documents into a matrix of hashed word counts."""

from collections.abc import Iterable, Sequence

import numpy as np
from sklearn.feature_extraction import text as sklearn_text

import wordodds.typing as wt
from wordodds._border.documents import Documents
from wordodds._border.execution import Execution, execution
from wordodds._border.structure import CsrArrays
from wordodds._border.terms import is_encodable
from wordodds._core import text as core
from wordodds._core.arrow import TextColumn
from wordodds.text.vectorizer import (
    CsrMatrix,
    EngineVectorizer,
    as_matrix,
    constraints,
    engine_dtype,
    keep_parameters,
    refuse_string,
)
from wordodds.typing import AnyArray

__all__ = ["HashingVectorizer"]


class HashingVectorizer(EngineVectorizer, sklearn_text.HashingVectorizer):  # type: ignore[misc]
    """Sum the words of each document by hashed column; nothing is learned or stored.

    scikit-learn's ``HashingVectorizer`` with the same parameters and results: the same columns
    (MurmurHash3 with its sign) and values. See `CountVectorizer` for what runs compiled.

    Parameters
    ----------
    input, encoding, decode_error, strip_accents, lowercase, preprocessor, tokenizer, stop_words, \
token_pattern, ngram_range, n_features, binary, norm, alternate_sign, dtype
        As in scikit-learn.
    analyzer, missing, stemmer, n_jobs, verbose
        As in `CountVectorizer`; the result does not depend on ``n_jobs``. Each of several analyzers
        has ``n_features`` columns and a norm of its own.

    Raises
    ------
    UnicodeEncodeError
        From `transform`, as in scikit-learn, if a feature has a lone surrogate, which has no bytes
        to hash. Only n-grams of characters, other token patterns and user-defined functions find
        such features. A finished model (`LinearModel`) still hashes them, so that one bad row does
        not stop a large scoring job.

    Examples
    --------
    >>> from wordodds import HashingVectorizer
    >>> HashingVectorizer(n_features=8, norm=None).transform(["to be or not to be"]).toarray()
    array([[ 0.,  0.,  0.,  2.,  1.,  0., -2.,  1.]])
    """

    n_features: int
    norm: wt.Norm
    alternate_sign: bool

    views_share_vocabulary = False

    _parameter_constraints = constraints(sklearn_text.HashingVectorizer._parameter_constraints)

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
        n_features: int = 2**20,
        binary: bool = False,
        norm: wt.Norm = "l2",
        alternate_sign: bool = True,
        dtype: wt.DTypeLike = np.float64,
        missing: wt.Missing = "error",
        stemmer: wt.ByView[str | None] = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        super().__init__()
        keep_parameters(self, locals())

    def transform(self, X: wt.RawDocuments) -> CsrMatrix:
        """Sum the words of the documents by hashed column.

        Parameters
        ----------
        X : iterable of str or bytes, of file names or files
            The documents; see the parameter ``input``.

        Returns
        -------
        csr_matrix, (n_documents, n_features)
            Or csr_array, as scikit-learn's ``sparse_interface`` setting says.
        """
        refuse_string(X)
        self._validate_params()
        self._validate_ngram_range()
        how = execution(self.n_jobs)
        n_features, alternate_sign = int(self.n_features), bool(self.alternate_sign)
        dtype, binary = engine_dtype(self.dtype), bool(self.binary)
        documents, options = self._analyze(X, how)
        names = self.view_names
        n_views = 1 if names is None else len(names)
        rows: Sequence[AnyArray]
        if options is None:
            counter = core.FeatureCounter.hashed(n_features, n_views, alternate_sign=alternate_sign)
            self._count_features(documents, _EncodableRows(counter, n_views))
            _, *rows = counter.finish(*how, dtype=dtype, binary=binary)
        else:
            # No word has a surrogate.
            if not {"char", "char_wb"}.isdisjoint((self.analyzer,) if names is None else names):
                _check_encodable(documents, options, how)
            with self._progress(len(documents)) as advance:
                n_jobs, instruction_set = how  # unpacked in the call it would cost 0.2 us
                rows = core.documents_count_hashed(
                    documents,
                    options,
                    n_features,
                    n_jobs,
                    instruction_set,
                    alternate_sign=alternate_sign,
                    dtype=dtype,
                    binary=binary,
                    advance=advance,
                )
        matrix = as_matrix(rows, n_views * self.n_features, self.dtype)
        if self.norm is not None:
            core.csr_weigh_terms(
                None,
                *how,
                sublinear=False,
                norm=self.norm,
                view_begins=None if names is None else _view_begins(n_views, n_features),
                matrix_in_out=CsrArrays.of(matrix),
            )
        return matrix

    def fit_transform(self, X: wt.RawDocuments, y: object = None) -> CsrMatrix:
        """Do what `transform` does; there is nothing to fit.

        Parameters
        ----------
        X : iterable of str or bytes, of file names or files
            The documents; see the parameter ``input``.
        y : ignored
            So that the vectorizer fits into pipelines.
        """
        return self.fit(X, y).transform(X)


def _view_begins(n_views: int, n_features: int) -> wt.Codes:
    """Return the first columns of the views but the first."""
    return np.arange(1, n_views, dtype=np.int32) * np.int32(n_features)


class _EncodableRows:
    """A counter of hashed features that refuses those with lone surrogates."""

    def __init__(self, counter: core.FeatureCounter, n_views: int) -> None:
        self._counter = counter
        self._n_views, self._n_views_seen = n_views, 0

    def add_view(self, features: Iterable[str]) -> None:
        """Take the features of the next view; with the last one a document ends."""
        if self._n_views_seen == 0 and isinstance(features, str):
            raise ValueError(
                "an analyzer must return the features of a document as a list, got a single "
                "string: return text.split(), or list(text) to hash its characters"
            )
        found = list(features)
        _refuse_surrogates(found, self._n_views_seen // self._n_views)
        self._counter.add_view(found)
        self._n_views_seen += 1


def _check_encodable(documents: Documents, options: core.AnalyzerOptions, how: Execution) -> None:
    """Refuse documents whose features have lone surrogates; valid UTF-8, as of Arrow, has none."""
    if isinstance(documents, TextColumn):
        return
    for row, document in enumerate(documents):
        if not is_encodable(document):
            # Perhaps in no feature: dropped with the accents, or the document is too short.
            plain = str.__str__(document)  # the compiled analyzer takes no subclass here
            _refuse_surrogates(options.features(plain, *how), row)


def _refuse_surrogates(features: list[str], row: int) -> None:
    for feature in features:
        if isinstance(feature, str) and not is_encodable(feature):
            try:
                feature.encode()
            except UnicodeEncodeError as error:
                error.reason += (
                    f", in a feature of document {row}. Replace them, such as by "
                    'text.encode("utf-8", "replace").decode()'
                )
                raise
