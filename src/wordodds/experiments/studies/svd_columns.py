"""The lecture's case study: Gaussian naive Bayes and logistic regression on SVD columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from wordodds.experiments import style
from wordodds.experiments.curves import learning_curve
from wordodds.experiments.display import LearningCurveDisplay
from wordodds.experiments.experiment import About, Experiment, Finding, Plot, Run, sized
from wordodds.experiments.intervals import crossing, mean_interval, paired_difference
from wordodds.experiments.table import Results

NB, LR = "Gaussian NB", "logistic regression"
TENTHS = tuple(k / 10 for k in range(1, 11))
FIVES = tuple(range(5, 51, 5))


@dataclass(frozen=True)
class Settings:
    """How much is done, on what."""

    name: str
    n_groups: int
    solver: Literal["irls", "lbfgs"]
    n_seeds: int
    sizes: tuple[float, ...] = (1.0,)  # shares of the training part
    dims: tuple[int, ...] = (30,)


# Two groups are a small problem for IRLS. For 20 it would have to solve 620 equations a step,
# where L-BFGS is soonest at the same tolerance.
QUICK = (
    Settings("binary-size", 2, "irls", 10, sizes=TENTHS),
    Settings("binary-dims", 2, "irls", 10, dims=FIVES),
    Settings("groups-size", 20, "lbfgs", 5, sizes=(0.1, 0.2, 0.4, 0.7, 1.0)),
    Settings("groups-dims", 20, "lbfgs", 5, dims=(5, 10, 20, 30, 50)),
)
FULL = (
    Settings("binary-size", 2, "irls", 20, sizes=TENTHS),
    Settings("binary-dims", 2, "irls", 20, dims=FIVES),
    Settings("groups-size", 20, "lbfgs", 20, sizes=TENTHS),
    Settings("groups-dims", 20, "lbfgs", 20, dims=FIVES),
)


def measure(settings: Settings, run: Run) -> Results:
    """Fit both models for each size, number of dimensions and seed."""
    values, labels = run.data.columns(settings.n_groups, run.n_jobs)
    results = Results(settings.name)
    seeds = run.seeds(settings.n_seeds)
    models = _models(settings.solver, run.n_jobs)
    total = len(models) * len(seeds) * len(settings.sizes) * len(settings.dims)
    with run.progress(total) as advance:
        for dims in settings.dims:
            results.extend(
                learning_curve(
                    models, values[:, :dims], labels, settings.sizes, seeds, advance=advance
                )
            )
    return results


def _models(solver: Literal["irls", "lbfgs"], n_jobs: int | None) -> dict[str, Any]:
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from wordodds import GaussianNB, LogisticRegression

    regression = LogisticRegression(solver=solver, max_iter=2000, n_jobs=n_jobs)
    # By the training rows' own mean and spread: the penalty then weighs all columns alike. To
    # Gaussian naive Bayes the scale of a column is next to nothing.
    return {NB: GaussianNB(n_jobs=n_jobs), LR: make_pipeline(StandardScaler(), regression)}


def draw(results: Results) -> list[Plot]:
    """Draw accuracy and log loss against what was varied."""
    name, x = results.experiment, _varied(results)
    with style.panels(1, 2, height=3.2) as (figure, (left, right)):
        _panel(left, results, x, "accuracy")
        _panel(right, results, x, "log_loss")
        figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    shown = "training size" if x == "size" else "the number of SVD dimensions"
    claim = (
        "with few documents naive Bayes is ahead, with many logistic regression"
        if x == "size"
        else "where the assumption of naive Bayes is violated, logistic regression ends up ahead"
    )
    caption = (
        f"Accuracy and log loss on the 10 % of {_documents(name)} set apart, against {shown}; mean "
        "(of the loss: geometric) and 95 % interval over "
        f"{len(results.unique('seed'))} seeds. The lecture: {claim}. "
        f"{_in_short(results)}"
    )
    return [Plot(name, TITLES[name], caption, figure)]


def draw_curves(tables: Mapping[str, Results]) -> Plot:
    """Draw the learning curves of two groups and of all in one figure, for a first page."""
    with style.panels(1, 2, height=3.3) as (figure, axes):
        for ax, name in zip(axes, ("binary-size", "groups-size"), strict=True):
            _panel(ax, tables[name], "size", "accuracy")
            ax.set_title(_documents(name).capitalize())
        axes[1].set_ylabel("")
        handles, labels = axes[0].get_legend_handles_labels()
        named = [label + {LR: ", standardised columns"}.get(label, "") for label in labels]
        figure.legend(handles, named, loc="outside lower center", ncols=2)
    n_seeds = [len(tables[name].unique("seed")) for name in ("binary-size", "groups-size")]
    caption = (
        "Documents as 30 SVD dimensions of their word counts: test accuracy against training "
        f"size, mean and 95 % interval over {n_seeds[0]} seeds (left) and {n_seeds[1]} (right). "
        "The lecture: naive Bayes leads on few documents, logistic regression on many. "
        + " ".join(_in_short(tables[name]) for name in ("binary-size", "groups-size"))
    )
    return Plot("svd-curves", "Generative against discriminative, on SVD columns", caption, figure)


def _panel(ax: style.Axes, results: Results, x: str, y: str) -> None:
    from matplotlib.ticker import MaxNLocator

    LearningCurveDisplay.from_results(results, x=x, y=y, log_y=y == "log_loss", legend=False, ax=ax)
    if y == "accuracy":
        ax.set_ylim(0.0, 1.0)
    else:
        style.plain_ticks(ax.yaxis)
    ax.set_xlim(0.0, None)
    ax.set_xlabel("training documents" if x == "size" else "SVD dimensions")
    ax.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    ax.xaxis.set_major_formatter("{x:,.0f}")


def judge(results: Results) -> list[Finding]:
    """Compare the models seed by seed where the claims are about."""
    return _judge_sizes(results) if _varied(results) == "size" else _judge_dims(results)


def _judge_sizes(results: Results) -> list[Finding]:
    on_few, on_all = (About(claim, figure=results.experiment) for claim in ("C4", "C3"))
    sizes = results.unique("size")
    bayes, regression = (results.where(model=m).by_seed("accuracy") for m in (NB, LR))
    small = paired_difference(bayes[:, 0], regression[:, 0])
    large = paired_difference(regression[:, -1], bayes[:, -1])
    left = [scores[:, -1] - scores[:, 0] for scores in (regression, bayes)]
    sooner = paired_difference(*left)
    found = crossing(sizes, bayes, regression)
    crossed = f"the curves cross at {found} documents" if found else "the curves never cross"
    what = _documents(results.experiment)
    # Each verdict: the whole interval lies on the claimed side of 0.
    return [
        on_few(
            f"SVD columns of {what}: naive Bayes ahead with {sizes[0]:,} training documents",
            f"its accuracy less that of logistic regression: {small}; {crossed}",
            small.low > 0.0,
        ),
        on_few(
            f"SVD columns of {what}: naive Bayes nearer to its own asymptote with "
            f"{sizes[0]:,} training documents",
            f"from {sizes[0]:,} to {sizes[-1]:,} documents it gains {mean_interval(left[1])}, "
            f"logistic regression {mean_interval(left[0])}; difference {sooner}",
            sooner.low > 0.0,
        ),
        on_all(
            f"SVD columns of {what}: logistic regression ahead with all {sizes[-1]:,} training "
            "documents",
            f"its accuracy less that of naive Bayes: {large}",
            large.low > 0.0,
        ),
    ]


def _judge_dims(results: Results) -> list[Finding]:
    on_all = About("C3", figure=results.experiment)
    dims = results.unique("dims")
    bayes, regression = (results.where(model=m).by_seed("accuracy", "dims") for m in (NB, LR))
    leads = [paired_difference(regression[:, j], bayes[:, j]) for j in range(len(dims))]
    least, most = (int(pick([lead.value for lead in leads])) for pick in (np.argmin, np.argmax))
    return [
        on_all(
            f"SVD columns of {_documents(results.experiment)}: logistic regression ahead with all "
            f"training documents, from {dims[0]} to {dims[-1]} dimensions",
            f"its accuracy less that of naive Bayes: {leads[least]} with {dims[least]} dimensions "
            f"(least), {leads[most]} with {dims[most]} (most)",
            # For every number of dimensions the whole interval is above 0.
            all(lead.low > 0.0 for lead in leads),
        )
    ]


def _in_short(results: Results) -> str:
    """Return who is ahead at both ends, in a sentence."""
    x = _varied(results)
    ends = []
    for place in (min(results.unique(x)), max(results.unique(x))):
        means = [
            float(np.mean(results.where(**{x: place, "model": m}).column("accuracy")))
            for m in (NB, LR)
        ]
        unit = "documents" if x == "size" else "dimensions"
        ends.append(f"{means[0]:.2f} against {means[1]:.2f} with {place:,} {unit}")
    what = _documents(results.experiment).capitalize()
    return f"{what}: naive Bayes has {ends[0]}, {ends[1]}."


def _varied(results: Results) -> str:
    return results.experiment.rpartition("-")[2]


def _documents(name: str) -> str:
    return "two groups" if name.startswith("binary") else "20 groups"


TITLES = {
    "binary-size": "Two groups, training size",
    "binary-dims": "Two groups, model size",
    "groups-size": "All groups, training size",
    "groups-dims": "All groups, model size",
}
_PROTOCOLS = {
    "binary-size": "Word counts of the first two groups (1,768 documents), reduced to 30 "
    "dimensions by an SVD of all of them, which sees no label. Each seed sets 10 % apart for the "
    "test and trains on 10 % to 100 % of the rest: Gaussian naive Bayes, and logistic regression "
    "(C = 1) on columns standardised by the training documents. 10 seeds (full: 20).",
    "binary-dims": "As above, on the whole training part: the first 5 to 50 SVD dimensions, in "
    "decreasing order of singular value. 10 seeds (full: 20).",
    "groups-size": "As for two groups, with all 20 (18,774 documents). 5 seeds and 5 sizes "
    "(full: 20 and 10).",
    "groups-dims": "As for two groups, with all 20. 5 seeds and 5 numbers of dimensions "
    "(full: 20 and 10).",
}
EXPERIMENTS = tuple(
    Experiment(
        quick.name,
        TITLES[quick.name],
        _PROTOCOLS[quick.name],
        sized(measure, quick, full),
        draw,
        judge,
        ("C3", "C4") if quick.name.endswith("size") else ("C3",),
    )
    for quick, full in zip(QUICK, FULL, strict=True)
)
