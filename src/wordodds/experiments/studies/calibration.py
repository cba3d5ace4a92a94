"""C7: how far to trust the probabilities of naive Bayes and logistic regression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from wordodds.experiments import style
from wordodds.experiments.curves import timed_fit
from wordodds.experiments.display import ReliabilityDisplay
from wordodds.experiments.experiment import About, Experiment, Finding, Plot, Run, sized
from wordodds.experiments.intervals import LEVEL, Interval
from wordodds.experiments.newsgroups import log_rows
from wordodds.experiments.table import Results
from wordodds.typing import Booleans, Floats, Ints, MatrixLike, Positions

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

    from wordodds.model.calibration import Method

NAME, TITLE = "calibration", "Calibration"
PROTOCOL = (
    "20 classes, bydate train and test part. Multinomial naive Bayes (alpha = 0.1) on word counts; "
    "logistic regression (C = 30) on their logarithms, rows of length one. A random half of the "
    "test part calibrates the other, and the other way round. Calibration error over 15 bins of "
    "equal width, intervals from 1,000 bootstrap samples of the test documents (full: 10,000)."
)
NAIVE_BAYES, LOGISTIC = "multinomial NB", "logistic regression"
AS_LEARNT = "as learnt"
METHODS = (AS_LEARNT, "temperature", "platt", "isotonic")
MEASURES = ("ece", "sure", "accuracy", "confidence")
N_BINS = 15
N_LEAST = 10  # documents of a bin that is drawn: fewer say nothing about a share
SURE = 0.99
_COLOURS = dict(zip(METHODS, (style.BLACK, style.GREEN, style.SKY, style.PINK), strict=True))


@dataclass(frozen=True)
class Settings:
    """How much is done."""

    n_resamples: int = 1000
    n_train: int | None = None  # None: all


QUICK = Settings()
FULL = Settings(n_resamples=10_000)
finding = About("C7", figure=NAME)
on_crowds = About("C7", figure="calibration-confidence")


def measure(settings: Settings, run: Run) -> Results:
    """Calibrate both models, and measure before and after.

    The ``kind`` is "whole" for the measures with their intervals, or "bin" of the diagram.
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
            seconds = timed_fit(model, rows, y)
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


def _scores(model: BaseEstimator, rows: MatrixLike) -> Floats:
    """Return what softmax makes the probabilities of, a column for each class."""
    if hasattr(model, "predict_joint_log_proba"):
        return np.asarray(model.predict_joint_log_proba(rows))
    # Of two classes there is one column of log-odds, which fits the same functions.
    scores = np.asarray(model.decision_function(rows))
    return scores[:, np.newaxis] if scores.ndim == 1 else scores


def cross_calibrated(scores: Floats, codes: Ints, halves: list[Ints], method: str) -> Floats:
    """Return probabilities of all documents, each half calibrated on the other."""
    from wordodds.model.calibration import fit_calibration
    from wordodds.model.links import probabilities

    if method == AS_LEARNT:
        return probabilities(scores, "softmax")
    chances = np.empty((len(scores), max(2, scores.shape[1])))
    for held_out, measured in (halves, halves[::-1]):
        fitted = fit_calibration(
            scores[held_out], codes[held_out], "softmax", cast("Method", method)
        )
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
    """Return the bin of each document: bin i is (i / n, (i + 1) / n]."""
    return np.searchsorted(np.arange(1, N_BINS) / N_BINS, confidence, side="left")


