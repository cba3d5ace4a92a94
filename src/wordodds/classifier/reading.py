"""How text is read: the settings of a vectorizer that a TextClassifier can choose."""

from collections.abc import Callable, Mapping, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, TypeVar, cast

from wordodds.classifier.named_models import Kind
from wordodds.text.views import view_names
from wordodds.typing import Analyzer, AnalyzerName, DocumentLimit, NgramRange

if TYPE_CHECKING:
    from wordodds.classifier.text_classifier import TextClassifier

__all__ = [
    "CHARACTERS",
    "LENGTHS",
    "MANY",
    "OF_CHARACTERS",
    "PUNCTUATION",
    "WORDS",
    "Change",
    "Lengths",
    "Reading",
    "analyzers_of",
    "given_words",
    "plain_reading",
    "with_characters",
    "word_readings",
]

WORDS = r"(?u)\b\w+\b"
PUNCTUATION = r"(?u)\w+|[^\w\s]"  # words, and every other character but white space

MANY = 1000  # documents from which a term that occurs once is worth nothing

CHARACTERS: Final = "char_wb"  # the analyzer of characters beside words
LENGTHS: NgramRange = (2, 5)  # of sequences of characters beside words
OF_CHARACTERS = ("char", CHARACTERS)  # analyzers
# Options that fix which words are features, with the values that leave it open.
_OF_WORDS: dict[str, object] = {
    "analyzer": "word",
    "ngram_range": None,
    "token_pattern": None,
    "stop_words": None,
    "tokenizer": None,
    "preprocessor": None,
    "max_features": None,
    "n_hashed": None,
}

_UNITS: dict[object, str] = {
    "word": "words",
    "unicode_word": "words of Unicode",
    "char": "characters",
    CHARACTERS: "characters within words",
}

Number = TypeVar("Number", int, float)
Value = TypeVar("Value")
Lengths: TypeAlias = "NgramRange | tuple[NgramRange, ...]"


