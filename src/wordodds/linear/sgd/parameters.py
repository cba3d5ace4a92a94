"""What the parameters of stochastic gradient descent may be."""

from typing import Literal, TypeAlias, get_args

import numpy as np
from sklearn.base import BaseEstimator

from wordodds._border.checks import real_number, whole_number
from wordodds.linear.settings import WEIGHT_TYPES
from wordodds.linear.sgd.state import LOSSES

__all__ = ["LearningRate", "Penalty", "check_parameters"]

Penalty: TypeAlias = Literal["l2", "l1", "elasticnet"]
LearningRate: TypeAlias = Literal["constant", "optimal", "invscaling", "adaptive", "adagrad"]
PENALTIES = (*get_args(Penalty), None)
LEARNING_RATES: tuple[str, ...] = get_args(LearningRate)
_LARGEST = int(np.finfo(np.float64).max)


def check_parameters(model: BaseEstimator) -> None:
    """Refuse parameters that mean nothing."""
    _check_choice("loss", model.loss, LOSSES)
    _check_choice("penalty", model.penalty, PENALTIES)
    if not isinstance(model.dtype, str | type | np.dtype) or model.dtype not in WEIGHT_TYPES:
        raise ValueError(f"dtype must be float64 or float32, got {model.dtype!r}")
    _check_choice("learning_rate", model.learning_rate, LEARNING_RATES)
    for name in ("fit_intercept", "shuffle", "early_stopping", "warm_start"):
        if not isinstance(getattr(model, name), bool | np.bool_):
            raise ValueError(f"{name} must be a bool, got {getattr(model, name)!r}")
    _check_number("alpha", model.alpha, 0.0)
    _check_number("eta0", model.eta0, 0.0, above=True)
    _check_number("power_t", model.power_t, 0.0)
    _check_whole_number("max_iter", model.max_iter, 1)
    _check_whole_number("n_iter_no_change", model.n_iter_no_change, 1)
    _check_number("verbose", model.verbose, 0)
    _check_number("validation_fraction", model.validation_fraction, 0.0, 1.0, above=True)
    if model.validation_fraction >= 1.0:
        raise ValueError(f"validation_fraction must be < 1, got {model.validation_fraction}")
    if model.tol is not None:
        _check_number("tol", model.tol, 0.0)
    if model.callback is not None and not callable(model.callback):
        raise ValueError(f"callback must be callable, got {model.callback!r}")
    if model.max_time is not None:
        _check_number("max_time", model.max_time, 0.0, np.inf)
    if model.l1_ratio is not None:
        _check_number("l1_ratio", model.l1_ratio, 0.0, 1.0)
    elif model.penalty == "elasticnet":
        raise ValueError("l1_ratio must be set when penalty is 'elasticnet'")
    if not isinstance(model.average, bool | np.bool_):
        _check_whole_number("average", model.average, 0)
    if model.learning_rate == "optimal" and model.alpha == 0:
        raise ValueError(
            "alpha must be > 0 since learning_rate is 'optimal': the rate follows from it"
        )
    if model.learning_rate == "adagrad" and model.average:
        raise ValueError(
            "average must be False with learning_rate='adagrad', whose weights all change "
            "with every step"
        )


def _check_choice(name: str, value: object, choices: tuple[str | None, ...]) -> None:
    if not (value is None or isinstance(value, str)) or value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}")


def _check_number(
    name: str, value: object, least: float, most: float | None = None, *, above: bool = False
) -> None:
    bound = f"{'>' if above else '>='} {least}" + (f" and <= {most}" if most == 1.0 else "")
    wanted = f"a number {bound}"
    real_number(value, name, least, most, above=above, wanted=wanted, wrong_type=ValueError)


def _check_whole_number(name: str, value: object, least: int) -> None:
    wanted = f"a whole number >= {least}"
    whole_number(value, name, least, _LARGEST, wanted=wanted, wrong_type=ValueError)
