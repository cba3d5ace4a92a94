"""C5: how soon the solvers of logistic regression come near the optimum."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_array

from wordodds.experiments.experiment import Run
from wordodds.experiments.newsgroups import log_rows
from wordodds.experiments.studies.convergence.report import (
    CG,
    GD,
    GOOD,
    IRLS,
    LBFGS,
    NAME,
    NEWTON_CG,
    ROUGH,
    SGD,
)
from wordodds.experiments.table import Results
from wordodds.typing import Floats, Ints

History = Mapping[str, Floats]
MODEL = "logistic regression"

# In the order of the legend; IRLS comes last, as it has no place in the sparse problems.
SOLVERS: dict[str, Literal["newton-cg", "lbfgs", "cg", "gd", "sgd", "irls"]] = {
    NEWTON_CG: "newton-cg",
    LBFGS: "lbfgs",
    CG: "cg",
    GD: "gd",
    SGD: "sgd",
    IRLS: "irls",
}
# A fit ends here: a tenth of what is judged, so that the figure shows where lines lead.
LAST = GOOD / 10.0
# The lecture's pairs of groups, and the iterations after which the test error is measured.
LECTURE_PAIRS = (
    ("alt.atheism", "comp.graphics"),
    ("rec.autos", "rec.sport.baseball"),
    ("comp.windows.x", "rec.motorcycles"),
)
LECTURE_COLUMNS = 30
ITERATIONS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96)
SECOND_GROUP = slice(1, 6)  # of the sorted labels: comp.* of 20 Newsgroups


@dataclass(frozen=True)
class Problem:
    """What is to be fitted."""

    name: str
    n_classes: int  # two: a quarter of the groups against the others
    dims: int | None  # SVD columns; None: all words
    n_rows: int  # that a seed draws
    limits: Mapping[str, int]  # iterations of each solver


@dataclass(frozen=True)
class Settings:
    """How much is done."""

    problems: tuple[Problem, ...]
    dims: tuple[int, ...]  # of the costs of an iteration
    sizes: tuple[int, int]
    n_repeats: int = 3  # of which the quickest counts
    n_seeds: int = 3


def _problems(rows: tuple[int, int, int, int], dims: tuple[int, int]) -> tuple[Problem, ...]:
    dense = {NEWTON_CG: 100, LBFGS: 500, CG: 500, GD: 2000, SGD: 30, IRLS: 100}
    sparse = {NEWTON_CG: 100, LBFGS: 200, CG: 200, GD: 100, SGD: 20}
    return (
        Problem(f"2 classes, {dims[0]} columns", 2, dims[0], rows[0], dense),
        Problem(f"20 classes, {dims[1]} columns", 20, dims[1], rows[1], dense),
        Problem("2 classes, all words", 2, None, rows[2], sparse),
        # Here L-BFGS takes longer: gradient descent must have a chance to be the faster one.
        Problem("20 classes, all words", 20, None, rows[3], {**sparse, GD: 300}),
    )


QUICK = Settings(_problems((5000, 2000, 8000, 1000), (30, 15)), (5, 10, 20, 30, 40, 50),
                 (2000, 16_000))  # fmt: skip
FULL = Settings(_problems((16_000, 8000, 10_000, 10_000), (30, 30)), tuple(range(5, 51, 5)),
                (2000, 16_000), n_repeats=10, n_seeds=10)  # fmt: skip


def measure(settings: Settings, run: Run) -> Results:
    """Fit every problem with every solver, and time iterations over the number of columns.

    ``kind`` is "path" (the gap at an iteration, of the first seed), "reach" (when a gap was
    reached, or the end where it was not), "lecture" (test errors after some iterations) or "cost"
    (seconds of an iteration). One thread does it all, whatever the run says, so that seconds
    compare.
    """
    seeds = run.seeds(settings.n_seeds)
    sources = _sources(run)
    n_fits = sum(len(problem.limits) for problem in settings.problems) * len(seeds)
    n_costs = 2 * len(settings.dims) * len(settings.sizes)
    pairs = pairs_of(run)
    results = Results(NAME)
    n_lecture = 2 * len(ITERATIONS)  # of each pair and seed
    n_all = n_fits + n_costs + n_lecture * len(pairs) * len(seeds)
    with run.progress(n_all, "fits") as advance:
        # The first fit of a process loads what fits need: no solver should pay for that.
        fit(np.array([[0.0], [1.0]]), np.array([0, 1]), NEWTON_CG, 1, 0)
        for problem in settings.problems:
            for seed in seeds:
                X, y = _rows_of(problem, sources, np.random.default_rng(seed))
                about = {"problem": problem.name, "seed": seed, "size": len(y), "dims": X.shape[1]}
                for row in _race(problem, X, y, seed, seed == seeds[0]):
                    results.add(model=MODEL, **about, **row)
                advance(len(problem.limits))
        for pair in pairs:
            for seed in seeds:
                for row in _errors(pair, run, np.random.default_rng(seed)):
                    results.add(model=MODEL, kind="lecture", seed=seed, **row)
                advance(n_lecture)
        dense, codes = sources[0]
        binary = _two(codes)
        order = np.random.default_rng(run.seed).permutation(len(codes))
        for size in settings.sizes:
            chosen = np.sort(order[:size])
            for dims in settings.dims:
                X = _standardised(dense[chosen, :dims])
                for solver in (IRLS, CG):
                    seconds = iteration_seconds(X, binary[chosen], solver, settings.n_repeats)
                    about = {"size": len(chosen), "dims": X.shape[1], "seed": run.seed}
                    results.add(model=MODEL, solver=solver, **about, kind="cost", seconds=seconds)
                    advance(1)
    return results


def pairs_of(run: Run) -> list[tuple[str, str]]:
    """Return the lecture's pairs of groups; the first two where the corpus has other groups."""
    names = run.data.bags.train.label_names
    pairs = [pair for pair in LECTURE_PAIRS if set(pair) <= set(names)]
    return pairs or [(names[0], names[1])]


