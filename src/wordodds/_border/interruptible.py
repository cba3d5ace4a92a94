"""Run long calls of the linear algebra library so that Ctrl-C does not wait for them."""

import contextvars
import threading
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from scipy.linalg.lapack import dpotrf

from wordodds.typing import Floats

__all__ = ["cholesky", "interruptible", "product"]

Result = TypeVar("Result")

# About 50 ms on one core: what is shorter need not pay for a thread.
_FLOPS_MIN = 2e8
_SECONDS_BETWEEN_SIGNALS = 0.05


def interruptible(flops: float, function: Callable[..., Result], *arguments: object) -> Result:
    """Return ``function(*arguments)``; Ctrl-C raises KeyboardInterrupt while it runs.

    The call runs in another thread while this one waits for it and for signals. After an interrupt
    the call continues in the background until it ends, so it must not write to arrays that other
    code reads; the process ends after it. A short call, of few ``flops``, is made in this thread.
    The function is one of NumPy: SciPy's wrappers of BLAS and LAPACK hold the GIL, so that this
    thread could not see the signal.

    Examples
    --------
    >>> import numpy as np
    >>> interruptible(1e9, np.matmul, np.eye(2), np.ones((2, 1)))
    array([[1.],
           [1.]])
    """
    if flops < _FLOPS_MIN or threading.current_thread() is not threading.main_thread():
        return function(*arguments)
    outcome: list[Result] = []
    failure: list[BaseException] = []
    ended = threading.Event()

    def work() -> None:
        try:
            outcome.append(function(*arguments))
        except BaseException as error:  # raised again below, in the thread that asked
            failure.append(error)
        finally:
            ended.set()

    # In this thread's context: it holds the settings of np.errstate.
    context = contextvars.copy_context()
    # No daemon: OpenBLAS may hang if the process ends while one of its calls runs.
    thread = threading.Thread(target=context.run, args=(work,))
    thread.start()
    # Not Thread.join: interrupted, it takes the thread for ended, and so would the process.
    while not ended.wait(_SECONDS_BETWEEN_SIGNALS) and thread.is_alive():
        pass
    if failure:
        try:
            raise failure[0]
        finally:
            failure.clear()  # or error and frame would keep each other, and the arguments, alive
    # Without an outcome this is the child of a fork by a signal handler: the thread stayed behind.
    return outcome[0] if outcome else function(*arguments)


def product(left: Floats, right: Floats) -> Floats:
    """Return the product of two dense matrices."""
    flops = 2.0 * left.size * right.shape[1]
    return np.asarray(interruptible(flops, np.matmul, left, right))


def cholesky(matrix: Floats) -> tuple[Floats, int]:
    """Return the lower triangle L with L Lᵀ the matrix, and 0; or 1 + the column that fails."""
    flops = len(matrix) ** 3 / 3
    if flops >= _FLOPS_MIN:
        try:
            return interruptible(flops, np.linalg.cholesky, matrix), 0
        except np.linalg.LinAlgError:
            return np.empty((0, 0)), _first_failing_column(matrix)
    lower, failed = dpotrf(matrix, lower=1)
    return np.asarray(lower), int(failed)


def _first_failing_column(matrix: Floats) -> int:
    """Return the order of the first leading minor that is not positive, by bisection."""
    positive, failing = 0, len(matrix)
    while failing - positive > 1:
        middle = (positive + failing) // 2
        try:
            interruptible(middle**3 / 3, np.linalg.cholesky, matrix[:middle, :middle])
        except np.linalg.LinAlgError:
            failing = middle
        else:
            positive = middle
    return failing
