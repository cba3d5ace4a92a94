"""Signatures of earlier versions, which still work and warn."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

if TYPE_CHECKING:
    from wordodds.model.linear_model import LinearModel

__all__ = ["takes_label_alone", "takes_label_first"]

Method = TypeVar("Method", bound=Callable[..., Any])


def takes_label_first(top_features: Method) -> Method:
    """Let ``top_features(label, n)`` return a list, where n comes first and a dict is returned.

    One whole number without a keyword is n, also of a model whose labels are numbers.
    """

    @wraps(top_features)
    def either(self: object, *args: object, **kwargs: object) -> object:
        if not _names_a_label(self, args, kwargs):
            return top_features(self, *args, **kwargs)
        label = args[0] if args else kwargs["label"]
        n = args[1] if len(args) == 2 else kwargs.get("n", 10)
        _warn("top_features(label, n)", "top_features(n, labels=[label])[label]")
        if label is None:
            return top_features(self, n)
        ((_, best),) = top_features(self, n, labels=[label]).items()
        return best

    return cast("Method", either)


def _names_a_label(model: object, args: Sequence[object], kwargs: Mapping[str, object]) -> bool:
    if len(args) > 2 or not kwargs.keys() <= {"label", "n"} - {*("label", "n")[: len(args)]}:
        return False
    if not args:
        return "label" in kwargs
    if len(args) == 2 or kwargs:
        return True
    first = args[0]
    if isinstance(first, bool | np.bool_):
        classes = getattr(model, "classes_", None)
        return classes is not None and classes.dtype == bool
    return first is None or isinstance(first, str | bytes)


def takes_label_alone(log_odds: Method) -> Method:
    """Let ``log_odds(label, against=None)`` return an array, where a feature comes first.

    Two arguments without keywords are a feature and a label.
    """

    @wraps(log_odds)
    def either(self: "LinearModel", *args: object, **kwargs: object) -> object:
        is_old = len(args) + ("label" in kwargs) == 1 and kwargs.keys() <= {"label", "against"}
        if not is_old:
            return log_odds(self, *args, **kwargs)
        label, against = args[0] if args else kwargs["label"], kwargs.get("against")
        _warn("log_odds(label)", "log_odds(feature, label), or weights @ contrast(label) for all")
        return self._weights.along(self.contrast(label, against))

    return cast("Method", either)


def _warn(old: str, new: str) -> None:
    warnings.warn(f"{old} is deprecated: write {new}", DeprecationWarning, stacklevel=3)
