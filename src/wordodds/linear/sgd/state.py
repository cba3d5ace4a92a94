"""What stochastic gradient descent has learnt: the arrays that the kernel works on."""

from copy import copy
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from wordodds._border.execution import Execution
from wordodds._core import linear
from wordodds._core.base import line_stride
from wordodds.typing import AnyArray, Floats

__all__ = ["LOSSES", "SCHEDULES", "Loss", "SgdOptions", "SgdState", "options_of"]

# In the order of the engine's enumerations.
Loss: TypeAlias = Literal[
    "log_loss", "softmax", "hinge", "squared_hinge", "modified_huber", "perceptron", "squared_error"
]
LOSSES: tuple[str, ...] = get_args(Loss)
SCHEDULES = ("constant", "optimal", "invscaling", "adagrad")

# The squared gradients of AdaGrad start from the square of this.
FIRST_ROOT = 1e-5


class SgdOptions(NamedTuple):
    """The fields of the engine's structure of that name."""

    loss: int
    schedule: int
    eta0: float
    power_t: float
    alpha: float
    optimal_start: float
    l2: float
    l1: float
    bias_rate: float
    average_from: float

    @property
    def adagrad(self) -> bool:
        """Whether every weight has a rate of its own."""
        return SCHEDULES[self.schedule] == "adagrad"

    @property
    def needs(self) -> tuple[bool, bool, bool, bool]:
        """Which arrays a state has beside its weights; duals also hold the penalties."""
        return self.adagrad, self.average_from > 0.0, self.l1 > 0.0, self.adagrad and self.l2 > 0.0

    def averaging_from(self, step: float) -> "SgdOptions":
        """Return the options with averages, if there are any, from that step on at the earliest."""
        if self.average_from == 0.0:
            return self
        return self._replace(average_from=max(self.average_from, step))

    @property
    def coupled(self) -> bool:
        """Whether the loss is one of all columns together."""
        return LOSSES[self.loss] == "softmax"


def options_of(
    *,
    loss: int,
    schedule: int,
    eta0: float,
    power_t: float,
    alpha: float,
    l1_ratio: float,
    penalized: bool,
    bias_rate: float,
    average_from: float,
) -> SgdOptions:
    """Return the options of the kernel.

    The optimal schedule starts by Bottou's heuristic: with a step as long as a typical weight.
    """
    typical_weight = np.sqrt(1.0 / np.sqrt(alpha)) if alpha > 0.0 else 1.0
    start = 1.0 / (typical_weight * alpha) if alpha > 0.0 else 1.0
    return SgdOptions(
        loss,
        schedule,
        eta0,
        power_t,
        alpha,
        float(start),
        alpha * (1.0 - l1_ratio) if penalized else 0.0,
        alpha * l1_ratio if penalized else 0.0,
        bias_rate,
        average_from,
    )


