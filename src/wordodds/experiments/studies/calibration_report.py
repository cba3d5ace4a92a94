"""Figures and findings of the experiment on calibration."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from wordodds.experiments import style
from wordodds.experiments.display import ReliabilityDisplay
from wordodds.experiments.estimates import Interval
from wordodds.experiments.experiment import Finding, Plot, verdict_of
from wordodds.experiments.results import Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw", "judge"]

NAME = "calibration"
NAIVE_BAYES, LOGISTIC = "multinomial NB", "logistic regression"
AS_LEARNT = "as learnt"
METHODS = (AS_LEARNT, "temperature", "platt", "isotonic")
MEASURES = ("ece", "sure", "accuracy", "confidence")
N_BINS = 15
N_LEAST = 10  # documents of a bin that is drawn: fewer say nothing about a share
SURE = 0.99
_COLOURS = dict(zip(METHODS, (style.BLACK, style.GREEN, style.SKY, style.PINK), strict=True))


def draw(results: Results) -> list[Plot]:
    """Draw reliability diagrams, and how sure the models are.

    Parameters
    ----------
    results : Results
        The table.

    Returns
    -------
    plots : list of Plot
    """
    models = results.unique("model")
    with style.style():
        reliability = style.new_figure(8.0, 4.3)
        panels = reliability.subplots(1, len(models), sharex=True, sharey=True)
        for ax, model in zip(panels, models, strict=True):
            _draw_reliability(ax, results.where(model=model), model)
        panels[1].set_ylabel("")
        histogram = style.new_figure(8.0, 3.0)
        pair = histogram.subplots(1, len(models), sharex=True, sharey=True)
        for ax, model in zip(pair, models, strict=True):
            _draw_confidence(ax, results.where(model=model), model)
        pair[0].set_ylabel("share of documents")
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


def _draw_reliability(ax: Axes, results: Results, model: str) -> None:
    shown = Results(NAME)
    for method, part in results.groups("method"):
        ece = part.where(kind="whole").column("ece")[0]
        label = f"{method}, ECE {ece:.3f}"
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


def _draw_confidence(ax: Axes, results: Results, model: str) -> None:
    edges = np.arange(N_BINS + 1) / N_BINS
    for method in METHODS:
        part = results.where(kind="bin", method=method)
        shares = np.zeros(N_BINS)
        shares[part.column("bin").astype(int)] = part.column("share")
        width = 2.0 if method == AS_LEARNT else 1.2
        ax.stairs(shares, edges, color=_COLOURS[method], linewidth=width, label=method)
    ax.set(title=model, xlabel="probability of the most probable label", axisbelow=True)
    ax.grid(**style.GRID)


def judge(results: Results) -> list[Finding]:
    """Judge label, probability and crowding, by bootstrap intervals over the test documents.

    Parameters
    ----------
    results : Results
        The table.

    Returns
    -------
    findings : list of Finding
    """
    whole = results.where(kind="whole")
    bayes, logistic = (_measured(whole, model, AS_LEARNT) for model in (NAIVE_BAYES, LOGISTIC))
    tempered = _measured(whole, NAIVE_BAYES, "temperature")
    right_if_sure = whole.where(model=NAIVE_BAYES, method=AS_LEARNT).column("right_if_sure")[0]
    return [
        _finding(
            "naive Bayes is often right about the label",
            f"accuracy {bayes['accuracy']}, logistic regression {logistic['accuracy']}",
            # More often right than wrong, among all these classes.
            bayes["accuracy"].low > 0.5,
        ),
        _finding(
            "and wrong about the probability",
            f"on average {bayes['confidence']} sure; calibration error {bayes['ece']}",
            # What it says and what is the case are apart by more than chance.
            bayes["confidence"].low > bayes["accuracy"].high,
        ),
        _finding(
            "more so than logistic regression",
            f"calibration error {bayes['ece']}, logistic regression {logistic['ece']} "
            f"({logistic['confidence']} sure)",
            bayes["ece"].low > logistic["ece"].high,
        ),
        _finding(
            "its probabilities crowd at 0 and 1",
            f"more than {SURE} sure of {bayes['sure']} of the documents, of which "
            f"{right_if_sure:.3f} are right; logistic regression of {logistic['sure']}",
            # Most documents are there.
            bayes["sure"].low > 0.5,
            "calibration-confidence",
        ),
        _finding(
            "only the probability is wrong: a temperature mends it, at the same accuracy",
            f"calibration error {tempered['ece']}, accuracy {tempered['accuracy']}",
            tempered["ece"].high < bayes["ece"].low
            and tempered["accuracy"].value == bayes["accuracy"].value,
        ),
    ]


def _measured(whole: Results, model: str, method: str) -> dict[str, Interval]:
    part = whole.where(model=model, method=method)
    return {
        name: Interval(*(float(part.column(f"{name}{end}")[0]) for end in ("", "_low", "_high")))
        for name in MEASURES
    }


def _finding(says: str, number: str, holds: bool, figure: str = "calibration") -> Finding:
    return Finding("C7", says, number, verdict_of(holds), figure)
