r"""Newton's method with conjugate gradients: IRLS where the Hessian is too large to write down.

Each step solves

.. math:: (X^T R X + \Lambda) d = -\nabla f

by preconditioned conjugate gradients, which only multiply with the matrix, and only as exactly as
the distance from the optimum deserves (Dembo, Eisenstat and Steihaug: superlinear in the end).
Along d a line search makes sure that the objective falls: separable data cannot make it diverge.
"""

import math
from collections.abc import Iterator

import numpy as np

from wordodds._core import linear as core
from wordodds.linear.objective import Objective, Position
from wordodds.linear.solvers.iterate import Iterate, iterate_at
from wordodds.linear.solvers.line_search import newton_step
from wordodds.typing import Floats

__all__ = ["inverse_or_one", "newton_cg", "newton_direction"]

PRODUCTS_MAX = 250  # Hessian products a step
FLAT = 1e-50  # no curvature to speak of
GROWTH_MAX = 1e10  # of a residual's energy: beyond, where the loss is flat, it is rounding


def newton_cg(objective: Objective, start: Floats) -> Iterator[Iterate]:
    """Yield the iterates of Newton's method, until rounding leaves no way down."""
    here: Position | None = objective.at(start)
    first_norm = None
    while here is not None:
        yield iterate_at(here)
        norm = math.sqrt(objective.dot(here.gradient, here.gradient))
        first_norm = first_norm or norm
        # At first a rough direction is enough; near the optimum more digits pay.
        exactness = min(0.3, math.sqrt(norm / first_norm)) if first_norm else 0.0
        here = newton_step(here, newton_direction(here, exactness), flatness=0.3)


def newton_direction(here: Position, exactness: float, free: Floats | None = None) -> Floats:
    """Solve for Newton's direction until the residual is a share of the gradient.

    ``free`` is 1 for each parameter that may change, 0 for the others.
    """
    objective = here.objective
    how = objective.how
    gradient = (here.gradient if free is None else here.gradient * free).reshape(-1)
    inverse_diagonal = inverse_or_one(here.hessian_diagonal()).reshape(-1)
    product = np.empty_like(here.gradient)
    solution = np.zeros(here.gradient.size)
    residual = -gradient
    preconditioned = inverse_diagonal * residual
    direction = preconditioned.copy()
    energy = core.vectors_dot(residual, preconditioned, *how)
    most = GROWTH_MAX * energy
    goal = exactness**2 * core.vectors_dot(residual, residual, *how)
    for _ in range(PRODUCTS_MAX):
        _, curvature = here.hessian_times(direction.reshape(here.point.shape), product)
        if free is not None:
            product *= free
            curvature = core.vectors_dot(direction, product.reshape(-1), *how)
        if not curvature > 0.0:  # flat, or not convex: what is found so far must do
            break
        squared, next_energy = core.vectors_cg_step(
            energy / curvature,
            direction,
            product.reshape(-1),
            inverse_diagonal,
            *how,
            solution_in_out=solution,
            residual_in_out=residual,
            preconditioned_out=preconditioned,
        )
        if squared <= goal or not 0.0 < next_energy <= most:
            break
        core.vectors_scale_add(preconditioned, next_energy / energy, *how, y_in_out=direction)
        energy = next_energy
    found = solution if solution.any() else inverse_diagonal * -gradient
    return found.reshape(here.point.shape)


def inverse_or_one(diagonal: Floats) -> Floats:
    """Return the inverse of a diagonal; 1 where it is zero, as in padding and flat directions."""
    return np.divide(1.0, diagonal, out=np.ones_like(diagonal), where=diagonal > FLAT)
