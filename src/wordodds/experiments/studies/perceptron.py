"""C12: the perceptron stops where a line separates the classes, and only there."""

from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from wordodds.experiments import style
from wordodds.experiments.experiment import About, Experiment, Finding, Plot, Run, sized
from wordodds.experiments.intervals import mean_interval
from wordodds.experiments.table import Results
from wordodds.typing import Floats, Ints

NAME, TITLE = "perceptron", "The perceptron, on separable data and not"
PROTOCOL = (
    "200 points of the plane on both sides of a line, none within 0.03 of it; and the same points "
    "with 5 % of the labels turned. The perceptron starts at 0, takes the rows in a new random "
    "order each epoch and ends after an epoch without updates, or after 100 epochs (full: 2,000). "
    "Five orders for each of five data sets (full: 10 for each of 20)."
)
SEPARABLE, MIXED = "separable", "not separable"
TRUTH = np.array([1.0, 0.6, -0.3])  # the border that labels come from; the last is the bias
GAP = 0.03  # points nearer to it than this are left out
FLIPPED = 0.05  # share of labels that are turned where nothing separates


@dataclass(frozen=True)
class Settings:
    """How much is done."""

    n_points: int = 200
    n_epochs: int = 100  # before the perceptron is stopped
    n_orders: int = 5
    n_seeds: int = 5


QUICK, FULL = Settings(), Settings(n_epochs=2000, n_orders=10, n_seeds=20)
finding = About("C12", figure=NAME)


class Walk(NamedTuple):
    """Where a perceptron ended, and how many updates each epoch took."""

    weights: Floats
    updates: list[int]


def measure(settings: Settings, run: Run) -> Results:
    """Let perceptrons run on points that a line separates and on points that none does.

    The ``part`` is "point", "epoch" or "fit"; points and epochs are those of the first seed.
    """
    results = Results(NAME)
    for seed in run.each(run.seeds(settings.n_seeds), "data sets"):
        rng = np.random.default_rng(seed)
        X, y = separable_points(settings.n_points, rng)
        mixed = np.where(rng.permutation(len(y)) < FLIPPED * len(y), -y, y)
        shown = seed == run.seed
        for point, sign in zip(X, y, strict=True) if shown else ():
            results.add(part="point", seed=seed, x_1=point[0], x_2=point[1], label=sign)
        both = ((SEPARABLE, y), (MIXED, mixed))
        data_sets = [(data, signs, separates(X, signs)) for data, signs in both]
        for (data, signs, possible), order in product(data_sets, range(settings.n_orders)):
            walk = perceptron(X, signs, np.random.default_rng([seed, order]), settings.n_epochs)
            common: dict[str, str | int] = {"model": "perceptron", "data": data}
            common |= {"seed": seed, "order": order}
            # Every tenth epoch beyond the first hundred: enough to be drawn.
            for epoch, updates in enumerate(walk.updates, 1) if shown else ():
                if epoch <= 100 or epoch % 10 == 0:
                    results.add(**common, part="epoch", epoch=epoch, updates=updates)
            results.add(
                **common,
                part="fit",
                size=X.shape[0],
                dims=2,
                accuracy=float(np.mean(signs * (X @ walk.weights) > 0)),
                epoch=len(walk.updates),
                updates=sum(walk.updates),
                separable=possible,
                stopped=walk.updates[-1] == 0,
                bound=novikoff_bound(X, signs) if data == SEPARABLE else None,
                w_1=walk.weights[0],
                w_2=walk.weights[1],
                bias=walk.weights[2],
            )
    return results


def separable_points(n: int, rng: np.random.Generator) -> tuple[Floats, Ints]:
    """Draw points (the last column is 1) on both sides of a line, none near it; y is -1 or 1."""
    X = np.column_stack([rng.standard_normal((3 * n, 2)), np.ones(3 * n)])
    height = X @ TRUTH / np.linalg.norm(TRUTH[:2])
    kept = np.flatnonzero(np.abs(height) > GAP)[:n]
    return X[kept], np.sign(height[kept]).astype(np.int64)


def perceptron(X: Floats, y: Ints, rng: np.random.Generator, max_epochs: int) -> Walk:
    """Run the perceptron from 0: a row on the wrong side is added, with its sign (y: -1 or 1)."""
    weights = np.zeros(X.shape[1])
    updates: list[int] = []
    while len(updates) < max_epochs and (not updates or updates[-1]):
        order = rng.permutation(len(y))
        signed = y[order, None] * X[order]
        n, start = 0, 0
        # All rows up to the next update see the same weights: one product finds it.
        while len(wrong := (signed[start:] @ weights <= 0).nonzero()[0]):
            start += int(wrong[0])
            weights = weights + signed[start]
            n, start = n + 1, start + 1
        updates.append(n)
    return Walk(weights, updates)


