"""What a handful of seeds says: means and their intervals, crossings, exponents."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from wordodds.typing import AnyArray, Floats

__all__ = [
    "Crossing",
    "Interval",
    "crossing",
    "exponent",
    "mean_interval",
    "paired_difference",
    "proportion_difference",
]

LEVEL = 0.95
_RESAMPLES = 2000
_ROUNDING = 1e-12  # of the largest score: a mean difference below it is none


class Interval(NamedTuple):
    """A number and where it lies with a confidence of 95 %."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        """Return it as ``0.812 [0.801, 0.823]``."""
        return f"{_short(self.value)} [{_short(self.low)}, {_short(self.high)}]"

    def __neg__(self) -> "Interval":
        """Return it with the other sign."""
        return Interval(-self.value, -self.high, -self.low)


class Crossing(NamedTuple):
    """Where one curve overtakes another; ``value`` in units of the horizontal axis."""

    interval: Interval
    share: float  # of the resamples that cross at all

    def __str__(self) -> str:
        """Return it as ``310 [240, 420]``, with the share where not all resamples cross."""
        if self.share == 1.0:
            return str(self.interval)
        return f"{self.interval} (in {self.share:.0%} of the resamples)"


def mean_interval(values: npt.ArrayLike) -> Interval:
    """Return the mean with Student's interval; NaN does not count.

    Examples
    --------
    >>> print(mean_interval([0.8, 0.82, 0.84]))
    0.820 [0.770, 0.870]
    """
    numbers = np.asarray(values, dtype=np.float64)
    numbers = numbers[~np.isnan(numbers)]
    if len(numbers) == 0:
        return Interval(np.nan, np.nan, np.nan)
    mean = float(numbers.mean())
    if len(numbers) == 1:  # one value says nothing about the spread
        return Interval(mean, -np.inf, np.inf)
    if not np.isfinite(mean):
        return Interval(mean, mean, mean)
    from scipy.special import stdtrit

    spread = float(numbers.std(ddof=1)) / np.sqrt(len(numbers))
    half = float(stdtrit(len(numbers) - 1, 0.5 + LEVEL / 2)) * spread
    return Interval(mean, mean - half, mean + half)


def paired_difference(first: npt.ArrayLike, second: npt.ArrayLike) -> Interval:
    """Return the mean of ``first - second``, seed by seed, with its interval."""
    return mean_interval(np.asarray(first, np.float64) - np.asarray(second, np.float64))


def proportion_difference(wins: float, losses: float, n: float) -> Interval:
    """Return the mean of n differences, each 1, -1 or 0, with its normal interval.

    Examples
    --------
    >>> print(proportion_difference(70, 40, 500))
    0.060 [0.019, 0.101]
    """
    from scipy.special import ndtri

    mean = (wins - losses) / n
    spread = np.sqrt(max((wins + losses) / n - mean**2, 0.0) / n)
    half = float(ndtri(0.5 + LEVEL / 2) * spread)
    return Interval(mean, mean - half, mean + half)


def crossing(
    x: npt.ArrayLike, first: npt.ArrayLike, second: npt.ArrayLike, *, random_state: int = 0
) -> Crossing | None:
    """Return where the second curve overtakes the first for good; None where it never does.

    The mean difference over the seeds is read as a line between neighbouring points, over log(x);
    the crossing is its last change from positive to negative. The interval is that of those of
    2,000 bootstrap samples of the seeds that cross; one seed has none.

    Examples
    --------
    >>> found = crossing([10, 100], [[0.6, 0.7], [0.6, 0.7]], [[0.5, 0.8], [0.5, 0.8]])
    >>> round(found.interval.value, 1)
    31.6
    """
    places = np.log(np.asarray(x, dtype=np.float64))
    ahead = np.asarray(first, np.float64) - np.asarray(second, np.float64)
    scale = max(float(np.abs(first).max()), float(np.abs(second).max()))
    if len(places) < 2:
        return None
    middle = float(_last_falls(places, without_rounding(ahead.mean(axis=0), scale)[np.newaxis])[0])
    if np.isnan(middle):
        return None
    if len(ahead) == 1:  # one seed says nothing about the spread
        return Crossing(Interval(float(np.exp(middle)), 0.0, np.inf), 1.0)
    rng = np.random.default_rng(random_state)
    drawn = rng.integers(len(ahead), size=(_RESAMPLES, len(ahead)))
    found = _last_falls(places, without_rounding(ahead[drawn].mean(axis=1), scale))
    found = found[~np.isnan(found)]
    if len(found) == 0:
        return Crossing(Interval(float(np.exp(middle)), 0.0, np.inf), 0.0)
    low, high = np.exp(np.quantile(found, [0.5 - LEVEL / 2, 0.5 + LEVEL / 2]))
    return Crossing(
        Interval(float(np.exp(middle)), float(low), float(high)), len(found) / _RESAMPLES
    )


def without_rounding(differences: AnyArray, scale: float) -> Floats:
    """Return mean differences of scores, those that rounding alone has made as zero."""
    return np.where(np.abs(differences) <= _ROUNDING * scale, 0.0, differences)


def _last_falls(places: AnyArray, ahead: AnyArray) -> Floats:
    """Return where each row last changes from positive to negative, NaN where it never does."""
    falls = (ahead[:, :-1] > 0.0) & (ahead[:, 1:] <= 0.0)
    last = falls.shape[1] - 1 - falls[:, ::-1].argmax(axis=1)
    row = np.arange(len(ahead))
    before, after = ahead[row, last], ahead[row, last + 1]
    falling = falls.any(axis=1)
    share = np.divide(before, before - after, out=np.full(len(ahead), np.nan), where=falling)
    return np.asarray(places[last] + share * (places[last + 1] - places[last]))


def exponent(x: npt.ArrayLike, y: npt.ArrayLike) -> Interval:
    """Return the slope of log(y) over log(x), by least squares, with Student's interval.

    Examples
    --------
    >>> print(exponent([1, 2, 4, 8], [3, 12, 48, 192]))
    2.00 [2.00, 2.00]
    """
    return slope(np.log(np.asarray(x, np.float64)), np.log(np.asarray(y, np.float64)))


def slope(x: npt.ArrayLike, y: npt.ArrayLike) -> Interval:
    """Return the slope of y over x, by least squares, with Student's interval."""
    horizontal, vertical = np.asarray(x, np.float64), np.asarray(y, np.float64)
    centred = horizontal - horizontal.mean()
    squares = float(centred @ centred)
    value = float(centred @ vertical) / squares
    freedom = len(horizontal) - 2
    if freedom <= 0:  # two points always lie on a line
        return Interval(value, -np.inf, np.inf)
    from scipy.special import stdtrit

    residuals = vertical - vertical.mean() - value * centred
    error = np.sqrt(float(residuals @ residuals) / freedom / squares)
    half = float(stdtrit(freedom, 0.5 + LEVEL / 2)) * error
    return Interval(value, value - half, value + half)


def _short(value: float) -> str:
    """Return three significant digits, and no exponent for usual sizes."""
    if not np.isfinite(value):
        return f"{value:g}"
    size = abs(value)
    for least, form in ((1000, ",.0f"), (100, ".0f"), (10, ".1f"), (1, ".2f"), (0.0005, ".3f")):
        if size >= least:
            return f"{value:{form}}"
    return "0.000" if size < _ROUNDING else f"{value:.1e}"
