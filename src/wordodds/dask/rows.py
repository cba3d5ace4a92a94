"""What workers do with rows: the sums over a partition that an objective is made of."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from wordodds._execution import execution
from wordodds._sparse import CsrArrays, as_csr
from wordodds.dask.count import Chosen, Counted, rows_of
from wordodds.linear.losses import Loss, SoftmaxLoss, link_loss
from wordodds.linear.matrix import SparseMatrix
from wordodds.linear.objective import Objective, Position

__all__ = [
    "LossOfRows",
    "Rows",
    "add",
    "class_documents",
    "greatest",
    "loss_and_gradient",
    "prepare",
    "products",
    "reach",
    "scores",
    "squares",
]

Floats: TypeAlias = npt.NDArray[np.float64]


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
    codes: npt.NDArray[np.int32]
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


def prepare(counted: Counted, chosen: Chosen, constant: float | None) -> Rows:
    """Make the matrix of a partition.

    Parameters
    ----------
    counted : Counted
        The partition.
    chosen : Chosen
        What all partitions share.
    constant : float or None
        The value of one more column, for an intercept that is penalised.
    """
    matrix, codes = rows_of(counted, chosen)
    if constant is not None:
        matrix = sp.hstack([matrix, np.full((len(codes), 1), constant)], format="csr")
    rows = as_csr(matrix.astype(np.float64), non_negative=False, execution=execution(None))
    factors = np.ones(len(chosen.classes)) if chosen.factors is None else chosen.factors
    weights = factors[codes] / chosen.total_weight
    return Rows(rows, SparseMatrix(rows, execution(None)).columns, codes, weights)


def loss_and_gradient(rows: Rows, loss: LossOfRows, point: Floats) -> tuple[float, Floats]:
    """Return what the rows cost at a point, and the derivative by it.

    Parameters
    ----------
    rows : Rows
        A partition.
    loss : LossOfRows
        Which loss.
    point : ndarray
        As in `Objective`.
    """
    here = rows.objective(loss).at(point)
    return here.value, here.gradient


def scores(rows: Rows, loss: LossOfRows, point: Floats) -> Floats:
    """Return X W + b; stays on its worker while the solver asks about the same point.

    Parameters
    ----------
    rows, loss, point
        As in `loss_and_gradient`.
    """
    return rows.objective(loss).scores(point)


def products(
    rows: Rows, loss: LossOfRows, its_scores: Floats, vector: Floats
) -> tuple[float, Floats]:
    """Return the rows' part of the Hessian times a vector; the first number is nothing.

    Parameters
    ----------
    rows : Rows
        A partition.
    loss : LossOfRows
        Which loss.
    its_scores : ndarray
        What `scores` gave at the point of the Hessian.
    vector : ndarray
        Of the shape of a point.
    """
    return 0.0, Position(rows.objective(loss), vector, its_scores).hessian_times(vector)[0]


def squares(
    rows: Rows, loss: LossOfRows, its_scores: Floats, nothing: None
) -> tuple[float, Floats]:
    """Return the rows' part of the Hessian's diagonal; the first number is nothing.

    Parameters
    ----------
    rows, loss, its_scores
        As in `products`.
    nothing : None
        What a round shares.
    """
    objective = rows.objective(loss)
    position = Position(objective, np.zeros(objective.shape), its_scores)
    return 0.0, position.hessian_diagonal()


def reach(rows: Rows, loss: LossOfRows, direction: Floats) -> float:
    """Return by how much a direction changes the score that it changes most.

    Parameters
    ----------
    rows, loss, direction
        As in `loss_and_gradient`.
    """
    return float(np.abs(scores(rows, loss, direction)).max(initial=0.0))


def class_documents(rows: Rows, n_classes: int, total_weight: float) -> tuple[float, Floats]:
    """Return how many rows of each class have each column, (n_columns, n_classes).

    Parameters
    ----------
    rows : Rows
        A partition.
    n_classes : int
        Of all partitions.
    total_weight : float
        Of all partitions, as rows count by their weights.
    """
    own = sp.csr_array(
        (rows.weights * total_weight, rows.codes, np.arange(len(rows.codes) + 1)),
        shape=(len(rows.codes), n_classes),
    )
    indptr, indices, data, n_columns, n_rows = rows.columns
    present = (data != 0.0).astype(np.float64)
    columns = sp.csr_array((present, indices, indptr), shape=(n_columns, n_rows))
    return 0.0, np.asarray((columns @ own).toarray())


def add(parts: list[tuple[float, Floats]]) -> tuple[float, Floats]:
    """Return sums, added in order.

    Parameters
    ----------
    parts : list of (float, ndarray)
        Not changed.
    """
    value, total = parts[0][0], parts[0][1].copy()
    for one, array in parts[1:]:
        value += one
        total += array
    return value, total


def greatest(parts: list[float]) -> float:
    """Return the greatest of some numbers.

    Parameters
    ----------
    parts : list of float
        At least one.
    """
    return max(parts)
