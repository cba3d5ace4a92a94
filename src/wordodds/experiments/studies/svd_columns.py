"""The lecture's case study: Gaussian naive Bayes and logistic regression on SVD columns.

Twice: as a fair contest, on tf-idf as well as raw counts, from ten documents on, both sides tuned;
and by the lecture's own protocol, on 10 % to 100 % of the documents, raw counts, with defaults.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from wordodds.experiments import style
from wordodds.experiments.contest import judge_start
from wordodds.experiments.curves import learning_curve
from wordodds.experiments.display import LearningCurveDisplay
from wordodds.experiments.experiment import About, Experiment, Finding, Plot, Run, sized
from wordodds.experiments.intervals import paired_difference
from wordodds.experiments.leads import lead
from wordodds.experiments.names import LR, TUNED, VARIANTS
from wordodds.experiments.newsgroups import COUNTS, TF_IDF, Weighting
from wordodds.experiments.table import Results

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

NB = "Gaussian NB"
TENTHS = tuple(k / 10 for k in range(1, 11))
DOUBLED = (10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 10240)
FIVES = tuple(range(5, 51, 5))
DIMS = 30
BOTH: tuple[Weighting, ...] = (COUNTS, TF_IDF)
# The first is the default. Each grid runs from almost no regularisation to a strong one: what is
# added to the variances makes the classes of naive Bayes more alike, as a small C does.
SMOOTHINGS = (1e-9, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)
STRENGTHS = (1.0, 0.01, 0.1, 10.0, 100.0)
Solver = Literal["irls", "lbfgs"]


@dataclass(frozen=True)
class Settings:
    """How much is done, on what."""

    name: str
    n_groups: int
    solver: Solver
    n_seeds: int
    sizes: tuple[float, ...] = (1.0,)  # numbers of training documents, or shares of them
    dims: tuple[int, ...] = (DIMS,)
    weightings: tuple[Weighting, ...] = (COUNTS,)
    n_folds: int = 0  # for the choice of settings; 0: defaults alone


# Two groups are a small problem for IRLS. For 20 it would have to solve 620 equations a step,
# where L-BFGS is soonest at the same tolerance.
QUICK = (
    Settings("binary-size", 2, "irls", 10, (*DOUBLED[:8], 1.0), weightings=BOTH, n_folds=5),
    Settings("binary-dims", 2, "irls", 5, dims=(5, 10, 20, 30, 50), weightings=BOTH, n_folds=5),
    Settings("groups-size", 20, "lbfgs", 3, (*DOUBLED[1::2], 1.0), weightings=BOTH, n_folds=2),
    Settings("groups-dims", 20, "lbfgs", 3, dims=(5, 20, 50), weightings=BOTH),
    Settings("binary-tenths", 2, "irls", 10, TENTHS),
    Settings("groups-tenths", 20, "lbfgs", 3, (0.1, 0.4, 1.0)),
)
FULL = (
    Settings("binary-size", 2, "irls", 20, (*DOUBLED[:8], 1.0), weightings=BOTH, n_folds=5),
    Settings("binary-dims", 2, "irls", 20, dims=FIVES, weightings=BOTH, n_folds=5),
    Settings("groups-size", 20, "lbfgs", 20, (*DOUBLED[1:], 1.0), weightings=BOTH, n_folds=5),
    Settings("groups-dims", 20, "lbfgs", 20, dims=FIVES, weightings=BOTH, n_folds=2),
    Settings("binary-tenths", 2, "irls", 20, TENTHS),
    Settings("groups-tenths", 20, "lbfgs", 20, TENTHS),
)


def measure(settings: Settings, run: Run) -> Results:
    """Fit the models for each weighting, size, number of dimensions and seed."""
    results = Results(settings.name)
    seeds = run.seeds(settings.n_seeds)
    models = contenders(settings.solver, settings.n_folds, run.n_jobs)
    places = len(settings.sizes) * len(settings.dims) * len(settings.weightings)
    with run.progress(len(models) * len(seeds) * places) as advance:
        for weighting in settings.weightings:
            values, labels = run.data.columns(settings.n_groups, weighting, run.n_jobs)
            for dims in settings.dims:
                part = learning_curve(
                    models, values[:, :dims], labels, settings.sizes, seeds, advance=advance
                )
                for row in part.rows:
                    results.add(**{**row, "experiment": settings.name, "columns": weighting})
    return results


def contenders(solver: Solver, n_folds: int, n_jobs: int | None) -> dict[str, BaseEstimator]:
    """Return both models with their defaults, and tuned by cross-validation if there are folds."""
    from wordodds.experiments.tuned import CrossValidated

    bayes = [_bayes(smoothing, n_jobs) for smoothing in SMOOTHINGS]
    regression = [_regression(solver, C, n_jobs) for C in STRENGTHS]
    models = {NB: bayes[0], LR: regression[0]}
    if n_folds:
        models |= {NB + TUNED: CrossValidated(bayes, n_folds)}
        models |= {LR + TUNED: CrossValidated(regression, n_folds)}
    return models


def _bayes(smoothing: float, n_jobs: int | None) -> BaseEstimator:
    from wordodds import GaussianNB

    return _standardised(GaussianNB(var_smoothing=smoothing, n_jobs=n_jobs))


def _regression(solver: Solver, C: float, n_jobs: int | None) -> BaseEstimator:
    from wordodds import LogisticRegression

    return _standardised(LogisticRegression(C=C, solver=solver, max_iter=2000, n_jobs=n_jobs))


def _standardised(model: BaseEstimator) -> BaseEstimator:
    """Return a model on columns of equal spread: what is tuned then bears on all of them alike."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), model)


