"""Limits of naive Bayes and logistic regression on known classes, and how soon they come.

Both models are linear here (naive Bayes has variances that the classes share), and the classes are
Gaussian: what such a rule gets wrong has a closed form, so there is no test sample and no noise
from one. Chance is in the training rows alone.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from wordodds.experiments.curves import timed_fit
from wordodds.experiments.experiment import Run
from wordodds.experiments.studies.theory.report import LR, NB
from wordodds.experiments.studies.theory.worlds import (
    SEPARATION,
    World,
    duplicated,
    every_tells,
    holds,
    one_tells,
)
from wordodds.experiments.table import Results
from wordodds.typing import Floats, Floats32, Ints

Row = dict[str, Any]

# Inverse strength of the penalty: the lecture's logistic regression is maximum likelihood, which
# has no answer where a line parts the classes. This one has, and elsewhere it hardly differs.
C = 1000.0
WITHIN = 0.05  # above the best error, where that is 0.159
TOLERANCE = 1.0  # for weights that are 2 or 0 in truth
_SMALL = 1 << 17  # entries of a matrix that are not worth a second thread
CURVES = (holds(48), duplicated(16, 2, 16))  # 48 columns both


@dataclass(frozen=True)
class Settings:
    """How much is computed."""

    sizes: tuple[int, ...]  # of the learning curves
    seeds: int  # draws for each point of them
    dims: dict[str, tuple[int, ...]] = field(hash=False)  # numbers of features by model, ascending
    entries: int  # numbers to be drawn for each size that growth looks at, which gives the draws,
    draws: tuple[int, int]  # within these limits


_DIMS = tuple(2**k for k in range(3, 13))
QUICK = Settings(
    sizes=tuple(2**k for k in range(3, 14)),
    seeds=10,
    dims={NB: _DIMS, LR: _DIMS[:-2]},
    entries=1 << 21,
    draws=(1, 24),
)
FULL = Settings(
    sizes=tuple(2**k for k in range(3, 16)),
    seeds=40,
    dims={NB: _DIMS, LR: _DIMS},
    entries=1 << 25,
    draws=(3, 200),
)


def fit(model: str, X: Floats32, y: Ints, n_jobs: int | None) -> tuple[Floats, float, float]:
    """Fit a model by its name; return weights and bias of the log-odds of class 1, and seconds."""
    from wordodds import GaussianDiscriminant, LogisticRegression

    if model == NB:
        # With variances that the classes share, as then it is linear too.
        bayes = GaussianDiscriminant(covariance="shared_diagonal", n_jobs=n_jobs)
        seconds = timed_fit(bayes, X, y)
        return np.diff(bayes.weights_, axis=0)[0], float(np.diff(bayes.bias_)[0]), seconds
    # L-BFGS: a few dozen passes over the rows, whatever their number and that of the features.
    line = LogisticRegression(C=C, solver="lbfgs", max_iter=1000, n_jobs=n_jobs)
    seconds = timed_fit(line, X, y)
    return line.coef_[0].astype(np.float64), float(line.intercept_[0]), seconds


def score(world: World, model: str, size: int, seed: int, n_jobs: int | None) -> Row:
    """Draw rows, fit a model and return its row of the table."""
    from scipy.special import ndtri

    columns = int(world.copies.sum())
    rng = np.random.default_rng([seed, *world.name.encode(), columns, size])
    X, y = world.draw(size, rng)
    weights, bias, seconds = fit(model, X, y, 1 if X.size < _SMALL else n_jobs)
    error, best = world.error(weights, bias), world.best_error
    return {
        "model": model,
        "solver": "lbfgs" if model == LR else None,
        "world": world.name,
        "size": size,
        "dims": columns,
        "seed": seed,
        "accuracy": 1.0 - error,  # exact
        "best_error": best,
        "limit": world.naive_error if model == NB else best,
        # The share of the separation: with the rest of it the best rule would err as much.
        "lost": 1.0 - float(ndtri(error) / ndtri(best)),
        "weight_error": float(np.abs(weights - 2.0 * np.repeat(world.mean, world.copies)).max()),
        "seconds": seconds,
    }


class Goal(NamedTuple):
    """When a model has enough rows: half of the draws have a number at or below a target."""

    name: str
    make: Callable[[int], World]
    column: str
    target: float


def goals() -> tuple[Goal, ...]:
    """Return what is asked of the models."""
    from scipy.special import ndtr, ndtri

    # One share of the separation may be lost wherever the error counts: where one feature tells,
    # and the best error is the same for all numbers of features, that is WITHIN above it.
    best = float(ndtr(-SEPARATION / 2))
    lost = 1.0 - float(ndtri(best + WITHIN) / ndtri(best))
    return (
        Goal("weights", one_tells, "weight_error", TOLERANCE),
        Goal("error", one_tells, "lost", lost),
        Goal("error", every_tells, "lost", lost),
    )


def needed(value_at: Callable[[int], float], target: float, start: float) -> float:
    """Return the number of rows at which a value falls to a target, looking at ``start`` first."""
    ladder = [2 * round(2 ** (k / 2)) for k in range(2, 33)]  # even: half of each class
    place = int(np.argmin(np.abs(np.log(ladder) - np.log(start))))
    while place > 0 and value_at(ladder[place]) <= target:
        place -= 1
    while value_at(ladder[place + 1]) > target:
        place += 1
    low, high = ladder[place], ladder[place + 1]
    values = np.log([max(value_at(size), 1e-300) for size in (low, high)])
    if values[0] <= np.log(target):  # the smallest size will do
        return float(low)
    share = (values[0] - np.log(target)) / (values[0] - values[1])
    return float(low * (high / low) ** share)


class _Fits:
    """The fits of one model with one number of features: goals in one world share them."""

    def __init__(self, model: str, settings: Settings, run: Run) -> None:
        self.model, self.settings, self.run = model, settings, run
        self.rows: dict[tuple[str, int], list[Row]] = {}

    def median(self, world: World, column: str, size: int) -> float:
        """Return the median of a column over draws of some size."""
        key = world.name, size
        if key not in self.rows:
            # Large draws are dear, and differ little from each other.
            n_draws = self.settings.entries // (size * int(world.copies.sum()))
            least, most = self.settings.draws
            seeds = self.run.seeds(min(max(n_draws, least), most))
            self.rows[key] = [score(world, self.model, size, s, self.run.n_jobs) for s in seeds]
        return float(np.median([row[column] for row in self.rows[key]]))


def growth(model: str, settings: Settings, run: Run) -> Iterator[Row]:
    """Find how many rows a model needs as features become more."""
    guesses = [16.0] * len(goals())
    before = guesses.copy()
    for n_features in settings.dims[model]:
        fits = _Fits(model, settings, run)
        for number, goal in enumerate(goals()):
            world = goal.make(n_features)
            size = needed(partial(fits.median, world, goal.column), goal.target, guesses[number])
            # The next step will be as the last one was: a good guess saves the largest fits.
            guesses[number], before[number] = size * size / before[number], size
            yield {
                "model": model,
                "world": world.name,
                "dims": n_features,
                "goal": goal.name,
                "needed": size,
            }
        for rows in fits.rows.values():
            yield from rows


def measure(settings: Settings, run: Run) -> Results:
    """Score both models along the learning curves, and look for the examples that they need."""
    results = Results("theory")
    total = len(CURVES) * settings.seeds * len(settings.sizes) * 2
    total += sum(len(dims) for dims in settings.dims.values()) * len(goals())
    with run.progress(total, "fits") as advance:
        for world in CURVES:
            for seed in run.seeds(settings.seeds):
                for size in settings.sizes:
                    for model in (NB, LR):
                        results.add(part="curve", **score(world, model, size, seed, run.n_jobs))
                        advance(1)
        for model in settings.dims:
            for row in growth(model, settings, run):
                results.add(part="growth", **row)
                if "needed" in row:
                    advance(1)
    return results
