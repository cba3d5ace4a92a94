"""Settings as Python that can be copied."""

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator

if TYPE_CHECKING:
    from wordodds.classifier.text_classifier import TextClassifier

__all__ = ["call_of"]

WITHOUT_EFFECT = ("n_jobs", "verbose")  # on what is learnt


def call_of(classifier: "TextClassifier") -> str:
    """Return Python that makes a TextClassifier whose model is an estimator.

    Only parameters that are not the default are in it.
    """
    settings = _given(classifier)
    model = settings.pop("model")
    settings.pop("random_state", None)  # the model's is used
    options = [f"{name}={_shown(value)}" for name, value in _given(model).items()]
    parts = [f"{type(model).__name__}({', '.join(options)})"]
    parts += [f"{name}={_shown(value)}" for name, value in settings.items()]
    return f"TextClassifier({', '.join(parts)})"


def _given(estimator: BaseEstimator) -> dict[str, Any]:
    default = type(estimator)().get_params(deep=False)
    given = estimator.get_params(deep=False)
    return {
        name: value
        for name, value in given.items()
        if name not in WITHOUT_EFFECT and not _is_same(value, default[name])
    }


def _is_same(value: object, default: object) -> bool:
    return value is default or (type(value) is type(default) and value == default)


def _shown(value: object) -> str:
    """Return a value as Python; functions by their names, NumPy's numbers as Python's."""
    if callable(value):
        return str(getattr(value, "__qualname__", value))
    if isinstance(value, np.generic):
        return repr(value.item())
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_shown(key)}: {_shown(each)}' for key, each in value.items())}}}"
    if isinstance(value, list | tuple):
        inside = ", ".join(map(_shown, value))
        return f"[{inside}]" if isinstance(value, list) else f"({inside}{',' * (len(value) == 1)})"
    return repr(value)
