"""Curves of time and memory, and the exponents of their growth."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

THREADS = (1, 2)
# Shorter jobs than this measure the start of a thread.
SECONDS_OF_THREADS_MIN = 0.01


class Exponent(NamedTuple):
    """The slope of logarithms against logarithms, and its standard error."""

    slope: float
    error: float

    def __str__(self) -> str:
        return f"{self.slope:.2f}" + ("" if math.isnan(self.error) else f" ± {self.error:.2f}")


class Curve(NamedTuple):
    """Of a job: sizes, and for each number of threads the seconds and peaks in bytes at them."""

    job: str
    against: str
    sizes: list[float]
    seconds: dict[int, list[float]]
    peaks: dict[int, list[float]]


def exponent(sizes: Sequence[float], values: Sequence[float]) -> Exponent:
    """Return the least squares slope of log(values) against log(sizes); NaN where undefined."""
    x, y = np.log(sizes), np.log(np.maximum(values, 1e-300))
    if len(x) < 2:
        return Exponent(math.nan, math.nan)
    x = x - x.mean()
    slope = float(x @ y / (x @ x))
    if len(x) < 3:
        return Exponent(slope, math.nan)
    left = y - y.mean() - slope * x
    return Exponent(slope, float(np.sqrt(left @ left / (len(x) - 2) / (x @ x))))


def thread_exponent(one: Sequence[float], two: Sequence[float]) -> Exponent:
    """Return the mean of log2(two / one) and its standard error: -1 is twice as fast on two."""
    steps = np.log2(np.asarray(two) / np.asarray(one))
    if len(steps) == 0:
        return Exponent(math.nan, math.nan)
    error = steps.std(ddof=1) / math.sqrt(len(steps)) if len(steps) > 1 else math.nan
    return Exponent(float(steps.mean()), float(error))


def growth_table(curves: Iterable[Curve], n_documents: int) -> str:
    """Return how time and memory grow with the size, as Markdown."""
    lines = [
        "| job | against | from, to | seconds, 1 thread | exponent, 1 thread | "
        "exponent, 2 threads | peak MB, 1 thread | exponent |",
        "|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for curve in curves:
        unit = n_documents if curve.against == "documents" else 1
        sizes = f"{curve.sizes[0] * unit:,.0f}, {curve.sizes[-1] * unit:,.0f}"
        seconds, peaks = curve.seconds[1], [peak / 1e6 for peak in curve.peaks[1]]
        cells = [
            curve.job,
            curve.against,
            sizes,
            f"{seconds[0]:.2g}, {seconds[-1]:.2g}",
            *(str(exponent(curve.sizes, curve.seconds[n])) for n in THREADS),
            f"{rounded(peaks[0])}, {rounded(peaks[-1])}",
            str(exponent(curve.sizes, peaks)),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def thread_table(curves: Iterable[Curve]) -> str:
    """Return what a second thread does to time and memory, as Markdown."""
    lines = [
        "| job | against | 1 thread, s | 2 threads, s | exponent | 1 thread, MB | 2 threads, MB | "
        "exponent |",
        "|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for curve in curves:
        cells = [curve.job, curve.against]
        for values, unit in ((curve.seconds, 1.0), (curve.peaks, 1e6)):
            cells += [rounded(values[n][-1] / unit) for n in THREADS]
            cells.append(str(thread_exponent(*long_enough(curve, values))))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def rounded(value: float) -> str:
    """Return a number with three digits, or with all of those before its point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def long_enough(curve: Curve, values: dict[int, list[float]]) -> list[list[float]]:
    """Return the values for one and for two threads at the sizes that take long enough."""
    longs = [i for i, seconds in enumerate(curve.seconds[1]) if seconds >= SECONDS_OF_THREADS_MIN]
    return [[values[n][i] for i in longs] for n in THREADS]
