r"""How far to go: a step along a ray that meets the Wolfe conditions.

.. math::
    f(t) \le f(0) + c_1 t f'(0), \qquad |f'(t)| \le c_2 |f'(0)|

Looking along a ray costs no pass over the data, so that a search may look several times.
"""

import math

from wordodds.linear.objective import Position, Ray
from wordodds.typing import Floats

__all__ = ["first_step", "newton_step", "wolfe_step"]

SUFFICIENT = 1e-4  # c1
LOOKS_MAX = 40
# Near the optimum a decrease drowns in the rounding of the values; there, slopes alone decide.
ROUNDING = 1e-13
CHANGE_MAX = 1e6  # of a score, by a step that nothing else bounds
TINY = 1e-300


def newton_step(here: Position, direction: Floats, flatness: float) -> Position | None:
    """Return a lower position in Newton's direction; where that fails, down the gradient.

    Where scores are so large that the loss is flat, curvatures are rounding, and the direction too.
    """
    if math.isfinite(here.objective.dot(direction, direction)):
        there = wolfe_step(here.ray(direction), 1.0, flatness)
        if there is not None:
            return there
    downhill = here.ray(-here.gradient)
    return wolfe_step(downhill, first_step(downhill), flatness)


def first_step(ray: Ray) -> float:
    """Return a step to try first, where nothing tells the scale of a direction.

    That is where the parabola of the first two derivatives has its minimum. Where the loss is
    nearly flat that may be anywhere; a parabola that stays above zero has it before the point
    where the tangent has fallen by twice the value. Where the ray is straight, or bends down, a
    step that changes scores by one.
    """
    slope, curve, value = -ray.slope, ray.curve, ray.position.value
    if not slope > 0.0:
        return 1.0  # no descent, as the search will find out
    parabola = slope / curve if curve > slope * TINY else math.inf
    tangent = 2.0 * value / slope if value > slope * TINY else math.inf
    step, reach = min(parabola, tangent), ray.reach
    if step * reach <= CHANGE_MAX and math.isfinite(step):
        return step
    return 1.0 / reach if reach > 0.0 else 1.0


def wolfe_step(ray: Ray, first: float, flatness: float) -> Position | None:
    """Return a position on a ray that is lower, and where the slope is small.

    None: the ray does not lead down, as far as double precision can tell. ``flatness`` is c2: 0.9
    takes nearly any step that is neither too long nor too short, 0.1 comes near the minimum.
    """
    value_0, slope_0 = ray.position.value, ray.slope
    if not slope_0 < 0.0:
        return None
    near, near_slope = 0.0, slope_0  # the ray still falls here
    far, far_slope = math.inf, math.nan  # and rises, or is too high, here
    best = 0.0
    best_value = value_0
    t = first
    for _ in range(LOOKS_MAX):
        value, slope = ray.look(t)
        known = math.isfinite(value) and math.isfinite(slope)
        flat = abs(value - value_0) <= ROUNDING * abs(value_0)
        low = known and (
            value <= value_0 + SUFFICIENT * t * slope_0 or (flat and slope <= -slope_0)
        )
        if low and abs(slope) <= -flatness * slope_0:
            return ray.to(t)
        if low and value <= best_value:
            best, best_value = t, value
        if low and slope < 0.0:
            near, near_slope = t, slope
        else:
            far, far_slope = t, slope if known else math.nan
        t = _between(near, near_slope, far, far_slope)
        if not near < t < far:
            break
    return ray.to(best) if best > 0.0 else None  # lower, if not as flat as asked


def _between(near: float, near_slope: float, far: float, far_slope: float) -> float:
    """Return where to look next: where a straight line says that the slope vanishes."""
    if math.isinf(far):
        return 4.0 * near
    width = far - near
    if not far_slope > 0.0:  # too high, though the ray falls there: no line tells where to go
        return near + 0.5 * width if near > 0.0 else 0.1 * far
    t = near + width * near_slope / (near_slope - far_slope)
    return min(max(t, near + 0.05 * width), far - 0.05 * width)