def bootstrap(
    confidence: Floats, right: Booleans, n_resamples: int, *, seed: int
) -> dict[str, Interval]:
    """Return the measures with the intervals of resampled test documents.

    The calibration error of a resample is larger on average than that of the sample, as noise
    only adds to a distance: its interval is moved by the difference (the "basic" bootstrap).
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


def draw(results: Results) -> list[Plot]:
    """Draw reliability diagrams, and how sure the models are."""
    models = results.unique("model")
    shared = {"sharex": True, "sharey": True}
    with style.panels(1, len(models), height=4.3, **shared) as (reliability, panels):
        for ax, model in zip(panels, models, strict=True):
            _draw_reliability(ax, results.where(model=model), model)
    with style.panels(1, len(models), height=3.0, **shared) as (histogram, pair):
        for ax, model in zip(pair, models, strict=True):
            _draw_confidence(ax, results.where(model=model), model)
        labels = pair[0].get_legend_handles_labels()
        histogram.legend(*labels, loc="outside lower center", ncols=len(METHODS))
    n = results.where(kind="whole").column("size").max()
    return [
        Plot(
            "calibration",
            "Reliability before and after calibration",
            "How often the most probable label is right, against its probability, on the bydate "
            f"test part ({n:,.0f} documents to learn from). The dashed line is what probabilities "
            "should be, the area of a marker the share of documents (bins of fewer than "
            f"{N_LEAST} are left out), ECE the expected calibration error. The lecture: naive "
            "Bayes is often right about the label and wrong about the probability. How far off "
            "logistic regression is depends on its penalty: a stronger one makes it more modest.",
            reliability,
        ),
        Plot(
            "calibration-confidence",
            "How sure the models are",
            "Documents by the probability of their most probable label. The lecture: those of "
            "naive Bayes crowd at 0 and 1.",
            histogram,
        ),
    ]


def _draw_reliability(ax: style.Axes, results: Results, model: str) -> None:
    shown = Results(NAME)
    for method, part in results.groups("method"):
        label = f"{method}, ECE {part.where(kind='whole').value('ece'):.3f}"
        bins = part.where(kind="bin")
        for row, n in zip(bins.rows, bins.column("documents"), strict=True):
            if n >= N_LEAST:
                shown.add(**{**row, "model": label})
    ReliabilityDisplay.from_results(shown, ax=ax)
    ax.set(title=model, xlim=(0, 1.02), ylim=(0, 1.02))
    for artist, line in zip(ax.collections, ax.lines[1:], strict=True):
        colour = _COLOURS[str(line.get_label()).split(",")[0]]
        line.set_color(colour)
        artist.set_color(colour)
    ax.legend(loc="upper left")


def _draw_confidence(ax: style.Axes, results: Results, model: str) -> None:
    edges = np.arange(N_BINS + 1) / N_BINS
    for method in METHODS:
        part = results.where(kind="bin", method=method)
        shares = np.zeros(N_BINS)
        shares[part.column("bin").astype(int)] = part.column("share")
        width = 2.0 if method == AS_LEARNT else 1.2
        ax.stairs(shares, edges, color=_COLOURS[method], linewidth=width, label=method)
    ax.set_title(model)
    style.label_axes(ax, "probability of the most probable label", "share of documents")


def judge(results: Results) -> list[Finding]:
    """Judge label, probability and crowding, by bootstrap intervals over the test documents."""
    whole = results.where(kind="whole")
    bayes, logistic = (_measured(whole, model, AS_LEARNT) for model in (NAIVE_BAYES, LOGISTIC))
    tempered = _measured(whole, NAIVE_BAYES, "temperature")
    right_if_sure = whole.where(model=NAIVE_BAYES, method=AS_LEARNT).value("right_if_sure")
    return [
        finding(
            "naive Bayes is often right about the label",
            f"accuracy {bayes['accuracy']}, logistic regression {logistic['accuracy']}",
            # More often right than wrong, among all these classes.
            bayes["accuracy"].low > 0.5,
        ),
        finding(
            "and wrong about the probability",
            f"on average {bayes['confidence']} sure; calibration error {bayes['ece']}",
            # What it says and what is the case are apart by more than chance.
            bayes["confidence"].low > bayes["accuracy"].high,
        ),
        finding(
            "more so than logistic regression",
            f"calibration error {bayes['ece']}, logistic regression {logistic['ece']} "
            f"({logistic['confidence']} sure)",
            bayes["ece"].low > logistic["ece"].high,
        ),
        on_crowds(
            "its probabilities crowd at 0 and 1",
            f"more than {SURE} sure of {bayes['sure']} of the documents, of which "
            f"{right_if_sure:.3f} are right; logistic regression of {logistic['sure']}",
            # Most documents are there.
            bayes["sure"].low > 0.5,
        ),
        finding(
            "only the probability is wrong: a temperature mends it, at the same accuracy",
            f"calibration error {tempered['ece']}, accuracy {tempered['accuracy']}",
            tempered["ece"].high < bayes["ece"].low
            and tempered["accuracy"].value == bayes["accuracy"].value,
        ),
    ]


def _measured(whole: Results, model: str, method: str) -> dict[str, Interval]:
    part = whole.where(model=model, method=method)
    return {
        name: Interval(*(part.value(f"{name}{end}") for end in ("", "_low", "_high")))
        for name in MEASURES
    }


EXPERIMENT = Experiment(
    NAME,
    TITLE,
    PROTOCOL,
    sized(measure, QUICK, FULL),
    draw,
    judge,
    ("C7",),
    seconds=(2.5, 10),
)
