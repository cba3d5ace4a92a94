"""Values that the shell passes, read and checked: types of arguments."""

import argparse

from wordodds._files.sizes import parse_size

__all__ = [
    "analyzers",
    "class_weight",
    "fraction",
    "ngrams",
    "non_negative",
    "positive",
    "positive_real",
    "probability",
    "size",
]


def positive(text: str) -> int:
    """Read a whole number of 1 or more.

    Examples
    --------
    >>> positive("12")
    12
    """
    if not text.isdecimal() or not 1 <= int(text[:9]) == int(text):
        raise argparse.ArgumentTypeError(f"must be a whole number of 1 or more, got {text!r}")
    return int(text)


def fraction(text: str) -> float:
    """Read a number between 0 and 1, both excluded.

    Examples
    --------
    >>> fraction("0.2")
    0.2
    """
    value = _number(text)
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"must be a number between 0 and 1, got {text!r}")
    return value


def probability(text: str) -> float:
    """Read a number from 0 to 1.

    Examples
    --------
    >>> probability("1")
    1.0
    """
    value = _number(text)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"must be a number from 0 to 1, got {text!r}")
    return value


def size(text: str) -> int:
    """Read a number of bytes.

    Examples
    --------
    >>> size("500MB")
    500000000
    """
    try:
        return parse_size(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def positive_real(text: str) -> float:
    """Read a number above 0.

    Examples
    --------
    >>> positive_real("10")
    10.0
    """
    value = _number(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"must be a number above 0, got {text!r}")
    return value


def class_weight(text: str) -> str | dict[str, float]:
    """Read weights of classes, or the word "balanced".

    Examples
    --------
    >>> class_weight("spam=5,ham=1")
    {'spam': 5.0, 'ham': 1.0}
    """
    if text == "balanced":
        return text
    weights: dict[str, float] = {}
    for part in text.split(","):
        label, equals, number = part.rpartition("=")
        if not equals or not label or label in weights or not 0 <= _number(number) < float("inf"):
            raise argparse.ArgumentTypeError(
                f'must be "balanced" or LABEL=WEIGHT,... with weights of 0 or more, got {text!r}'
            )
        weights[label] = _number(number)
    return weights


def analyzers(text: str) -> str | tuple[str, ...]:
    """Read the name of an analyzer, or several with commas between them.

    Examples
    --------
    >>> analyzers("word"), analyzers("word,char_wb")
    ('word', ('word', 'char_wb'))
    """
    names = text.split(",")
    known = ("word", "char", "char_wb", "unicode_word")
    if any(name not in known for name in names) or len(set(names)) < len(names):
        raise argparse.ArgumentTypeError(
            f"must be one of {', '.join(known)}, or several such as word,char_wb; got {text!r}"
        )
    return names[0] if len(names) == 1 else tuple(names)


def ngrams(text: str) -> tuple[int, int] | dict[str, tuple[int, int]]:
    """Read the shortest and the longest n-gram, or one number for both; or those of analyzers.

    Examples
    --------
    >>> ngrams("1,2"), ngrams("3")
    ((1, 2), (3, 3))
    >>> ngrams("word=1-2,char_wb=3-5")
    {'word': (1, 2), 'char_wb': (3, 5)}
    """
    if "=" not in text:
        return _range(text, "-" if "-" in text else ",", text)
    parts = [part.partition("=") for part in text.split(",")]
    ranges = {name: lengths for name, _, lengths in parts}
    if len(ranges) < len(parts) or not all(name and equals for name, equals, _ in parts):
        raise argparse.ArgumentTypeError(
            f"must be N,M, or with several analyzers A=N-M,B=N-M; got {text!r}"
        )
    return {name: _range(lengths, "-", text) for name, lengths in ranges.items()}


def _range(lengths: str, between: str, text: str) -> tuple[int, int]:
    shortest, comma, longest = lengths.partition(between)
    pair = positive(shortest), positive(longest if comma else shortest)
    if pair[0] > pair[1]:
        raise argparse.ArgumentTypeError(f"must be SHORTEST,LONGEST, got {text!r}")
    return pair


def non_negative(text: str) -> float:
    """Read a number of 0 or more.

    Examples
    --------
    >>> non_negative("0.01")
    0.01
    """
    value = _number(text)
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"must be a number of 0 or more, got {text!r}")
    return value


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")
