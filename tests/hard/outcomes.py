"""What a call gave, a matrix or an error, and how two such outcomes differ."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

TWO_UNITS = {np.dtype(np.float64): 4.5e-16, np.dtype(np.float32): 2.4e-7}


class Failed(NamedTuple):
    """A call that raised."""

    error: Exception


def outcome(call: Callable[[], Any]) -> Any:
    """Return the result of a call, or the error that it raised."""
    try:
        return call()
    except Exception as error:
        return Failed(error)


def difference(ours: Any, theirs: Any, options: dict[str, Any]) -> str | None:
    """Return how two outcomes differ; None if they are the same."""
    if isinstance(theirs, Failed) or isinstance(ours, Failed):
        if isinstance(theirs, Failed) and isinstance(ours, Failed):
            same = isinstance(ours.error, type(theirs.error))
            return None if same else f"{ours.error!r} instead of {theirs.error!r}"
        return f"{ours!r:.300} instead of {theirs!r:.300}"
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return f"{ours.shape} {ours.dtype} instead of {theirs.shape} {theirs.dtype}"
    for part in ("indptr", "indices"):
        if not np.array_equal(getattr(ours, part), getattr(theirs, part)):
            return f"{part} {getattr(ours, part)} instead of {getattr(theirs, part)}"
    scaled_values = bool(options.get("use_idf") or options.get("norm"))
    rounded = options.get("sublinear_tf") or (ours.dtype == np.float32 and scaled_values)
    allowed = TWO_UNITS[ours.dtype] if rounded else 0.0
    if not np.allclose(ours.data, theirs.data, rtol=allowed, atol=0.0, equal_nan=True):
        at = int(np.argmax(~np.isclose(ours.data, theirs.data, rtol=allowed, atol=0.0)))
        return f"value {at} is {ours.data[at]!r} instead of {theirs.data[at]!r}"
    return None
