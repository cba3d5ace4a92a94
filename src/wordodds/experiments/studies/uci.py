"""C4: Ng and Jordan's comparison: error against training size on small tables of UCI's."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from wordodds.datasets import DatasetUnavailable, UciTable, load_uci
from wordodds.datasets.uci import UciName
from wordodds.experiments import style
from wordodds.experiments.curves import nested_order, timed_scores
from wordodds.experiments.display import LearningCurveDisplay
from wordodds.experiments.experiment import About, Experiment, Finding, Plot, Run, sized
from wordodds.experiments.intervals import Interval, paired_difference
from wordodds.experiments.leads import Lead, lead
from wordodds.experiments.table import Results
from wordodds.typing import AnyArray, Floats, Ints

NAME, TITLE = "uci", "Ng and Jordan's figures: 14 small data sets"
PROTOCOL = (
    "14 of the 15 sets of Ng and Jordan (2002); the other one, sick, is not among the data. "
    "Continuous columns: naive Bayes with normal distributions whose variances the classes share, "
    "as theirs, with a prior of the weight of one row (beside it, Gaussian NB with a variance for "
    "each class). Discrete ones: categorical naive Bayes with Laplace's rule; a missing value is a "
    "category. Against logistic regression, all but unpenalised (C = 1000), on the same columns, "
    "standardised by the training rows, or on a 0/1 column for each category. Random splits "
    "(quick: 50, full: 1,000), training sizes up to two thirds of the rows, 400 at most, each "
    "training set holding the smaller ones and both classes in proportion; error on the rest, 500 "
    "rows at most. Boston housing: price above the median; lymphography: malign lymph or "
    "metastases."
)
CATEGORICAL, LR = "categorical NB", "logistic regression"
OWN, SHARED = "Gaussian NB, own variances", "Gaussian NB, shared variances"
BAYES = (SHARED, CATEGORICAL)  # theirs: one of the two for each set
DIFFERENCE = "naive Bayes - logistic regression"
CURVES, WINNERS = "uci-curves", "uci-winners"
PLACES = ("smallest", "largest")
NB_AHEAD, LR_AHEAD, LEVEL = "naive Bayes", "logistic regression", "level"
_COLUMNS = 3
LEAST_ROWS = 2  # of a class: one to train on and one to test with
# Inverse strength of logistic regression's penalty: all but maximum likelihood, as theirs.
C = 1000.0


class Panel(NamedTuple):
    """One of their data sets: which table, which columns, which two classes."""

    title: str
    table: UciName
    kind: str  # of the columns that are used
    classes: tuple[str, str] | None = None  # None: the two that there are


PANELS = (
    Panel("pima", "pima", "continuous"),
    Panel("adult (continuous)", "adult", "continuous"),
    Panel("boston housing", "housing", "continuous"),
    Panel("optdigits (0 or 1)", "optdigits", "continuous", ("0", "1")),
    Panel("optdigits (2 or 3)", "optdigits", "continuous", ("2", "3")),
    Panel("ionosphere", "ionosphere", "continuous"),
    Panel("liver disorders", "bupa", "continuous"),
    Panel("sonar", "sonar", "continuous"),
    Panel("adult (discrete)", "adult", "discrete"),
    Panel("promoters", "promoters", "discrete"),
    Panel("lymphography", "lymphography", "discrete", ("malign lymph", "metastases")),
    Panel("breast cancer", "breast-cancer", "discrete"),
    Panel("lenses (hard or soft)", "lenses", "discrete", ("hard", "soft")),
    Panel("voting records", "voting", "discrete"),
)


@dataclass(frozen=True)
class Settings:
    """How much is computed."""

    splits: int  # random ones of each set
    n_sizes: int  # training sizes of each set, at most
    panels: tuple[Panel, ...] = PANELS
    largest: int = 400  # rows to train on
    test_rows: int = 500


QUICK = Settings(splits=50, n_sizes=5)
FULL = Settings(splits=1000, n_sizes=8)
on_curves, on_winners = About("C4", figure=CURVES), About("C4", figure=WINNERS)


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows of two classes, as numbers."""

    rows: AnyArray  # measurements, or numbers of categories
    labels: Ints  # 0 or 1
    n_categories: Ints | None  # of each column; None where they are measurements

    @classmethod
    def of(cls, panel: Panel, table: UciTable) -> Problem:
        """Take what a panel asks for out of its table; a missing category is one of its own."""
        if table.labels.dtype.kind == "f":  # prices: above the median or not
            chosen = np.ones(len(table), dtype=bool)
            labels = table.labels > np.median(table.labels)
        else:
            classes = panel.classes or tuple(np.unique(table.labels))
            if len(classes) != 2 or not np.isin(classes, table.labels).all():
                raise DatasetUnavailable(
                    f"the set {panel.table} must have the two classes of the experiment, got "
                    f"{', '.join(map(str, np.unique(table.labels)[:10]))}. Replace the file"
                )
            first, second = classes
            chosen = np.isin(table.labels, [first, second])
            labels = table.labels[chosen] == second
        # Adult is two of their sets. All of lymphography was discrete to them, its counts too.
        mixed = panel.table == "adult"
        columns = [
            column[chosen]
            for column, kind in zip(table.columns, table.kinds, strict=True)
            if kind == panel.kind or not mixed
        ]
        labels = labels.astype(np.int64)
        if min(np.bincount(labels, minlength=2)) < LEAST_ROWS:
            raise DatasetUnavailable(
                f"the set {panel.table} must have {LEAST_ROWS} rows of each class or more, got "
                f"{min(np.bincount(labels, minlength=2))}. Replace the file by a whole one"
            )
        if panel.kind == "continuous":
            return cls(np.column_stack(columns), labels, None)
        codes = [np.unique(column.astype(str), return_inverse=True) for column in columns]
        numbers = np.array([len(values) for values, _ in codes])
        return cls(np.column_stack([code for _, code in codes]), labels, numbers)

    def sizes(self, settings: Settings) -> list[int]:
        """Return the training sizes: evenly spaced ratios up to two thirds of the rows."""
        # Two rows of each class for measurements, whose variances take two; one for categories.
        rarer = np.bincount(self.labels).min() / len(self.labels)
        smallest = int(np.ceil((2 if self.n_categories is None else 1) / rarer))
        largest = min(settings.largest, 2 * len(self.labels) // 3)
        spaced = np.geomspace(smallest, largest, settings.n_sizes)
        return sorted({round(size) for size in spaced})


def standardised(train: Floats, test: Floats) -> tuple[Floats, Floats]:
    """Return both with mean 0 and variance 1 by the training rows; NaN becomes their mean."""
    mean = np.nanmean(train, axis=0)
    deviation = np.nanstd(train, axis=0)
    # Rounding leaves constant columns a deviation of some 1e-16 of their size.
    varies = deviation > 1e-9 * np.maximum(np.abs(mean), 1e-300)
    scale = np.divide(1.0, deviation, out=np.zeros_like(deviation), where=varies)
    return np.nan_to_num((train - mean) * scale), np.nan_to_num((test - mean) * scale)


def one_hot(codes: Ints, n_categories: Ints) -> Floats:
    """Return a column of 0 and 1 for each category of each column."""
    starts = np.concatenate([[0], np.cumsum(n_categories)[:-1]])
    columns = np.zeros((len(codes), int(n_categories.sum())))
    np.put_along_axis(columns, codes + starts, 1.0, axis=1)
    return columns


def contenders(problem: Problem, train: Ints, test: Ints) -> dict[str, tuple[Any, Any, Any]]:
    """Return each model with its rows to train and to test: the two compared, and one beside."""
    from wordodds import CategoricalNB, GaussianDiscriminant, GaussianNB, LogisticRegression

    # n_jobs=1: some hundred rows are not worth a thread. newton-cg: no linear algebra that might
    # start threads of its own. tol: where a line parts the classes the way to the optimum is long.
    line = LogisticRegression(C=C, solver="newton-cg", tol=1e-6, max_iter=1000, n_jobs=1)
    if problem.n_categories is None:
        seen, new = standardised(problem.rows[train], problem.rows[test])
        # A prior that weighs as much as one row keeps variances above zero, like Laplace's rule.
        shared = GaussianDiscriminant(
            covariance="shared_diagonal", shrinkage=1.0 / (len(train) + 1), n_jobs=1
        )
        return {
            SHARED: (shared, seen, new),
            LR: (line, seen, new),
            OWN: (GaussianNB(n_jobs=1), seen, new),
        }
    counts = CategoricalNB(min_categories=problem.n_categories, n_jobs=1)
    codes, new_codes = problem.rows[train], problem.rows[test]
    hot, new_hot = (one_hot(part, problem.n_categories) for part in (codes, new_codes))
    return {CATEGORICAL: (counts, codes, new_codes), LR: (line, hot, new_hot)}


def measure(settings: Settings, run: Run) -> Results:
    """Score both models for each set, split and size; at the end, who is ahead."""
    results = Results(NAME)
    tables = {panel.table: load_uci(panel.table) for panel in settings.panels}
    problems = [(panel, Problem.of(panel, tables[panel.table])) for panel in settings.panels]
    run.data.others.append(f"{len(tables)} tables of UCI ({', '.join(tables)})")
    seeds = run.seeds(settings.splits)
    for (panel, problem), seed in run.each(product(problems, seeds), "splits"):
        _measure_split(results, panel, problem, seed, settings)
    add_winners(results)
    return results


def _measure_split(
    results: Results, panel: Panel, problem: Problem, seed: int, settings: Settings
) -> None:
    sizes = problem.sizes(settings)
    order = nested_order(problem.labels, np.random.default_rng([seed, *panel.title.encode()]))
    test = order[sizes[-1] :][: settings.test_rows]
    for size in sizes:
        train = order[:size]
        for name, (model, X_train, X_test) in contenders(problem, train, test).items():
            fitted = model, X_train, problem.labels[train]
            _, scores = timed_scores(*fitted, X_test, problem.labels[test])
            results.add(
                model=name,
                solver=getattr(model, "solver", None),
                size=size,
                dims=problem.rows.shape[1],
                seed=seed,
                dataset=panel.title,
                **scores,
            )


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
        "Blue below orange at the left, orange below blue at the right; dotted, where the lead "
        "changes. Test error against training rows, mean and 95 % interval over random splits. Ng "
        "and Jordan found, and the lecture says after them, that naive Bayes comes to its limit "
        "sooner and so is ahead on little data, until logistic regression overtakes it. With "
        "variances that the classes share, as theirs, naive Bayes is linear and logistic "
        "regression's twin; with variances of their own it is another model. Their fifteenth set, "
        "sick, is not among the data.",
        figure,
    )