def draw(results: Results) -> list[Plot]:
    """Draw accuracy and log loss against what was varied, a column of panels for each weighting."""
    name, x = results.experiment, _varied(results)
    weightings = results.unique("columns")
    tuned = _first_pair(results)
    with style.panels(2, len(weightings), height=5.4, squeeze=False) as (figure, axes):
        for weighting, column in zip(weightings, axes.T, strict=True):
            part = results.where(columns=weighting)
            for ax, y in zip(column, ("accuracy", "log_loss"), strict=True):
                _panel(ax, part, x, y, crossings=[tuned] if name.endswith("-size") else False)
            column[0].set(title=f"SVD of {weighting}", xlabel="")
        for ax in axes[:, 1:].flat:
            ax.set_ylabel("")
        figure.align_ylabels(axes[:, 0])
        handles, labels = axes[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2)
    return [Plot(name, TITLES[name], f"{SEES[name]} {_in_short(results, tuned)}", figure)]


def draw_curves(tables: Mapping[str, Results]) -> Plot:
    """Draw the fair contest of two groups and of all in one figure, for a first page."""
    with style.panels(1, 2, height=3.3) as (figure, axes):
        for ax, name in zip(axes, HEADLINE, strict=True):
            tuned = _first_pair(tables[name])
            part = Results(name)
            for model in tuned:
                part.extend(tables[name].where(columns=TF_IDF, model=model))
            _panel(ax, part, "size", "accuracy", crossings=[tuned])
            ax.set_title(groups_in_words(name).capitalize())
        axes[1].set_ylabel("")
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2)
    n_seeds = [len(tables[name].unique("seed")) for name in HEADLINE]
    caption = (
        "Documents as 30 SVD dimensions of their tf-idf, both models tuned by cross-validation "
        "inside each training set: test accuracy against training size, mean and 95 % interval "
        f"over {n_seeds[0]} seeds (left) and {n_seeds[1]} (right); dotted, where the lead changes. "
        + " ".join(_in_short(tables[name], _first_pair(tables[name])) for name in HEADLINE)
    )
    return Plot("svd-curves", "Generative against discriminative, on SVD columns", caption, figure)


def _panel(
    ax: style.Axes, results: Results, x: str, y: str, crossings: list[tuple[str, str]] | bool
) -> None:
    log_x = not results.experiment.endswith(("-tenths", "-dims"))
    LearningCurveDisplay.from_results(
        results, x=x, y=y, log_x=log_x, log_y=y == "log_loss", crossings=crossings, legend=False,
        ax=ax,
    )  # fmt: skip
    if y == "accuracy":
        ax.set_ylim(0.0, 1.0)
    else:
        style.plain_ticks(ax.yaxis)
    if log_x:
        style.plain_ticks(ax.xaxis)
    else:
        ax.set_xlim(0.0, None)
        style.few_ticks(ax.xaxis)
    ax.set_xlabel("training documents" if x == "size" else "SVD dimensions")


def judge(results: Results) -> list[Finding]:
    """Compare the models seed by seed where the claims are about."""
    found = []
    for weighting in results.unique("columns"):
        part = results.where(columns=weighting)
        for models in _pairs(part):
            if _varied(results) == "size":
                found += _judge_sizes(part, weighting, models)
            else:
                found.append(_judge_dims(part, weighting, models))
    return found


def _judge_sizes(results: Results, weighting: str, models: tuple[str, str]) -> list[Finding]:
    on_few, on_all = (About(claim, figure=results.experiment) for claim in ("C4", "C3"))
    what = _what(results, weighting, models)
    last = lead(results, *models).last
    behind = on_all(
        f"{what}: naive Bayes behind with all {max(results.unique('size')):,} training documents",
        f"by {-last}, over the seeds",
        last.high < 0.0,  # the whole interval
    )
    return [*judge_start(results, models, what, on_few), behind]


def _judge_dims(results: Results, weighting: str, models: tuple[str, str]) -> Finding:
    on_all = About("C3", figure=results.experiment)
    dims = results.unique("dims")
    bayes, regression = (results.where(model=name).by_seed("accuracy", "dims") for name in models)
    leads = [paired_difference(regression[:, j], bayes[:, j]) for j in range(len(dims))]
    least = min(range(len(dims)), key=lambda j: leads[j].value)
    most = max(range(len(dims)), key=lambda j: leads[j].value)
    return on_all(
        f"{_what(results, weighting, models)}: logistic regression ahead with all training "
        f"documents, from {dims[0]} to {dims[-1]} dimensions",
        f"least by {leads[least]}, with {dims[least]}\nmost by {leads[most]}, with {dims[most]}",
        # For every number of dimensions the whole interval is above 0.
        all(difference.low > 0.0 for difference in leads),
    )


