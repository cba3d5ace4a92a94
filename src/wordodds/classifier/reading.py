"""How text is read: the settings of a vectorizer that a TextClassifier can choose."""

from collections.abc import Callable, Mapping, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from wordodds.classifier.named_models import Kind
from wordodds.text.views import view_names
from wordodds.typing import DocumentLimit, NgramRange

if TYPE_CHECKING:
    from wordodds.classifier.text_classifier import TextClassifier

__all__ = ["MANY", "PUNCTUATION", "WORDS", "Reading", "analyzers_of", "plain_reading", "readings"]

WORDS = r"(?u)\b\w+\b"
PUNCTUATION = r"(?u)\w+|[^\w\s]"  # words, and every other character but white space

MANY = 1000  # documents from which a term that occurs once is worth nothing

# Lengths of sequences of characters beside words.
CHARACTERS: dict[str, NgramRange] = {"char": (3, 5), "char_wb": (3, 5)}

Number = TypeVar("Number", int, float)
Value = TypeVar("Value")


class Reading(NamedTuple):
    """Settings of a vectorizer; with several analyzers a setting may have a value for each."""

    token_pattern: str | None  # None: the analyzer uses none
    ngram_range: NgramRange | tuple[NgramRange, ...]
    min_df: DocumentLimit | tuple[DocumentLimit, ...] | None  # None: there is no vocabulary

    @property
    def key(self) -> tuple[Any, ...]:
        """A key that differs between readings: 1 is a number of documents, 1.0 a share of them."""
        limits = self.min_df if isinstance(self.min_df, tuple) else (self.min_df,)
        return (*self, *map(type, limits))


def plain_reading(parameters: "TextClassifier", kind: Kind, n_documents: int) -> Reading:
    """Return the given settings, else those of the kind; few documents keep every term."""
    least: DocumentLimit | tuple[DocumentLimit, ...] | None = None
    if parameters.n_hashed is None:
        least = 1 if n_documents < MANY else kind.min_df
        if parameters.min_df is not None:
            least = _by_view(parameters, "min_df", _plain, least)
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
        changes.append({"ngram_range": _single_words(parameters, first.ngram_range)})
    return first, changes


def _pattern(parameters: "TextClassifier", default: str) -> str | None:
    if "word" not in analyzers_of(parameters) or parameters.tokenizer is not None:
        return None
    given: str | None = parameters.token_pattern
    return default if given is None else given


def analyzers_of(parameters: "TextClassifier") -> Sequence[object]:
    """Return the analyzers, the only one in a tuple."""
    return view_names(parameters.analyzer) or (parameters.analyzer,)


def _ngrams(parameters: "TextClassifier", kind: Kind) -> NgramRange | tuple[NgramRange, ...]:
    several = isinstance(parameters.analyzer, tuple | list)
    own = {
        name: CHARACTERS.get(name, kind.ngram_range) if several else kind.ngram_range
        for name in map(str, analyzers_of(parameters))
    }
    if parameters.ngram_range is None and several:
        return tuple(own.values())
    return _by_view(parameters, "ngram_range", _range, kind.ngram_range, own)


def _single_words(
    parameters: "TextClassifier", ngrams: NgramRange | tuple[NgramRange, ...]
) -> NgramRange | tuple[NgramRange, ...]:
    """Return lengths of sequences in which words stand alone."""
    if not isinstance(parameters.analyzer, tuple | list):
        return (1, 1)
    by_view = zip(parameters.analyzer, cast("tuple[NgramRange, ...]", ngrams), strict=True)
    return tuple(own if name in CHARACTERS else (1, 1) for name, own in by_view)


def _by_view(
    parameters: "TextClassifier",
    option: str,
    plain: Callable[[Value], Value],
    default: Value,
    own_defaults: Mapping[str, Value] | None = None,
) -> Value | tuple[Value, ...]:
    """Return an option that may be given for each of several analyzers, in their order.

    An analyzer that is not named has the default, perhaps one of its own.
    """
    given = getattr(parameters, option)
    if given is None:
        given = default
    if not isinstance(given, Mapping):
        _refuse_tuples(option, given)
        return plain(given)
    names = analyzers_of(parameters)
    if not isinstance(parameters.analyzer, tuple | list) or not set(given) <= set(names):
        raise ValueError(
            f"{option}={given!r} must be one value, or have the names of several analyzers; "
            f"analyzer is {parameters.analyzer!r}"
        )
    defaults = own_defaults or {}
    return tuple(plain(given.get(name, defaults.get(name, default))) for name in map(str, names))


def _refuse_tuples(option: str, given: object) -> None:
    """Refuse values in the order of the analyzers, which would be taken for those by name."""
    if not isinstance(given, tuple):
        return
    if option == "min_df" or any(isinstance(each, tuple) for each in given):
        raise ValueError(
            f"{option}={given!r} must be one value, or a dict of them by the names of several "
            "analyzers"
        )


def _range(given: NgramRange) -> NgramRange:
    if not isinstance(given, tuple) or len(given) != 2:
        return given  # the vectorizer has the error for it
    return _plain(given[0]), _plain(given[1])


def _plain(number: Number) -> Number:
    """Return whole numbers as Python's, which a model file can hold."""
    return int(number) if isinstance(number, Integral) else number
