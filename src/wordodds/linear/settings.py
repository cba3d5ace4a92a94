"""What the parameters of a linear classifier say, checked."""

import math
from numbers import Integral
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator

from wordodds._border.checks import is_real_number, is_whole_number
from wordodds._border.execution import Execution, execution
from wordodds._estimator.random_state import random_source
from wordodds.linear.descent import Limits

__all__ = ["WEIGHT_TYPES", "Settings", "WeightType", "settings_of", "weight_type"]


# What scikit-learn's solvers are called here.
ELSEWHERE = {
    "liblinear": '; in its place: "dual", or "coordinate" for L1',
    "saga": '; in its place: "sag", or "coordinate" for L1',
    "newton-cholesky": '; in its place: "irls"',
}

WeightType: TypeAlias = (
    Literal["float32", "float64"]
    | type[np.float32]
    | type[np.float64]
    | np.dtype[np.float32]
    | np.dtype[np.float64]
)
WEIGHT_TYPES = (np.dtype(np.float64), np.dtype(np.float32))


class Settings(NamedTuple):
    """Of a fit: all but the data and the loss."""

    C: float
    l1_ratio: float
    solver: str
    fit_intercept: bool
    limits: Limits
    seed: int
    how: Execution


def settings_of(model: BaseEstimator, solvers: tuple[str, ...]) -> Settings:
    """Check an estimator's parameters."""
    C = _number(model.C, "C")
    if not C > 0.0:
        raise ValueError(f"C must be > 0, got {model.C!r}")
    l1_ratio = _number(getattr(model, "l1_ratio", 0.0), "l1_ratio")
    if not 0.0 <= l1_ratio <= 1.0:
        raise ValueError(f"l1_ratio must be from 0 to 1, got {model.l1_ratio!r}")
    if not isinstance(model.solver, str) or model.solver not in solvers:
        hint = ELSEWHERE.get(model.solver, "") if isinstance(model.solver, str) else ""
        raise ValueError(f"solver must be one of {', '.join(solvers)}, got {model.solver!r}{hint}")
    if math.isinf(C):
        l1_ratio = 0.0  # a share of nothing
    if l1_ratio > 0.0 and model.solver not in ("auto", "coordinate"):
        raise ValueError(
            f'l1_ratio={model.l1_ratio} needs solver="coordinate" or "auto", got {model.solver!r}'
        )
    tol = _number(model.tol, "tol")
    if not tol >= 0.0:
        raise ValueError(f"tol must be >= 0, got {model.tol!r}")
    if not is_whole_number(model.max_iter):
        raise TypeError(f"max_iter must be an int, got {model.max_iter!r}")
    if model.max_iter < 0:
        raise ValueError(f"max_iter must be >= 0, got {model.max_iter!r}")
    max_time = None if model.max_time is None else _number(model.max_time, "max_time")
    if max_time is not None and not max_time >= 0.0:
        raise ValueError(f"max_time must be >= 0, got {model.max_time!r}")
    if model.callback is not None and not callable(model.callback):
        raise TypeError(f"callback must be callable, got {model.callback!r}")
    for name in ("fit_intercept", "warm_start"):
        if not isinstance(getattr(model, name), bool | np.bool_):
            raise TypeError(f"{name} must be a bool, got {getattr(model, name)!r}")
    if not isinstance(model.verbose, Integral):
        raise TypeError(f"verbose must be an int, got {model.verbose!r}")
    limits = Limits(tol, int(model.max_iter), max_time, model.callback, int(model.verbose))
    seed = int(random_source(model.random_state).randint(2**31))
    how = execution(model.n_jobs)
    return Settings(C, l1_ratio, model.solver, bool(model.fit_intercept), limits, seed, how)


def weight_type(wanted: WeightType | None, given: npt.DTypeLike) -> np.dtype[Any]:
    """Return the type of ``coef_``."""
    if wanted is None:
        return np.dtype(np.float32 if given == np.float32 else np.float64)
    if not isinstance(wanted, str | type | np.dtype) or wanted not in WEIGHT_TYPES:
        raise ValueError(f"dtype must be float32, float64 or None, got {wanted!r}")
    return np.dtype(wanted)


def _number(value: object, name: str) -> float:
    if not is_real_number(value):
        raise TypeError(f"{name} must be a number, got {value!r}")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{name} is beyond 1e308") from None
