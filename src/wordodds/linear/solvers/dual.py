"""Dual coordinate ascent: the short way to the optimum when columns outnumber rows.

The weights of the L2-regularised optimum are W = sum_i x_i^T a_i with
a_i = C s_i (onehot(y_i) - p_i). An epoch visits the rows in random order and solves for one a_i,
all its classes at once, with the others fixed (``csrc/include/wordodds/linear/dual.hpp``). Columns
that occur in one row only are folded into that row. Large problems start in single precision,
which comes to about 1e-10 of the optimum, and go on in double.
"""

import math
from collections.abc import Callable, Iterator
from functools import cache

import numpy as np

from wordodds._border.csr import CsrArrays
from wordodds._border.execution import Execution
from wordodds._core import linear as core
from wordodds._core import score as score_core
from wordodds._core.base import class_stride
from wordodds.linear.objective import Objective
from wordodds.linear.solvers.iterate import Iterate
from wordodds.linear.solvers.newton_cg import newton_cg
from wordodds.typing import AnyArray, Codes, Floats

__all__ = ["dual_ascent", "dual_then_newton", "is_quick"]

_UNLIKELY = -40.0  # the log-odds of a probability of zero, near enough
_SMALL = 1 << 21  # bytes of weights that stay in the cache anyway
_SAFE_IN_SINGLE = 1e12  # largest value, cost or curvature that single precision may see
_SAFE = 1e100  # the same for double
_PATIENCE = 8  # looks without progress before the generator ends
_QUICK = 100.0  # mean curvature of a row beside the penalty up to which a few epochs will do
_PASSES_MAX = 400  # after that many, conjugate gradients are quicker


def is_quick(objective: Objective) -> bool:
    """Return whether dual ascent is a quick way to an objective's optimum."""
    if not isinstance(objective.penalty, float) or objective.penalty == 0.0:
        return False
    if not _is_logistic(objective):
        return False
    weights, matrix = objective.row_weights, objective.matrix
    if weights.min() == weights.max():
        curvature = float(weights[0]) * matrix.squares()
    else:
        curvature = float(weights @ matrix.row_squares())
    return curvature / objective.penalty <= _QUICK * matrix.n_rows


def dual_then_newton(objective: Objective, start: Floats, seed: int) -> Iterator[Iterate]:
    """Yield the iterates of dual ascent; where it gets stuck, Newton's method goes on."""
    if not _is_logistic(objective):
        raise ValueError('solver="dual" knows the logistic losses alone: use solver="newton-cg"')
    penalty = objective.common_penalty("dual")
    n_columns = objective.loss.n_columns
    anywhere = bool(start.any())
    if anywhere:
        value = objective.at(start).value
    else:
        value = _loss_at_zero(objective.loss.coupled, n_columns) * float(
            objective.row_weights.sum()
        )
    last = Iterate(start, value, math.nan, objective.passes)  # a gradient costs as an epoch
    yield last
    for look in dual_ascent(
        objective.matrix.as_csr(),
        objective.codes,
        objective.row_weights,
        loss="softmax" if objective.loss.coupled else "logistic",
        n_columns=n_columns,
        C=1.0 / penalty,
        fit_intercept=objective.fit_intercept,
        how=objective.how,
        seed=seed,
        start=start[:, :n_columns] if anywhere else None,
        stride=objective.stride,
    ):
        last = look
        yield last
        if look.passes > _PASSES_MAX:
            break
    objective.passes = int(last.passes)
    steps = newton_cg(objective, last.point)
    next(steps)  # where dual ascent ended
    yield from steps


def _loss_at_zero(is_softmax: bool, n_columns: int) -> float:
    return math.log(n_columns) if is_softmax else n_columns * math.log(2.0)


def _is_logistic(objective: Objective) -> bool:
    loss = objective.loss
    return loss.coupled or loss.address == core.link_losses()["logit"]


