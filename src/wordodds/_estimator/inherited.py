"""Detect methods that a user's subclass overrides."""

from collections.abc import Collection
from functools import lru_cache
from typing import Any

__all__ = ["check_inherited", "own_methods"]

_NOTHING: frozenset[str] = frozenset()


def own_methods(estimator: object, methods: Collection[str]) -> frozenset[str]:
    """Return which methods a user's subclass or object has its own version of.

    Examples
    --------
    >>> from wordodds import CountVectorizer
    >>> vectorizer = CountVectorizer()
    >>> vectorizer.build_tokenizer = lambda: str.split
    >>> own_methods(vectorizer, ("build_tokenizer", "transform"))
    frozenset({'build_tokenizer'})
    """
    kind: Any = type(estimator)
    attributes = vars(estimator)
    known = _known_class(kind)
    if kind is known and attributes.keys().isdisjoint(methods):
        return _NOTHING
    return frozenset(
        name
        for name in methods
        if name in attributes or _defined(kind, name) is not _defined(known, name)
    )


def check_inherited(estimator: object, methods: Collection[str]) -> None:
    """Raise where a subclass has its own version of a method that a LinearModel stands for."""
    own = own_methods(estimator, methods)
    for name in methods:
        if name in own:
            raise ValueError(
                f"{type(estimator).__name__} has a {name} of its own, which weights cannot carry"
            )


@lru_cache(maxsize=64)
def _known_class(kind: type[Any]) -> type[Any]:
    """Return the class of ours, or else of scikit-learn's, that a class derives from."""
    for package in ("wordodds.", "sklearn."):
        for base in kind.__mro__:
            if base.__module__.startswith(package):
                return base
    return object


def _defined(kind: type, name: str) -> object:
    # Not getattr: what available_if guards is another object at each look.
    return next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)