class SgdState:
    """Feature-major weights, (n_features, stride), with all that lazy updates need beside them.

    The fields are those of the engine's structures of that name. Weights, averages and norms are
    true once `settled`; between epochs they lack a common factor and penalties that are due.
    """

    def __init__(
        self,
        n_features: int,
        n_columns: int,
        options: SgdOptions,
        dtype: npt.DTypeLike = np.float64,
    ) -> None:
        stride = line_stride(n_columns)

        def table() -> AnyArray:
            return _aligned_zeros(n_features, stride, dtype)

        self.n_columns = n_columns
        self.options = options
        self.weights = table()
        self.bias = np.zeros(stride)
        averaged = options.average_from > 0.0
        self.averages = table() if averaged else None
        self.average_bias = np.zeros(stride) if averaged else None
        penalized = options.l1 > 0.0 and not options.adagrad
        self.l1_received = table() if penalized else None
        self.duals: AnyArray | None = None
        self.roots: AnyArray | None = None
        self.bias_roots: Floats | None = None
        if options.adagrad:
            self.duals = table()
            self.roots = table()
            self.roots[:] = FIRST_ROOT
            self.bias_roots = np.full(stride, FIRST_ROOT)
        self.square_norms = np.zeros(stride)
        self.sum_norms = np.zeros(stride)
        self.t = 1.0
        self.averages_since = 1.0  # the first step that averages may begin with
        self.scale = 1.0
        self.average_a = 0.0
        self.average_b = 1.0
        self.l1_total = 0.0
        self.settled = True
        self.shown: SgdState | None = None
        self.as_doubles: Floats | None = None

    def start_from(self, weights: Floats, bias: Floats) -> None:
        """Begin at given weights, (n_columns, n_features), and biases."""
        n = self.n_columns
        self.weights[:, :n] = weights.T
        self.bias[:n] = bias
        self.square_norms[:n] = np.square(weights).sum(axis=1)
        self.sum_norms[:n] = np.abs(weights).sum(axis=1)
        if self.duals is not None:
            assert self.roots is not None
            # Those whose weights, after the penalties of t - 1 steps, are these.
            l1, l2 = ((self.t - 1.0) * each for each in (self.options.l1, self.options.l2))
            self.duals[:] = -self.weights * (l2 + self.roots / self.options.eta0)
            self.duals -= np.sign(self.weights) * l1

    def settle(self, how: Execution) -> None:
        """Make the weights, averages and norms true, in place."""
        if not self.settled:
            linear.sgd_settle(*how, options=self.options, state_in_out=self)
            self.settled = True

    def settled_apart(self, how: Execution) -> "SgdState":
        """Return the settled state; another one where this is not, which stays as it is.

        Looking must not change the bits of what follows, nor show a second thread half of it.
        """
        if self.settled:
            return self
        if self.shown is None:
            other = copy(self)
            for name, value in vars(self).items():
                if isinstance(value, np.ndarray):
                    setattr(other, name, _aligned_copy(value))
            other.settle(how)
            other.l1_received = other.duals = other.roots = None  # for looking only
            self.shown = other
        return self.shown

    def moved(self, options: SgdOptions, dtype: npt.DTypeLike) -> "SgdState":
        """Return a state that goes on from here with other arrays or another type of weights."""
        assert self.settled
        n, other = self.n_columns, SgdState(len(self.weights), self.n_columns, options, dtype)
        other.t, other.averages_since = self.t, self.averages_since
        other.start_from(self.weights[:, :n].T, self.bias[:n])
        if other.averages is not None and self.averages is not None:
            other.averages[:] = self.averages
            other.average_bias = self.average_bias
        return other

    @property
    def averaging(self) -> bool:
        """Whether any iterate has been averaged yet."""
        return 0.0 < self.options.average_from <= self.t - 1.0

    @property
    def model_weights(self) -> AnyArray:
        """The weights to predict with, (n_features, stride): averages once there are any."""
        assert self.settled
        if self.averaging:
            assert self.averages is not None
            return self.averages
        return self.weights

    @property
    def scoring_weights(self) -> Floats:
        """The same as doubles, which scoring takes; made when first needed."""
        if self.model_weights.dtype == np.float64:
            return self.model_weights
        if self.as_doubles is None:
            self.as_doubles = self.model_weights.astype(np.float64)
        return self.as_doubles

    @property
    def model_bias(self) -> Floats:
        """The bias of each column to predict with."""
        bias = self.average_bias if self.averaging else self.bias
        assert bias is not None
        return bias[: self.n_columns]

    def penalty(self) -> float:
        """Return l2 / 2 |w|² + l1 |w|₁ of all columns."""
        l2, l1 = self.options.l2, self.options.l1
        return float(0.5 * l2 * self.square_norms.sum() + l1 * self.sum_norms.sum())

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Arrays come out of a pickle wherever there is room; the kernel wants cache lines.
        for name, value in state.items():
            setattr(self, name, _aligned_copy(value) if isinstance(value, np.ndarray) else value)


def _aligned_zeros(n_rows: int, n_cols: int, dtype: npt.DTypeLike) -> AnyArray:
    """Return zeros that start at a cache line."""
    size = np.dtype(dtype).itemsize
    flat = np.zeros(n_rows * n_cols + 64 // size, dtype)
    first = -(flat.ctypes.data // size) % (64 // size)
    return flat[first : first + n_rows * n_cols].reshape(n_rows, n_cols)


def _aligned_copy(array: AnyArray) -> AnyArray:
    if array.ndim != 2:
        return array.copy()
    result = _aligned_zeros(len(array), array.shape[1], array.dtype)
    result[:] = array
    return result
