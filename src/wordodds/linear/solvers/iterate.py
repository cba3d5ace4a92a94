"""What a solver yields after each step."""

from collections.abc import Callable
from typing import NamedTuple

from wordodds.linear.objective import Position
from wordodds.typing import Floats

__all__ = ["Iterate", "iterate_at"]


class Iterate(NamedTuple):
    """A point on the way to the optimum.

    Attributes
    ----------
    where : ndarray, or a function that returns it
        Weights, feature-major, and the intercepts as the last row if there are any. The solver
        does not write to it any more. Of all points of a fit the last alone is needed: a solver
        to which it costs something to write them out gives a function.
    value : float
        The objective.
    gradient_norm : float
        The largest absolute value in the gradient.
    passes : float
        Products with the matrix so far.
    """

    where: Floats | Callable[[], Floats]
    value: float
    gradient_norm: float
    passes: float

    @property
    def point(self) -> Floats:
        """Weights and intercepts."""
        return self.where() if callable(self.where) else self.where


def iterate_at(position: Position) -> Iterate:
    """Return the iterate of a position."""
    return Iterate(
        position.point, position.value, position.gradient_norm, position.objective.passes
    )
