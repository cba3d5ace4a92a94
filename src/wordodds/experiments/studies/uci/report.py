"""Figures and verdicts of the experiment on UCI's tables, from its results alone."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from wordodds.experiments import style
from wordodds.experiments.display import LearningCurveDisplay
from wordodds.experiments.experiment import About, Finding, Plot
from wordodds.experiments.intervals import Interval, paired_difference
from wordodds.experiments.table import Results

CATEGORICAL, LR = "categorical NB", "logistic regression"
OWN, SHARED = "Gaussian NB, own variances", "Gaussian NB, shared variances"
BAYES = (SHARED, CATEGORICAL)  # theirs: one of the two for each set
DIFFERENCE = "naive Bayes - logistic regression"
CURVES, WINNERS = "uci-curves", "uci-winners"
PLACES = ("smallest", "largest")
NB_AHEAD, LR_AHEAD, LEVEL = "naive Bayes", "logistic regression", "level"
AHEAD = {LEVEL: "level", NB_AHEAD: "naive Bayes ahead", LR_AHEAD: "logistic regression ahead"}
SOONER = {
    LEVEL: "both alike",
    NB_AHEAD: "naive Bayes sooner",
    LR_AHEAD: "logistic regression sooner",
}
_COLUMNS = 3
on_curves, on_winners = About("C4", figure=CURVES), About("C4", figure=WINNERS)


def add_winners(results: Results) -> None:
    """Add who is ahead on each set, at its smallest and at its largest size.

    ``ahead`` is who errs less, or "level" where the interval over the splits holds 0.
    """
    for dataset, part in list(results.groups("dataset")):
        bayes = _bayes_of(part)
        sizes = part.unique("size")
        for place, size in zip(PLACES, (min(sizes), max(sizes)), strict=True):
            here = part.where(size=size)
            line, naive = (here.where(model=m).column("accuracy") for m in (LR, bayes))
            difference = paired_difference(line, naive)  # of the errors of naive Bayes and line
            results.add(
                model=DIFFERENCE,
                size=size,
                dataset=dataset,
                place=place,
                difference=difference.value,
                low=difference.low,
                high=difference.high,
                ahead=_ahead(paired_difference(naive, line)),
            )


def draw(results: Results) -> list[Plot]:
    """Draw the curves of all sets, and who wins."""
    return [_draw_curves(_fits(results)), _draw_winners(results.where(model=DIFFERENCE))]


def _fits(results: Results) -> Results:
    return Results(results.experiment, (r for r in results.rows if r["model"] != DIFFERENCE))


def _draw_curves(results: Results) -> Plot:
    datasets = results.unique("dataset")
    n_rows = -(-(len(datasets) + 1) // _COLUMNS)  # one more for the legend
    with style.panels(n_rows, _COLUMNS, height=1.9 * n_rows, squeeze=False) as (figure, grid):
        axes = grid.ravel()
        for ax, (dataset, part) in zip(axes, results.groups("dataset"), strict=False):
            _draw_panel(ax, part, dataset)
        for ax in axes[len(datasets) :]:
            ax.axis("off")
        lines = {str(line.get_label()): line for ax in axes for line in ax.lines}
        names = [name for name in (*BAYES, LR, OWN) if name in lines]
        axes[len(datasets)].legend([lines[name] for name in names], names, loc="center")
        figure.supxlabel("training rows, on a logarithmic scale")
        figure.supylabel("test error")
    return Plot(
        CURVES,
        "Naive Bayes and logistic regression on 14 small data sets",
        "Test error against training rows, mean and 95 % interval over random splits. Ng and "
        "Jordan found, and the lecture says after them, that naive Bayes comes to its limit sooner "
        "and so is ahead on little data, until logistic regression overtakes it. With variances "
        "that the classes share, as theirs, naive Bayes is linear and logistic regression's twin; "
        "with variances of their own it is another model. Their fifteenth set, sick, is not among "
        "the data.",
        figure,
    )


def _draw_panel(ax: style.Axes, results: Results, title: str) -> None:
    from matplotlib.ticker import MaxNLocator, NullLocator

    display = LearningCurveDisplay.from_results(results, y="error", log_x=True, legend=False, ax=ax)
    for line, name in zip(ax.lines, display.curves, strict=True):
        if name == OWN:
            line.set(linestyle="--", marker="none")
    sizes = sorted(results.unique("size"))
    shown = [sizes[0], sizes[len(sizes) // 2], sizes[-1]]
    ax.set_xticks(shown, [str(size) for size in shown])
    ax.xaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_major_locator(MaxNLocator(3, steps=[1, 2, 5, 10]))
    # Fourteen panels of everything make a large file: grid lines stand for tick marks.
    ax.tick_params(axis="y", left=False)
    ax.grid(visible=False, axis="x")
    ax.set(title=title, xlabel="", ylabel="", ylim=(0.0, None))


def _draw_winners(results: Results) -> Plot:
    datasets = results.unique("dataset")
    places = np.arange(len(datasets))[::-1]
    reach = 1.08 * max(0.01, float(np.abs(results.numbers("low", "high")).max()))
    with style.panels(1, 2, height=0.9 + 0.24 * len(datasets), sharey=True) as (figure, axes):
        for ax, place in zip(axes, PLACES, strict=True):
            part = results.where(place=place)
            found = part.numbers("difference", "low", "high")
            for (middle, *ends), y, ahead in zip(found, places, part.column("ahead"), strict=True):
                colour = {NB_AHEAD: style.BLUE, LR_AHEAD: style.ORANGE}.get(ahead, style.GREY)
                ax.plot(ends, [y, y], color=colour, linewidth=2.0)
                ax.plot(middle, y, color=colour, marker="o", markersize=5)
            ax.axvline(0.0, color=style.BLACK, linewidth=0.8)
            ax.grid(axis="x", **style.GRID)
            ax.set_axisbelow(True)
            label = "← NB ahead      difference of errors      LR ahead →"
            ax.set(title=f"{place} training set", xlabel=label, xlim=(-reach, reach))
            ax.locator_params(axis="x", nbins=5)
        axes[0].set_yticks(places, datasets)
    return Plot(
        WINNERS,
        "Who wins small, who wins large",
        "Error of naive Bayes less that of logistic regression on the smallest and on the largest "
        "training set of each data set, mean and 95 % interval over splits: blue where naive Bayes "
        "is ahead, orange where logistic regression is, grey where the splits do not tell. The "
        "lecture expects blue on the left and orange or grey on the right.",
        figure,
    )


def judge(results: Results) -> list[Finding]:
    """Judge who wins on little data and who on much."""
    winners = results.where(model=DIFFERENCE)
    n = len(winners.unique("dataset"))
    small, large = (winners.where(place=place) for place in PLACES)
    wins, ends = (part.column("ahead") for part in (small, large))
    names = winners.unique("dataset")
    both = zip(names, wins, ends, strict=True)
    overtaken = [name for name, a, b in both if a == NB_AHEAD and b == LR_AHEAD]
    not_ahead = int((ends != NB_AHEAD).sum())
    sooner = np.array([_settles_sooner(part) for _, part in _fits(results).groups("dataset")])
    return [
        on_curves(
            "naive Bayes reaches its limit sooner",
            f"from half-way on (in log rows) its error falls by less than that of logistic "
            f"regression in {(sooner == NB_AHEAD).sum()} of {n} UCI sets"
            f"{_others(names, sooner, NB_AHEAD, SOONER)}",
            (sooner == NB_AHEAD).sum() > n / 2,
        ),
        on_winners(
            "naive Bayes is ahead on the smallest training sets",
            f"in {(wins == NB_AHEAD).sum()} of {n} UCI sets{_others(names, wins, NB_AHEAD)}",
            (wins == NB_AHEAD).sum() > n / 2,
        ),
        on_winners(
            "logistic regression is ahead or level on the largest",
            f"in {not_ahead} of {n} UCI sets, ahead in {(ends == LR_AHEAD).sum()}"
            f"{_others(names, ends, LR_AHEAD)}",
            not_ahead > n / 2,
        ),
        on_curves(
            "logistic regression starts behind and ends ahead",
            ": ".join(
                [f"in {len(overtaken)} of {n} UCI sets", *filter(None, [", ".join(overtaken)])]
            ),
            len(overtaken) > n / 2,
        ),
    ]


def _settles_sooner(results: Results) -> str:
    """Return who gains less by the second half of the sizes of one set, split by split."""
    curves = [results.where(model=m).by_seed("accuracy") for m in (_bayes_of(results), LR)]
    naive, line = (curve[:, -1] - curve[:, curve.shape[1] // 2] for curve in curves)
    return _ahead(paired_difference(line, naive))


def _bayes_of(results: Results) -> str:
    (name,) = (model for model in BAYES if model in results.unique("model"))
    return name


def _ahead(more: Interval) -> str:
    """Return who has less, given what logistic regression has more than naive Bayes."""
    if more.low > 0.0:
        return NB_AHEAD
    return LR_AHEAD if more.high < 0.0 else LEVEL


def _others(
    names: list[str], found: npt.NDArray[np.str_], expected: str, said: dict[str, str] = AHEAD
) -> str:
    """Return which sets say otherwise."""
    parts = []
    for who, what in said.items():
        chosen = [name for name, answer in zip(names, found, strict=True) if answer == who]
        if who != expected and chosen:
            parts.append(f"; {what}: {', '.join(chosen)}")
    return "".join(parts)
