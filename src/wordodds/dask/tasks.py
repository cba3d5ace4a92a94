"""What workers do: the sums over the rows of a partition that an objective is made of."""

from __future__ import annotations

import operator
from functools import reduce
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, clone

from wordodds._border.csr import CsrArrays, as_csr
from wordodds._border.execution import execution
from wordodds.classifier.sample import position_hash
from wordodds.dask.count import Chosen, Counted, rows_of
from wordodds.linear.losses import Loss, SoftmaxLoss, link_loss
from wordodds.linear.matrix import SparseMatrix
from wordodds.linear.objective import Objective, Position
from wordodds.linear.ratio import LocalStep, RatioPrior, local_step
from wordodds.typing import AnyArray, Codes, Floats, Floats32

__all__ = [
    "LocalSettings",
    "LossOfRows",
    "Rows",
    "add",
    "add_losses",
    "add_steps",
    "ascend",
    "class_documents",
    "entries",
    "fit_group",
    "greatest",
    "join",
    "largest_entry",
    "loss_and_gradient",
    "prepare",
    "products",
    "reach",
    "scores",
    "share",
    "squares",
]

LOCAL_EPOCHS = 4  # visits of each row between two rounds: a round costs more than they do


class LossOfRows(NamedTuple):
    """A loss by its name: its machine code has another address in each process."""

    softmax: bool  # or each column by itself
    n_columns: int
    fit_intercept: bool

    def loss(self) -> Loss:
        """Return the loss in this process."""
        return SoftmaxLoss(self.n_columns) if self.softmax else link_loss("logit", self.n_columns)


class Rows(NamedTuple):
    """The matrix of a partition; stays on its worker."""

    rows: CsrArrays
    columns: CsrArrays  # the rows of the transpose
    codes: Codes
    weights: Floats  # those of all partitions sum to 1

    def objective(self, loss: LossOfRows) -> Objective:
        """Return the sum over these rows, without a penalty."""
        # The threads and instructions of this machine, not of the one that made the rows.
        how = execution(None)
        matrix = SparseMatrix(self.rows, how)
        matrix.columns = self.columns
        return Objective(
            matrix, self.codes, self.weights, loss.loss(), 0.0, loss.fit_intercept, how
        )


def prepare(counted: Counted, chosen: Chosen) -> Rows:
    """Make the matrix of a partition."""
    matrix, codes = rows_of(counted, chosen)
    rows = as_csr(matrix.astype(np.float64), non_negative=False, execution=execution(None))
    factors = np.ones(len(chosen.classes)) if chosen.factors is None else chosen.factors
    weights = factors[codes] / chosen.total_weight
    return Rows(rows, SparseMatrix(rows, execution(None)).columns, codes, weights)


def loss_and_gradient(rows: Rows, loss: LossOfRows, point: Floats) -> tuple[float, Floats]:
    """Return what the rows cost at a point, and the derivative by it."""
    here = rows.objective(loss).at(point)
    return here.value, here.gradient


def scores(rows: Rows, loss: LossOfRows, point: Floats) -> Floats:
    """Return X W + b; stays on its worker while the solver asks about the same point."""
    return rows.objective(loss).scores(point)


def products(rows: Rows, loss: LossOfRows, its_scores: Floats, vector: Floats) -> Floats:
    """Return the rows' part of the Hessian, where scores were taken, times a vector."""
    return Position(rows.objective(loss), vector, its_scores).hessian_times(vector)[0]


def squares(rows: Rows, loss: LossOfRows, its_scores: Floats, nothing: None) -> Floats:
    """Return the rows' part of the Hessian's diagonal."""
    objective = rows.objective(loss)
    return Position(objective, np.zeros(objective.shape), its_scores).hessian_diagonal()


def reach(rows: Rows, loss: LossOfRows, direction: Floats) -> float:
    """Return by how much a direction changes the score that it changes most."""
    return float(np.abs(scores(rows, loss, direction)).max(initial=0.0))