def _draw_panel(ax: style.Axes, results: Results, title: str) -> None:
    from matplotlib.ticker import MaxNLocator, NullLocator

    display = LearningCurveDisplay.from_results(
        results, y="error", log_x=True, legend=False, crossings=[(_bayes_of(results), LR)], ax=ax
    )
    for line, name in zip(ax.lines, display.curves, strict=False):  # before that of a crossing
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
            f"{_others(names, sooner, NB_AHEAD, 'both alike', 'sooner')}",
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
            )
            + "".join(f"\n{name}: {found}" for name, found in crossings_of(results)),
            len(overtaken) > n / 2,
        ),
    ]


def crossings_of(results: Results) -> list[tuple[str, Lead]]:
    """Return the sets whose curves cross, and where the lead changes for the last time."""
    leads = [
        (dataset, lead(part, _bayes_of(part), LR))
        for dataset, part in _fits(results).groups("dataset")
    ]
    return [(dataset, found) for dataset, found in leads if found.crossing is not None]


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
    names: list[str],
    found: npt.NDArray[np.str_],
    expected: str,
    level: str = "level",
    word: str = "ahead",
) -> str:
    """Return which sets say otherwise."""
    said = {LEVEL: level, NB_AHEAD: f"{NB_AHEAD} {word}", LR_AHEAD: f"{LR_AHEAD} {word}"}
    parts = []
    for who, what in said.items():
        chosen = [name for name, answer in zip(names, found, strict=True) if answer == who]
        if who != expected and chosen:
            parts.append(f"; {what}: {', '.join(chosen)}")
    return "".join(parts)


EXPERIMENT = Experiment(
    NAME,
    TITLE,
    PROTOCOL,
    sized(measure, QUICK, FULL),
    draw,
    judge,
    ("C4",),
    seconds=(15, 490),
)
