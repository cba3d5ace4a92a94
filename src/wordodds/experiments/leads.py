"""Where the lead changes between two models on the same growing training sets."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wordodds.experiments.intervals import Crossing, Interval, crossing, paired_difference
from wordodds.experiments.table import Results
from wordodds.typing import Floats

__all__ = ["Lead", "lead"]


class Lead(NamedTuple):
    """Which of two models is ahead, and from which size on.

    The sizes are those of the table, from the first to the last; ``first`` and ``last`` are the
    paired differences there, positive where the first model is better.
    """

    models: tuple[str, str]
    sizes: tuple[float, float]
    first: Interval
    last: Interval
    leader: str
    """Who is ahead after the last crossing, or throughout."""
    crossing: Crossing | None
    """Where that model overtakes the other for good; None where it is ahead from the start."""

    def __str__(self) -> str:
        """Return it as ``logistic regression from 28.4 [21.3, 37.9] on``."""
        if self.crossing is not None:
            return f"{self.leader} from {self.crossing} on"
        low, high = self.sizes
        return f"{self.leader} throughout, from {low:,g} to {high:,g}: no crossing"


def lead(
    results: Results, first: str, second: str, *, y: str = "accuracy", x: str = "size"
) -> Lead:
    """Return where the lead changes for the last time between two models of a table.

    The scores are compared seed by seed; a crossing is where the mean difference changes its sign,
    read as a line over log(x) between neighbouring sizes, with the 95 % interval of 2,000 bootstrap
    samples of the seeds.

    Parameters
    ----------
    results : Results
        As `learning_curve` returns them.
    first, second : str
        The names of the models.
    y : str, default="accuracy"
        The column of the scores; of ``"log_loss"`` and ``"error"`` the smaller is the better.
    x : str, default="size"
        The column of the sizes.

    Returns
    -------
    lead : Lead

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
    sizes = sorted(float(size) for size in results.where(model=first).unique(x))
    scores = [_scores(results, name, y, x) for name in (first, second)]
    # Two infinite losses, of labels that no training row has, tell nothing: their difference is
    # no number, and their size is passed over.
    with np.errstate(invalid="ignore"):
        at_first, at_last = (
            paired_difference(scores[0][:, place], scores[1][:, place]) for place in (0, -1)
        )
        behind_at_last = at_last.value <= 0.0
        names = (first, second) if behind_at_last else (second, first)
        found = crossing(sizes, *(scores if behind_at_last else scores[::-1]))
    return Lead((first, second), (sizes[0], sizes[-1]), at_first, at_last, names[1], found)


def _scores(results: Results, model: str, y: str, x: str) -> Floats:
    """Return scores by seed and size, smallest first; the greater the better."""
    rows = results.where(model=model)
    if len(rows) == 0:
        named = ", ".join(map(repr, results.unique("model")))
        raise ValueError(f"there is no model {model!r} in the results; they have {named}")
    scores = rows.by_seed("accuracy" if y == "error" else y, x)
    ascending = scores[:, np.argsort(rows.unique(x))]
    return -ascending if y == "log_loss" else ascending
