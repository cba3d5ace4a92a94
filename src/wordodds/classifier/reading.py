"""How text is read: the settings of a vectorizer that a TextClassifier can choose."""

from numbers import Integral
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from wordodds.classifier.named_models import Kind
from wordodds.typing import DocumentLimit

if TYPE_CHECKING:
    from wordodds.classifier.text_classifier import TextClassifier

__all__ = ["MANY", "PUNCTUATION", "WORDS", "Reading", "plain_reading", "readings"]

WORDS = r"(?u)\b\w+\b"
PUNCTUATION = r"(?u)\w+|[^\w\s]"  # words, and every other character but white space

MANY = 1000  # documents from which a term that occurs once is worth nothing

Number = TypeVar("Number", int, float)


class Reading(NamedTuple):
    """Settings of a vectorizer."""

    token_pattern: str | None  # None: the analyzer uses none
    ngram_range: tuple[int, ...]
    min_df: DocumentLimit | None  # None: there is no vocabulary

    @property
    def key(self) -> tuple[Any, ...]:
        """A key that differs between readings: 1 is a number of documents, 1.0 a share of them."""
        return (*self, isinstance(self.min_df, float))


def plain_reading(parameters: "TextClassifier", kind: Kind, n_documents: int) -> Reading:
    """Return the given settings, else those of the kind; few documents keep every term."""
    least: DocumentLimit | None = None
    if parameters.n_hashed is None:
        least = 1 if n_documents < MANY else kind.min_df
        least = least if parameters.min_df is None else _plain(parameters.min_df)
    return Reading(_pattern(parameters, kind.token_pattern), _ngrams(parameters, kind), least)


def readings(
    parameters: "TextClassifier", kind: Kind, *, is_sample: bool
) -> tuple[Reading, list[dict[str, Any]]]:
    """Return the settings to begin with, and changes to try one after the other.

    Punctuation and rare terms help on short texts and cost little in small corpora. Pairs of words
    need more documents than a sample has, and terms that occur once cost more than they give there.
    """
    first = plain_reading(parameters, kind, MANY)
    changes: list[dict[str, Any]] = []
    if first.min_df is not None and parameters.min_df is None and not is_sample:
        first = first._replace(min_df=1)
        changes.append({"min_df": 2})
    if first.token_pattern is not None and parameters.token_pattern is None:
        tokens, others = (WORDS, PUNCTUATION) if is_sample else (PUNCTUATION, WORDS)
        first = first._replace(token_pattern=tokens)
        changes.append({"token_pattern": others})
    if parameters.ngram_range is None and not is_sample:
        changes.append({"ngram_range": (1, 1)})
    return first, changes


def _pattern(parameters: "TextClassifier", default: str) -> str | None:
    if parameters.analyzer != "word" or parameters.tokenizer is not None:
        return None
    given: str | None = parameters.token_pattern
    return default if given is None else given


def _ngrams(parameters: "TextClassifier", kind: Kind) -> tuple[int, ...]:
    given = kind.ngram_range if parameters.ngram_range is None else parameters.ngram_range
    return tuple(map(_plain, given)) if isinstance(given, tuple) else given


def _plain(number: Number) -> Number:
    """Return whole numbers as Python's, which a model file can hold."""
    return int(number) if isinstance(number, Integral) else number
