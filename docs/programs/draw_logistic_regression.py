"""Draw the figures of logistic-regression.md.

Run ``python docs/programs/draw_logistic_regression.py [folder]``. It needs the extra ``plot`` and,
for two of the five figures, 20 Newsgroups: from ``WORDODDS_DATA``, the cache folder or a download.
The same versions of the packages draw the same bytes, except for convergence.svg: it shows the
seconds that each solver took in this run, a minute or so in all. Draw it on a quiet machine.
"""

import warnings
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from drawing import Drawing, draw_all
from logistic_regression_numbers import documents, path
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.sparse.linalg import svds
from scipy.special import expit, ndtr
from sklearn.exceptions import ConvergenceWarning

from wordodds import LogisticRegression
from wordodds.experiments.style import BLACK, BLUE, GREEN, GREY, GRID, ORANGE, PINK, SKY, YELLOW
from wordodds.typing import Labels, MatrixLike

SOLVERS = {
    "irls": (BLACK, "-"),
    "newton-cg": (BLUE, "-"),
    "lbfgs": (ORANGE, "-"),
    "cg": (GREEN, "--"),
    "gd": (GREY, ":"),
    "sgd": (YELLOW, "-"),
    "sag": (PINK, "-."),
    "dual": (SKY, "-"),
}
GAP_LEAST = 1e-10  # that the convergence figure shows


def fit_some_way(X: MatrixLike, y: Labels, **options: float | str) -> LogisticRegression:
    """Fit without a warning that there was a way to go."""
    model = LogisticRegression(random_state=0)
    model.set_params(**options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y)


def draw_links() -> Figure:
    """Draw how scores become probabilities, and what a margin costs."""
    figure = Figure(figsize=(7.6, 3.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    z = np.linspace(-4.0, 4.0, 161)
    links = [
        ("logit", expit(z), BLUE, "-"),
        ("probit", ndtr(z), ORANGE, "--"),
        ("cloglog", -np.expm1(-np.exp(z)), GREEN, "-."),
        ("noisy-OR, z ≥ 0", np.where(z >= 0.0, -np.expm1(-np.abs(z)), np.nan), PINK, ":"),
    ]
    for label, p, colour, dashes in links:
        left.plot(z, p, dashes, color=colour, label=label)
    left.set(xlabel="score z", ylabel="p(1 | x)", xlim=(-4, 4), ylim=(0, 1))
    left.legend(loc="upper left")
    losses = [
        ("log loss", np.logaddexp(0.0, -z), BLUE, "-"),
        ("hinge", np.maximum(0.0, 1.0 - z), ORANGE, "--"),
        ("squared hinge", np.maximum(0.0, 1.0 - z) ** 2, GREEN, "-."),
        (
            "modified Huber",
            np.where(z >= -1.0, np.maximum(0.0, 1.0 - z) ** 2, -4.0 * z),
            PINK,
            ":",
        ),
        ("perceptron", np.maximum(0.0, -z), SKY, "-"),
    ]
    for label, loss, colour, dashes in losses:
        right.plot(z, loss, dashes, color=colour, label=label, linewidth=1.2)
    right.plot([-4.0, 0.0, 0.0, 4.0], [1.0, 1.0, 0.0, 0.0], color=GREY, label="a mistake")
    right.set(xlabel="margin, y z with y = ±1", ylabel="loss", xlim=(-2.5, 3), ylim=(0, 9))
    right.legend(loc="upper right")
    for axes in (left, right):
        axes.grid(**GRID)
    return figure


def _two_columns() -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int_]]:
    """Return rows whose two columns are nearly equal, and their labels."""
    rng = np.random.default_rng(0)
    common = rng.normal(size=400)
    X = np.column_stack([common, common]) + 0.35 * rng.normal(size=(400, 2))
    return X, (X @ [2.0, -0.5] + 0.5 * rng.logistic(size=400) > 0.0).astype(int)


