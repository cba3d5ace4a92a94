"""C7: how far to trust the probabilities of naive Bayes and logistic regression."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordodds.experiments.estimates import LEVEL, Interval
from wordodds.experiments.experiment import Experiment, Run
from wordodds.experiments.results import Results
from wordodds.experiments.studies.calibration_report import (
    AS_LEARNT,
    LOGISTIC,
    MEASURES,
    METHODS,
    N_BINS,
    NAIVE_BAYES,
    NAME,
    SURE,
    draw,
    judge,
)
from wordodds.typing import Booleans, Floats, Ints, Positions

__all__ = ["EXPERIMENTS"]


@dataclass(frozen=True)
class Settings:
    """How much is done."""

    n_resamples: int = 1000
    n_train: int | None = None  # None: all


QUICK = Settings()
FULL = Settings(n_resamples=10_000)


def run(run: Run) -> Results:
    """Calibrate both models, and measure before and after.

    Parameters
    ----------
    run : Run
        How much to do.

    Returns
    -------
    results : Results
        For each model and method a row with the measures and their bootstrap intervals (``kind``
        is "whole") and one for each bin of the reliability diagram ("bin").
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
    from wordodds import LogisticRegression, MultinomialNB

    train, test = run.data.bags.train, run.data.bags.test
    rng = np.random.default_rng(run.seed)
    chosen = np.sort(rng.permutation(len(train.labels))[: settings.n_train])
    X, y = train.counts[chosen], train.labels[chosen]
    halves = np.array_split(rng.permutation(len(test.labels)), 2)
    # The settings of wordodds.TextClassifier, chosen once by cross-validation on whole texts.
    models: dict[str, tuple[Any, Any, Any]] = {
        NAIVE_BAYES: (MultinomialNB(alpha=0.1, n_jobs=run.n_jobs), X, test.counts),
        LOGISTIC: (
            LogisticRegression(C=30.0, random_state=run.seed, n_jobs=run.n_jobs),
            log_rows(X),
            log_rows(test.counts),
        ),
    }
    results = Results(NAME)
    with run.progress(len(models) * len(METHODS), "calibrations") as advance:
        for name, (model, rows, rows_test) in models.items():
            start = time.perf_counter()
            model.fit(rows, y)
            seconds = time.perf_counter() - start
            scores = _scores(model, rows_test)
            codes = np.searchsorted(model.classes_, test.labels)
            for method in METHODS:
                chances = cross_calibrated(scores, codes, halves, method)
                row = {
                    "model": name,
                    "solver": getattr(model, "solver_", None),
                    "size": len(y),
                    "dims": X.shape[1],
                    "seed": run.seed,
                    "method": method,
                    "seconds": seconds,
                }
                _add(results, row, chances, codes, settings.n_resamples)
                advance(1)
    return results


def log_rows(counts: Any) -> Any:
    """Return log(1 + count), each row of length one.

    Parameters
    ----------
    counts : csr_array
        Words of documents.

    Returns
    -------
    rows : csr_array
        A document without words stays a row of zeros.
    """
    from scipy.sparse import csr_array

    rows = csr_array(counts, dtype=np.float64, copy=True)
    np.log1p(rows.data, out=rows.data)
    words = np.diff(rows.indptr)
    squares = np.bincount(
        np.repeat(np.arange(len(words)), words), weights=rows.data**2, minlength=len(words)
    )
    rows.data /= np.repeat(np.sqrt(squares), words)
    return rows


def _scores(model: Any, rows: Any) -> Floats:
    """Return what softmax makes the probabilities of, a column for each class."""
    if hasattr(model, "predict_joint_log_proba"):
        return np.asarray(model.predict_joint_log_proba(rows))
    # Of two classes there is one column of log-odds, which fits the same functions.
    scores = np.asarray(model.decision_function(rows))
    return scores[:, np.newaxis] if scores.ndim == 1 else scores


