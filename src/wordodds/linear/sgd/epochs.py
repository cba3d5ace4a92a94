"""Epochs of stochastic gradient descent, and when to end them."""

import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from wordodds._border.csr import CsrArrays
from wordodds._border.execution import Execution
from wordodds._core import linear
from wordodds.linear.history import Callback, History, tell
from wordodds.linear.sgd.state import SgdState
from wordodds.typing import Codes, Floats, Ints

__all__ = ["Epoch", "Epochs", "Rows", "StopRule", "epochs"]

# Entries between two looks at the clock, where there is a limit.
ENTRIES_BETWEEN_LOOKS = 1 << 20
SMALLEST_ADAPTIVE_ETA = 1e-6


class Rows(NamedTuple):
    """Rows to learn from."""

    matrix: CsrArrays
    codes: Codes
    weights: Floats | None  # of each row, all > 0 but where class_weight is 0
    positive_weights: Floats | None  # of each column, for the rows of its own class


class Epoch(NamedTuple):
    """The state after an epoch, and what the epoch saw."""

    point: SgdState
    value: float
    gradient_norm: float
    passes: float


def epochs(
    rows: Rows,
    state: SgdState,
    train: Ints,
    shuffle: Callable[[Ints], None] | None,
    how: Execution,
    out_of_time: Callable[[], bool] | None = None,
) -> Iterator[Epoch]:
    """Run one epoch after the other and yield the state after each.

    The value is the mean loss of the rows, each before its own step, plus the mean penalty; with
    one-vs-rest columns the mean over them. No gradient of it is computed: its norm is NaN. The
    state is changed in place; ValueError if a step overflows, and then it is that before the step.
    """
    order = train.copy()
    total = float(len(train) if rows.weights is None else rows.weights[train].sum())
    epoch = 0
    while True:
        epoch += 1
        if shuffle is not None:
            shuffle(order)
        loss, penalty, done = np.zeros(len(state.bias)), np.zeros(len(state.bias)), 0
        for piece in _pieces(rows.matrix, order, out_of_time):
            state.settled, state.shown, state.as_doubles = False, None, None
            taken = linear.csr_sgd_epoch(
                rows.matrix,
                rows.codes,
                rows.weights,
                rows.positive_weights,
                piece,
                *how,
                options=state.options,
                state_in_out=state,
                loss_sums_in_out=loss,
                penalty_sums_in_out=penalty,
            )
            if taken < len(piece):
                raise _overflow(epoch)
            done += taken
        if state.options.adagrad:
            state.settle(how)
            # Its weights follow from sums that are finite where they themselves may not be.
            if not np.isfinite(state.square_norms).all() and not np.isfinite(state.weights).all():
                raise _overflow(epoch)
            mean_penalty = state.penalty()
        else:
            mean_penalty = float(penalty.sum()) / max(1, done)
        share = done / len(order)
        value = float(loss.sum()) / (total * share) + mean_penalty if done else np.nan
        columns = 1 if state.options.coupled else state.n_columns
        yield Epoch(state, value / columns, np.nan, epoch - 1 + share)


def _overflow(epoch: int) -> ValueError:
    return ValueError(
        f"Floating-point under-/overflow occurred at epoch #{epoch}. Scaling input data with "
        "StandardScaler or MinMaxScaler might help."
    )


def _pieces(
    matrix: CsrArrays, order: Ints, out_of_time: Callable[[], bool] | None
) -> Iterator[Ints]:
    if out_of_time is None:
        yield order
        return
    per_row = 1 + len(matrix.indices) // max(1, matrix.n_rows)
    step = max(1, ENTRIES_BETWEEN_LOOKS // per_row)
    for first in range(0, len(order), step):
        yield order[first : first + step]
        if out_of_time():
            return


@dataclass
class StopRule:
    """No improvement by ``tol`` in ``patience`` epochs in a row ends a fit; None: nothing does."""

    tol: float | None
    patience: int
    best: float = np.inf
    bad: int = 0

    def __call__(self, value: float) -> bool:
        """Look at the value of an epoch, less being better; return whether patience is over."""
        if self.tol is not None:
            self.bad = self.bad + 1 if value > self.best - self.tol else 0
        self.best = min(self.best, value)
        return self.tol is not None and self.bad >= self.patience


@dataclass
class Epochs:
    """How a fit goes through its epochs; `run` records them."""

    max_iter: int
    stop: StopRule
    adaptive: bool = False
    max_time: float | None = None
    callback: Callback | None = None
    verbose: int = 0
    evaluate: Callable[[SgdState], float] | None = None  # of the held-out part, less is better
    start: float = field(default_factory=time.perf_counter)

    def out_of_time(self) -> bool:
        """Whether the time is up."""
        return self.max_time is not None and time.perf_counter() - self.start >= self.max_time

    def run(self, iterates: Iterator[Epoch], how: Execution) -> dict[str, Floats]:
        """Draw iterates until one of the rules ends it; return the history."""
        history = History()
        for iterate in iterates:
            state = iterate.point
            entry = history.record(iterate, time.perf_counter() - self.start)
            if self.verbose:
                tell(entry)
            value = iterate.value
            if self.evaluate is not None:
                value = self.evaluate(state.settled_apart(how))
            if self.stop(value):
                if not (self.adaptive and state.options.eta0 > SMALLEST_ADAPTIVE_ETA):
                    break
                state.options = state.options._replace(eta0=state.options.eta0 / 5.0)
                self.stop.bad = 0
            if self.callback is not None and self.callback(entry):
                break
            if self.max_time is not None and entry["time"] >= self.max_time:
                break
            if len(history) >= self.max_iter:
                self._warn_of_the_limit(history.table()["objective"])
                break
        return history.table()

    def _warn_of_the_limit(self, objectives: Floats) -> None:
        if self.stop.tol is None:
            return
        message = (
            "Maximum number of iteration reached before convergence. Consider increasing max_iter "
            "to improve the fit."
        )
        if len(objectives) > 1:
            message += (
                f" The last of {len(objectives)} epochs lowered the objective by "
                f"{objectives[-2] - objectives[-1]:.3g} to {objectives[-1]:.6g}."
            )
        warnings.warn(message, ConvergenceWarning, stacklevel=4)
