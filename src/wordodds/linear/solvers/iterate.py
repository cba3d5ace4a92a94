"""What a solver yields after each step."""

from collections.abc import Callable
from typing import NamedTuple

from wordodds.linear.objective import Position
from wordodds.typing import Floats

__all__ = ["Iterate", "iterate_at"]


class Iterate(NamedTuple):
    """A point on the way to the optimum, to which the solver does not write any more.

    Of all points of a fit the last alone is needed: a solver to which it costs something to write
    them out gives a function.
    """

    where: Floats | Callable[[], Floats]  # weights, feature-major, and perhaps a row of intercepts
    value: float  # the objective
    gradient_norm: float  # the largest absolute value in the gradient
    passes: float  # products with the matrix so far

    @property
    def point(self) -> Floats:
        """Weights and intercepts."""
        return self.where() if callable(self.where) else self.where


def iterate_at(position: Position) -> Iterate:
    """Return the iterate of a position."""
    return Iterate(
        position.point, position.value, position.gradient_norm, position.objective.passes
    )