def draw_descent() -> Figure:
    """Draw the ways of three solvers over a valley."""
    X, y = _two_columns()
    C = 1.0

    def objective(w: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the objective at weights (..., 2)."""
        margins = np.where(y == 1, 1.0, -1.0) * (w @ X.T)
        penalty = 0.5 * np.sum(w**2, axis=-1) / (C * len(y))
        return np.asarray(np.logaddexp(0.0, -margins).mean(axis=-1) + penalty)

    options = {"C": C, "fit_intercept": False, "tol": 1e-9}
    best = fit_some_way(X, y, solver="irls", **options).coef_[0]
    first, second = np.meshgrid(np.linspace(-0.4, 4.4, 90), np.linspace(-1.8, 1.6, 80))
    values = objective(np.stack([first, second], axis=-1))
    lowest = objective(best)
    levels = lowest + np.array([1e-3, 4e-3, 0.01, 0.02, 0.04, 0.08, 0.16, 0.3])
    figure = Figure(figsize=(7.8, 2.6), layout="constrained")
    panels = figure.subplots(1, 3, sharex=True, sharey=True)
    names = [("gd", "gradient descent"), ("cg", "conjugate gradients"), ("irls", "Newton = IRLS")]
    for axes, (solver, title) in zip(panels, names, strict=True):
        way = [np.zeros(2)]
        while len(way) < 60 and objective(way[-1]) - lowest > 1e-8:
            some = fit_some_way(X, y, solver=solver, max_iter=len(way), **options)
            way.append(some.coef_[0])
        axes.contour(first, second, values, levels=levels, colors=[GREY], linewidths=0.6)
        axes.plot(*np.array(way).T, "o-", color=SOLVERS[solver][0], markersize=3, linewidth=1.0)
        axes.plot(*best, "+", color=ORANGE, markersize=11, markeredgewidth=1.8)
        axes.set(title=f"{title}\n{len(way) - 1} steps to a gap of 1e-8", xlabel="weight 1")
        axes.set_aspect("equal")  # else right angles would not look so
    panels[0].set_ylabel("weight 2")
    return figure


class Race(NamedTuple):
    """A problem, and the solvers that are to solve it."""

    title: str
    X: MatrixLike
    y: Labels
    solvers: list[str]
    seconds: float  # for each of them


def newsgroups_races() -> list[Race]:
    """Return 20 Newsgroups as few dense columns and two classes, and as all words and softmax."""
    train, labels = documents().train, documents().train_labels
    start = np.ones(min(train.shape))  # the same columns each time
    left, singular, _ = svds(train, k=50, v0=start)
    dense = np.ascontiguousarray(left * singular)
    computers = np.char.startswith(labels.astype(str), "comp.")
    sparse = [name for name in SOLVERS if name != "irls"]  # which refuses that many unknowns
    return [
        Race("50 dense columns, comp.* or not", dense, computers, list(SOLVERS), 2.0),
        Race(f"{train.shape[1]:,} sparse columns, 20 classes", train, labels, sparse, 8.0),
    ]


def draw_convergence(races: list[Race] | None = None) -> Figure:
    """Draw how fast every solver comes near the optimum, by iterations and by seconds."""
    races = races or newsgroups_races()
    figure = Figure(figsize=(7.8, 2.7 * len(races) + 0.4), layout="constrained")
    panels = figure.subplots(len(races), 2, sharey="row", squeeze=False)
    for (left, right), race in zip(panels, races, strict=True):
        histories = {
            solver: fit_some_way(
                race.X,
                race.y,
                C=10.0,
                tol=1e-11,
                solver=solver,
                max_iter=2000,
                max_time=race.seconds,
            ).history_
            for solver in race.solvers
        }
        optimum = min(history["objective"].min() for history in histories.values())
        for solver, history in histories.items():
            gap = history["objective"] / optimum - 1.0
            _draw_gap(left, history["iteration"], gap, solver)
            _draw_gap(right, history["time"], gap, solver)
        left.set(title=race.title, ylabel="relative gap to the optimum", xlabel="iteration")
        right.set(title=race.title, xlabel="seconds")
        for axes in (left, right):
            axes.set(xscale="log", yscale="log", axisbelow=True)
            axes.grid(**GRID)
        left.set_ylim(bottom=0.7 * GAP_LEAST)
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    return figure


def _draw_gap(
    axes: Axes, x: npt.NDArray[np.float64], gap: npt.NDArray[np.float64], solver: str
) -> None:
    """Draw a line from the first iteration to the first that has no gap to speak of."""
    colour, dashes = SOLVERS[solver]
    there = np.flatnonzero(gap <= GAP_LEAST)
    shown = np.arange(1, there[0] + 1 if len(there) else len(gap))
    if len(shown) > 100:  # a line of a thousand steps looks the same with fewer
        shown = np.unique(shown[np.geomspace(1, len(shown), 100).astype(int) - 1])
    style: dict[str, Any] = {
        "marker": "." if len(shown) < 15 else "",
        "color": colour,
        "label": solver,
    }
    if solver == "sgd":  # up and down by the noise of single rows: behind the others
        style |= {"linewidth": 0.9, "zorder": 1.5}
    axes.plot(x[shown], np.maximum(gap[shown], GAP_LEAST), dashes, **style)


def draw_sparsity() -> Figure:
    """Draw how many weights an L1 penalty leaves, and what they are worth."""
    figure = Figure(figsize=(7.6, 3.1), layout="constrained")
    left, right = figure.subplots(1, 2, sharex=True)
    for l1_ratio, label, colour, dashes in [
        (1.0, "L1", ORANGE, "-"),
        (0.5, "elastic net, half L1", GREEN, "-."),
        (0.0, "L2", BLUE, "--"),
    ]:
        C, n_weights, accuracy = zip(*path(l1_ratio), strict=True)
        left.plot(C, n_weights, dashes, color=colour, label=label)
        right.plot(C, accuracy, dashes, color=colour, label=label)
    left.set(xscale="log", yscale="log", xlabel="C", ylabel="weights that are not zero")
    right.set(xlabel="C", ylabel="accuracy on the test part", ylim=(0.5, 1.0))
    for axes in (left, right):
        axes.legend(loc="lower right")
        axes.grid(**GRID)
    return figure


def draw_separable() -> Figure:
    """Draw what C does where a line can part the classes, and where none can."""
    x = np.array([-2.5, -1.9, -1.2, -0.5, 0.4, 1.0, 1.6, 2.2])
    labels = {
        "separable": np.array([0, 0, 0, 0, 1, 1, 1, 1]),
        "two labels swapped": np.array([0, 0, 0, 1, 0, 1, 1, 1]),
    }
    figure = Figure(figsize=(7.6, 3.0), layout="constrained")
    left, right = figure.subplots(1, 2)
    grid = np.linspace(-3.0, 3.0, 201)[:, np.newaxis]
    for C, colour in [(0.1, SKY), (1.0, BLUE), (100.0, GREEN), (1e4, ORANGE)]:
        model = fit_some_way(x[:, np.newaxis], labels["separable"], C=C, tol=1e-10)
        left.plot(grid, model.predict_proba(grid)[:, 1], color=colour, label=f"C = {C:g}")
    left.plot(x, labels["separable"], "o", color=BLACK, markersize=4)
    left.set(xlabel="x", ylabel="p(1 | x)", title="separable: the larger C, the steeper")
    left.legend(loc="upper left")
    strengths = np.logspace(-2, 6, 33)
    for (name, y), colour, dashes in zip(labels.items(), [ORANGE, BLUE], ["-", "--"], strict=True):
        weights = [
            abs(fit_some_way(x[:, np.newaxis], y, C=C, tol=1e-12).coef_[0, 0]) for C in strengths
        ]
        right.plot(strengths, weights, dashes, color=colour, label=name)
    right.set(xscale="log", xlabel="C", ylabel="|w|", title="the weight at the optimum")
    right.legend(loc="upper left")
    for axes in (left, right):
        axes.grid(**GRID)
    return figure


FIGURES = {
    "links.svg": Drawing("From scores to probabilities, and losses", draw_links),
    "descent.svg": Drawing("The ways of three solvers", draw_descent),
    "separable.svg": Drawing("Separable data and C", draw_separable),
    "sparsity.svg": Drawing("Weights under an L1 penalty", draw_sparsity, takes_corpus=True),
    "convergence.svg": Drawing(
        "Gap to the optimum by iterations and by seconds",
        draw_convergence,
        takes_corpus=True,
        shows_time=True,
    ),
}


if __name__ == "__main__":
    draw_all(FIGURES, "logistic-regression.md")