def dual_ascent(
    matrix: CsrArrays,
    codes: Codes,
    row_weights: Floats,
    *,
    loss: str,
    n_columns: int,
    C: float,
    fit_intercept: bool,
    how: Execution,
    seed: int | None = None,
    start: Floats | None = None,
    stride: int | None = None,
) -> Iterator[Iterate]:
    """Yield better and better points until nothing gets better.

    Looking at a point costs as much as an epoch: it happens after 3, 5, 7, ... epochs, later less
    often. Ends by itself when precision is exhausted; yields nothing at all, or ends early, where
    numbers would overflow (squared row norms times C beyond 1e100). With huge C it is slow: then
    go on from the last point with another solver. ``start`` is taken where it is better than zero;
    points have ``stride`` columns, zeros after those of weights.
    """
    if loss not in ("softmax", "logistic"):
        raise ValueError(f'loss must be "softmax" or "logistic", got {loss!r}')
    ascent = _Ascent(
        matrix, codes, C * row_weights, loss == "softmax", n_columns, fit_intercept, how
    )
    if not ascent.is_safe:
        return
    if start is not None:
        ascent.begin_at(start)
    random = np.random.default_rng(seed)
    total = float(ascent.costs.sum())
    best = math.inf
    n_epochs = n_idle = 0
    while n_idle < _PATIENCE:
        for _ in range(3 if n_epochs == 0 else max(2, n_epochs // 4)):
            ascent.epoch(random)
            n_epochs += 1
        look, gap = ascent.look(stride or n_columns)
        if not (math.isfinite(look.value) and math.isfinite(look.gradient_norm)):
            return
        yield look._replace(value=look.value / total, gradient_norm=look.gradient_norm / total)
        stuck = look.gradient_norm >= (0.9 if ascent.is_single else 1.0) * best
        best = min(best, look.gradient_norm)
        if ascent.is_single:
            if stuck or gap < 1e-6 * abs(look.value):
                ascent.to_double()
            continue
        n_idle = n_idle + 1 if stuck else 0


class _Ascent:
    """The state that epochs change."""

    def __init__(
        self,
        matrix: CsrArrays,
        codes: Codes,
        costs: Floats,
        is_softmax: bool,
        n_columns: int,
        fit_intercept: bool,
        how: Execution,
    ) -> None:
        self.matrix, self.costs, self.how = matrix, costs, how
        self.is_softmax, self.fit_intercept = is_softmax, fit_intercept
        split = core.csr_take_shared_columns(matrix, *how)
        with np.errstate(over="ignore"):
            norms = split.shared + split.single
            curvature = float(np.max(costs * norms))
        # Rows feel the intercept as a column this large, squared. Small C: large, or it would lag
        # behind the weights; large C: small, or it would hold them up.
        mean_norm, mean_cost = float(np.mean(norms)), float(np.mean(costs))
        step = 0.1 * math.sqrt(mean_norm / mean_cost) if mean_norm > 0 else 1.0 / mean_cost
        step = step if fit_intercept else 0.0
        self.setup = core.DualSetup(
            split, codes, costs, is_softmax=is_softmax, n_columns=n_columns, intercept_step=step
        )
        self.limit = max(curvature, float(np.max(costs)), float(np.max(costs)) * step)
        self.is_safe = bool(self.limit < _SAFE)
        n_rows, stride = matrix.n_rows, self.setup.stride
        self.log_odds = np.full((n_rows, stride), _UNLIKELY)
        own = codes if n_columns > 1 else codes - 1
        rows = np.flatnonzero(own >= 0)
        self.log_odds[rows, own[rows]] = 0.0 if is_softmax else -_UNLIKELY
        self.log_odds[:, n_columns:] = -700.0
        self.intercept, self.sums = np.zeros(stride), np.zeros(stride)
        n_shared = self.setup.n_shared
        tiny = 0 < np.min(np.abs(split.data), initial=1.0) < 1 / _SAFE_IN_SINGLE
        self.is_single = (
            n_shared * stride * 8 > _SMALL and self.limit < _SAFE_IN_SINGLE and not tiny
        )
        self.weights: AnyArray = np.zeros(
            (n_shared, stride), np.float32 if self.is_single else np.float64
        )
        self.residuals = np.empty(n_rows * stride)
        self.gradient = np.empty(n_shared * stride)
        in_class = np.bincount(codes, costs, minlength=max(2, n_columns))
        self.wanted = in_class[1:2] if n_columns == 1 else in_class[:n_columns]
        self.passes = 0

    def begin_at(self, start: Floats) -> None:
        """Take the dual variables that a point implies, if they are better than none."""
        n_cols, n_columns = self.matrix.n_cols, self.setup.n_columns
        weights = np.zeros((n_cols, class_stride(n_columns)))
        weights[:, :n_columns] = start[:n_cols]
        bias = start[n_cols] if self.fit_intercept else np.zeros(n_columns)
        scores = score_core.csr_score_classes(
            self.matrix, weights, np.ascontiguousarray(bias), *self.how
        )
        if self.is_softmax:
            score_core.rows_log_softmax(*self.how, scores_in_out=scores)
        before = self.log_odds.copy(), self.weights, self.is_single
        self.log_odds[:, :n_columns] = np.clip(scores, -700.0, 700.0)
        self.to_double()
        self.intercept[:n_columns] = bias
        loss, _, squares, *_ = self._measure()
        self.passes += 2
        at_zero = _loss_at_zero(self.is_softmax, n_columns) * float(self.costs.sum())
        if not loss + squares / 2 < at_zero:
            self.log_odds, self.weights, self.is_single = before
            self.intercept[:] = 0.0
            self.sums[:] = 0.0
        elif before[2]:
            self.weights, self.is_single = self.weights.astype(np.float32), True

    def epoch(self, random: np.random.Generator) -> None:
        """Visit every row once."""
        order = random.permutation(self.matrix.n_rows).astype(np.int32)
        core.dual_ascend(
            self.setup,
            order,
            *self.how,
            weights_in_out=self.weights,
            intercept_in_out=self.intercept,
            sums_in_out=self.sums,
            log_odds_in_out=self.log_odds,
        )
        self.passes += 2
        if self.fit_intercept:
            # What the multipliers still lack: at least 1 / sum_i c_i p_i of a Newton step on the
            # intercept alone. It is what moves the intercepts of rare classes, or when C is tiny.
            sums = self.sums[: self.setup.n_columns]
            had = np.maximum(self.wanted - sums, 1e-300)
            step = np.clip(sums / had, -1.0, 1.0)
            # A constant added to all of softmax's intercepts changes nothing: there is none.
            self.intercept[: len(sums)] += step - step.mean() if self.is_softmax else step

    def look(self, stride: int) -> tuple[Iterate, float]:
        """Return point, value, gradient, not yet divided by the total weight; and about the gap."""
        loss, entropy, squares, gradient, intercept_gradient = self._measure()
        self.passes += 2
        value = loss + squares / 2
        # In single precision the weights are not exactly those of the dual variables.
        dual = entropy - squares / 2 * (1.0 + (1e-6 if self.is_single else 1e-13))
        gap = value - dual
        if self.fit_intercept:
            gradient = max(gradient, float(np.max(np.abs(intercept_gradient))))
            # With this intercept: a bound only once the dual variables sum to zero.
            gap += float(self.intercept @ self.sums)
        return Iterate(self._point(stride), value, gradient, self.passes), gap

    def _point(self, stride: int) -> Callable[[], Floats]:
        """Return a function that writes out where ascent is now: most points are never needed."""
        weights, log_odds = self.weights.copy(), self.log_odds.copy()
        intercept = self.intercept.copy()

        @cache
        def point() -> Floats:
            n_cols, n_columns = self.matrix.n_cols, self.setup.n_columns
            found = np.empty((n_cols + self.fit_intercept, n_columns))
            core.csr_spread_weights(
                self.matrix,
                self.setup,
                weights.astype(np.float64, copy=False),
                core.dual_variables(self.setup, log_odds, *self.how),
                *self.how,
                weights_out=found,
            )
            if self.fit_intercept:
                found[n_cols] = intercept[:n_columns]
            if stride == n_columns:
                return found
            padded = np.zeros((len(found), stride))
            padded[:, :n_columns] = found
            return padded

        return point

    def to_double(self) -> None:
        """Make the weights anew from the dual variables, in double precision."""
        duals = core.dual_variables(self.setup, self.log_odds, *self.how)
        self.weights = core.dual_weights(self.setup, duals, *self.how)
        self.sums[:] = duals.sum(axis=0)
        self.is_single = False

    def _measure(self) -> tuple[float, float, float, float, Floats]:
        return core.dual_measure(
            self.setup,
            self.weights,
            self.intercept,
            self.sums,
            self.log_odds,
            *self.how,
            residuals_out=self.residuals,
            gradient_out=self.gradient,
        )
