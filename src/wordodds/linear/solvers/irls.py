r"""Iteratively reweighted least squares: Newton's method with the Hessian written down.

With Φ the matrix and a column of ones, R the curvature of the loss at the current scores, every
step solves the weighted normal equations

.. math:: (\Phi^T R \Phi + \Lambda) d = -\nabla f

which is w = (ΦᵀRΦ)⁻¹ΦᵀRz of the textbooks, with a penalty and as a step. Several classes make it a
system of blocks, one for each pair of classes. Where the rows are fewer than the columns, the
unknowns are u = R Φ d, one for each row and class, and the same step comes from

.. math:: (1 + R G) u - R 1 d_b = -R X \Lambda^{-1} \nabla_w f, \quad G = X \Lambda^{-1} X^T

A step is made shorter where the objective would not fall by it.
"""

from collections.abc import Iterator

import numpy as np
from scipy.linalg import lapack

from wordodds._border.interruptible import cholesky, interruptible, product
from wordodds.linear.losses import Curvature, WeightsOfRows
from wordodds.linear.objective import Objective, Position
from wordodds.linear.solvers.iterate import Iterate, iterate_at
from wordodds.linear.solvers.line_search import newton_step
from wordodds.typing import Floats

__all__ = ["irls", "irls_unknowns"]

UNKNOWNS_MAX = 2048  # of one system: its factorisation cannot be interrupted
ROWS_PER_BLOCK = 512  # of which all products of columns are written down
ROWS_PER_PAIR = 1024
# Of a system with a diagonal of ones: what is added to it where columns depend on each other.
RIDGES = (0.0, 1e-12, 1e-9, 1e-6, 1e-3)
PIVOT_LEAST = 1e-7
TINY = 1e-300


def irls_unknowns(objective: Objective) -> int:
    """Return the number of unknowns in the smaller system; coupled columns share one."""
    blocks = objective.loss.n_columns if objective.loss.coupled else 1
    n = objective.matrix.n_rows + 1 if _has_row_form(objective) else objective.shape[0]
    return n * blocks


def _has_row_form(objective: Objective) -> bool:
    """Return whether rows are fewer than columns, and each column has a penalty to divide by."""
    return objective.matrix.n_rows + 1 < objective.shape[0] and bool(np.all(objective.penalty))


def irls(objective: Objective, start: Floats) -> Iterator[Iterate]:
    """Yield the iterates of Newton's method, until rounding leaves no way down."""
    unknowns = irls_unknowns(objective)
    if unknowns > UNKNOWNS_MAX:
        raise ValueError(
            f'solver="irls" would solve systems of {unknowns} unknowns, and {UNKNOWNS_MAX} is the '
            'most: use solver="newton-cg", the same iteration without writing the system down'
        )
    by_rows = _has_row_form(objective)
    direction = _DualSteps(objective).direction if by_rows else _primal_direction
    here: Position | None = objective.at(start)
    while here is not None:
        yield iterate_at(here)
        here = newton_step(here, direction(here), flatness=0.9)


def _primal_direction(here: Position) -> Floats:
    """Solve the normal equations."""
    objective = here.objective
    n_params, n_columns = objective.shape[0], objective.loss.n_columns
    penalty = np.zeros(n_params)
    penalty[: objective.matrix.n_cols] = np.ravel(objective.penalty)
    pairs, blocks = _hessian_blocks(here)
    direction = np.zeros(objective.shape)
    if not objective.loss.coupled:
        for k in range(n_columns):
            hessian = blocks[k] + np.diag(penalty)
            direction[:, k] = _solve_positive(hessian, -here.gradient[:, k])
        return direction
    hessian = np.zeros((n_columns, n_params, n_columns, n_params))
    for (k, m), block in zip(pairs, blocks, strict=True):
        hessian[k, :, m, :] = block
        hessian[m, :, k, :] = block
    for k in range(n_columns):
        hessian[k, :, k, :] += np.diag(penalty)
    if objective.fit_intercept:
        # To move all intercepts alike changes nothing: the gradient has no part of it, and any
        # curvature there makes the system regular.
        hessian[:, -1, :, -1] += max(np.abs(blocks[0][-1, -1]), TINY)
    size = n_columns * n_params
    gradient = here.gradient[:, :n_columns].T.reshape(-1)
    solution = _solve_positive(hessian.reshape(size, size), -gradient)
    direction[:, :n_columns] = solution.reshape(n_columns, n_params).T
    return direction


