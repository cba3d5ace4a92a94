"""C14: least squares on an indicator matrix hides a middle class and bends to outliers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from wordodds.experiments import style
from wordodds.experiments.experiment import About, Experiment, Finding, Plot, Run, sized
from wordodds.experiments.intervals import mean_interval, paired_difference
from wordodds.experiments.table import Results
from wordodds.typing import Floats, Ints

NAME, TITLE = "indicator", "Least squares on an indicator matrix"
PROTOCOL = (
    "Three Gaussian classes in one dimension with centres at -4, 0 and 4; two in the plane, "
    "without and with 30 outliers far behind the second. 300 points to train, 3,000 to test, ten "
    "seeds (full: 50). Least squares on the indicator matrix, logistic regression without a "
    "penalty, Gaussian naive Bayes."
)
LEAST_SQUARES = "least squares"
MODELS = (LEAST_SQUARES, "logistic regression", "Gaussian NB")
CENTRES = np.array([[-4.0], [0.0], [4.0]])  # three classes on a line, of spread 1
MEANS = np.array([[-1.5, 0.0], [1.5, 0.0]])  # two classes in the plane, of spread 1
OUTLIERS = np.array([12.0, 6.0])  # far on the right side of the border
# "Never" and "hardly": a tenth of the middle class's third; a tenth of what least squares turns.
TENTH = 0.1


@dataclass(frozen=True)
class Settings:
    """How much is done."""

    n_points: int = 300
    n_outliers: int = 30
    n_test: int = 3000
    n_seeds: int = 10


QUICK, FULL = Settings(), Settings(n_seeds=50)
finding = About("C14", figure=NAME)


def measure(settings: Settings, run: Run) -> Results:
    """Fit three classes on a line, and two classes without and with outliers."""
    results = Results(NAME)
    for seed in run.each(run.seeds(settings.n_seeds), "data sets"):
        rng = np.random.default_rng(seed)
        _three_on_a_line(results, settings, rng, seed, run)
        _two_with_outliers(results, settings, rng, seed, run)
    return results


def draw_points(means: Floats, n: int, rng: np.random.Generator) -> tuple[Floats, Ints]:
    """Draw points of spread 1 around the mean of each class."""
    y = np.arange(n) % len(means)
    return means[y] + rng.standard_normal((n, means.shape[1])), y


def regress(X: Floats, y: Ints) -> Floats:
    """Return the least-squares coefficients of each class's indicator; the last row is the bias."""
    indicator = np.eye(y.max() + 1)[y]
    return np.asarray(np.linalg.lstsq(_with_one(X), indicator, rcond=None)[0])


def _with_one(X: Floats) -> Floats:
    return np.column_stack([X, np.ones(len(X))])


def _models(n_jobs: int | None) -> dict[str, Any]:
    from wordodds import GaussianNB, LogisticRegression

    # Without a penalty, as least squares has none.
    return {
        "logistic regression": LogisticRegression(C=np.inf, max_iter=1000, n_jobs=n_jobs),
        "Gaussian NB": GaussianNB(n_jobs=n_jobs),
    }


def _three_on_a_line(
    results: Results, settings: Settings, rng: np.random.Generator, seed: int, run: Run
) -> None:
    X, y = draw_points(CENTRES, settings.n_points, rng)
    X_test, y_test = draw_points(CENTRES, settings.n_test, rng)
    coefficients = regress(X, y)
    predicted = {LEAST_SQUARES: (_with_one(X_test) @ coefficients).argmax(axis=1)}
    for name, model in _models(run.n_jobs).items():
        predicted[name] = model.fit(X, y).predict(X_test)
    for name, labels in predicted.items():
        results.add(
            part="three classes",
            model=name,
            size=len(X),
            dims=1,
            seed=seed,
            accuracy=float(np.mean(labels == y_test)),
            middle=float(np.mean(labels == 1)),
        )
    if seed == run.seed:
        for x, label in zip(X[:, 0], y, strict=True):
            results.add(part="point on the line", seed=seed, x_1=x, label=label)
        for label, (slope, level) in enumerate(coefficients.T):
            results.add(part="function", seed=seed, label=label, slope=slope, level=level)


def _two_with_outliers(
    results: Results, settings: Settings, rng: np.random.Generator, seed: int, run: Run
) -> None:
    X, y = draw_points(MEANS, settings.n_points, rng)
    far = OUTLIERS + rng.standard_normal((settings.n_outliers, 2))
    X_test, y_test = draw_points(MEANS, settings.n_test, rng)
    data = {0: (X, y), 1: (np.vstack([X, far]), np.append(y, np.ones(len(far), dtype=np.int64)))}
    for outliers, (rows, labels) in data.items():
        for name, (weights, bias) in _borders(rows, labels, run.n_jobs).items():
            right = (X_test @ weights + bias > 0) == y_test
            results.add(
                part="border",
                model=name,
                size=len(rows),
                dims=2,
                seed=seed,
                accuracy=float(right.mean()),
                outliers=outliers,
                w_1=weights[0],
                w_2=weights[1],
                bias=bias,
            )
    if seed == run.seed:
        for point, label in zip(*data[1], strict=True):
            results.add(
                part="point in the plane", seed=seed, x_1=point[0], x_2=point[1], label=label
            )