def class_documents(rows: Rows, n_classes: int, total_weight: float) -> Floats:
    """Return the weight of each class in rows that have each column, (n_cols, n_classes)."""
    own = sp.csr_array(
        (rows.weights * total_weight, rows.codes, np.arange(len(rows.codes) + 1)),
        shape=(len(rows.codes), n_classes),
    )
    present = rows.columns.to_scipy((rows.columns.data != 0.0).astype(np.float64))
    return np.asarray((present @ own).toarray())


def entries(rows: Rows) -> int:
    """Return the number of entries of a partition."""
    return len(rows.rows.data)


def largest_entry(rows: Rows) -> float:
    """Return the largest entry of a partition, 0 if there is none."""
    return float(rows.rows.data.max(initial=0.0))


def share(rows: Rows, number: int, n_groups: int) -> Rows:
    """Return the rows of a partition that belong to a group, as if drawn at random.

    Partitions are often sorted by class, and groups that know different classes would agree late.
    """
    group = position_hash(np.arange(len(rows.codes))) % np.uint64(n_groups)
    kept = np.flatnonzero(group == number)
    return Rows(rows.rows.take(kept), rows.columns, rows.codes[kept], rows.weights[kept])


def fit_group(
    rows: Rows, model: BaseEstimator, classes: AnyArray, total_weight: float
) -> BaseEstimator:
    """Return a copy of an NBLogisticRegression that is fitted to all rows, in one place."""
    matrix = rows.rows.to_scipy()
    fitted = clone(model).set_params(class_weight=None, n_jobs=None)
    weights = rows.weights * total_weight
    fitted.fit(matrix, classes[rows.codes], sample_weight=weights)
    return fitted.set_params(class_weight=model.class_weight, n_jobs=model.n_jobs)


def join(parts: list[Rows]) -> Rows:
    """Return the rows of several partitions as one, without a transpose, which ascent ignores."""
    if len(parts) == 1:
        return parts[0]
    rows = CsrArrays.of(sp.vstack([part.rows.to_scipy() for part in parts], format="csr"))
    codes = np.concatenate([part.codes for part in parts])
    return Rows(rows, parts[0].columns, codes, np.concatenate([part.weights for part in parts]))


class LocalSettings(NamedTuple):
    """What all groups of rows share in dual ascent."""

    prior: RatioPrior
    strength: float  # C times the weight of all rows
    n_groups: int


def ascend(
    rows: Rows,
    before: LocalStep | None,
    ratios: Floats32,
    start: tuple[Floats32, Floats],
    settings: LocalSettings,
    seed: int,
) -> LocalStep:
    """Visit the rows of a group, from weights that all groups start from."""
    n_columns = ratios.shape[1]
    weights, intercept = start
    if not len(rows.codes):
        nothing = np.zeros(n_columns)
        log_odds = np.empty((0, n_columns), dtype=np.float32)
        return LocalStep(log_odds, np.zeros_like(ratios), nothing, nothing)
    return local_step(
        rows.rows,
        rows.codes,
        settings.strength * rows.weights,
        ratios=ratios,
        prior=settings.prior,
        weights=weights,
        intercept=intercept,
        before=None if before is None else before.log_odds,
        spread=settings.n_groups,
        epochs=LOCAL_EPOCHS,
        seed=seed,
        how=execution(None),
    )


def add_steps(steps: list[LocalStep]) -> LocalStep:
    """Return the sum of what groups changed, added in order."""
    first = steps[0]
    change, intercept = first.change.copy(), first.intercept_change.copy()
    gaps = first.gaps.copy()
    for step in steps[1:]:
        change += step.change
        intercept += step.intercept_change
        gaps += step.gaps
    return LocalStep(None, change, intercept, gaps)


def add(parts: list[Floats]) -> Floats:
    """Return the sum of arrays, added in order."""
    total = parts[0].copy()
    for part in parts[1:]:
        total += part
    return total


def add_losses(parts: list[tuple[float, Floats]]) -> tuple[float, Floats]:
    """Return the sums of losses and of gradients, added in order."""
    # Not by `sum`, which rounds otherwise since Python 3.12.
    loss = reduce(operator.add, [loss for loss, _ in parts])
    return loss, add([gradient for _, gradient in parts])


def greatest(parts: list[float]) -> float:
    """Return the greatest of some numbers."""
    return max(parts)