class Reading(NamedTuple):
    """Settings of a vectorizer; with several analyzers a setting may have a value for each."""

    analyzer: Analyzer
    token_pattern: str | None  # None: the analyzer uses none
    ngram_range: Lengths
    min_df: DocumentLimit | tuple[DocumentLimit, ...] | None  # None: there is no vocabulary
    lowercase: bool | tuple[bool, ...] = True

    @property
    def key(self) -> tuple[Any, ...]:
        """A key that differs between readings: 1 is a number of documents, 1.0 a share of them."""
        limits = self.min_df if isinstance(self.min_df, tuple) else (self.min_df,)
        return (*self, *map(type, limits))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; a function by its name."""
        values = self._asdict()
        if callable(self.analyzer):
            values["analyzer"] = getattr(self.analyzer, "__qualname__", repr(self.analyzer))
        return values

    def __str__(self) -> str:
        """Return the reading in a few words, such as "words, up to 2 together, min_df=2"."""
        names = [self._units(name) for name in analyzers_of(self.analyzer)]
        lengths: Any = self.ngram_range
        if isinstance(self.analyzer, tuple | list):
            parts = zip(names, lengths, strict=True)
            units = " beside ".join(f"{name} ({low}-{high})" for name, (low, high) in parts)
        else:
            low, high = lengths
            together = f"up to {high} together" if low == 1 else f"{low}-{high} together"
            units = names[0] if (low, high) == (1, 1) else f"{names[0]}, {together}"
        if self.lowercase is False:
            units += ", capitals kept"
        return units if self.min_df is None else f"{units}, min_df={self.min_df}"

    def _units(self, name: object) -> str:
        if name == "word" and self.token_pattern == PUNCTUATION:
            return "words and punctuation"
        return _UNITS.get(name, "features of a function")


Change: TypeAlias = Callable[[Reading], Reading]


def plain_reading(parameters: "TextClassifier", kind: Kind, n_documents: int) -> Reading:
    """Return the given settings, else those of the kind; few documents keep every term."""
    analyzer = _analyzer(parameters)
    least: DocumentLimit | tuple[DocumentLimit, ...] | None = None
    if parameters.n_hashed is None:
        least = 1 if n_documents < MANY else kind.min_df
        if parameters.min_df is not None:
            least = _by_view(parameters, analyzer, "min_df", _plain, least)
    pattern = _pattern(parameters, analyzer, kind.token_pattern)
    ngrams = _ngrams(parameters, analyzer, kind)
    lowercase: Any = parameters.lowercase
    if isinstance(lowercase, Mapping):
        lowercase = _by_view(parameters, analyzer, "lowercase", bool, True)
    return Reading(analyzer, pattern, ngrams, least, lowercase)


def word_readings(
    parameters: "TextClassifier", kind: Kind, *, is_sample: bool
) -> tuple[Reading, list[Change]]:
    """Return the settings to begin with, and changes to try one after the other.

    Punctuation and rare terms help on short texts and cost little in small corpora. Pairs of words
    need more documents than a sample has, and terms that occur once cost more than they give there.
    """
    first = plain_reading(parameters, kind, MANY)
    changes: list[Change] = []
    if first.min_df is not None and parameters.min_df is None and not is_sample:
        first = first._replace(min_df=1)
        changes.append(lambda reading: reading._replace(min_df=2))
    if first.token_pattern is not None and parameters.token_pattern is None:
        tokens, others = (WORDS, PUNCTUATION) if is_sample else (PUNCTUATION, WORDS)
        first = first._replace(token_pattern=tokens)
        changes.append(lambda reading: reading._replace(token_pattern=others))
    if parameters.ngram_range is None and not is_sample:
        changes.append(_with_single_words)
    return first, changes


def analyzers_of(analyzer: Analyzer) -> Sequence[object]:
    """Return the analyzers, the only one in a tuple."""
    return view_names(analyzer) or (analyzer,)


def given_words(parameters: "TextClassifier") -> str | None:
    """Return the name of a given option that fixes which words are features; None without one."""
    for name, default in _OF_WORDS.items():
        given = getattr(parameters, name)
        if given is not default and given != default:
            return name
    return None


def with_characters(reading: Reading, lengths: NgramRange = LENGTHS) -> Reading:
    """Return a reading of words with sequences of characters beside them."""
    analyzer: tuple[AnalyzerName, ...] = (cast("AnalyzerName", reading.analyzer), CHARACTERS)
    words = cast("NgramRange", reading.ngram_range)
    return reading._replace(analyzer=analyzer, ngram_range=(words, lengths))


def _analyzer(parameters: "TextClassifier") -> Analyzer:
    """Return the given analyzer, with characters beside it if they are asked for."""
    analyzer, characters = parameters.analyzer, parameters.characters
    if not (characters is None or isinstance(characters, bool)):
        raise ValueError(f"characters must be True, False or None, got {characters!r}")
    if not characters:
        return tuple(analyzer) if isinstance(analyzer, list) else analyzer
    if analyzer not in ("word", "unicode_word"):
        raise ValueError(
            "characters=True puts characters beside words, so analyzer must be 'word' or "
            f"'unicode_word', got {analyzer!r}: leave characters, or leave analyzer"
        )
    return cast("AnalyzerName", analyzer), CHARACTERS


def _pattern(parameters: "TextClassifier", analyzer: Analyzer, default: str) -> str | None:
    if "word" not in analyzers_of(analyzer) or parameters.tokenizer is not None:
        return None
    given: str | None = parameters.token_pattern
    return default if given is None else given


def _ngrams(parameters: "TextClassifier", analyzer: Analyzer, kind: Kind) -> Lengths:
    if callable(analyzer) and parameters.ngram_range is None:
        return (1, 1)  # it returns features as they are
    if not isinstance(analyzer, tuple | list):
        return _by_view(parameters, analyzer, "ngram_range", _range, kind.ngram_range)
    given = parameters.ngram_range
    words = kind.ngram_range
    if parameters.characters and given is not None and not isinstance(given, Mapping):
        _refuse_tuples("ngram_range", given)
        words, given = _range(given), None  # characters have lengths of their own
    own = {name: LENGTHS if name in OF_CHARACTERS else words for name in analyzer}
    if given is None:
        return tuple(own.values())
    return _by_view(parameters, analyzer, "ngram_range", _range, words, own)


def _with_single_words(reading: Reading) -> Reading:
    """Return a reading in which words stand alone."""
    if not isinstance(reading.analyzer, tuple | list):
        return reading._replace(ngram_range=(1, 1))
    by_view = zip(
        reading.analyzer, cast("tuple[NgramRange, ...]", reading.ngram_range), strict=True
    )
    return reading._replace(
        ngram_range=tuple(own if name in OF_CHARACTERS else (1, 1) for name, own in by_view)
    )


def _by_view(
    parameters: "TextClassifier",
    analyzer: Analyzer,
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
    names = analyzers_of(analyzer)
    if not isinstance(analyzer, tuple | list) or not set(given) <= set(names):
        raise ValueError(
            f"{option}={given!r} must be one value, or have the names of several analyzers; "
            f"analyzer is {analyzer!r}"
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
