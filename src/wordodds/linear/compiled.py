"""Python functions of scores into machine code: the only place that imports Numba."""

import inspect
import math
import re
from collections.abc import Callable
from typing import Any, TypeAlias

__all__ = ["Callback", "compile_likelihood", "compile_loss", "compile_scalar"]

Function: TypeAlias = Callable[..., Any]
Callback: TypeAlias = Any  # of Numba, which publishes no types: owns machine code, has an address

# As near to certainty as double comes; beyond, the logarithm would be infinite or no number.
CHANCE_LEAST = 1e-300
COMPLEMENT_LEAST = 2.0**-54  # 1 - p knows no smaller number than that


def compile_scalar(function: Function, n_arguments: int, owner: str, role: str) -> Function:
    """Compile a function of float64 that returns a number; TypeError with Numba's reason if not.

    What is decorated with `numba.njit` is taken as it is.
    """
    import numba
    from numba import types

    if not callable(function):
        raise TypeError(f"{owner}: {role} must be a function, got {function!r}")
    python = getattr(function, "py_func", function)  # inside numba.njit
    if not inspect.isfunction(python):
        raise TypeError(f"{owner}: {role} must be a plain Python function, got {function!r}")
    expected = "(y, raw)" if n_arguments == 2 else "(raw)"
    try:
        inspect.signature(python).bind(*[0.0] * n_arguments)
    except TypeError as error:
        raise TypeError(
            f"{owner}: {role} is called as {role}{expected}, but its parameters are "
            f"{inspect.signature(python)}"
        ) from error
    # As in NumPy: a division by zero is infinite, not an exception that cannot be caught.
    compiled: Any = numba.njit(error_model="numpy")(function) if python is function else function
    arguments = (types.float64,) * n_arguments
    try:
        compiled.compile(arguments)
    except Exception as error:  # Numba's come from many families
        raise TypeError(f"{owner}: Numba cannot compile {role}: {_reason(error)}") from error
    returned = compiled.overloads[arguments].signature.return_type
    if not isinstance(returned, types.Float | types.Integer | types.Boolean):
        raise TypeError(
            f"{owner}: {role} must return a number in every case, but returns {returned}"
        )
    result: Function = compiled
    return result


def _reason(error: Exception) -> str:
    """Return what an error of Numba says, without its headings, places and hints."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    lines = [line.strip() for line in text.splitlines()]
    said = [line for line in lines if line and not line.startswith("Failed in nopython")]
    kept = []
    for line in said:
        if re.match(r"File |During: |There are |Raised from", line):
            break
        kept.append(line)
    reason = " ".join(kept or said or [type(error).__name__])[:300]
    if "Cannot determine Numba type of <class 'function'>" in reason:
        reason += "; decorate that function with numba.njit"
    return reason


def compile_loss(loss: Function, gradient: Function, hessian: Function) -> Callback:
    """Return a C callback ``(n, y, raw, loss, gradient, hessian)``, which owns its ``address``."""

    def batch(n, y, raw, loss_out, gradient_out, hessian_out):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        for i in range(n):  # what stays if a function raises: no exception leaves
            loss_out[i] = gradient_out[i] = hessian_out[i] = math.nan
        for i in range(n):
            loss_out[i] = loss(y[i], raw[i])
            gradient_out[i] = gradient(y[i], raw[i])
            hessian_out[i] = hessian(y[i], raw[i])

    return _callback(batch)


def compile_likelihood(
    inverse: Function, derivative: Function, second_derivative: Function
) -> Callback:
    r"""Return a C callback for minus the log-likelihood of a link.

    .. math::
        -\log q, \quad \mp \frac{p'}{q}, \quad \left(\frac{p'}{q}\right)^2 \mp \frac{p''}{q},
        \qquad q = p \text{ for } y = 1, \ 1 - p \text{ for } y = 0
    """

    def batch(n, y, raw, loss_out, gradient_out, hessian_out):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        for i in range(n):  # what stays if a function raises: no exception leaves
            loss_out[i] = gradient_out[i] = hessian_out[i] = math.nan
        for i in range(n):
            p = inverse(raw[i])
            # Comparisons that leave NaN as it is.
            if y[i] > 0.5:
                q = CHANCE_LEAST if p < CHANCE_LEAST else p
            else:
                q = COMPLEMENT_LEAST if 1.0 - p < COMPLEMENT_LEAST else 1.0 - p
            sign = 1.0 - 2.0 * y[i]
            ratio = derivative(raw[i]) / q
            loss_out[i] = -math.log(q)
            gradient_out[i] = sign * ratio
            hessian_out[i] = ratio * ratio + sign * second_derivative(raw[i]) / q

    return _callback(batch)


def _callback(batch: Function) -> Callback:
    import numba
    from numba import types

    doubles = types.CPointer(types.float64)
    return numba.cfunc(types.void(types.int64, *[doubles] * 5), error_model="numpy")(batch)
