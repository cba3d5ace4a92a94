"""How documents become features: by the compiled analyzers, or by Python where they cannot.

scikit-learn's own methods say what an analyzer is to do and carry out what the engine does not know
(callables, other token patterns); the engine counts in either case.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from sklearn.feature_extraction import text as peer

from wordodds._core import text as core
from wordodds.text.documents import as_documents

__all__ = ["Analysis", "analysis_of", "pack_vocabulary"]

# \w\w+ and its relatives: a maximal run of word characters, of at least so many. The \b around
# them changes nothing, as a match of a greedy \w+ always ends where the run ends.
_RUN_OF_WORD_CHARACTERS = re.compile(
    r"(?:\(\?u\))?(?:\\b)?(?:((?:\\w)+)\+|\\w\{(\d{1,9}),\})(?:\\b)?"
)


class Analysis(NamedTuple):
    """What stands between raw documents and the counter."""

    prepare: Callable[[Any], tuple[str, ...]]
    """Checks the documents and does what must be done to each in Python."""
    options: core.AnalyzerOptions | None
    """For the compiled analyzer; None if Python must find the features."""
    analyze: Callable[[Any], Iterable[str]]
    """scikit-learn's analyzer, for that case."""


def analysis_of(vectorizer: Any, key: tuple[int, int]) -> Analysis:
    """Choose the way for a vectorizer's parameters.

    Parameters
    ----------
    vectorizer : CountVectorizer or HashingVectorizer
        One that inherits scikit-learn's ``build_analyzer``.
    key : tuple of two int
        The secret of the hash behind the stop words.
    """
    # Also where the engine takes over: this is where wrong parameters get their errors.
    analyze = vectorizer.build_analyzer()
    min_length = _word_min_length(vectorizer)
    ngram_min, ngram_max = vectorizer.ngram_range
    if (
        vectorizer.analyzer not in ("word", "char", "char_wb")
        or min_length is None
        or not 1 <= ngram_min <= ngram_max
        or _overrides(vectorizer, "build_analyzer", "build_tokenizer")
    ):
        return Analysis(_collect, None, analyze)
    in_python = (
        vectorizer.preprocessor is not None
        or vectorizer.strip_accents is not None
        or _overrides(vectorizer, "build_preprocessor", "decode")
    )
    options = core.AnalyzerOptions(
        vectorizer.analyzer,
        bool(vectorizer.lowercase) and not in_python,
        min_length,
        ngram_min,
        ngram_max,
        _stop_words(vectorizer, key),
    )
    if not in_python:
        return Analysis(
            lambda documents: as_documents(documents, vectorizer.decode, vectorizer.input),
            options,
            analyze,
        )
    preprocess = vectorizer.build_preprocessor()
    return Analysis(
        # A preprocessor may take documents of any kind; what it gives must be text.
        lambda documents: as_documents(
            [preprocess(vectorizer.decode(document)) for document in _collect(documents)],
            vectorizer.decode,
        ),
        options,
        analyze,
    )


def _overrides(vectorizer: Any, *methods: str) -> bool:
    """Whether a subclass has its own way with one of scikit-learn's methods."""
    return any(
        getattr(type(vectorizer), method) is not getattr(peer.CountVectorizer, method)
        for method in methods
    )


def pack_vocabulary(terms: Iterable[str], key: tuple[int, int]) -> core.Vocabulary:
    """Make an engine vocabulary of terms, in their order.

    Parameters
    ----------
    terms : iterable of str
        Each once.
    key : tuple of two int
        The secret of its hash.

    Examples
    --------
    >>> len(pack_vocabulary(["one", "two"], (1, 2)))
    2
    """
    encoded = [term.encode("utf-8", "surrogatepass") for term in terms]
    offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(term) for term in encoded], out=offsets[1:])
    return core.Vocabulary(b"".join(encoded), offsets, key)


def _collect(raw_documents: Any) -> Any:
    if isinstance(raw_documents, str):
        raise ValueError("Iterable over raw text documents expected, string object received.")
    return raw_documents


def _word_min_length(vectorizer: Any) -> int | None:
    r"""Return the shortest word that the token pattern takes; None for other patterns.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> def of(pattern):
    ...     return _word_min_length(
    ...         SimpleNamespace(analyzer="word", tokenizer=None, token_pattern=pattern))
    >>> [of(p) for p in (r"(?u)\b\w\w+\b", r"\w+", r"\w{3,}", r"[a-z]+")]
    [2, 1, 3, None]
    """
    if vectorizer.analyzer != "word":
        return 1
    if vectorizer.tokenizer is not None or not isinstance(vectorizer.token_pattern, str):
        return None
    match = _RUN_OF_WORD_CHARACTERS.fullmatch(vectorizer.token_pattern)
    if match is None:
        return None
    run, least = match.groups()
    length = len(run) // 2 if run is not None else int(least)
    return length if length >= 1 else None


def _stop_words(vectorizer: Any, key: tuple[int, int]) -> core.Vocabulary | None:
    words = vectorizer.get_stop_words() if vectorizer.analyzer == "word" else None
    if not words:
        return None
    return pack_vocabulary(sorted({word for word in words if isinstance(word, str)}), key)
