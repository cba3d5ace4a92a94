"""What a fitted vectorizer does to text, without the vectorizer."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.feature_extraction import text as sklearn_text
from sklearn.utils.validation import check_is_fitted

from wordodds._border.terms import pack_vocabulary
from wordodds._core import text as core
from wordodds._estimator.inherited import check_inherited, own_methods
from wordodds.model.features import TextFeatures
from wordodds.text import CountVectorizer
from wordodds.text.parts import packed_vocabulary
from wordodds.text.vectorizer import EngineVectorizer
from wordodds.text.views import views_of

__all__ = ["read_vectorizer"]

# Methods by which a subclass may read text its own way.
_METHODS = (
    "build_analyzer",
    "build_preprocessor",
    "build_tokenizer",
    "decode",
    "_word_ngrams",
    "_char_ngrams",
    "_char_wb_ngrams",
)


def read_vectorizer(vectorizer: BaseEstimator) -> tuple[TextFeatures, core.Vocabulary | None]:
    """Return how a fitted vectorizer, scikit-learn's or ours, reads text; its terms, or None."""
    if getattr(vectorizer, "input", "content") != "content":
        raise ValueError(
            f"input={vectorizer.input!r} reads files: a LinearModel takes text (input='content')"
        )
    check_inherited(vectorizer, ("transform", "_count_vocab"))
    names = getattr(vectorizer, "view_names", None)
    if names is not None:
        return _read_views(vectorizer, names)
    if isinstance(vectorizer, sklearn_text.HashingVectorizer):
        features = TextFeatures(
            n_hashed=int(vectorizer.n_features),
            alternate_sign=bool(vectorizer.alternate_sign),
            **_options(vectorizer),
        )
        return features, None
    if isinstance(vectorizer, sklearn_text.CountVectorizer):
        vocabulary = _vocabulary_of(vectorizer)
        return TextFeatures(n_unknown=_n_unknown(vectorizer), **_options(vectorizer)), vocabulary
    raise ValueError(
        "text must go into a CountVectorizer, TfidfVectorizer or HashingVectorizer, or into one "
        "FeatureUnion of these"
    )


def _read_views(
    vectorizer: EngineVectorizer, names: Sequence[str]
) -> tuple[TextFeatures, core.Vocabulary | None]:
    """Return how a vectorizer of ours with several analyzers reads text; its terms, or None."""
    if own_methods(vectorizer, _METHODS):
        raise ValueError("a class that reads text in its own way may have one analyzer only")
    vocabulary, common = None, dict[str, Any]()
    if isinstance(vectorizer, sklearn_text.HashingVectorizer):
        common = {
            "n_hashed": int(vectorizer.n_features),
            "alternate_sign": bool(vectorizer.alternate_sign),
        }
    else:
        vocabulary = _vocabulary_of(vectorizer)
    views = [
        TextFeatures(view=name, **common, **_options(view))
        for name, view in zip(names, views_of(vectorizer), strict=True)
    ]
    return replace(views[0], beside=tuple(views[1:])), vocabulary


def _options(vectorizer: BaseEstimator) -> dict[str, Any]:
    options = {
        "binary": bool(vectorizer.binary),
        "encoding": vectorizer.encoding,
        "decode_error": vectorizer.decode_error,
        "missing": getattr(vectorizer, "missing", "error"),
    }
    if own_methods(vectorizer, _METHODS):
        return options | {"callables": {"analyzer": vectorizer.build_analyzer()}}
    callables = {
        option: value
        for option in ("preprocessor", "tokenizer", "analyzer", "strip_accents")
        if callable(value := getattr(vectorizer, option))
    }
    if vectorizer.analyzer != "word":
        callables.pop("tokenizer", None)  # scikit-learn leaves it aside too
    own_analyzer = "analyzer" in callables
    uses_words = vectorizer.analyzer in ("word", "unicode_word")
    stop_words = vectorizer.get_stop_words() if uses_words else None
    ngram_min, ngram_max = vectorizer.ngram_range
    if ngram_min < 1 and not own_analyzer:
        raise ValueError(f"ngram_range={vectorizer.ngram_range!r} must begin with 1 or more")
    return options | {
        "analyzer": "word" if own_analyzer else vectorizer.analyzer,
        "lowercase": bool(vectorizer.lowercase),
        "strip_accents": None if "strip_accents" in callables else vectorizer.strip_accents,
        "token_pattern": vectorizer.token_pattern or "",
        "ngram_range": (int(ngram_min), int(ngram_max)),
        "stop_words": None if stop_words is None else tuple(sorted(stop_words)),
        "stemmer": getattr(vectorizer, "stemmer", None),
        "callables": callables,
    }


def _vocabulary_of(vectorizer: BaseEstimator) -> core.Vocabulary:
    check_is_fitted(vectorizer)
    if isinstance(vectorizer, CountVectorizer):  # ours: without a dict of a million strings
        return packed_vocabulary(vectorizer)
    columns = vectorizer.vocabulary_
    if sorted(columns.values()) != list(range(len(columns))):
        raise ValueError("its vocabulary does not number its terms from 0 on, each once")
    return pack_vocabulary(sorted(columns, key=columns.__getitem__))


def _n_unknown(vectorizer: BaseEstimator) -> int:
    unknown = getattr(vectorizer, "unknown", "ignore")
    return int(unknown == "count") if isinstance(unknown, str) else int(unknown)
