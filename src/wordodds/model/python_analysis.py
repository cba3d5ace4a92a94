"""Analyzers that run in Python: for what the compiled ones do not know.

The same steps as scikit-learn's vectorizers, without importing it: a scoring worker has a model
file and perhaps a function of its own, nothing else.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from wordodds._border.stem import stem

if TYPE_CHECKING:
    from wordodds.model.features import TextFeatures

__all__ = ["preprocessor_of", "python_analyzer"]


def preprocessor_of(
    callables: Mapping[str, Callable[..., Any]], lowercase: bool
) -> Callable[[str], str] | None:
    """Return what a user's functions do to a text before it is analyzed; None without any.

    Text is lower-cased before a user's ``strip_accents``; a ``preprocessor`` replaces both.
    """
    if "preprocessor" in callables:
        return callables["preprocessor"]
    if "strip_accents" not in callables:
        return None
    strip = callables["strip_accents"]
    return lambda text: strip(text.lower() if lowercase else text)


def python_analyzer(features: "TextFeatures") -> Callable[[str], list[str]]:
    """Return a function that turns one text into its features.

    Examples
    --------
    >>> from wordodds.model.features import TextFeatures
    >>> python_analyzer(TextFeatures(token_pattern="[a-z]+", ngram_range=(1, 2)))("A b1c")
    ['a', 'b', 'c', 'a b', 'b c']
    """
    if "analyzer" in features.callables:
        return features.callables["analyzer"]
    preprocess = preprocessor_of(features.callables, features.lowercase) or _plain_preprocess(
        features.lowercase, features.strip_accents
    )
    tokenize = features.callables.get("tokenizer") or re.compile(features.token_pattern).findall
    stop_words = frozenset(features.stop_words or ())
    language = features.stemmer

    def analyze(text: str) -> list[str]:
        tokens = [token for token in tokenize(preprocess(text)) if token not in stop_words]
        if language is not None:
            tokens = [stem(language, token) for token in tokens]
        return _ngrams(tokens, *features.ngram_range)

    return analyze


def _ngrams(tokens: list[str], shortest: int, longest: int) -> list[str]:
    if longest == 1:
        return tokens
    found = list(tokens) if shortest == 1 else []
    for n in range(max(shortest, 2), min(longest, len(tokens)) + 1):
        found += [" ".join(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]
    return found


def _plain_preprocess(lowercase: bool, strip_accents: str | None) -> Callable[[str], str]:
    def preprocess(text: str) -> str:
        if lowercase:
            text = text.lower()
        if strip_accents is None or text.isascii():
            return text
        parts = unicodedata.normalize("NFKD", text)
        if strip_accents == "ascii":
            return parts.encode("ascii", "ignore").decode("ascii")
        return "".join(part for part in parts if not unicodedata.combining(part))

    return preprocess
