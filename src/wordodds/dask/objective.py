"""An objective whose rows are on workers: each question of a solver is a round of tasks."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from wordodds._border.cached_property import cached_property
from wordodds._border.execution import execution
from wordodds.dask import tasks
from wordodds.dask.cluster import FutureOf, Work, identity
from wordodds.linear.objective import Objective, Position, Ray
from wordodds.typing import Floats

__all__ = ["RemoteObjective"]


class _Width(NamedTuple):
    """All that the client knows of the matrix."""

    n_cols: int


class RemoteObjective(Objective):
    """Loss and penalty over partitions; sums have the same bits for any number of workers."""

    rows_at_hand = False

    def __init__(
        self,
        work: Work,
        rows: list[FutureOf[tasks.Rows]],
        n_cols: int,
        loss: tasks.LossOfRows,
        penalty: float | Floats,
    ) -> None:
        matrix: Any = _Width(n_cols)
        nothing = np.empty(0)
        super().__init__(
            matrix,
            nothing.astype(np.int32),
            nothing,
            loss.loss(),
            penalty,
            loss.fit_intercept,
            execution(None),
        )
        self._work = work
        self._rows = rows
        self._loss = loss

    def at(self, point: Floats) -> RemotePosition:
        """Return the objective's view from a point; one round, two passes over the data."""
        self.passes += 2
        items = [(rows, self._loss) for rows in self._rows]
        loss, gradient = self._work.round(tasks.loss_and_gradient, items, point, tasks.add_losses)
        return RemotePosition(self, point, loss, self.penalised(gradient, point))

    def scores_at(self, point: Floats) -> list[FutureOf[Floats]]:
        """Return futures of the rows' scores at a point; one pass over the data."""
        self.passes += 1
        shared = self._work.submit(identity, point)
        return self._work.map(tasks.scores, self._rows, loss=self._loss, point=shared)

    def reach(self, direction: Floats) -> float:
        """Return by how much a direction changes the score that it changes most; one round."""
        self.passes += 1
        items = [(rows, self._loss) for rows in self._rows]
        return float(self._work.round(tasks.reach, items, direction, tasks.greatest))

    def curved(self, its_scores: list[FutureOf[Floats]], vector: Floats | None) -> Floats:
        """Return the sum over rows of the Hessian times a vector (None: its diagonal); one round.

        The Hessian is that at the point where `scores_at` gave ``its_scores``.
        """
        self.passes += 1 if vector is None else 2
        task = tasks.squares if vector is None else tasks.products
        items = [
            (rows, self._loss, scores) for rows, scores in zip(self._rows, its_scores, strict=True)
        ]
        return self._work.round(task, items, vector, tasks.add)

    def penalised(self, summed: Floats, vector: Floats) -> Floats:
        """Return a sum over rows plus the penalty's Hessian times a vector."""
        n = self.matrix.n_cols
        result = np.array(summed)
        result[:n] += self.penalty * vector[:n]
        return result


class RemotePosition(Position):
    """The objective seen from a point, where loss and gradient are known."""

    objective: RemoteObjective

    def __init__(
        self, objective: RemoteObjective, point: Floats, loss: float, gradient: Floats
    ) -> None:
        self.objective = objective
        self.point = point
        self.gradient = gradient
        self.value = loss + 0.5 * objective.penalty_dot(point, point)

    @cached_property
    def _scores(self) -> list[FutureOf[Floats]]:
        return self.objective.scores_at(self.point)

    def hessian_times(self, vector: Floats, out: Floats | None = None) -> tuple[Floats, float]:
        """Return the Hessian times a vector, and that times the vector; one round."""
        objective = self.objective
        # A solver may write to its vector while a task of a dead worker is repeated.
        product = objective.penalised(objective.curved(self._scores, vector.copy()), vector)
        if out is not None:
            out[...] = product
        return product, objective.dot(vector, product)

    def hessian_diagonal(self) -> Floats:
        """Return the diagonal of the Hessian; one round."""
        diagonal = self.objective.curved(self._scores, None)
        return self.objective.penalised(diagonal, np.ones_like(diagonal))

    def ray(self, direction: Floats) -> RemoteRay:
        """Return the half line from here in a direction."""
        return RemoteRay(self, direction)


class RemoteRay(Ray):
    """The points position + t direction, t >= 0; each look is a round that brings the gradient."""

    position: RemotePosition

    def __init__(self, position: RemotePosition, direction: Floats) -> None:
        self.position = position
        self.direction = direction
        self._there: tuple[float, RemotePosition] | None = None

    @property
    def slope(self) -> float:
        """The derivative by t at t = 0."""
        return self.position.objective.dot(self.position.gradient, self.direction)

    @property
    def curve(self) -> float:
        """The second derivative by t at t = 0; one round."""
        return self.position.hessian_times(self.direction)[1]

    @property
    def reach(self) -> float:
        """By how much the score that changes most does so from t = 0 to 1; one round."""
        return self.position.objective.reach(self.direction)

    def look(self, t: float) -> tuple[float, float]:
        """Return value and slope at t; one round."""
        there = self.position.objective.at(self.position.point + t * self.direction)
        self._there = t, there
        return there.value, there.objective.dot(there.gradient, self.direction)

    def to(self, t: float) -> RemotePosition:
        """Return the position at t; no round, if that was the last look."""
        if self._there is None or self._there[0] != t:
            self.look(t)
        assert self._there is not None
        return self._there[1]
