"""How documents become features: by the compiled analyzers, or by Python where they cannot.

scikit-learn's own methods say what an analyzer is to do and carry out what the engine does not know
(callables, other token patterns); the engine counts in either case.
"""

import re
import secrets
from collections.abc import Callable, Iterable
from functools import lru_cache
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


class Analysis(NamedTuple):
    """What stands between raw documents and the counter."""

    prepare: Callable[[Any], Documents]
    """Checks the documents and does what must be done to each in Python."""
    options: core.AnalyzerOptions | None
    """For the compiled analyzer; None if Python must find the features."""


def analysis_of(vectorizer: Any) -> Analysis:
    """Choose the way for a vectorizer's parameters.

    Parameters
    ----------
    vectorizer : CountVectorizer or HashingVectorizer
        One that inherits scikit-learn's ``build_analyzer``.
    """
    if vectorizer.preprocessor is None and not callable(vectorizer.strip_accents):
        options = _options(vectorizer, vectorizer.lowercase, vectorizer.strip_accents)
        if options is not None and not _overrides(vectorizer, "build_preprocessor", "decode"):
            return Analysis(lambda documents: _as_documents(documents, vectorizer), options)
    # What is done to the text is done in Python; the rest may still run compiled.
    options = _options(vectorizer, False, None)
    if options is None and _takes_only_text(vectorizer):
        return Analysis(lambda documents: as_strings(_as_documents(documents, vectorizer)), None)
    if options is None:
        return Analysis(lambda documents: without_missing(documents, vectorizer.missing), None)
    preprocess = vectorizer.build_preprocessor()
    return Analysis(
        # A preprocessor may take documents of any kind; what it gives must be text.
        lambda documents: as_documents(
            [
                preprocess(vectorizer.decode(document))
                for document in without_missing(documents, vectorizer.missing)
            ],
            vectorizer.decode,
        ),
        options,
    )


def _takes_only_text(vectorizer: Any) -> bool:
    """Whether no callable of the user sees the documents as they come."""
    return (
        vectorizer.input == "content"
        and vectorizer.preprocessor is None
        and not callable(vectorizer.analyzer)
        and not callable(vectorizer.strip_accents)
        and not _overrides(vectorizer, "build_analyzer", "build_preprocessor", "decode")
    )


def _as_documents(raw_documents: Any, vectorizer: Any) -> Documents:
    return as_documents(
        raw_documents, vectorizer.decode, vectorizer.input, vectorizer.missing, vectorizer.n_jobs
    )


def _options(
    vectorizer: Any, lowercase: bool, strip_accents: str | None
) -> core.AnalyzerOptions | None:
    """Return what the compiled analyzers are to do; None if they cannot do it."""
    analyzer = vectorizer.analyzer
    if callable(analyzer) or _overrides(vectorizer, "build_analyzer"):
        return None
    if analyzer == "word" and (
        vectorizer.tokenizer is not None or _overrides(vectorizer, "build_tokenizer")
    ):
        return None
    stop_words = vectorizer.stop_words
    if stop_words is not None:
        if not isinstance(stop_words, str):
            stop_words = frozenset(stop_words)
        # Warns, once for each set of stop words, if the tokens of these are not among them.
        vectorizer.build_analyzer()
    return _compiled_options(
        analyzer,
        bool(lowercase),
        strip_accents,
        vectorizer.token_pattern,
        tuple(vectorizer.ngram_range),
        stop_words,
    )


# Keyed by all that matters: most of the time of counting a short document would go into this.
@lru_cache(maxsize=64)
def _compiled_options(
    analyzer: str,
    lowercase: bool,
    strip_accents: str | None,
    token_pattern: Any,
    ngram_range: tuple[int, int],
    stop_words: str | frozenset[Any] | None,
) -> core.AnalyzerOptions | None:
    uses_words = analyzer in ("word", "unicode_word")
    # Also where the engine takes over: this is where wrong parameters get their errors.
    model = peer.CountVectorizer(
        analyzer="word" if uses_words else analyzer,
        lowercase=lowercase,
        strip_accents=strip_accents,
        token_pattern=token_pattern,
        ngram_range=ngram_range,
        stop_words=None if isinstance(stop_words, frozenset) else stop_words,
    )
    model.build_analyzer()
    min_length = _word_min_length(token_pattern) if analyzer == "word" else 1
    ngram_min, ngram_max = ngram_range
    if min_length is None or not 1 <= ngram_min <= ngram_max:
        return None
    words = None
    if uses_words and stop_words is not None:
        listed = stop_words if isinstance(stop_words, frozenset) else model.get_stop_words()
        words = pack_vocabulary(sorted(word for word in listed if isinstance(word, str)))
    return core.AnalyzerOptions(
        analyzer, lowercase, strip_accents, min_length, ngram_min, ngram_max, words, None
    )


def _overrides(vectorizer: Any, *methods: str) -> bool:
    """Whether a user's subclass has its own way with one of scikit-learn's methods."""
    kind: Any = type(vectorizer)
    return not _overridden(kind).isdisjoint(methods)


@lru_cache(maxsize=64)
def _overridden(vectorizer_type: Any) -> frozenset[str]:
    ours = (kind for kind in vectorizer_type.__mro__ if kind.__module__.startswith("wordodds."))
    known = next(ours)
    names = ("build_analyzer", "build_tokenizer", "build_preprocessor", "decode")
    return frozenset(
        name for name in names if getattr(vectorizer_type, name) is not getattr(known, name)
    )


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
    encoded = [term.encode("utf-8", "surrogatepass") for term in terms]
    offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(term) for term in encoded], out=offsets[1:])
    return b"".join(encoded), offsets


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