def cross_calibrated(scores: Floats, codes: Ints, halves: list[Ints], method: str) -> Floats:
    """Return probabilities of all documents, each half calibrated on the other.

    Parameters
    ----------
    scores : ndarray of shape (n_rows, n_columns)
        Of softmax.
    codes : ndarray of shape (n_rows,)
        The true classes.
    halves : list of two ndarrays
        The rows of each.
    method : str
        One of `METHODS`.

    Returns
    -------
    chances : ndarray of shape (n_rows, n_classes)
    """
    from wordodds.model.calibration import fit_calibration
    from wordodds.model.links import probabilities

    if method == AS_LEARNT:
        return probabilities(scores, "softmax")
    chances = np.empty((len(scores), max(2, scores.shape[1])))
    for held_out, measured in (halves, halves[::-1]):
        fitted = fit_calibration(scores[held_out], codes[held_out], "softmax", method)
        chances[measured] = fitted.probabilities(scores[measured])
    return chances


def _add(
    results: Results, row: dict[str, Any], chances: Floats, codes: Ints, n_resamples: int
) -> None:
    confidence, right = chances.max(axis=1), chances.argmax(axis=1) == codes
    own = chances[np.arange(len(codes)), codes]
    with np.errstate(divide="ignore"):
        loss = float(-np.log(own).mean())
    found = bootstrap(confidence, right, n_resamples, seed=row["seed"])
    limits = {
        f"{name}_{end}": getattr(interval, end)
        for name, interval in found.items()
        for end in ("low", "high")
    }
    values = {name: interval.value for name, interval in found.items()}
    sure = confidence > SURE
    right_if_sure = float(right[sure].mean()) if sure.any() else None
    results.add(**row, kind="whole", log_loss=loss, **values, **limits, right_if_sure=right_if_sure)
    place = bins(confidence)
    for index in range(N_BINS):
        inside = place == index
        if inside.any():
            results.add(
                **row,
                kind="bin",
                bin=index,
                confidence=float(confidence[inside].mean()),
                accuracy=float(right[inside].mean()),
                share=float(inside.mean()),
                documents=int(inside.sum()),
            )


def bins(confidence: Floats) -> Positions:
    """Return the bin of each document: bin i is (i / n, (i + 1) / n].

    Parameters
    ----------
    confidence : ndarray of shape (n_rows,)
        The probability of the most probable class.

    Returns
    -------
    bins : ndarray of shape (n_rows,)
    """
    return np.searchsorted(np.arange(1, N_BINS) / N_BINS, confidence, side="left")


def bootstrap(
    confidence: Floats, right: Booleans, n_resamples: int, *, seed: int
) -> dict[str, Interval]:
    """Return the measures with the intervals of resampled test documents.

    The calibration error of a resample is larger on average than that of the sample, as noise
    only adds to a distance: its interval is moved by the difference (the "basic" bootstrap).

    Parameters
    ----------
    confidence : ndarray of shape (n_rows,)
        The probability of the most probable class.
    right : ndarray of shape (n_rows,)
        Whether it is the true one.
    n_resamples : int
        How many.
    seed : int
        Draws them.

    Returns
    -------
    intervals : dict of str to Interval
        "ece", the expected calibration error; "sure", the share of documents above 0.99;
        "accuracy"; "confidence", its mean.
    """
    rng = np.random.default_rng(seed)
    n = len(confidence)
    # Documents of one bin enter by their sums only.
    columns = np.zeros((n, N_BINS + 3))
    columns[np.arange(n), bins(confidence)] = confidence - right
    columns[:, N_BINS:] = np.column_stack([confidence > SURE, right, confidence])

    def measures(means: Floats) -> Floats:
        return np.append(np.abs(means[:N_BINS]).sum(), means[N_BINS:])

    sample = measures(columns.mean(axis=0))
    drawn = np.array(
        [
            measures(np.bincount(rng.integers(n, size=n), minlength=n) @ columns / n)
            for _ in range(n_resamples)
        ]
    )
    ends = np.quantile(drawn, [0.5 + LEVEL / 2, 0.5 - LEVEL / 2], axis=0)
    low, high = np.maximum(2.0 * sample - ends, 0.0)
    return {
        name: Interval(float(sample[i]), float(low[i]), float(high[i]))
        for i, name in enumerate(MEASURES)
    }


EXPERIMENTS = (
    Experiment(
        NAME,
        "Calibration",
        "20 classes, bydate train and test part. Multinomial naive Bayes (alpha = 0.1) on word "
        "counts; logistic regression (C = 30) on their logarithms, rows of length one. A random "
        "half of the test part calibrates the other, and the other way round. Calibration error "
        "over 15 bins of equal width, intervals from 1,000 bootstrap samples of the test "
        "documents (full: 10,000).",
        run,
        draw,
        judge,
        ("C7",),
    ),
)
