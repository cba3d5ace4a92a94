"""Whether a class of a user's does what the class it inherits from does."""

from inspect import getattr_static
from typing import Any

__all__ = ["check_inherited", "own_methods"]

_KNOWN = ("sklearn.", "wordodds.")


def own_methods(estimator: Any, methods: tuple[str, ...]) -> list[str]:
    """Return which methods a user's subclass or object has its own version of.

    Parameters
    ----------
    estimator : estimator
        Of scikit-learn's or ours, or of a class that inherits from one.
    methods : tuple of str
        Names; those that the estimator does not have are passed over.
    """
    kind = type(estimator)
    known = next((base for base in kind.__mro__ if base.__module__.startswith(_KNOWN)), object)
    return [
        name
        for name in methods
        # Static: what available_if guards is another object at each look.
        if name in vars(estimator)
        or getattr_static(kind, name, None) is not getattr_static(known, name, None)
    ]


def check_inherited(estimator: Any, methods: tuple[str, ...]) -> None:
    """Raise where a subclass has its own version of a method that a LinearModel stands for.

    Parameters
    ----------
    estimator : estimator
        Fitted.
    methods : tuple of str
        As in `own_methods`.
    """
    for name in own_methods(estimator, methods):
        raise ValueError(
            f"{type(estimator).__name__} has a {name} of its own, which weights cannot carry"
        )
