"""Long calls of the linear algebra library, which look at no signal before they return."""

import contextvars
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg.lapack import dpotrf

__all__ = ["cholesky", "interruptible"]

# About 50 ms on one core: what is shorter need not pay for a thread.
_FLOPS_MIN = 2e8
_SECONDS_BETWEEN_SIGNALS = 0.05


def interruptible(flops: float, function: Callable[..., Any], *arguments: Any) -> Any:
    """Return ``function(*arguments)``; Ctrl-C raises at once, also while it runs.

    The call runs in another thread while this one waits for it and for signals. After an interrupt
    it goes on unseen until it ends by itself, so it must write to nothing that others read.

    Parameters
    ----------
    flops : float
        Estimate of the floating-point operations; a short call is made in this thread.
    function : callable
        One call of NumPy. SciPy's functions of BLAS and LAPACK keep the interpreter's lock: this
        thread would wait for it, and see no signal.
    *arguments : object
        Its arguments.

    Examples
    --------
    >>> import numpy as np
    >>> interruptible(1e9, np.matmul, np.eye(2), np.ones((2, 1)))
    array([[1.],
           [1.]])
    """
    if flops < _FLOPS_MIN or threading.current_thread() is not threading.main_thread():
        return function(*arguments)
    outcome: list[Any] = []
    failure: list[BaseException] = []

    def work() -> None:
        try:
            outcome.append(function(*arguments))
        except BaseException as error:  # raised again below, in the thread that asked
            failure.append(error)

    # In this thread's context: it holds the settings of np.errstate.
    context = contextvars.copy_context()
    thread = threading.Thread(target=context.run, args=(work,), daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(_SECONDS_BETWEEN_SIGNALS)
    if failure:
        raise failure[0]
    return outcome[0]


def cholesky(matrix: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], int]:
    """Return the lower triangle L with L Lᵀ the matrix, and 0; or 1 + the column that fails.

    Parameters
    ----------
    matrix : ndarray of shape (n, n)
        Symmetric, finite.
    """
    flops = len(matrix) ** 3 / 3
    if flops >= _FLOPS_MIN:
        try:
            return interruptible(flops, np.linalg.cholesky, matrix), 0
        except np.linalg.LinAlgError:
            pass  # NumPy does not name the column; LAPACK does
    lower, failed = dpotrf(matrix, lower=1)
    return np.asarray(lower), int(failed)
