"""C10: of a column that is there twice only the sum of the weights counts, but for a penalty."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordodds.experiments import style
from wordodds.experiments.experiment import About, Experiment, Finding, Plot, Run, sized
from wordodds.experiments.newsgroups import frequent_words, two_groups
from wordodds.experiments.table import Results
from wordodds.typing import Floats, Ints

NAME, TITLE = "duplicate", "A feature that is there twice"
PROTOCOL = (
    "The first two groups, train part, log(1 + count) of the 30 words that most documents have; "
    "the column with the largest weight is there twice. Logistic regression without and with L2 "
    "penalties of 1 and 10 on the summed loss, each from five starts (full: 20): fits to copies "
    "that noise has made different."
)
MODEL = "logistic regression"
PENALTIES = (0.0, 1.0, 10.0)
COLOURS = dict(zip(PENALTIES, (style.ORANGE, style.BLUE, style.GREEN), strict=True))
MARKERS = dict(zip(PENALTIES, "osD", strict=True))
# Fits end at gradients of 1e-10, which is some 1e-8 in weights.
SAME_WEIGHT = 1e-6
FLAT = 1e-12  # share of the objective that rounding may change


@dataclass(frozen=True)
class Settings:
    """How much is done."""

    n_columns: int = 30
    n_starts: int = 5
    apart: float = 4.0  # how far the two weights are taken from each other


QUICK, FULL = Settings(), Settings(n_starts=20)
finding = About("C10", figure=NAME)


def measure(settings: Settings, run: Run) -> Results:
    """Fit logistic regression with a column twice, from several starts.

    The ``part`` is "fit", or "profile" for the objective along the line of equal sums.
    """
    from wordodds import LogisticRegression

    (counts, y), _ = two_groups(run.data.bags)
    columns = frequent_words(counts, settings.n_columns)
    rows = np.log1p(counts[:, columns].toarray())
    options: Any = {"solver": "newton-cg", "tol": 1e-10, "max_iter": 1000, "n_jobs": run.n_jobs}
    alone = LogisticRegression(C=np.inf, **options).fit(rows, y)
    strongest = int(np.argmax(np.abs(alone.coef_[0])))
    word = run.data.bags.train.words[columns[strongest]]
    # The copies come first, so that their weights are the first two.
    others = np.delete(rows, strongest, axis=1)
    X = np.column_stack([rows[:, strongest], rows[:, strongest], others])
    results = Results(NAME)
    seeds = run.seeds(settings.n_starts)
    with run.progress(len(PENALTIES) * len(seeds)) as advance:
        for penalty in PENALTIES:
            C = 1 / penalty if penalty else np.inf
            common = {"model": MODEL, "size": len(X), "dims": X.shape[1], "penalty": penalty}
            for seed in seeds:
                rng = np.random.default_rng(seed)
                # The start: a fit to copies that are not quite the same.
                blurred = X.copy()
                blurred[:, :2] += rng.normal(scale=[0.1, 1.0], size=(len(X), 2))
                model = LogisticRegression(C=C, warm_start=True, **options)
                model.fit(blurred[:, [1, 0, *range(2, X.shape[1])]] if seed % 2 else blurred, y)
                model.fit(X, y)
                first, second = model.coef_[0, :2]
                results.add(
                    **common,
                    part="fit",
                    solver=model.solver_,
                    seed=seed,
                    word=word,
                    weight_1=first,
                    weight_2=second,
                )
                advance(1)
            fitted = model.coef_[0], model.intercept_[0]
            for row in _profile(X, y, *fitted, penalty, settings.apart):
                results.add(**common, part="profile", **row)
    return results


def _profile(
    X: Floats, y: Ints, weights: Floats, bias: float, penalty: float, apart: float
) -> Iterator[dict[str, float]]:
    """Yield the objective where the two weights differ more and more and keep their sum."""
    half = weights[:2].sum() / 2

    def value_at(difference: float) -> float:
        moved = np.concatenate([[half + difference / 2, half - difference / 2], weights[2:]])
        return objective(X, y, moved, bias, penalty)

    best = value_at(0.0)
    for difference in np.linspace(-apart, apart, 21):
        value = value_at(difference)
        yield {"apart": difference, "objective": value, "above": value - best}


def objective(X: Floats, y: Ints, weights: Floats, bias: float, penalty: float) -> float:
    """Return the negative log-likelihood plus penalty / 2 times the squared weights."""
    scores = X @ weights + bias
    loss = np.logaddexp(0.0, np.where(y == 1, -scores, scores)).sum()
    return float(loss + penalty / 2 * weights @ weights)


def draw(results: Results) -> list[Plot]:
    """Draw the objective along equal sums, and where fits end."""
    fits = results.where(part="fit")
    (word,) = fits.unique("word")
    with style.panels(1, 2, height=3.2) as (figure, (left, right)):
        middle = float(fits.where(penalty=0.0).numbers("weight_1", "weight_2").sum(axis=1).mean())
        firsts = fits.column("weight_1")
        ends = np.array([firsts.min() - 0.4, firsts.max() + 0.4])
        right.plot(
            ends,
            middle - ends,
            color=style.GREY,
            linewidth=0.9,
            label=f"sum {middle:.2f}".replace("-", "\N{MINUS SIGN}"),
        )
        for penalty in PENALTIES:
            label = f"penalty {penalty:g}" if penalty else "no penalty"
            look = {"color": COLOURS[penalty], "marker": MARKERS[penalty], "label": label}
            part = results.where(part="profile", penalty=penalty)
            left.plot(part.column("apart"), part.column("above"), **look, markersize=3)
            part = fits.where(penalty=penalty)
            right.plot(*part.numbers("weight_1", "weight_2").T, **look, linestyle="", markersize=5)
        style.label_axes(left, "first weight less second", "objective above the fit's (nats)")
        style.label_axes(right, "first weight", "second weight")
        left.legend()
        right.legend()
    caption = (
        f"Logistic regression with the column of the word “{word}” twice. Left: the objective "
        "where the two weights move apart and keep their sum. Right: where fits end that begin in "
        "different places. The lecture: only the sum is determined, and weight decay settles how "
        "it is shared."
    )
    return [Plot(NAME, TITLE, caption, figure)]


def judge(results: Results) -> list[Finding]:
    """Ask what the data determine, with and without a penalty."""
    free = results.where(part="fit", penalty=0.0)
    first, second = free.numbers("weight_1", "weight_2").T
    sums, differences = first + second, first - second
    profile = results.where(part="profile", penalty=0.0)
    flat = float(np.abs(profile.column("above") / profile.column("objective")).max())
    penalty, one, other = results.where(part="fit").numbers("penalty", "weight_1", "weight_2").T
    held = penalty > 0.0
    unequal = np.abs(one - other)[held].max()
    return [
        finding(
            "without a penalty only the sum of the weights is determined",
            f"{len(free)} starts: sums equal to {np.ptp(sums):.1e}, differences from "
            f"{differences.min():.2f} to {differences.max():.2f}; objective flat to {flat:.1e} of "
            "itself",
            # The same sum and different weights in all starts, and nothing but rounding between.
            bool(np.ptp(sums) < SAME_WEIGHT and np.ptp(differences) > 0.1 and flat < FLAT),
        ),
        finding(
            "weight decay settles it: half each",
            f"{held.sum()} fits with a penalty: weights differ by at most {unequal:.1e}",
            unequal < SAME_WEIGHT,
        ),
    ]


EXPERIMENT = Experiment(
    NAME,
    TITLE,
    PROTOCOL,
    sized(measure, QUICK, FULL),
    draw,
    judge,
    ("C10",),
    seconds=(0.3, 1),
)
