"""A property that is computed when it is first asked for, without a lock."""

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

__all__ = ["cached_property"]

Value = TypeVar("Value")


class cached_property(Generic[Value]):  # noqa: N801 - it is used as `property` is
    """A property that is computed when it is first asked for, and then kept.

    `functools.cached_property` takes one lock per property in Python 3.11, which a forked child
    inherits locked if another thread of its parent held it. This one has no lock: threads that ask
    first at the same time may each compute the value, and all get the one that was stored first.

    Examples
    --------
    >>> class Corpus:
    ...     @cached_property
    ...     def n_words(self):
    ...         print("counting")
    ...         return 3
    >>> corpus = Corpus()
    >>> corpus.n_words + corpus.n_words
    counting
    6
    """

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type) -> Value: ...

    def __get__(self, instance: object | None, owner: type) -> Self | Value:
        if instance is None:
            return self
        # One step that no other thread can come between: the first value stays.
        kept: Value = vars(instance).setdefault(self._name, self._compute(instance))
        return kept
