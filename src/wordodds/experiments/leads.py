"""Where the lead changes between two models on the same growing training sets."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from wordodds.experiments.intervals import (
    Crossing,
    Interval,
    crossing,
    paired_difference,
    without_rounding,
)
from wordodds.experiments.table import Results
from wordodds.typing import Floats

__all__ = ["Lead", "lead"]


# Of these columns the smaller number is the better one; of all others the larger.
_SMALLER = ("log_loss", "error", "seconds", "gap")
LEVEL = "neither"


class NoScoresError(ValueError):
    """Two models have no scores that could be compared."""


class Lead(NamedTuple):
    """Which of two models is ahead, and from which size on; see `lead`.

    Attributes
    ----------
    models : tuple of str
        Both models.
    sizes : tuple of float
        The smallest and the largest size at which both have scores.
    first, last : Interval
        What the first model is better by at these sizes, negative where it is worse: the mean over
        the seeds with its 95 % interval.
    leader : str
        Who is ahead on average after the last crossing, or at every size; "neither" where the two
        are level everywhere.
    crossing : Crossing or None
        Where the leader overtakes the other for good; None where it is ahead from the start.

    Examples
    --------
    >>> from wordodds.experiments import Results, lead
    >>> rows = [
    ...     {"model": model, "size": size, "seed": 0, "accuracy": accuracy}
    ...     for size in (10, 100)
    ...     for model, accuracy in (("NB", 0.7), ("LR", 0.6))
    ... ]
    >>> found = lead(Results("demo", rows), "NB", "LR")
    >>> found.leader, found.crossing
    ('NB', None)
    """

    models: tuple[str, str]
    sizes: tuple[float, float]
    first: Interval
    last: Interval
    leader: str
    crossing: Crossing | None

    def __str__(self) -> str:
        """Return it as ``logistic regression from 28.4 [21.3, 37.9] on``."""
        if self.crossing is not None:
            return f"{self.leader} from {self.crossing} on"
        low, high = self.sizes
        if self.leader == LEVEL:
            return f"{LEVEL}: level at every size from {low:,g} to {high:,g}"
        return f"{self.leader} ahead or level at every size from {low:,g} to {high:,g}: no crossing"


def lead(
    results: Results, first: str, second: str, *, y: str = "accuracy", x: str = "size"
) -> Lead:
    """Return where the lead changes for the last time between two models of a table.

    The scores are compared seed by seed; a crossing is where the mean difference changes its sign,
    read as a line over log(x) between neighbouring sizes. Its interval is the middle 95 % of those
    of 2,000 bootstrap samples of the seeds in which the lead changes; where that is not all of
    them, the text of the crossing has the share. With few seeds it is hardly more than their range.

    Parameters
    ----------
    results : Results
        As `learning_curve` returns them.
    first, second : str
        The names of the models.
    y : str, default="accuracy"
        The column of the scores. The larger number is the better one, but in the columns
        ``"log_loss"``, ``"seconds"`` and ``"gap"``, and for ``"error"``, which is 1 - accuracy.
    x : str, default="size"
        The column of the sizes, positive. Those at which a model lacks a finite score, and seeds
        that one model lacks, are passed over.

    Returns
    -------
    lead : Lead
        Who is ahead, at both ends and from where on.

    Raises
    ------
    ValueError
        When a model or a column is not in the table, when a model has several rows for a seed and
        a size, or when there is no size at which both have finite scores.

    Examples
    --------
    >>> from wordodds.experiments import Results, lead
    >>> results = Results("demo")
    >>> for seed in range(3):
    ...     for size, bayes, regression in ((10, 0.6, 0.5), (100, 0.7, 0.8)):
    ...         results.add(model="NB", size=size, seed=seed, accuracy=bayes)
    ...         results.add(model="LR", size=size, seed=seed, accuracy=regression)
    >>> print(lead(results, "NB", "LR"))
    LR from 31.6 [31.6, 31.6] on
    """
    sizes, one, other = _paired(results, (first, second), y, x)
    if y in _SMALLER:
        one, other = -one, -other
    at_first, at_last = (paired_difference(one[:, place], other[:, place]) for place in (0, -1))
    ends = (float(sizes[0]), float(sizes[-1]))
    scale = float(max(np.abs(one).max(), np.abs(other).max()))
    mean = without_rounding((one - other).mean(axis=0), scale)
    decided = np.flatnonzero(mean)
    if len(decided) == 0:
        return Lead((first, second), ends, at_first, at_last, LEVEL, None)
    is_first = mean[decided[-1]] > 0.0
    leader, scores = (first, (other, one)) if is_first else (second, (one, other))
    return Lead((first, second), ends, at_first, at_last, leader, crossing(sizes, *scores))


def _paired(
    results: Results, models: tuple[str, str], y: str, x: str
) -> tuple[Floats, Floats, Floats]:
    """Return the sizes, ascending, and the scores of both models by seed and size."""
    column = "accuracy" if y == "error" else y
    one, other = (_scores(results, model, column, x) for model in models)
    seeds = list(dict.fromkeys(seed for seed, _ in one if any(seed == s for s, _ in other)))
    sizes = sorted({size for _, size in one} & {size for _, size in other})
    usable = [
        size
        for size in sizes
        if all((seed, size) in part for part in (one, other) for seed in seeds)
    ]
    if not usable:
        raise NoScoresError(
            f"{models[0]!r} and {models[1]!r} have no {x} at which both have a finite {column} "
            "for every seed"
        )
    if usable[0] <= 0:
        raise ValueError(
            f"the column {x!r} must be positive, as its logarithm is read; got {usable[0]}"
        )
    scores = [
        np.array([[part[seed, size] for size in usable] for seed in seeds]) for part in (one, other)
    ]
    if y == "error":
        scores = [1.0 - part for part in scores]
    return np.array(usable, dtype=np.float64), scores[0], scores[1]


def _scores(results: Results, model: str, y: str, x: str) -> dict[tuple[Any, float], float]:
    """Return the finite scores of a model by seed and size."""
    rows = results.where(model=model).rows
    if not rows:
        named = ", ".join(map(repr, results.unique("model")))
        raise ValueError(f"there is no model {model!r} in the results; they have {named}")
    for name in (x, y):
        if not any(name in row for row in rows):
            raise ValueError(f"there is no column {name!r}; {_columns_of(results)}")
        if any(isinstance(row.get(name), str) for row in rows):
            raise ValueError(f"the column {name!r} must hold numbers, and holds text")
    found: dict[tuple[Any, float], float] = {}
    for row in rows:
        seed, size, score = row.get("seed"), row.get(x), row.get(y)
        if not _is_finite(size) or not _is_finite(score):
            continue
        if (seed, size) in found:
            raise ValueError(
                f"{model!r} has several rows for seed {seed} and {x} {size}: choose among them "
                f"with results.where(...); {_columns_of(results)}"
            )
        found[seed, size] = score
    return found


def _is_finite(value: object) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and math.isfinite(value)


def _columns_of(results: Results) -> str:
    return f"the columns are {', '.join(results.columns)}"
