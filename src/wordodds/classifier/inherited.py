"""Whether a class of a user's does what the class it inherits from does."""

from inspect import getattr_static
from typing import Any

__all__ = ["check_inherited"]

_KNOWN = ("sklearn.", "wordodds.")


def check_inherited(estimator: Any, methods: tuple[str, ...]) -> None:
    """Raise where a subclass has its own version of a method that a LinearModel stands for.

    Parameters
    ----------
    estimator : estimator
        Fitted.
    methods : tuple of str
        Names; those that the estimator does not have are passed over.
    """
    kind = type(estimator)
    known = next((base for base in kind.__mro__ if base.__module__.startswith(_KNOWN)), object)
    for name in methods:
        # Static: what available_if guards is another object at each look.
        own = getattr_static(kind, name, None) is not getattr_static(known, name, None)
        if own or name in vars(estimator):
            raise ValueError(f"{kind.__name__} has a {name} of its own, which weights cannot carry")
