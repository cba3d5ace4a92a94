"""How documents become features: by the compiled analyzers, or by Python where they cannot.

scikit-learn's own methods say what an analyzer is to do and carry out what the engine does not know
(callables, other token patterns); the engine counts in either case.
"""

import re
import secrets
from collections.abc import Callable, Iterable
from functools import lru_cache
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.feature_extraction import text as peer

from wordodds._core import text as core
from wordodds.text.documents import Documents, as_documents, as_strings, without_missing

__all__ = ["Analysis", "analysis_of", "new_hash_key", "pack_terms", "pack_vocabulary"]

# \w\w+ and its relatives: a maximal run of word characters, of at least so many. The \b around
# them changes nothing, as a match of a greedy \w+ always ends where the run ends.
_RUN_OF_WORD_CHARACTERS = re.compile(
    r"(?:\(\?u\))?(?:\\b)?(?:((?:\\w)+)\+|\\w\{(\d{1,9}),\})(?:\\b)?"
)


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
    min_length = _word_min_length(token_pattern) if analyzer == "word" else 1
    if min_length is None or not 1 <= ngram_min <= ngram_max:
        return None
    words = None
    if uses_words and stop_words is not None:
        listed = stop_words if isinstance(stop_words, frozenset) else model.get_stop_words()
        words = pack_vocabulary(sorted(word for word in listed if isinstance(word, str)))
    options = core.AnalyzerOptions(
        analyzer, lowercase, strip_accents, min_length, ngram_min, ngram_max, words
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


def new_hash_key() -> tuple[int, int]:
    """Draw the secret of a vocabulary's hash, so that no text can be made to collide under it."""
    return secrets.randbits(64), secrets.randbits(64)


def pack_terms(terms: Iterable[str]) -> tuple[bytes, np.ndarray[Any, np.dtype[np.int64]]]:
    """Lay terms one behind the other, as UTF-8; return them and where each begins and ends.

    Parameters
    ----------
    terms : iterable of str
        Any strings, lone surrogates among them.

    Examples
    --------
    >>> pack_terms(["one", "two"])
    (b'onetwo', array([0, 3, 6]))
    """
    encoded = [_encoded(term) for term in terms]
    offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(term) for term in encoded], out=offsets[1:])
    return b"".join(encoded), offsets


def _encoded(term: Any) -> bytes:
    if not isinstance(term, str):
        raise TypeError(f"terms of a vocabulary must be str, got {type(term).__name__}")
    return term.encode("utf-8", "surrogatepass")


def pack_vocabulary(terms: Iterable[str]) -> core.Vocabulary:
    """Make an engine vocabulary of terms, in their order.

    Parameters
    ----------
    terms : iterable of str
        Each once.

    Examples
    --------
    >>> len(pack_vocabulary(["one", "two"]))
    2
    """
    return core.Vocabulary(*pack_terms(terms), new_hash_key())


def _word_min_length(token_pattern: Any) -> int | None:
    r"""Return the shortest word that the token pattern takes; None for other patterns.

    Examples
    --------
    >>> [_word_min_length(p) for p in (r"(?u)\b\w\w+\b", r"\w+", r"\w{3,}", r"[a-z]+")]
    [2, 1, 3, None]
    """
    if not isinstance(token_pattern, str):
        return None
    match = _RUN_OF_WORD_CHARACTERS.fullmatch(token_pattern)
    if match is None:
        return None
    run, least = match.groups()
    length = len(run) // 2 if run is not None else int(least)
    return length if length >= 1 else None
