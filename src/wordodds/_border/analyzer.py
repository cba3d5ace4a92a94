"""What an analyzer compiles to: the same decision for a vectorizer and for a model file."""

import re
from typing import NamedTuple

from wordodds._border.documents import Documents
from wordodds._border.execution import Execution
from wordodds._border.stem import with_stems
from wordodds._border.terms import pack_vocabulary
from wordodds._core import text as core

__all__ = ["WORD_ANALYZERS", "AnalyzerSpec", "compiled_options", "stemmed"]

WORD_ANALYZERS = ("word", "unicode_word")

# \w\w+ and its relatives: a maximal run of word characters of some least length. The \b around
# them changes nothing, as a match of a greedy \w+ always ends where the run ends. It may be
# followed by [^\w\s]: a single character that is neither part of a word nor white space.
_KNOWN = re.compile(
    r"(?:\(\?u\))?(?:\\b)?(?:((?:\\w)+)\+|\\w\{(\d{1,9}),\})(?:\\b)?(\|\[\^(?:\\w\\s|\\s\\w)\])?"
)


class AnalyzerSpec(NamedTuple):
    """How text becomes features, in plain values; the names are those of the vectorizers."""

    analyzer: str = "word"
    lowercase: bool = True
    strip_accents: str | None = None
    token_pattern: str | None = r"(?u)\b\w\w+\b"
    ngram_range: tuple[int, int] = (1, 1)
    stop_words: frozenset[str] | None = None

    def of_prepared_text(self) -> "AnalyzerSpec":
        """Return what is left to do where a preprocessor takes the place of case and accents."""
        return self._replace(lowercase=False, strip_accents=None)


def compiled_options(spec: AnalyzerSpec) -> core.AnalyzerOptions | None:
    r"""Return the options of the compiled analyzer; None if Python must find the features.

    Examples
    --------
    >>> compiled_options(AnalyzerSpec(token_pattern=r"\w+")).features("To be", 1, 0)
    ['to', 'be']
    >>> compiled_options(AnalyzerSpec(token_pattern="[a-z]+")) is None
    True
    """
    analyzer, min_length = spec.analyzer, 1
    if analyzer == "word":
        pattern = _token_pattern(spec.token_pattern)
        if pattern is None:
            return None
        analyzer, min_length = pattern
    ngram_min, ngram_max = spec.ngram_range
    if not 1 <= ngram_min <= ngram_max:
        return None
    words = None
    if spec.stop_words is not None and spec.analyzer in WORD_ANALYZERS:
        words = pack_vocabulary(sorted(spec.stop_words))
    return core.AnalyzerOptions(
        analyzer,
        lowercase=spec.lowercase,
        strip_accents=spec.strip_accents,
        word_min_length=min_length,
        ngram_min=ngram_min,
        ngram_max=ngram_max,
        stop_words=words,
    )


def stemmed(
    options: core.AnalyzerOptions, documents: Documents, stemmer: str | None, how: Execution
) -> core.AnalyzerOptions:
    """Return options that put stems in the place of these documents' words, with a stemmer."""
    return options if stemmer is None else with_stems(options, documents, stemmer, how)


def _token_pattern(pattern: str | None) -> tuple[str, int] | None:
    """Return the analyzer of a token pattern and the least length of a word; None if unknown."""
    match = _KNOWN.fullmatch(pattern) if isinstance(pattern, str) else None
    if match is None:
        return None
    run, least, marks = match.groups()
    length = len(run) // 2 if run is not None else int(least)
    if length < 1:
        return None
    return "word" if marks is None else "word_or_mark", length
