r"""Gradient descent, with the best step along each gradient.

.. math:: w \leftarrow w - t \nabla f(w)

Every other method of this folder is an answer to how slowly this one converges: the gap shrinks
by a factor (κ - 1)² / (κ + 1)² a step, κ the condition number of the Hessian.
"""

from collections.abc import Iterator

from wordodds.linear.objective import Objective, Position
from wordodds.linear.solvers.iterate import Iterate, iterate_at
from wordodds.linear.solvers.line_search import first_step, wolfe_step
from wordodds.typing import Floats

__all__ = ["gradient_descent"]


def gradient_descent(objective: Objective, start: Floats) -> Iterator[Iterate]:
    """Yield the iterates of gradient descent, until rounding leaves no way down."""
    here: Position | None = objective.at(start)
    while here is not None:
        yield iterate_at(here)
        ray = here.ray(-here.gradient)
        here = wolfe_step(ray, first_step(ray), flatness=0.1)
