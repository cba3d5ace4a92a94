"""How documents become features: by the compiled analyzers, or by Python where they cannot.

scikit-learn's own methods say what an analyzer is to do and carry out what the engine does not know
(callables, other token patterns); the engine counts in either case.
"""

from collections.abc import Callable
from functools import lru_cache
from numbers import Integral
from typing import Any, NamedTuple

from sklearn.feature_extraction import text as peer

from wordodds._border.documents import Documents, as_documents, as_strings, without_missing
from wordodds._border.pattern import TokenPattern, token_pattern_of
from wordodds._border.terms import pack_vocabulary
from wordodds._core import text as core

__all__ = ["Analysis", "analysis_of"]

# Methods of scikit-learn's that the compiled analyzers stand for.
_METHODS = {
    "word": ("build_analyzer", "build_tokenizer", "get_stop_words", "_word_ngrams"),
    "char": ("build_analyzer", "_char_ngrams"),
    "char_wb": ("build_analyzer", "_char_wb_ngrams"),
    "unicode_word": ("build_analyzer", "get_stop_words"),
}
_ALL_METHODS = frozenset({"build_preprocessor", "decode"}.union(*_METHODS.values()))
_NOTHING: frozenset[str] = frozenset()


class Analysis(NamedTuple):
    """What stands between raw documents and the counter."""

    prepare: Callable[[Any, Any], Documents]
    """Checks the documents for a vectorizer and does what must be done to each in Python."""
    options: core.AnalyzerOptions | None
    """For the compiled analyzer; None if Python must find the features."""


class Compiled(NamedTuple):
    """The same compiled analyzer, behind two ways to prepare documents."""

    of_text: Analysis
    of_preprocessed: Analysis


def analysis_of(vectorizer: Any) -> Analysis:
    """Choose the way for a vectorizer's parameters.

    Parameters
    ----------
    vectorizer : CountVectorizer or HashingVectorizer
        One that inherits scikit-learn's ``build_analyzer``.
    """
    own = _own_methods(vectorizer)
    reads_raw = (
        vectorizer.preprocessor is not None
        or callable(vectorizer.strip_accents)
        or not own.isdisjoint(("build_preprocessor", "decode"))
    )
    if not reads_raw:
        compiled = _compiled(vectorizer, own, vectorizer.lowercase, vectorizer.strip_accents)
        if compiled is not None:
            return compiled.of_text
    # What is done to the text is done in Python; the rest may still run compiled.
    compiled = _compiled(vectorizer, own, False, None)
    if compiled is not None:
        return compiled.of_preprocessed
    # A callable of the user may take documents of any kind.
    takes_any = reads_raw or callable(vectorizer.analyzer) or "build_analyzer" in own
    if takes_any or vectorizer.input != "content":
        return Analysis(_without_missing, None)
    return Analysis(_as_python_strings, None)


def _as_documents(raw_documents: Any, vectorizer: Any) -> Documents:
    return as_documents(
        raw_documents, vectorizer.decode, vectorizer.input, vectorizer.missing, vectorizer.n_jobs
    )


def _as_python_strings(raw_documents: Any, vectorizer: Any) -> Documents:
    return as_strings(_as_documents(raw_documents, vectorizer))


def _without_missing(raw_documents: Any, vectorizer: Any) -> Any:
    return without_missing(raw_documents, vectorizer.missing)


def _preprocessed(raw_documents: Any, vectorizer: Any) -> Documents:
    # A preprocessor may take documents of any kind; what it gives must be text.
    preprocess = vectorizer.build_preprocessor()
    documents = [
        preprocess(vectorizer.decode(document))
        for document in without_missing(raw_documents, vectorizer.missing)
    ]
    return as_documents(documents, vectorizer.decode)


def _compiled(
    vectorizer: Any, own: frozenset[str], lowercase: bool, strip_accents: str | None
) -> Compiled | None:
    """Return the ways to the compiled analyzers; None if they cannot do what is asked."""
    analyzer = vectorizer.analyzer
    if own and (callable(analyzer) or not own.isdisjoint(_METHODS[analyzer])):
        return None
    if callable(analyzer) or (analyzer == "word" and vectorizer.tokenizer is not None):
        return None
    ngram_min, ngram_max = vectorizer.ngram_range
    if not (isinstance(ngram_min, int) and isinstance(ngram_max, int)):
        if not (isinstance(ngram_min, Integral) and isinstance(ngram_max, Integral)):
            return None  # scikit-learn has the error for it
        ngram_min, ngram_max = int(ngram_min), int(ngram_max)
    stop_words = vectorizer.stop_words
    if stop_words is not None:
        if not isinstance(stop_words, str):
            stop_words = frozenset(stop_words)
        # Warns, once for each set of stop words, if the tokens of these are not among them.
        vectorizer.build_analyzer()
    return _compiled_for(
        analyzer,
        bool(lowercase),
        strip_accents,
        vectorizer.token_pattern if analyzer == "word" else None,
        ngram_min,
        ngram_max,
        stop_words,
    )


# Keyed by all that matters: most of the time of counting a short document would go into this.
@lru_cache(maxsize=64)
def _compiled_for(
    analyzer: str,
    lowercase: bool,
    strip_accents: str | None,
    token_pattern: Any,
    ngram_min: int,
    ngram_max: int,
    stop_words: str | frozenset[Any] | None,
) -> Compiled | None:
    uses_words = analyzer in ("word", "unicode_word")
    # Also where the engine takes over: this is where wrong parameters get their errors.
    model = peer.CountVectorizer(
        analyzer="word" if uses_words else analyzer,
        lowercase=lowercase,
        strip_accents=strip_accents,
        token_pattern=token_pattern if analyzer == "word" else r"\w+",
        ngram_range=(ngram_min, ngram_max),
        stop_words=None if isinstance(stop_words, frozenset) else stop_words,
    )
    model.build_analyzer()
    if analyzer == "word":
        pattern = token_pattern_of(token_pattern)
        if pattern is None:
            return None
        analyzer = pattern.analyzer
    else:
        pattern = TokenPattern(1, False)
    if not 1 <= ngram_min <= ngram_max:
        return None
    words = None
    if uses_words and stop_words is not None:
        listed = stop_words if isinstance(stop_words, frozenset) else model.get_stop_words()
        words = pack_vocabulary(sorted(word for word in listed if isinstance(word, str)))
    options = core.AnalyzerOptions(
        analyzer, lowercase, strip_accents, pattern.min_length, ngram_min, ngram_max, words
    )
    return Compiled(Analysis(_as_documents, options), Analysis(_preprocessed, options))


def _own_methods(vectorizer: Any) -> frozenset[str]:
    """Return which of scikit-learn's methods a user's subclass or object has its own way with."""
    kind: Any = type(vectorizer)
    known = _our_class(kind)
    if kind is known and _ALL_METHODS.isdisjoint(vars(vectorizer)):
        return _NOTHING
    return frozenset(
        name
        for name in _ALL_METHODS
        if name in vars(vectorizer) or getattr(kind, name) is not getattr(known, name)
    )


@lru_cache(maxsize=64)
def _our_class(vectorizer_type: Any) -> Any:
    ours = (kind for kind in vectorizer_type.__mro__ if kind.__module__.startswith("wordodds."))
    return next(ours)
