"""Arguments that are one number or one word."""

import sys
from collections.abc import Sequence
from numbers import Integral, Real
from typing import TypeGuard

__all__ = ["is_real_number", "is_whole_number", "one_of", "real_number", "whole_number"]

_LARGEST = sys.float_info.max


def is_whole_number(value: object) -> TypeGuard[int]:
    """Return whether a value is a whole number of Python or NumPy; True and False are none."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_real_number(value: object) -> TypeGuard[float]:
    """Return whether a value is a number of Python or NumPy; True and False are none."""
    return isinstance(value, Real) and not isinstance(value, bool)


def whole_number(
    value: object,
    name: str,
    least: int | None = None,
    most: int | None = None,
    *,
    wanted: str | None = None,
    wrong_type: type[Exception] = TypeError,
) -> int:
    """Return a whole number within bounds, as an int.

    Raises ``wrong_type`` for anything else, and ValueError for a number out of bounds. ``wanted``
    is what the message asks for, if that is more than a number.

    Examples
    --------
    >>> whole_number(3, "k", 1)
    3
    >>> whole_number(0, "k", 1)
    Traceback (most recent call last):
    ...
    ValueError: k must be a whole number >= 1, got 0
    """
    expected = wanted or f"a whole number{_bounds(least, most, above=False)}"
    if not is_whole_number(value):
        raise wrong_type(f"{name} must be {expected}, got {value!r}")
    number = int(value)
    if (least is not None and number < least) or (most is not None and number > most):
        raise ValueError(f"{name} must be {expected}, got {value!r}")
    return number


def real_number(
    value: object,
    name: str,
    least: float | None = None,
    most: float | None = None,
    *,
    above: bool = False,
    wanted: str | None = None,
    wrong_type: type[Exception] = TypeError,
) -> float:
    """Return a number within bounds, as a float; infinity only where ``most`` is infinity.

    ``above`` leaves ``least`` itself out. Exceptions are those of `whole_number`.

    Examples
    --------
    >>> real_number(1, "tol", 0)
    1.0
    >>> real_number(0, "eta0", 0, above=True)
    Traceback (most recent call last):
    ...
    ValueError: eta0 must be a finite number > 0, got 0
    """
    kind = "a finite number" if most is None else "a number"
    expected = wanted or f"{kind}{_bounds(least, most, above=above)}"
    if not is_real_number(value):
        raise wrong_type(f"{name} must be {expected}, got {value!r}")
    try:
        number = float(value)
    except OverflowError:  # an int of 400 digits
        number = float("inf") if value > 0 else -float("inf")
    smallest = -_LARGEST if least is None else least
    largest = _LARGEST if most is None else most
    # Written so that NaN fails.
    if not smallest <= number <= largest or (above and number == least):
        raise ValueError(f"{name} must be {expected}, got {value!r}")
    return number


def one_of(value: object, name: str, choices: Sequence[str | None]) -> None:
    """Raise ValueError unless a value is one of several words, or None where that is among them.

    Examples
    --------
    >>> one_of("max", "norm", ("l1", "l2", None))
    Traceback (most recent call last):
    ...
    ValueError: norm must be 'l1', 'l2' or None, got 'max'
    """
    # Of an array, `in` would ask for the truth of every comparison.
    if not (value is None or isinstance(value, str)) or value not in choices:
        *others, last = map(repr, choices)
        listed = f"{', '.join(others)} or {last}" if others else last
        raise ValueError(f"{name} must be {listed}, got {value!r:.80}")


def _bounds(least: float | None, most: float | None, *, above: bool) -> str:
    if least is None:
        return "" if most is None else f" <= {most}"
    if most is None or most == float("inf"):
        return f" {'>' if above else '>='} {least}"
    return f" > {least} and <= {most}" if above else f" from {least} to {most}"
