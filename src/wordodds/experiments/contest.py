"""Models beside logistic regression on growing training sets of a corpus with a test part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from wordodds.experiments.curves import nested_order, setting_of, solver_of, timed_scores
from wordodds.experiments.experiment import About, Finding
from wordodds.experiments.intervals import proportion_difference
from wordodds.experiments.leads import NoScoresError, lead
from wordodds.experiments.names import LR, TUNED
from wordodds.experiments.table import Results
from wordodds.typing import AnyArray, Booleans, Ints

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

__all__ = ["Split", "contest", "judge_end", "judge_start"]


class Split(NamedTuple):
    """Rows to learn from and rows to test with, and their labels."""

    X: AnyArray | csr_array
    y: AnyArray
    X_test: AnyArray | csr_array
    y_test: AnyArray


def contest(
    models: Mapping[str, BaseEstimator],
    split: Split,
    sizes: Sequence[int],
    seeds: Sequence[int],
    advance: Callable[[int], object],
) -> Iterator[dict[str, Any]]:
    """Yield a row of results for each seed, size and model; the last size is all rows.

    The first model is logistic regression; tuned models have logistic regression, tuned, first.
    Of a training set with one class there is no row.
    """
    for seed in seeds:
        order = nested_order(split.y, np.random.default_rng(seed))
        for size in sizes[:-1]:
            for row in _fits(models, split, np.sort(order[:size])):
                yield {"seed": seed, **row}
            advance(1)
    # With all rows the seeds have nothing to choose: one fit is that of each of them.
    for row in _fits(models, split, np.arange(len(split.y))):
        for seed in seeds:
            yield {"seed": seed, **row}
    advance(len(seeds))


def _fits(
    models: Mapping[str, BaseEstimator], split: Split, chosen: Ints
) -> Iterator[dict[str, Any]]:
    X, y = split.X[chosen], split.y[chosen]
    if len(np.unique(y)) < 2:
        return
    regression: Booleans = np.empty(0, dtype=bool)
    for name, model in models.items():
        right, scores = timed_scores(model, X, y, split.X_test, split.y_test)
        if name.removesuffix(TUNED) == LR:
            regression = right
        yield {
            "model": name,
            "solver": solver_of(model),
            "size": len(chosen),
            "dims": X.shape[1],
            "chosen": setting_of(model),
            "test_size": len(right),
            # Test rows that this model has right and logistic regression wrong; the reverse.
            "only": int(np.sum(right & ~regression)),
            "other": int(np.sum(regression & ~right)),
            **scores,
        }


def judge_start(
    results: Results, models: tuple[str, str], what: str, about: About
) -> list[Finding]:
    """Say who is ahead on the smallest training sets, and where the lead changes.

    Nothing is said of tuned models whose smallest training sets left nothing to tune: there they
    are the defaults, of which the same is said.
    """
    if models[0].endswith(TUNED) and not _differ_at_first(results, models):
        return []
    accuracy = lead(results, *models)
    first = accuracy.first
    start = f"ahead by {first}" if first.value >= 0.0 else f"behind by {-first}"
    try:
        loss = str(lead(results, *models, y="log_loss"))
    except NoScoresError:  # no training set has all classes
        loss = "infinite at every size"
    lines = f"{start}\nin accuracy: {accuracy}\nin log loss: {loss}"
    return [
        about(
            f"{what}: naive Bayes ahead with {accuracy.sizes[0]:,.0f} training documents",
            lines.replace(TUNED, ""),
            # The whole interval is above 0.
            accuracy.first.low > 0.0,
        )
    ]


def _differ_at_first(results: Results, models: tuple[str, str]) -> bool:
    smallest = results.where(size=min(results.unique("size")))
    scores = ("accuracy", "log_loss")
    return any(
        [row.get(score) for row in smallest.where(model=name).rows]
        != [row.get(score) for row in smallest.where(model=name.removesuffix(TUNED)).rows]
        for name in models
        for score in scores
    )


def judge_end(results: Results, model: str, what: str, about: About) -> Finding:
    """Say how far a naive Bayes is behind logistic regression with all documents.

    The interval is over the test documents.
    """
    size = max(results.unique("size"))
    rows = results.where(model=model, size=size)
    behind = proportion_difference(*(rows.value(name) for name in ("other", "only", "test_size")))
    return about(
        f"{what}: naive Bayes behind with all {size:,} training documents",
        f"by {behind}, over the test documents",
        behind.low > 0.0,
    )
