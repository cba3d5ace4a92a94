"""How text is read: what the settings of a vectorizer are that a TextClassifier may choose."""

from numbers import Integral
from typing import Any, NamedTuple

from wordodds.classifier.kinds import Kind

__all__ = ["MANY", "PUNCTUATION", "WORDS", "Reading", "plain_reading", "readings"]

WORDS = r"(?u)\b\w+\b"
PUNCTUATION = r"(?u)\w+|[^\w\s]"  # words, and every other character but white space

MANY = 1000  # documents from which a term that occurs once is worth nothing


class Reading(NamedTuple):
    """Settings of a vectorizer."""

    token_pattern: str | None  # None: the analyzer has no use for one
    ngram_range: Any
    min_df: Any  # None: there is no vocabulary


def plain_reading(parameters: Any, kind: Kind, n_documents: int) -> Reading:
    """Return the settings that are given, and those of the kind where they are not.

    Parameters
    ----------
    parameters : TextClassifier
        Whose parameters count.
    kind : Kind
        What suits its model.
    n_documents : int
        Number of documents; of few, every term is kept.
    """
    least = None
    if parameters.n_hashed is None:
        least = 1 if n_documents < MANY else kind.min_df
        least = least if parameters.min_df is None else _plain(parameters.min_df)
    return Reading(_pattern(parameters, kind.token_pattern), _ngrams(parameters, kind), least)


def readings(parameters: Any, kind: Kind, n_documents: int, *, is_sample: bool) -> list[Reading]:
    """Return the settings to choose among, those first that are taken where nothing speaks for one.

    Punctuation and rare terms say something in short texts, and cost little in small corpora.

    Parameters
    ----------
    parameters : TextClassifier
        What it gives is not chosen.
    kind : Kind
        What suits its model.
    n_documents : int
        Number of documents.
    is_sample : bool
        Whether these are some of many, where terms that occur once cost more than they give.
    """
    plain = plain_reading(parameters, kind, n_documents)
    patterns = [plain.token_pattern]
    if plain.token_pattern is not None and parameters.token_pattern is None:
        patterns = [WORDS, PUNCTUATION] if is_sample else [PUNCTUATION, WORDS]
    ngrams = [plain.ngram_range]
    if parameters.ngram_range is None and n_documents < MANY and not is_sample:
        ngrams.append((1, 1))
    least = [plain.min_df]
    if plain.min_df is not None and parameters.min_df is None:
        least = [2] if is_sample else [1, 2]
    return [
        Reading(pattern, ngram_range, min_df)
        for pattern in patterns
        for ngram_range in ngrams
        for min_df in least
    ]


def _pattern(parameters: Any, default: str) -> str | None:
    if parameters.analyzer != "word" or parameters.tokenizer is not None:
        return None
    given: str | None = parameters.token_pattern
    return default if given is None else given


def _ngrams(parameters: Any, kind: Kind) -> Any:
    given = kind.ngram_range if parameters.ngram_range is None else parameters.ngram_range
    return tuple(map(_plain, given)) if isinstance(given, tuple) else given


def _plain(number: Any) -> Any:
    """Return whole numbers as Python's, which a model file can hold."""
    return int(number) if isinstance(number, Integral) else number
