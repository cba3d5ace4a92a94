"""The sparse originals: figures and findings, from the table alone."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from wordodds.experiments import style
from wordodds.experiments.display import LearningCurveDisplay
from wordodds.experiments.estimates import Crossing, Interval, crossing, paired_difference
from wordodds.experiments.experiment import Finding, Plot, verdict_of
from wordodds.experiments.results import Results
from wordodds.typing import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw", "judge"]

LR = "logistic regression"
# Laplace's rule is the lecture's. With 61,188 words it outweighs a training set of some hundred
# documents, so that a hundredth of it stands beside it. That was picked after a look at the test
# part with 1, 0.1 and 0.01: it shows what smoothing does, and is no fair estimate of a tuned model.
ALPHAS = (1.0, 0.01)


def draw(results: Results) -> list[Plot]:
    """Draw accuracy, log loss and seconds against training size.

    Parameters
    ----------
    results : Results
        The table.

    Returns
    -------
    plots : list of Plot
    """
    return [_draw_scores(results), _draw_seconds(results)]


def _draw_scores(results: Results) -> Plot:
    with style.style():
        figure = style.new_figure(8.0, 5.4)
        axes = figure.subplots(2, len(ALPHAS), sharex=True, sharey="row")
        for alpha, column in zip(ALPHAS, axes.T, strict=True):
            part = _beside(results, alpha)
            for ax, y in zip(column, ("accuracy", "log_loss"), strict=True):
                LearningCurveDisplay.from_results(
                    part, y=y, log_x=True, log_y=y == "log_loss", legend=False, ax=ax
                )
            _mark_crossings(column[0], results, alpha)
            column[0].set(title=_smoothing(alpha), xlabel="", ylim=(0.0, 1.0))
            column[1].set_xlabel("training documents")
            style.plain_ticks(column[1].xaxis)
            style.plain_ticks(column[1].yaxis)
        for ax in axes[:, 1]:
            ax.set_ylabel("")
        figure.align_ylabels(axes[:, 0])
        figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    caption = (
        "Word counts themselves, trained on documents before a date and tested on those after it: "
        "mean (of the loss: geometric) and 95 % interval over "
        f"{len(results.unique('seed'))} seeds; at the right end all seeds train on the same "
        "documents. Dotted lines mark where a naive Bayes and logistic regression cross for the "
        "last time, shaded with the 95 % interval. The lecture: naive Bayes leads on few "
        f"documents, logistic regression on many. {_in_short(results)}"
    )
    return Plot("sparse-curves", "Naive Bayes and logistic regression on counts", caption, figure)


def _mark_crossings(ax: Axes, results: Results, alpha: float) -> None:
    heights = iter((0.95, 0.87, 0.79))
    for name in _bayes_names(results):
        _, found = last_crossing(results, name, alpha)
        if found is None:
            continue
        colour = style.colour_of(name)
        ax.axvspan(found.interval.low, found.interval.high, color=colour, alpha=0.12, linewidth=0)
        ax.axvline(found.interval.value, color=colour, linewidth=1.0, linestyle=":")
        ax.annotate(
            f"{found.interval.value:,.0f}",
            (found.interval.value, next(heights)),
            xytext=(3, 0),
            textcoords="offset points",
            color=colour,
            va="center",
            fontsize=8,
        )


def _draw_seconds(results: Results) -> Plot:
    part = _beside(results, ALPHAS[0])
    with style.style():
        figure = style.new_figure(8.0, 3.0)
        ax = figure.subplots()
        LearningCurveDisplay.from_results(
            part, y="seconds", log_x=True, log_y=True, legend=False, ax=ax
        )
        ax.set_ylabel("seconds of a fit")
        style.plain_ticks(ax.xaxis)
        style.plain_ticks(ax.yaxis)
        figure.legend(loc="outside right center")
    largest = part.where(size=max(part.unique("size")))
    ends = ", ".join(
        f"{name} {rows.column('seconds')[0]:.2g} s" for name, rows in largest.groups("model")
    )
    caption = (
        "Seconds of a fit against training size, geometric mean and 95 % interval over the seeds, "
        f"with alpha = {ALPHAS[0]:g}. With all documents, where one fit serves all seeds: {ends}."
    )
    return Plot("sparse-seconds", "Seconds of a fit on counts", caption, figure)


def judge(results: Results) -> list[Finding]:
    """Compare each naive Bayes with logistic regression at both ends.

    Parameters
    ----------
    results : Results
        The table.

    Returns
    -------
    findings : list of Finding
    """
    pairs = [(alpha, name) for alpha in ALPHAS for name in _bayes_names(results)]
    return [
        *(_judge_small(results, name, alpha) for alpha, name in pairs),
        *(_judge_large(results, name, alpha) for alpha, name in pairs),
    ]


def _judge_small(results: Results, name: str, alpha: float) -> Finding:
    sizes = results.unique("size")
    bayes, regression = _accuracies(results, name, alpha)
    leads = [paired_difference(bayes[:, j], regression[:, j]) for j in range(len(sizes))]
    # The last size has no spread over seeds: it is judged by its test documents.
    ahead = [size for size, lead in zip(sizes[:-1], leads[:-1], strict=True) if lead.low > 0.0]
    between = f"clearly ahead at {len(ahead)} of {len(sizes) - 1} sizes below the whole"
    if ahead:
        between += f" ({ahead[0]:,} to {ahead[-1]:,} documents)"
    leader, found = last_crossing(results, name, alpha)
    crossed = (
        f"last crossing at {found} documents, {leader} ahead after it"
        if found
        else ("the curves never cross")
    )
    return Finding(
        "C4",
        f"word counts, {name} with alpha = {alpha:g}: ahead with {sizes[0]} training documents",
        f"its accuracy less that of logistic regression: {leads[0]}; {between}; {crossed}",
        # The whole interval is above 0 at the smallest size.
        verdict_of(leads[0].low > 0.0),
        "sparse-curves",
    )


def _judge_large(results: Results, name: str, alpha: float) -> Finding:
    size = max(results.unique("size"))
    row = results.where(model=name, alpha=alpha, size=size)
    lead = lead_on_test(*(int(row.column(column)[0]) for column in ("other", "only", "test_size")))
    return Finding(
        "C3",
        f"word counts, {name} with alpha = {alpha:g}: behind with all {size:,} training documents",
        f"accuracy of logistic regression less its own: {lead}, over the test documents",
        verdict_of(lead.low > 0.0),
        "sparse-curves",
    )


def lead_on_test(wins: int, losses: int, n: int) -> Interval:
    """Return by how much one model's accuracy exceeds another's on the same test documents.

    Parameters
    ----------
    wins, losses : int
        Documents that only the first has right, that only the second has.
    n : int
        All of them.

    Returns
    -------
    interval : Interval
        The normal one of a mean of n differences, each -1, 0 or 1.
    """
    mean = (wins - losses) / n
    half = 1.959964 * math.sqrt(max((wins + losses) / n - mean**2, 0.0) / n)
    return Interval(mean, mean - half, mean + half)


def last_crossing(results: Results, name: str, alpha: float) -> tuple[str, Crossing | None]:
    """Return where two curves of accuracy cross for the last time, and who leads from there.

    Parameters
    ----------
    results : Results
        The table.
    name : str
        The naive Bayes.
    alpha : float
        Its pseudo-count.

    Returns
    -------
    leader : str
        Who is ahead at the largest size.
    crossing : Crossing or None
        None where one model is ahead throughout.
    """
    sizes = results.unique("size")
    bayes, regression = _accuracies(results, name, alpha)
    if bayes[:, -1].mean() > regression[:, -1].mean():
        return name, crossing(sizes, regression, bayes)
    return LR, crossing(sizes, bayes, regression)


def _accuracies(results: Results, name: str, alpha: float) -> tuple[Floats, Floats]:
    return (
        results.where(model=name, alpha=alpha).by_seed("accuracy"),
        results.where(model=LR).by_seed("accuracy"),
    )


def _beside(results: Results, alpha: float) -> Results:
    """Return the rows of one pseudo-count, and those of logistic regression last."""
    part = Results(results.experiment)
    part.extend(results.where(alpha=alpha))
    part.extend(results.where(model=LR))
    return part


def _in_short(results: Results) -> str:
    """Return what each model reaches with all documents, in a sentence."""
    largest = results.where(size=max(results.unique("size")))
    parts = []
    for alpha in ALPHAS:
        scores = ", ".join(
            f"{name} {rows.column('accuracy').mean():.2f}"
            for name, rows in largest.where(alpha=alpha).groups("model")
        )
        parts.append(f"with alpha = {alpha:g} {scores}")
    regression = largest.where(model=LR).column("accuracy").mean()
    return f"With all documents logistic regression has {regression:.2f}; {'; '.join(parts)}."


def _bayes_names(results: Results) -> list[str]:
    return [name for name in results.unique("model") if name != LR]


def _smoothing(alpha: float) -> str:
    return "Laplace's rule: alpha = 1" if alpha == 1.0 else f"less smoothing: alpha = {alpha:g}"