def _hessian_blocks(here: Position) -> tuple[list[tuple[int, int]], Floats]:
    """Return the pairs of columns and for each the matrix Φᵀ diag(r) Φ, without the penalty.

    Both Φᵀ diag(r) Φ and the curvature are symmetric: of q columns and K classes only
    q (q + 1) / 2 products of columns meet K (K + 1) / 2 products of classes, in one matrix product.
    """
    objective = here.objective
    n_rows, n_params = objective.matrix.n_rows, objective.shape[0]
    pairs, weights = here.curvature.pairs()
    if len(pairs) == 1:
        return pairs, _one_block(here, weights)
    upper = np.triu_indices(n_params)
    sums = np.zeros((len(pairs), len(upper[0])))
    for begin in range(0, n_rows, ROWS_PER_BLOCK):
        end = min(n_rows, begin + ROWS_PER_BLOCK)
        rows = _rows_with_ones(objective, begin, end)
        sums += weights(begin, end).T @ _products_of_columns(rows)
    objective.passes += 1
    blocks = np.empty((len(pairs), n_params, n_params))
    blocks[:, upper[0], upper[1]] = sums
    blocks[:, upper[1], upper[0]] = sums
    return pairs, blocks


def _one_block(here: Position, weights: WeightsOfRows) -> Floats:
    """Return Φᵀ diag(r) Φ for the only pair there is, as √r Φ times itself."""
    objective = here.objective
    n_rows, n_params = objective.matrix.n_rows, objective.shape[0]
    objective.passes += 1
    block = np.zeros((1, n_params, n_params))
    room = np.empty((min(n_rows, ROWS_PER_PAIR), n_params))
    for begin in range(0, n_rows, ROWS_PER_PAIR):
        end = min(n_rows, begin + ROWS_PER_PAIR)
        root = np.sqrt(np.maximum(weights(begin, end), 0.0))  # rounding may leave -1e-20
        scaled = room[: end - begin]
        rows = objective.matrix.block(begin, end)
        np.multiply(rows, root, out=scaled[:, : objective.matrix.n_cols])
        if objective.fit_intercept:
            scaled[:, -1:] = root
        block[0] += product(scaled.T, scaled)
    return block


def _rows_with_ones(objective: Objective, begin: int, end: int) -> Floats:
    """Return some rows of Φ: those of the matrix, and a one where there is an intercept."""
    rows = np.ones((end - begin, objective.shape[0]))
    rows[:, : objective.matrix.n_cols] = objective.matrix.block(begin, end)
    return rows


