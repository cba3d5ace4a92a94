"""C6: what a Dirichlet prior does for naive Bayes, on little data and on much."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from wordodds.experiments.curves import nested_order
from wordodds.experiments.experiment import Experiment, Run
from wordodds.experiments.results import Results
from wordodds.experiments.studies.smoothing_report import BAYES, MAP, ML, MODEL, NAME, draw, judge
from wordodds.typing import AnyArray, Ints

__all__ = ["EXPERIMENTS"]

_ESTIMATES: dict[str, Literal["ml", "map", "bayes"]] = {ML: "ml", MAP: "map", BAYES: "bayes"}


@dataclass(frozen=True)
class Settings:
    """How much is done."""

    sizes: tuple[int, ...]  # besides all documents
    pseudo_counts: tuple[float, ...] = (0.001, 0.01, 0.1, 1.0, 10.0)
    map_size: int = 500  # where MAP and Bayes are set side by side
    n_seeds_quick: int = 5
    n_seeds_full: int = 20


QUICK = Settings((20, 100, 500, 2500))
FULL = Settings(
    (20, 50, 100, 200, 500, 1000, 2500, 5000),
    (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0),
)


class _Split(NamedTuple):
    """Documents to learn from and to test on, as counts of the words that the first ones have."""

    X: Any
    y: AnyArray
    X_test: Any
    y_test: AnyArray


def run(run: Run) -> Results:
    """Fit naive Bayes with several priors on several numbers of documents.

    Parameters
    ----------
    run : Run
        How much to do.

    Returns
    -------
    results : Results
        A row for each seed, size, estimate and alpha.
    """
    return measure(FULL if run.full else QUICK, run)


def measure(settings: Settings, run: Run) -> Results:
    """Do the work of `run` at any size.

    Parameters
    ----------
    settings : Settings
        The sizes.
    run : Run
        Data, seeds and threads.

    Returns
    -------
    results : Results
    """
    bags = run.data.bags
    n_all = len(bags.train.labels)
    sizes = [*(size for size in settings.sizes if size < n_all), n_all]
    seeds = run.seeds(settings.n_seeds_quick, settings.n_seeds_full)
    plain = [(ML, 1.0), *((BAYES, alpha) for alpha in settings.pseudo_counts)]
    beside = [(MAP, 1.0 + a) for a in settings.pseudo_counts]
    found: dict[tuple[int, int], list[dict[str, Any]]] = {}
    with run.progress(len(seeds) * len(sizes), "training sets") as advance:
        for seed in seeds:
            order = nested_order(bags.train.labels, np.random.default_rng(seed))
            for size in sizes:
                if size == n_all and seed != seeds[0]:  # no seed changes all documents
                    found[seed, size] = found[seeds[0], size]
                else:
                    split = _seen_words(bags, np.sort(order[:size]))
                    both = plain + (beside if size == settings.map_size else [])
                    found[seed, size] = [_score(split, *which, run.n_jobs) for which in both]
                advance(1)
    results = Results(NAME)
    for (seed, size), rows in found.items():
        for row in rows:
            results.add(model=MODEL, size=size, seed=seed, **row)
    return results


def _seen_words(bags: Any, chosen: Ints) -> _Split:
    """Leave out words that no training document has, as a vectorizer fitted to them does."""
    from scipy.sparse import csr_array

    X = bags.train.counts[chosen]
    words = np.flatnonzero(np.bincount(X.indices, minlength=X.shape[1]))
    return _Split(
        csr_array(X[:, words]),
        bags.train.labels[chosen],
        csr_array(bags.test.counts[:, words]),
        bags.test.labels,
    )


def _score(split: _Split, estimate: str, alpha: float, n_jobs: int | None) -> dict[str, Any]:
    from wordodds import MultinomialNB

    model = MultinomialNB(alpha=alpha, estimate=_ESTIMATES[estimate], n_jobs=n_jobs)
    start = time.perf_counter()
    model.fit(split.X, split.y)
    seconds = time.perf_counter() - start
    joint = model.predict_joint_log_proba(split.X_test)
    own = np.searchsorted(model.classes_, split.y_test)
    rows = np.arange(len(own))
    impossible = np.isneginf(joint)
    log_proba = model.predict_log_proba(split.X_test)
    return {
        "dims": split.X.shape[1],
        "estimate": estimate,
        "alpha": None if estimate == ML else alpha,
        "pseudo_count": {ML: 0.0, MAP: alpha - 1.0, BAYES: alpha}[estimate],
        "own_vetoed": float(impossible[rows, own].mean()),
        "all_vetoed": float(impossible.all(axis=1).mean()),
        "accuracy": float(np.mean(model.classes_[log_proba.argmax(axis=1)] == split.y_test)),
        "log_loss": float(-log_proba[rows, own].mean()),
        "seconds": seconds,
    }


EXPERIMENTS = (
    Experiment(
        NAME,
        "Smoothing",
        "Multinomial naive Bayes on word counts, 20 classes, bydate test part. It learns from 20 "
        "documents up to all of the train part, drawn in the classes' proportions, and knows the "
        "words that these have. Maximum likelihood (nothing is added to a count), the Bayes "
        "estimate (alpha is) and MAP (alpha - 1 is), pseudo-counts from 0.001 to 10. Where every "
        "class is impossible, the class prior decides. 5 seeds (full: 20).",
        run,
        draw,
        judge,
        ("C6",),
    ),
)
