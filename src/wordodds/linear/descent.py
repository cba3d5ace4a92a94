"""The driver of every fit: runs a solver, writes its history, and knows when to stop."""

import math
import time
import warnings
from collections.abc import Iterator
from typing import NamedTuple

from wordodds.linear.gap import gap_bound
from wordodds.linear.history import Callback, History, tell
from wordodds.linear.objective import Objective
from wordodds.linear.solvers.iterate import Iterate
from wordodds.typing import Floats

__all__ = ["Descent", "Limits", "descend", "warn_early"]


class Limits(NamedTuple):
    """When a fit ends, and who watches it."""

    tol: float  # on the largest absolute value in the gradient
    max_iter: int
    max_time: float | None = None  # seconds
    callback: Callback | None = None  # called after each iteration; what is true ends the fit
    verbose: int = 0


class Descent(NamedTuple):
    """How a fit ended."""

    last: Iterate
    history: dict[str, Floats]
    n_iter: int
    reason: str  # "converged", "max_iter", "max_time", "callback", "rounding", "interrupted"


def descend(iterates: Iterator[Iterate], limits: Limits, began: float) -> Descent:
    """Run a solver until its gradient is small or a limit is reached.

    Ctrl-C ends it too, with the reason "interrupted": the caller keeps the last iterate and
    raises `KeyboardInterrupt` again.
    """
    history = History()
    last: Iterate | None = None
    reason = "rounding"  # the solver ends by itself where it finds no way down
    n_iter = -1
    try:
        for iterate in iterates:
            if not math.isfinite(iterate.value):
                raise FloatingPointError(
                    "the objective is not finite: scale the features, sample_weight or C down"
                )
            last = iterate
            n_iter += 1
            entry = history.record(iterate, time.perf_counter() - began)
            if limits.verbose:
                tell(entry)
            if limits.callback is not None and limits.callback(entry):
                reason = "callback"
                break
            if iterate.gradient_norm <= limits.tol:
                reason = "converged"
                break
            if n_iter >= limits.max_iter:
                reason = "max_iter"
                break
            if limits.max_time is not None and entry["time"] >= limits.max_time:
                reason = "max_time"
                break
    except KeyboardInterrupt:
        if last is None:
            raise
        reason = "interrupted"
    assert last is not None  # every solver yields its start
    return Descent(last, history.table(), n_iter, reason)


def warn_early(
    descent: Descent, objective: Objective, l1_ratio: float, limits: Limits, solver: str
) -> None:
    """Warn, with numbers, if a fit ended before it converged."""
    if descent.reason in ("converged", "callback", "interrupted"):
        return
    from sklearn.exceptions import ConvergenceWarning

    norm = descent.last.gradient_norm
    if math.isnan(norm):  # the start of dual ascent, whose gradient is unknown
        norm = objective.at(descent.last.point).gradient_norm
    bound = gap_bound(objective, descent.last.point, l1_ratio)
    value = abs(descent.last.value)
    gap = (
        f"the objective {descent.last.value:.6g} is at most {bound:.2g} above the optimum"
        if bound < value
        else f"after {descent.n_iter} iterations no useful bound on the gap to the optimum is known"
    )
    if descent.reason == "rounding":
        if norm <= max(10.0 * limits.tol, 1e-9) or bound <= 1e-9 * value:
            return  # as near as double precision comes
        ended, remedy = (
            f"found no way down after {descent.n_iter} iterations",
            "scale the features to similar sizes; a loss of your own needs a continuous derivative",
        )
    elif descent.reason == "max_time":
        ended, remedy = f"reached max_time={limits.max_time}", "raise max_time"
    else:
        ended = f"reached max_iter={limits.max_iter}"
        # Their one step is short beside a large penalty, which the intercept does not have.
        easier = 'or use solver="newton-cg"' if solver in ("gd", "sag") else "a smaller C is easier"
        remedy = f"raise max_iter or scale the features to similar sizes; {easier}"
    warnings.warn(
        f"{solver} {ended} before the gradient was small: its norm is {norm:.2g}, tol is "
        f"{limits.tol:g}; {gap}. To come nearer, {remedy}. To accept this fit, raise tol.",
        ConvergenceWarning,
        stacklevel=5,
    )
