r"""Nonlinear conjugate gradients, after Polak and Ribière.

.. math::
    d \leftarrow -g' + \max\left(0, \frac{g' \cdot (g' - g)}{g \cdot g}\right) d

On a quadratic function with exact steps the directions are conjugate, and n steps reach the
minimum; beta = 0 starts anew where the function has changed too much.
"""

from collections.abc import Iterator

from wordodds.linear.objective import Objective
from wordodds.linear.solvers.iterate import Iterate, iterate_at
from wordodds.linear.solvers.line_search import first_step, wolfe_step
from wordodds.typing import Floats

__all__ = ["conjugate_gradients"]


def conjugate_gradients(objective: Objective, start: Floats) -> Iterator[Iterate]:
    """Yield the iterates of nonlinear conjugate gradients, until rounding leaves no way down."""
    dot = objective.dot
    here = objective.at(start)
    direction = -here.gradient
    restarted = True
    while True:
        yield iterate_at(here)
        gradient = here.gradient
        ray = here.ray(direction)
        there = wolfe_step(ray, first_step(ray), flatness=0.1)
        if there is None:
            if restarted:
                return
            direction, restarted = -gradient, True
            continue
        squared = dot(gradient, gradient)
        beta = dot(there.gradient, there.gradient - gradient) / squared if squared > 0.0 else 0.0
        direction = max(0.0, beta) * direction - there.gradient
        here, restarted = there, False
