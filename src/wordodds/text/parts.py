"""Parts of a vectorizer that other packages work with: terms, counts, weights of terms."""

from sklearn.base import BaseEstimator
from sklearn.feature_extraction import text as sklearn_text

from wordodds._core import text as core
from wordodds.text.count import CountVectorizer
from wordodds.text.tfidf import TfidfVectorizer
from wordodds.text.vectorizer import CsrMatrix, EngineVectorizer
from wordodds.typing import Codes, RawDocuments

__all__ = [
    "check_parameters",
    "fit_counts",
    "packed_vocabulary",
    "tfidf_transformer",
    "view_begins",
    "weigh_counts",
]


def packed_vocabulary(vectorizer: CountVectorizer) -> core.Vocabulary:
    """Return the terms of a fitted vectorizer, without the dict of them that users know.

    Examples
    --------
    >>> from wordodds import CountVectorizer
    >>> packed_vocabulary(CountVectorizer().fit(["the cat sat"])).terms()
    ['cat', 'sat', 'the']
    """
    return vectorizer._engine_vocabulary()


def tfidf_transformer(vectorizer: BaseEstimator) -> sklearn_text.TfidfTransformer:
    """Return what weighs the counts of a fitted TfidfVectorizer, scikit-learn's or ours.

    Its parameters are those of the fit, whatever `set_params` has changed since.
    """
    return vectorizer._tfidf


def fit_counts(vectorizer: EngineVectorizer, texts: RawDocuments) -> CsrMatrix:
    """Fit any vectorizer; return its counts before `weigh_counts`.

    Examples
    --------
    >>> from wordodds import TfidfVectorizer
    >>> vectorizer = TfidfVectorizer(use_idf=False, norm="l1")
    >>> counts = fit_counts(vectorizer, ["the cat and the dog"])
    >>> counts.toarray()
    array([[1., 1., 1., 2.]])
    >>> weigh_counts(vectorizer, counts).toarray()
    array([[0.2, 0.2, 0.2, 0.4]])
    """
    if isinstance(vectorizer, TfidfVectorizer):
        return vectorizer._count_and_fit(texts)
    return vectorizer.fit_transform(texts)


def check_parameters(vectorizer: EngineVectorizer) -> None:
    """Raise what a fit of a vectorizer would raise about its parameters alone."""
    vectorizer._validate_params()


def view_begins(vectorizer: EngineVectorizer) -> Codes | None:
    """Return the first columns of the views of a fitted vectorizer but the first; None of one.

    Examples
    --------
    >>> from wordodds import CountVectorizer
    >>> view_begins(CountVectorizer(analyzer=("word", "char")).fit(["aa b"]))
    array([1], dtype=int32)
    """
    return vectorizer._view_begins() if isinstance(vectorizer, CountVectorizer) else None


def weigh_counts(vectorizer: EngineVectorizer, counts: CsrMatrix) -> CsrMatrix:
    """Return the rows that a fitted vectorizer makes of counts; these may be overwritten."""
    if not isinstance(vectorizer, TfidfVectorizer):
        return counts
    return vectorizer._tfidf._weighed_counts(counts, vectorizer._view_begins())