def _pairs(results: Results) -> list[tuple[str, str]]:
    """Return naive Bayes and logistic regression, tuned if they are, and as they come."""
    names = results.unique("model")
    return [(NB + how, LR + how) for how in (TUNED, "") if NB + how in names]


def _first_pair(results: Results) -> tuple[str, str]:
    return _pairs(results)[0]


def _what(results: Results, weighting: str, models: tuple[str, str]) -> str:
    words = VARIANTS[TUNED if models[0].endswith(TUNED) else ""]
    return f"SVD of {weighting}, {groups_in_words(results.experiment)}, {words}"


def _in_short(results: Results, models: tuple[str, str]) -> str:
    """Return who has what at both ends, in a sentence."""
    x, weighting = _varied(results), results.unique("columns")[-1]
    ends = min(results.unique(x)), max(results.unique(x))
    bayes, regression = (
        [
            results.where(**{x: end, "model": name, "columns": weighting}).column("accuracy").mean()
            for end in ends
        ]
        for name in models
    )
    unit = "documents" if x == "size" else "dimensions"
    return (
        f"On {weighting} of {groups_in_words(results.experiment)} the accuracy of naive Bayes is "
        f"{bayes[0]:.2f} with {ends[0]:,} {unit} and {bayes[1]:.2f} with {ends[1]:,}, that of "
        f"logistic regression {regression[0]:.2f} and {regression[1]:.2f}."
    )


def _varied(results: Results) -> str:
    return "dims" if results.experiment.endswith("-dims") else "size"


def groups_in_words(name: str) -> str:
    """Return what an experiment takes, in words."""
    return "two groups" if name.startswith("binary") else "20 groups"


HEADLINE = ("binary-size", "groups-size")
TITLES = {
    "binary-size": "Two groups, training size",
    "binary-dims": "Two groups, model size",
    "groups-size": "All groups, training size",
    "groups-dims": "All groups, model size",
    "binary-tenths": "Two groups by the lecture's protocol: 10 % to 100 %",
    "groups-tenths": "All groups by the lecture's protocol: 10 % to 100 %",
}
# What to see in each figure.
_PLACES = (
    "The lecture expects blue ahead at the left and orange at the right; a dotted line marks where "
    "the lead between the tuned models changes."
)
_GAP = "The gap between the lines: naive Bayes takes columns for independent."
_OVER = "These sizes begin at 10 % of the documents; see binary-size and groups-size for fewer."
SEES = {
    "binary-size": _PLACES,
    "binary-dims": _GAP,
    "groups-size": f"{_PLACES} With 20 documents each group has one, and nothing is tuned.",
    "groups-dims": _GAP,
    "binary-tenths": _OVER,
    "groups-tenths": _OVER,
}
_FAIR = (
    "30 SVD columns of the documents' word counts, and of their tf-idf with rows of length 1; the "
    "decomposition sees all documents and no label. Each seed sets 10 % apart for the test. "
    "Gaussian naive Bayes and logistic regression, on columns standardised by the training "
    "documents, with defaults (C = 1) and tuned: what is added to the variances (1e-9 to 1 times "
    "the largest) and C (0.01 to 100) are those that get most right in parts of the training "
    "documents held out in turn."
)
_PROTOCOLS = {
    "binary-size": f"{_FAIR} Two groups (1,768 documents), 10 documents to all, doubled each time; "
    "5 parts; 10 seeds (full: 20).",
    "binary-dims": "As above with the whole training part: the first 5 to 50 columns, in "
    "decreasing order of singular value. 5 numbers of columns and 5 seeds (full: 10 and 20).",
    "groups-size": "As for two groups, with all 20 (18,774 documents). From 20 documents on: with "
    "10, half of the groups would have none. Four times as many each time, 2 parts and 3 seeds "
    "(full: doubled, 5 and 20).",
    "groups-dims": "As for two groups, with all 20; 5, 20 and 50 columns, 3 seeds and defaults "
    "(full: 5 to 50, 20, and tuned with 2 parts).",
    "binary-tenths": "The lecture's protocol: SVD columns of raw counts, 10 % to 100 % of the "
    "training documents, defaults. 10 seeds (full: 20).",
    "groups-tenths": "The same with all 20 groups. 3 seeds and 3 sizes (full: 20 and 10).",
}
SECONDS = {
    "binary-size": (26.0, 52.0),
    "binary-dims": (9.1, 73.0),
    "groups-size": (23.0, 800.0),
    "groups-dims": (5.1, 800.0),
    "binary-tenths": (0.9, 1.8),
    "groups-tenths": (1.8, 44.0),
}
EXPERIMENTS = tuple(
    Experiment(
        quick.name,
        TITLES[quick.name],
        _PROTOCOLS[quick.name],
        sized(measure, quick, full),
        draw,
        judge,
        ("C3",) if quick.name.endswith("dims") else ("C3", "C4"),
        SECONDS[quick.name],
    )
    for quick, full in zip(QUICK, FULL, strict=True)
)