def _products_of_columns(rows: Floats) -> Floats:
    """Return the products of each column with itself and those after it, as `triu_indices`."""
    n, q = rows.shape
    products = np.empty((n, q * (q + 1) // 2))
    at = 0
    for j in range(q):
        np.multiply(rows[:, j : j + 1], rows[:, j:], out=products[:, at : at + q - j])
        at += q - j
    return products


def _solve_positive(matrix: Floats, right: Floats) -> Floats:
    """Solve a symmetric system, whatever the units of its columns.

    Where columns depend on each other a small ridge picks a short one of the solutions. What is not
    positive definite at all has ``right`` for an answer, the direction of steepest descent.
    """
    sizes = np.sqrt(np.abs(matrix.diagonal()))
    sizes[sizes == 0.0] = 1.0
    scaled = matrix / sizes / sizes[:, np.newaxis]
    diagonal = scaled.diagonal().copy()
    for ridge in RIDGES:
        np.fill_diagonal(scaled, diagonal + ridge)
        factor, failed = cholesky(scaled)
        if not failed and factor.diagonal().min() > PIVOT_LEAST:
            with np.errstate(over="ignore"):  # the loss is flat there
                return np.asarray(lapack.dpotrs(factor, right / sizes, lower=1)[0] / sizes)
    return right


class _DualSteps:
    """Newton's steps where the rows are few."""

    def __init__(self, objective: Objective) -> None:
        self._gram = objective.matrix.gram(
            1.0 / np.broadcast_to(np.ravel(objective.penalty), objective.matrix.n_cols)
        )

    def direction(self, here: Position) -> Floats:
        """Solve for u = R Φ d and return d."""
        objective = here.objective
        n_cols, n_columns = objective.matrix.n_cols, objective.loss.n_columns
        by_weights = here.gradient[:n_cols] / objective.penalty
        pulled = objective.scores(_with_intercept(by_weights, objective))
        rows = _row_matrices(here.curvature, n_columns)
        changes = np.zeros((objective.matrix.n_rows, objective.stride))
        intercepts = np.zeros(objective.stride)
        if objective.loss.coupled:
            u, b = self._solve(here, rows, pulled[:, :n_columns], range(n_columns))
            changes[:, :n_columns], intercepts[:n_columns] = u, b
        else:
            for k in range(n_columns):
                u, b = self._solve(
                    here, rows[:, k : k + 1, k : k + 1], pulled[:, k : k + 1], range(k, k + 1)
                )
                changes[:, k : k + 1], intercepts[k] = u, b[0]
        direction = _with_intercept(
            -by_weights - objective.matrix.transposed_times(changes) / objective.penalty, objective
        )
        if objective.fit_intercept:
            direction[-1] = intercepts
        objective.passes += 1
        return direction

    def _solve(
        self, here: Position, rows: Floats, pulled: Floats, columns: range
    ) -> tuple[Floats, Floats]:
        """Solve the system of some columns for u and the intercepts' step."""
        objective = here.objective
        n_rows, n_columns = objective.matrix.n_rows, len(columns)
        size = n_rows * n_columns
        bordered = np.zeros((size + n_columns, size + n_columns))
        system = bordered[:size, :size].reshape(n_rows, n_columns, n_rows, n_columns)
        system[...] = np.einsum("ikl,ij->ikjl", rows, self._gram)
        bordered[np.arange(size), np.arange(size)] += 1.0
        right = np.zeros(size + n_columns)
        right[:size] = -np.einsum("ikl,il->ik", rows, pulled).reshape(-1)
        if objective.fit_intercept:
            bordered[:size, size:] = -rows.reshape(size, n_columns)
            bordered[size:, :size] = np.tile(np.eye(n_columns), n_rows)
            right[size:] = -here.gradient[-1, columns.start : columns.stop]
            if n_columns > 1:  # all intercepts alike change nothing: see the primal form
                bordered[size:, size:] += 1.0
            # Nothing else is there where all rows are certain and the loss is flat.
            corner = np.arange(size, size + n_columns)
            bordered[corner, corner] += RIDGES[1]
        else:
            bordered[size:, size:] = np.eye(n_columns)
        flops = 2 * len(bordered) ** 3 / 3
        solution: Floats = interruptible(flops, np.linalg.solve, bordered, right)
        return solution[:size].reshape(n_rows, n_columns), solution[size:]


def _with_intercept(weights: Floats, objective: Objective) -> Floats:
    """Return a point of given weights, with intercepts of zero where there are any."""
    point = np.zeros(objective.shape)
    point[: objective.matrix.n_cols] = weights
    return point


def _row_matrices(curvature: Curvature, n_columns: int) -> Floats:
    """Return the curvature as one matrix for each row, (n_rows, n_columns, n_columns)."""
    pairs, weights = curvature.pairs()
    values = weights(0, None)
    matrices = np.zeros((len(values), n_columns, n_columns))
    for at, (k, m) in enumerate(pairs):
        matrices[:, k, m] = matrices[:, m, k] = values[:, at]
    return matrices
