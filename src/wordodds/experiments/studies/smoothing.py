"""C6: what a Dirichlet prior does for naive Bayes, on little data and on much."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_array

from wordodds.experiments import style
from wordodds.experiments.contest import Split
from wordodds.experiments.curves import nested_order, timed_scores
from wordodds.experiments.display import Curve, LearningCurveDisplay
from wordodds.experiments.experiment import About, Experiment, Finding, Plot, Run, sized
from wordodds.experiments.intervals import Interval, mean_interval, paired_difference
from wordodds.experiments.newsgroups import Bags
from wordodds.experiments.table import Results
from wordodds.typing import Floats, Ints

NAME, TITLE = "smoothing", "Smoothing"
PROTOCOL = (
    "Multinomial naive Bayes on word counts, 20 classes, bydate test part. It learns from 20 "
    "documents up to all of the train part, drawn in the classes' proportions, and knows the words "
    "that these have. Maximum likelihood (nothing is added to a count), the Bayes estimate (alpha "
    "is) and MAP (alpha - 1 is), pseudo-counts from 0.001 to 10. Where every class is impossible, "
    "the class prior decides. 5 seeds (full: 20)."
)
MODEL = "multinomial NB"
ML, MAP, BAYES = "maximum likelihood", "MAP", "Bayes"
on_curves = About("C6", figure="smoothing")
on_prior = About("C6", figure="smoothing-prior")
_ESTIMATES: dict[str, Literal["ml", "map", "bayes"]] = {ML: "ml", MAP: "map", BAYES: "bayes"}


@dataclass(frozen=True)
class Settings:
    """How much is done."""

    sizes: tuple[int, ...]  # besides all documents
    pseudo_counts: tuple[float, ...] = (0.001, 0.01, 0.1, 1.0, 10.0)
    map_size: int = 500  # where MAP and Bayes are set side by side
    n_seeds: int = 5


QUICK = Settings((20, 100, 500, 2500))
FULL = Settings(
    (20, 50, 100, 200, 500, 1000, 2500, 5000),
    (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0),
    n_seeds=20,
)


def measure(settings: Settings, run: Run) -> Results:
    """Fit naive Bayes with several priors on several numbers of documents."""
    bags = run.data.bags
    n_all = len(bags.train.labels)
    sizes = [*(size for size in settings.sizes if size < n_all), n_all]
    seeds = run.seeds(settings.n_seeds)
    plain = [(ML, 1.0), *((BAYES, alpha) for alpha in settings.pseudo_counts)]
    beside = [(MAP, 1.0 + a) for a in settings.pseudo_counts]
    results = Results(NAME)
    for seed, size in run.each(product(seeds, sizes), "training sets"):
        if size == n_all and seed != seeds[0]:  # no seed changes all documents
            for row in results.where(seed=seeds[0], size=size).rows:
                results.add(**{**row, "seed": seed})
            continue
        order = nested_order(bags.train.labels, np.random.default_rng(seed))
        split = _seen_words(bags, np.sort(order[:size]))
        for which in plain + (beside if size == settings.map_size else []):
            results.add(model=MODEL, size=size, seed=seed, **_score(split, *which, run.n_jobs))
    return results


def _seen_words(bags: Bags, chosen: Ints) -> Split:
    """Leave out words that no training document has, as a vectorizer fitted to them does."""
    X = bags.train.counts[chosen]
    words = np.flatnonzero(np.bincount(X.indices, minlength=X.shape[1]))
    return Split(
        csr_array(X[:, words]),
        bags.train.labels[chosen],
        csr_array(bags.test.counts[:, words]),
        bags.test.labels,
    )


def _score(split: Split, estimate: str, alpha: float, n_jobs: int | None) -> dict[str, Any]:
    from wordodds import MultinomialNB

    model = MultinomialNB(alpha=alpha, estimate=_ESTIMATES[estimate], n_jobs=n_jobs)
    _, scores = timed_scores(model, *split)
    joint = model.predict_joint_log_proba(split.X_test)
    own = np.searchsorted(model.classes_, split.y_test)
    impossible = np.isneginf(joint)
    return {
        "dims": split.X.shape[1],
        "estimate": estimate,
        "alpha": None if estimate == ML else alpha,
        "pseudo_count": {ML: 0.0, MAP: alpha - 1.0, BAYES: alpha}[estimate],
        "own_vetoed": float(impossible[np.arange(len(own)), own].mean()),
        "all_vetoed": float(impossible.all(axis=1).mean()),
        **scores,
    }


def draw(results: Results) -> list[Plot]:
    """Draw accuracy and log loss against the pseudo-count, and what becomes of the prior."""
    with style.panels(1, 2, height=3.6) as (curves, (left, right)):
        _draw_pseudo_counts(left, results, "accuracy")
        _draw_pseudo_counts(right, results, "log_loss")
        right.set_yscale("log")
        curves.legend(
            *left.get_legend_handles_labels(),
            loc="outside lower center",
            ncols=5,
            title="training documents",
        )
    with style.panels(2, 2, height=5.4) as (more, ((first, second), (third, fourth))):
        _draw_estimates(first, results)
        _draw_vetoes(second, results.where(estimate=ML))
        _draw_spread(third, results, "accuracy", "accuracy")
        _draw_spread(fourth, results, "log_loss", "log loss (nats)")
    return [
        Plot(
            "smoothing",
            "Accuracy and log loss against the pseudo-count",
            "What is added to every count (0: maximum likelihood), for several numbers of training "
            "documents, with 95 % intervals over the seeds. Maximum likelihood has no finite log "
            "loss: some document's own class is impossible. The lecture: a Dirichlet prior cures "
            "this, matters most on little data and is forgotten as N grows.",
            curves,
        ),
        Plot(
            "smoothing-prior",
            "Estimates, vetoes, and how much the prior matters",
            f"Above: the three estimates at {_map_size(results):,} documents (MAP with alpha is "
            "the Bayes estimate with alpha - 1); test documents whose own class maximum "
            "likelihood holds impossible for a word that it has not seen in it, and those where "
            "that happens to every class. Below: largest less smallest value over the pseudo-"
            "counts above 0. The lecture: the prior is forgotten as N grows. Where the line "
            "rises first, there was too little data for any prior to be of use.",
            more,
        ),
    ]


def _draw_pseudo_counts(ax: style.Axes, results: Results, y: str) -> None:
    from matplotlib import colormaps

    sizes = sorted(results.unique("size"))
    smoothed = results.where(estimate=BAYES)
    places = sorted(smoothed.unique("pseudo_count"))
    zero = places[0] / 10.0  # a logarithmic axis has no place for it
    for position, size in enumerate(sizes):
        colour = colormaps["viridis"](0.85 * position / max(1, len(sizes) - 1))
        part = smoothed.where(size=size)
        look = style.points_of(colour, position, size=3.5)
        Curve.of(part, "pseudo_count", y).draw(ax, look, f"{size:,}")
        unsmoothed = results.where(estimate=ML, size=size).column(y).mean()
        if np.isfinite(unsmoothed):
            ax.plot([zero], [unsmoothed], **look)
    ax.axvline(zero * 10**0.5, color=style.GREY, linewidth=0.8, linestyle=":")
    ax.set_xscale("log")
    ax.set_xticks([zero, *places], ["0", *(f"{a:g}" for a in places)])
    ax.minorticks_off()
    if len(places) > 6:
        ax.tick_params(axis="x", labelsize=7)
    if y == "log_loss":
        place = ax.get_xaxis_transform()
        ax.text(zero, 0.5, "infinite", rotation=90, ha="center", va="center", transform=place)
        ax.set_xlim(left=zero / 2.0)
    label = {"accuracy": "test accuracy", "log_loss": "log loss (nats)"}[y]
    style.label_axes(ax, "pseudo-count", label)


def _map_size(results: Results) -> int:
    """Return the size at which there are all three estimates; else the largest."""
    return int(max(results.where(estimate=MAP).unique("size") or results.unique("size")))


def _draw_estimates(ax: style.Axes, results: Results) -> None:
    part = results.where(size=_map_size(results))
    smoothed = Results(NAME, [row for row in part.rows if row["estimate"] != ML])
    LearningCurveDisplay.from_results(smoothed, x="alpha", group="estimate", log_x=True, ax=ax)
    level = mean_interval(part.where(estimate=ML).column("accuracy")).value
    ax.axhline(level, color=style.GREY, linestyle="--", linewidth=1.0, label=ML)
    ax.set_xlabel("alpha of the prior")
    ax.legend(loc="center left")


def _draw_vetoes(ax: style.Axes, unsmoothed: Results) -> None:
    labels = {"own_vetoed": "own class impossible", "all_vetoed": "every class impossible"}
    lines = Results(NAME)
    for row in unsmoothed.rows:
        for column, label in labels.items():
            lines.add(size=row["size"], seed=row["seed"], line=label, share=row[column])
    LearningCurveDisplay.from_results(lines, y="share", group="line", log_x=True, ax=ax)
    ax.set(ylabel="share of test documents", ylim=(0, 1.05))


def _draw_spread(ax: style.Axes, results: Results, column: str, label: str) -> None:
    line = Results(NAME)
    for size in sorted(results.unique("size")):
        for seed, value in enumerate(spread(results, column, size)):
            line.add(model=MODEL, size=size, seed=seed, spread=value)
    LearningCurveDisplay.from_results(line, y="spread", log_x=True, legend=False, ax=ax)
    ax.set(ylabel=f"spread of {label}", ylim=(0.0, None))


def spread(results: Results, column: str, size: int) -> Floats:
    """Return how much a number depends on the pseudo-count, above 0, seed by seed."""
    part = results.where(estimate=BAYES, size=size)
    return np.asarray(np.ptp(part.by_seed(column, "pseudo_count"), axis=1))


def judge(results: Results) -> list[Finding]:
    """Judge vetoes, cure and forgetting; an interval must leave out 0 on the claimed side."""
    sizes = sorted(results.unique("size"))
    unsmoothed, smoothed = results.where(estimate=ML), results.where(estimate=BAYES)
    vetoed = {n: mean_interval(unsmoothed.where(size=n).column("own_vetoed")) for n in sizes}
    gains = {n: _gain(results, n) for n in sizes}
    gain = {n: mean_interval(values) for n, values in gains.items()}
    few, many = sizes[0], sizes[-1]
    fall = paired_difference(gains[few], gains[many])
    findings = [
        on_prior(
            "maximum likelihood vetoes a document's own class for an unseen word",
            f"so in {_at_ends(vetoed)} of the test documents",
            all(interval.low > 0.0 for interval in vetoed.values()),
        ),
        on_curves(
            "a Dirichlet prior cures the veto",
            f"so in {smoothed.column('own_vetoed').max():.3f} of them at most with any prior; log "
            f"loss {unsmoothed.column('log_loss').min():.3g} or more without, "
            f"{smoothed.column('log_loss').max():.3g} or less with one",
            bool(np.isfinite(smoothed.column("log_loss")).all())
            and not smoothed.column("own_vetoed").any(),
        ),
        on_curves(
            "and with Laplace's rule more labels are right, at every N",
            f"accuracy gained: {_at_ends(gain)}",
            all(interval.low > 0.0 for interval in gain.values()),
        ),
        on_curves(
            "having a prior at all matters most on little data",
            f"accuracy gained over maximum likelihood with {few:,} documents less that with "
            f"{many:,}: {fall}",
            fall.low > 0.0,
        ),
    ]
    for column, label in (("accuracy", "accuracy"), ("log_loss", "log loss")):
        spreads = {n: mean_interval(spread(results, column, n)) for n in sizes}
        fall = paired_difference(spread(results, column, few), spread(results, column, many))
        findings.append(
            on_prior(
                f"which prior it is matters most on little data and is forgotten: {label}",
                f"spread over the pseudo-counts: {_at_ends(spreads)}; fall {fall}",
                fall.low > 0.0,
            )
        )
    return findings


def _gain(results: Results, size: int) -> Floats:
    part = results.where(size=size)
    laplace = part.where(estimate=BAYES, pseudo_count=1.0).column("accuracy")
    return np.asarray(laplace - part.where(estimate=ML).column("accuracy"))


def _at_ends(intervals: Mapping[int, Interval]) -> str:
    few, many = min(intervals), max(intervals)
    top = max(intervals, key=lambda size: intervals[size].value)
    between = "" if top in (few, many) else f"{intervals[top]} with {top:,}, "
    # All documents are the same ones for every seed.
    return (
        f"{intervals[few]} with {few:,} documents, {between}{intervals[many].value:.3g} with "
        f"{many:,}"
    )


EXPERIMENT = Experiment(
    NAME,
    TITLE,
    PROTOCOL,
    sized(measure, QUICK, FULL),
    draw,
    judge,
    ("C6",),
    seconds=(2.3, 10),
)