def _errors(pair: tuple[str, str], run: Run, rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """Yield the test error after more and more iterations, as the lecture's figure has it."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.preprocessing import StandardScaler

    from wordodds import LogisticRegression

    columns, labels = run.data.columns(len(run.data.bags.train.label_names), n_jobs=run.n_jobs)
    rows = rng.permutation(np.flatnonzero(np.isin(labels, pair)))
    X, y = columns[rows, :LECTURE_COLUMNS], labels[rows] == pair[1]
    test = np.arange(len(rows)) < len(rows) // 10
    scaler = StandardScaler().fit(X[~test])
    X = scaler.transform(X)
    for solver in (IRLS, GD):
        for iteration in ITERATIONS:
            model = LogisticRegression(
                solver=SOLVERS[solver], max_iter=iteration, tol=0.0, n_jobs=1
            )
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                model.fit(X[~test], y[~test])
            yield {
                "pair": " / ".join(pair),
                "solver": solver,
                "iteration": iteration,
                "size": int(np.sum(~test)),
                "dims": X.shape[1],
                "accuracy": float(np.mean(model.predict(X[test]) == y[test])),
            }


def _sources(run: Run) -> tuple[tuple[Floats, Ints], tuple[csr_array, Ints]]:
    """Return dense and sparse rows, and the classes of each as numbers."""
    columns, labels = run.data.columns(len(run.data.bags.train.label_names), n_jobs=run.n_jobs)
    train = run.data.bags.train
    codes = [np.unique(y, return_inverse=True)[1] for y in (labels, train.labels)]
    return (columns, codes[0]), (log_rows(train.counts), codes[1])


def _two(codes: Ints) -> Ints:
    return np.isin(codes, np.unique(codes)[SECOND_GROUP]).astype(np.int64)


def _rows_of(
    problem: Problem,
    sources: tuple[tuple[Floats, Ints], tuple[csr_array, Ints]],
    rng: np.random.Generator,
) -> tuple[Floats | csr_array, Ints]:
    (dense, _), (sparse, _) = sources
    codes = sources[1 if problem.dims is None else 0][1]
    chosen = np.sort(rng.permutation(len(codes))[: problem.n_rows])
    y = _two(codes[chosen]) if problem.n_classes == 2 else codes[chosen]
    if problem.dims is not None:
        return _standardised(dense[chosen, : problem.dims]), y
    rows = sparse[chosen]
    # Of words that no document has the weights are zero: they would cost time and change nothing.
    words = np.flatnonzero(np.bincount(rows.indices, minlength=rows.shape[1]))
    return rows[:, words], y


def _standardised(X: Floats) -> Floats:
    spread = X.std(axis=0)
    return np.ascontiguousarray((X - X.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0))


def _race(
    problem: Problem, X: Floats | csr_array, y: Ints, seed: int, with_path: bool
) -> Iterator[dict[str, Any]]:
    """Fit a problem with each solver; yield rows of the table."""
    # Newton's method converges quadratically: its end is the optimum up to rounding.
    newton = fit(X, y, NEWTON_CG, problem.limits[NEWTON_CG], seed, tol=1e-9)
    optimum = float(newton["objective"].min())
    enough = optimum * (1.0 + LAST)
    for solver, limit in problem.limits.items():
        if solver == NEWTON_CG:  # the same way, as far as the others go
            end = int(np.argmax(newton["objective"] <= enough)) + 1
            history: History = {name: column[:end] for name, column in newton.items()}
        else:
            history = fit(X, y, solver, limit, seed, enough=enough)
        gap = np.maximum(history["objective"] / optimum - 1.0, 0.0)
        for target in (ROUGH, GOOD):
            reached = np.flatnonzero(gap <= target)
            at = int(reached[0]) if len(reached) else len(gap) - 1
            yield {"solver": solver, "kind": "reach", "target": target,
                   "reached": int(len(reached) > 0), **_entry(history, gap, at)}  # fmt: skip
        for at in thinned(len(gap)) if with_path else ():
            yield {"solver": solver, "kind": "path", **_entry(history, gap, at)}


def _entry(history: History, gap: Floats, at: int) -> dict[str, Any]:
    return {
        "iteration": int(history["iteration"][at]),
        "passes": int(history["passes"][at]),
        "gap": float(gap[at]),
        "seconds": float(history["time"][at]),
    }


def thinned(n: int, most: int = 20) -> list[int]:
    """Return which of n iterations a figure needs: both ends, and fewer and fewer between."""
    if n <= most:
        return list(range(n))
    return [0, *(int(at) for at in np.unique(np.geomspace(1, n - 1, most).round()))]


def fit(
    X: Floats | csr_array,
    y: Ints,
    solver: str,
    limit: int,
    seed: int,
    *,
    enough: float = -np.inf,
    tol: float = 0.0,
) -> History:
    """Fit until the objective is low ``enough``, and return the model's history."""
    from sklearn.exceptions import ConvergenceWarning

    from wordodds import LogisticRegression

    model = LogisticRegression(
        solver=SOLVERS[solver],
        max_iter=limit,
        tol=tol,
        random_state=seed,
        n_jobs=1,
        callback=lambda entry: entry["objective"] <= enough,
    )
    with warnings.catch_warnings():
        # To end before the optimum is the point.
        warnings.simplefilter("ignore", ConvergenceWarning)
        history: History = model.fit(X, y).history_
    return history


def iteration_seconds(X: Floats | csr_array, y: Ints, solver: str, n_repeats: int) -> float:
    """Return the seconds of the quickest among the first six iterations of some fits."""
    return min(float(np.diff(fit(X, y, solver, 6, 0)["time"]).min()) for _ in range(n_repeats))