def _borders(X: Floats, y: Ints, n_jobs: int | None) -> dict[str, tuple[Floats, float]]:
    """Return weights and bias of each model's border: weights @ x + bias = 0."""
    difference = regress(X, y) @ [-1.0, 1.0]
    model = _models(n_jobs)["logistic regression"].fit(X, y)
    return {
        LEAST_SQUARES: (difference[:2], float(difference[2])),
        "logistic regression": (model.coef_[0], float(model.intercept_[0])),
    }


def draw(results: Results) -> list[Plot]:
    """Draw the regressions of three indicators, and borders with and without outliers."""
    with style.panels(1, 2, height=3.5) as (figure, (left, right)):
        _draw_line(left, results)
        _draw_plane(right, results)
    caption = (
        "Left: three classes on a line (ticks below) and the regression of each one's indicator; "
        "the largest decides. Right: borders of two classes, "
        "fitted without (dashed) and with (solid) a group of outliers that lie far on their right "
        "side. The lecture: least squares fails with three classes and bends to outliers."
    )
    return [Plot(NAME, TITLE, caption, figure)]


def _draw_line(ax: style.Axes, results: Results) -> None:
    names = ("left class", "middle class", "right class")
    points = results.where(part="point on the line")
    ends = np.array([-7.0, 7.0])
    for label, (name, colour) in enumerate(
        zip(names, (style.BLUE, style.ORANGE, style.GREEN), strict=True)
    ):
        function = results.where(part="function", label=label)
        slope, level = function.value("slope"), function.value("level")
        ax.plot(ends, slope * ends + level, color=colour, linewidth=1.5, label=name)
        x = points.where(label=label).column("x_1")
        ax.plot(x, np.full(len(x), -0.72), "|", color=colour, markersize=7, markeredgewidth=0.7)
    ax.set(xlim=ends, ylim=(-0.85, 1.6))
    ax.legend(loc="upper center", ncols=3, columnspacing=1.0, handlelength=1.2)
    style.label_axes(ax, "x", "regression of the indicator")


def _draw_plane(ax: style.Axes, results: Results) -> None:
    points = results.where(part="point in the plane")
    for label, colour, marker in ((0, style.SKY, "o"), (1, style.YELLOW, "^")):
        style.scatter(ax, points.where(label=label), colour, marker, size=8)
    (seed,) = points.unique("seed")
    ends = np.array([-6.0, 9.0])
    for name, colour in ((LEAST_SQUARES, style.BLACK), ("logistic regression", style.ORANGE)):
        for outliers, dashes in ((0, "--"), (1, "-")):
            border = results.where(part="border", model=name, outliers=outliers, seed=seed)
            ((w_1, w_2, bias),) = border.numbers("w_1", "w_2", "bias")
            look: dict[str, Any] = {"color": colour, "linestyle": dashes, "linewidth": 1.4}
            ax.plot(-(w_2 * ends + bias) / w_1, ends, **look, label=name if outliers else None)
    ax.set(xlim=(-5, 15), ylim=(-5, 9.5), xticks=range(-5, 16, 5))
    ax.legend(loc="lower right")
    style.label_axes(ax, "$x_1$", "$x_2$")


def judge(results: Results) -> list[Finding]:
    """Count how often the middle class is predicted, and how far borders turn."""
    three = results.where(part="three classes")
    middle, accuracy = (
        {name: mean_interval(part.column(column)) for name, part in three.groups("model")}
        for column in ("middle", "accuracy")
    )
    others = [name for name in MODELS if name != LEAST_SQUARES]
    turned, lost = {}, {}
    for name, part in results.where(part="border").groups("model"):
        clean, bent = part.where(outliers=0), part.where(outliers=1)
        turned[name] = mean_interval(_angles(clean, bent))
        lost[name] = paired_difference(clean.column("accuracy"), bent.column("accuracy"))
    squares, logistic = turned[LEAST_SQUARES], turned["logistic regression"]
    return [
        finding(
            "three classes on a line: least squares never predicts the middle one",
            f"predicted for {middle[LEAST_SQUARES]} of the points, a third of which it is; "
            f"accuracy {accuracy[LEAST_SQUARES]}",
            # The interval stays below a tenth of its third: next to never.
            middle[LEAST_SQUARES].high < TENTH / 3,
        ),
        finding(
            "logistic regression and naive Bayes do",
            "; ".join(f"{name} for {middle[name]}, accuracy {accuracy[name]}" for name in others),
            # Within a tenth of its third.
            all(abs(3 * middle[name].value - 1) < TENTH for name in others),
        ),
        finding(
            "outliers on the right side move the border of least squares",
            f"it turns by {squares} degrees and loses {lost[LEAST_SQUARES]} of test accuracy",
            # Both intervals leave out 0, on the claimed side.
            squares.low > 0.0 and lost[LEAST_SQUARES].low > 0.0,
        ),
        finding(
            "that of logistic regression hardly moves",
            f"it turns by {logistic} degrees and loses {lost['logistic regression']}",
            # Less than a tenth of the turn of least squares.
            logistic.high < TENTH * squares.low,
        ),
    ]


def _angles(first: Results, second: Results) -> Floats:
    """Return by how many degrees borders differ, seed by seed."""
    a, b = (table.numbers("w_1", "w_2") for table in (first, second))
    cross, dot = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0], (a * b).sum(axis=1)
    return np.asarray(np.degrees(np.abs(np.arctan2(cross, dot))))


EXPERIMENT = Experiment(
    NAME,
    TITLE,
    PROTOCOL,
    sized(measure, QUICK, FULL),
    draw,
    judge,
    ("C14",),
    seconds=(0.3, 1),
)