def novikoff_bound(X: Floats, y: Ints) -> float:
    """Return the most updates there can be: (largest length / margin of the true border)²."""
    margin = (y * (X @ TRUTH)).min() / np.linalg.norm(TRUTH)
    return float((np.linalg.norm(X, axis=1).max() / margin) ** 2)


def separates(X: Floats, y: Ints) -> bool:
    """Ask a linear program whether any line separates the points."""
    from scipy.optimize import linprog

    answer = linprog(
        np.zeros(X.shape[1]), A_ub=-y[:, None] * X, b_ub=-np.ones(len(y)), bounds=(None, None)
    )
    return bool(answer.status == 0)


def draw(results: Results) -> list[Plot]:
    """Draw updates per epoch, and the lines that different orders end with."""
    with style.panels(1, 2, height=3.4) as (figure, (left, right)):
        for data, colour in ((SEPARABLE, style.BLUE), (MIXED, style.ORANGE)):
            epochs = results.where(part="epoch", data=data)
            for order, part in epochs.groups("order"):
                look = {"color": colour, "alpha": 0.8, "linewidth": 1.1}
                label = data if order == 0 else None
                left.plot(part.column("epoch"), part.column("updates"), **look, label=label)
                if data == SEPARABLE:
                    left.plot(part.column("epoch")[-1], 0, marker="o", markersize=4, color=colour)
        left.set_xscale("log")
        left.xaxis.set_major_formatter("{x:g}")
        left.set_yscale("symlog", linthresh=1.0)
        left.set_ylim(-0.15, None)
        left.set_yticks([0, 1, 10, 100], ["0", "1", "10", "100"])
        left.legend()
        style.label_axes(left, "epoch", "updates in the epoch")
        points = results.where(part="point")
        for sign, colour, marker in ((-1, style.SKY, "o"), (1, style.YELLOW, "^")):
            style.scatter(right, points.where(label=sign), colour, marker, size=10)
        (seed,) = points.unique("seed")
        ends = np.array([-4.0, 4.0])
        fits = results.where(part="fit", data=SEPARABLE, seed=seed)
        for w_1, w_2, bias in fits.numbers("w_1", "w_2", "bias"):
            right.plot(ends, -(w_1 * ends + bias) / w_2, color=style.BLACK, linewidth=0.8)
        right.set(xlim=(-2.6, 2.6), ylim=(-2.8, 2.8))
        style.label_axes(right, "$x_1$", "$x_2$")
    caption = (
        "Left: updates of the perceptron in each epoch, one line for each order of the rows; a dot "
        "marks an epoch without any, where it stops. Right: the separable points, and the border "
        "that each order ends with. The lecture: it stops on separable data and never otherwise, "
        "and its answer depends on the order."
    )
    return [Plot(NAME, TITLE, caption, figure)]


def judge(results: Results) -> list[Finding]:
    """Count stops, hold updates against the bound, and compare the answers."""
    clean = results.where(part="fit", data=SEPARABLE)
    mixed = results.where(part="fit", data=MIXED)
    share = clean.column("updates") / clean.column("bound")
    stopped = int(clean.column("stopped").sum())
    # Turned labels might by chance be separable all the same: the linear program knows.
    never = mixed.where(separable=0)
    ran_on = int((never.column("stopped") == 0).sum())
    epochs, last = int(mixed.column("epoch").max()), never.column("updates").min()
    spread = mean_interval([_widest_angle(part) for _, part in clean.groups("seed")])
    return [
        finding(
            "stops on separable data, within (R / margin)² updates",
            f"{stopped} of {len(clean)} stop, after {clean.column('updates').mean():.0f} updates "
            f"on average and at most {share.max():.2f} of the bound",
            # Every run, as the theorem has no exceptions.
            stopped == len(clean) and bool(share.max() <= 1.0),
        ),
        finding(
            "never stops otherwise",
            f"{ran_on} of {len(never)} still make updates after {epochs:,} epochs and at least "
            f"{last:,.0f} updates; a linear program shows that nothing separates these points",
            ran_on == len(never) > 0,
        ),
        finding(
            "its answer depends on the order",
            f"borders of one data set differ by up to {spread} degrees, the mean over data sets",
            # The interval leaves out 0.
            spread.low > 0.0,
        ),
    ]


def _widest_angle(fits: Results) -> float:
    """Return the largest angle between two fits' borders, in degrees."""
    w_1, w_2 = fits.numbers("w_1", "w_2").T
    # Equal borders have a cross product of 0; an arc cosine would see rounding.
    cross = np.outer(w_1, w_2) - np.outer(w_2, w_1)
    dot = np.outer(w_1, w_1) + np.outer(w_2, w_2)
    return float(np.degrees(np.abs(np.arctan2(cross, dot))).max())


EXPERIMENT = Experiment(
    NAME,
    TITLE,
    PROTOCOL,
    sized(measure, QUICK, FULL),
    draw,
    judge,
    ("C12",),
    seconds=(0.6, 3),
)
