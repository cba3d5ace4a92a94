"""The plain options of a model file, none of which is believed before it is checked."""

import codecs
import re
from collections.abc import Callable, Mapping
from typing import Any, cast

from wordodds._border.checks import is_whole_number
from wordodds._border.stem import check_stemmer

__all__ = ["OPTIONS", "checked_options"]

_LONGEST_NGRAM = 1000  # the work for a text grows with it


def checked_options(plain: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of `TextFeatures` that a file holds; ValueError if one makes no sense."""
    for option, is_sound in OPTIONS.items():
        if option not in plain or not is_sound(plain[option]):
            raise ValueError(f"its option {option} is {plain.get(option)!r:.200}")
    options = {option: plain[option] for option in OPTIONS}
    return options | {"ngram_range": tuple(options["ngram_range"])}


def _is_count(value: object, largest: int = 2**31 - 1) -> bool:
    return is_whole_number(value) and 0 <= value <= largest


def _is_range(value: object) -> bool:
    if not isinstance(value, list) or len(value) != 2:
        return False
    return all(_is_count(n, _LONGEST_NGRAM) for n in value) and 1 <= value[0] <= value[1]


def _is_pattern(value: object) -> bool:
    try:
        return isinstance(value, str) and re.compile(value).groups <= 1
    except (re.error, OverflowError, RecursionError):
        return False


def _is_stemmer(value: object) -> bool:
    if isinstance(value, str):
        check_stemmer(value)
    return value is None or isinstance(value, str)


def _is_encoding(value: object) -> bool:
    try:
        "".encode(cast("str", value))  # of text: "hex" is a codec too
    except (LookupError, ValueError, TypeError):
        return False
    return True


def _is_decode_error(value: object) -> bool:
    try:
        codecs.lookup_error(cast("str", value))
    except (LookupError, ValueError, TypeError):
        return False
    return True


# Option of TextFeatures -> whether a value of it makes sense.
OPTIONS: dict[str, Callable[[Any], bool]] = {
    "n_unknown": _is_count,
    "n_hashed": _is_count,
    "alternate_sign": lambda value: isinstance(value, bool),
    "analyzer": lambda value: value in ("word", "char", "char_wb", "unicode_word", "fasttext"),
    "lowercase": lambda value: isinstance(value, bool),
    "strip_accents": lambda value: value in (None, "ascii", "unicode"),
    "token_pattern": _is_pattern,
    "ngram_range": _is_range,
    "stemmer": _is_stemmer,
    "binary": lambda value: isinstance(value, bool),
    "sublinear": lambda value: isinstance(value, bool),
    "norm": lambda value: value in (None, "l1", "l2"),
    "encoding": _is_encoding,
    "decode_error": _is_decode_error,
    "missing": lambda value: value in ("error", "empty"),
}
