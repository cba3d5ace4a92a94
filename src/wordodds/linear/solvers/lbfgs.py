r"""L-BFGS: Newton's step with a Hessian remembered from the last few steps.

With s = the step and y = the change of the gradient, every pair says that the Hessian takes s to y.
The two loops multiply the gradient with the inverse of a matrix that knows the last `MEMORY` pairs,
and looks like s·y / y·y times the identity otherwise.
"""

from collections import deque
from collections.abc import Iterator

from wordodds.linear.objective import Objective
from wordodds.linear.solvers.iterate import Iterate, iterate_at
from wordodds.linear.solvers.line_search import first_step, wolfe_step
from wordodds.typing import Floats

__all__ = ["lbfgs"]

MEMORY = 10
TINY = 1e-300  # no pair: what it says has drowned in underflow


def lbfgs(objective: Objective, start: Floats) -> Iterator[Iterate]:
    """Yield the iterates of L-BFGS, until rounding leaves no way down."""
    pairs: Pairs = deque(maxlen=MEMORY)
    here = objective.at(start)
    while True:
        yield iterate_at(here)
        ray = here.ray(_direction(objective, here.gradient, pairs))
        # The first step knows nothing of the scale; later ones have it from the pairs.
        there = wolfe_step(ray, 1.0 if pairs else first_step(ray), flatness=0.9)
        if there is None:
            if not pairs:
                return
            pairs.clear()  # what they say may be rounding; the gradient itself does not lie
            continue
        step, change = there.point - here.point, there.gradient - here.gradient
        curvature = objective.dot(step, change)
        if curvature > TINY and objective.dot(change, change) > TINY:
            pairs.append((step, change, curvature))
        here = there


Pairs = deque[tuple[Floats, Floats, float]]


def _direction(objective: Objective, gradient: Floats, pairs: Pairs) -> Floats:
    """Return minus the approximate inverse Hessian times the gradient."""
    direction = -gradient
    shares = []
    for step, change, curvature in reversed(pairs):
        share = objective.dot(step, direction) / curvature
        direction -= share * change
        shares.append(share)
    if pairs:
        _, change, curvature = pairs[-1]
        direction *= curvature / objective.dot(change, change)
    for (step, change, curvature), share in zip(pairs, reversed(shares), strict=True):
        direction += (share - objective.dot(change, direction) / curvature) * step
    return direction
