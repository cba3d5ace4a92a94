"""Models beside logistic regression on more and more rows, with a test part of their own."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from wordodds.experiments.curves import nested_order, timed_scores
from wordodds.experiments.intervals import Interval
from wordodds.experiments.leads import Lead, lead
from wordodds.experiments.style import TUNED
from wordodds.experiments.table import Results
from wordodds.typing import AnyArray, Booleans, Ints

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

__all__ = ["HOW", "LR", "Rows", "behind_on_test", "compared", "contest"]

LR = "logistic regression"
HOW = {"": "with defaults", TUNED: "tuned"}  # by the end of a model's name


class Rows(NamedTuple):
    """Rows to learn from and rows to test with, and their labels."""

    X: AnyArray | csr_array
    y: AnyArray
    X_test: AnyArray | csr_array
    y_test: AnyArray


def contest(
    models: Mapping[str, BaseEstimator],
    rows: Rows,
    sizes: Sequence[int],
    seeds: Sequence[int],
    advance: Callable[[int], object],
) -> Iterator[dict[str, Any]]:
    """Yield a row of results for each seed, size and model; the last size is all rows.

    The first model is logistic regression; tuned models have logistic regression, tuned, first.
    """
    for seed in seeds:
        order = nested_order(rows.y, np.random.default_rng(seed))
        for size in sizes[:-1]:
            for row in _fits(models, rows, np.sort(order[:size])):
                yield {"seed": seed, **row}
            advance(1)
    # With all rows the seeds have nothing to choose: one fit is that of each of them.
    for row in _fits(models, rows, np.arange(len(rows.y))):
        for seed in seeds:
            yield {"seed": seed, **row}
    advance(len(seeds))


def _fits(
    models: Mapping[str, BaseEstimator], rows: Rows, chosen: Ints
) -> Iterator[dict[str, Any]]:
    X, y = rows.X[chosen], rows.y[chosen]
    regression: Booleans = np.empty(0, dtype=bool)
    for name, model in models.items():
        right, scores = timed_scores(model, X, y, rows.X_test, rows.y_test)
        if name.removesuffix(TUNED) == LR:
            regression = right
        best = getattr(model, "best_", model)
        yield {
            "model": name,
            "solver": getattr(model, "solver_", None),
            "size": len(chosen),
            "dims": X.shape[1],
            "chosen": getattr(best, "alpha", getattr(best, "C", None)),
            "test_size": len(right),
            # Test rows that this model has right and logistic regression wrong; the reverse.
            "only": int(np.sum(right & ~regression)),
            "other": int(np.sum(regression & ~right)),
            **scores,
        }


def compared(results: Results, models: tuple[str, str]) -> tuple[Lead, str]:
    """Return who leads in accuracy, and a line each for the start, for accuracy and log loss."""
    accuracy, loss = (lead(results, *models, y=y) for y in ("accuracy", "log_loss"))
    lines = f"by {accuracy.first}\nin accuracy: {accuracy}\nin log loss: {loss}"
    return accuracy, lines.replace(TUNED, "")


def behind_on_test(results: Results) -> Interval:
    """Return how far a model's accuracy is behind logistic regression's, on all rows.

    The interval is over the test rows: the normal one of a mean of n differences, each -1, 0 or 1.
    """
    wins, losses, n = (results.value(column) for column in ("other", "only", "test_size"))
    mean = (wins - losses) / n
    half = 1.959964 * math.sqrt(max((wins + losses) / n - mean**2, 0.0) / n)
    return Interval(mean, mean - half, mean + half)
