r"""Newton's method and gradient descent where no parameter may be negative.

.. math:: w \leftarrow \max(0, w + t d)

Two metrics, after Bertsekas (1982): a parameter at zero whose gradient would push it below follows
its own derivative, by which it stays at zero; the others follow Newton's direction as if the first
ones did not exist. Projecting Newton's direction for all of them need not lead down.
The optimum is where the gradient is zero, or positive and the parameter zero; how far a point is
from that says the largest component of w - max(0, w - g), in the place of the gradient's.
"""

import math
from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np

from wordodds.linear.objective import Objective, Position
from wordodds.linear.solvers.iterate import Iterate
from wordodds.linear.solvers.newton_cg import inverse_or_one, newton_direction
from wordodds.typing import Booleans, Floats

__all__ = ["point_inside", "projected_gradient", "projected_newton"]

Direction: TypeAlias = Callable[[Position, Floats, float], Floats]

SUFFICIENT = 1e-4  # what a step must gain, as a share of what the slope promises
LOOKS_MAX = 50
NEAR = 1e-3  # a parameter below this may count as zero
ROUNDING = 1e-13  # of values: see line_search
SHARE_MAX = 1.0 - 1e-12


def projected_newton(objective: Objective, start: Floats) -> Iterator[Iterate]:
    """Yield the iterates of projected Newton steps, until rounding leaves no way down."""
    return _descend(objective, start, _newton)


def projected_gradient(objective: Objective, start: Floats) -> Iterator[Iterate]:
    """Yield the iterates of projected gradient descent, until rounding leaves no way down."""
    return _descend(objective, start, _steepest)


def _descend(objective: Objective, start: Floats, direction: Direction) -> Iterator[Iterate]:
    here: Position | None = objective.at(start)
    first_norm = None
    while here is not None:
        norm = _distance(here)
        yield Iterate(here.point, here.value, norm, objective.passes)
        first_norm = first_norm or norm
        exactness = min(0.3, math.sqrt(norm / first_norm)) if first_norm else 0.0
        # A parameter leaves the nearer to zero the closer the optimum is.
        held = (here.point <= min(NEAR, norm)) & (here.gradient > 0.0)
        here = _step(here, direction(here, (~held).astype(np.float64), exactness), held)


def _distance(here: Position) -> float:
    """Return how far a position is from being the optimum; zero if it is."""
    return float(np.abs(here.point - np.maximum(0.0, here.point - here.gradient)).max())


def _newton(here: Position, free: Floats, exactness: float) -> Floats:
    own = -here.gradient * inverse_or_one(here.hessian_diagonal())
    with np.errstate(over="ignore", invalid="ignore"):
        newton = newton_direction(here, exactness, free)
        down = np.isfinite(newton).all() and np.sum(newton * here.gradient) < 0.0
    return np.where(free, newton, own) if down else own


def _steepest(here: Position, free: Floats, exactness: float) -> Floats:
    """Return minus the gradient, as long as a parabola along its free part says."""
    objective = here.objective
    descent = -here.gradient * free
    _, curved = here.hessian_times(descent)
    length = objective.dot(descent, descent) / curved if curved > 0.0 else 1.0
    return -here.gradient * (length if math.isfinite(length) else 1.0)


def _step(here: Position, direction: Floats, held: Booleans) -> Position | None:
    """Return a lower position on the bent line of projected steps, or None if none is found."""
    objective = here.objective
    slope = float(np.sum((here.gradient * direction)[~held]))
    norm = None
    t = 1.0
    for _ in range(LOOKS_MAX):
        point = np.maximum(0.0, here.point + t * direction)
        there = objective.at(point)
        # What is held moves to zero and no further: its gain is that of its real change.
        moved = float(np.sum((here.gradient * (point - here.point))[held]))
        if there.value <= here.value + SUFFICIENT * (t * slope + moved):
            return there if not np.array_equal(point, here.point) else None
        if abs(there.value - here.value) <= ROUNDING * abs(here.value):
            norm = norm or _distance(here)
            if _distance(there) < norm:
                return there
        t *= 0.5
    return None


def point_inside(objective: Objective, wanted: Floats | None) -> Floats:
    """Return a point where the objective is finite, the wanted one if it is; else ValueError."""
    if wanted is not None:
        point = np.maximum(0.0, wanted)
        if math.isfinite(objective.at(point).value):
            return point
    positive = objective.codes == 1
    point = np.zeros(objective.shape)
    if objective.fit_intercept:  # with no weights, the best intercept
        share = min(float(objective.row_weights[positive].sum()), SHARE_MAX)
        point[-1] = -math.log1p(-share)
        return point
    point[:] = 1.0
    scores = objective.scores(point)[:, 0]
    empty = positive & (scores == 0.0)
    if empty.any():
        raise ValueError(
            f"{int(empty.sum())} rows of the positive class have no features, so that without an "
            "intercept their probability is zero whatever the weights: drop them, or pass "
            "fit_intercept=True"
        )
    return point / float(objective.row_weights @ scores)
