"""The sparse originals: naive Bayes and logistic regression on the word counts themselves."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from wordodds.experiments import style
from wordodds.experiments.contest import Split, contest, judge_end, judge_start
from wordodds.experiments.curves import sizes_between
from wordodds.experiments.display import LearningCurveDisplay
from wordodds.experiments.experiment import About, Experiment, Finding, Plot, Run, sized
from wordodds.experiments.names import LR, TUNED, VARIANTS
from wordodds.experiments.table import Results

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

NAME, TITLE = "sparse", "The sparse originals"
PROTOCOL = (
    "The word counts themselves (61,188 words), the parts before and after a date as training and "
    "test part. Multinomial, Bernoulli and complement naive Bayes and multinomial logistic "
    "regression, with their defaults (alpha = 1, Laplace's rule, which is the lecture's; C = 1) "
    "and tuned: the alpha (0.001 to 1) and the C (0.01 to 10) that get most right in parts of the "
    "training documents held out in turn. 20 documents to all 11,269, each group in its "
    "proportion; with 20 each group has one, and nothing is tuned. 3 seeds, 6 sizes and 2 parts "
    "(full: 20, 14 and 5)."
)
# The defaults first. Laplace's rule outweighs a training set of some hundred documents.
ALPHAS = (1.0, 0.001, 0.01, 0.1)
STRENGTHS = (1.0, 0.01, 0.1, 10.0)


@dataclass(frozen=True)
class Settings:
    """How much is done."""

    n_sizes: int
    n_seeds: int
    n_folds: int
    smallest: int = 20


QUICK, FULL = Settings(6, 3, 2), Settings(14, 20, 5)
on_few = About("C4", figure="sparse-curves")
on_all = About("C3", figure="sparse-curves")


def measure(settings: Settings, run: Run) -> Results:
    """Fit all models on more and more documents of the training part."""
    train, test = run.data.bags.train, run.data.bags.test
    split = Split(train.counts, train.labels, test.counts, test.labels)
    sizes = sizes_between(settings.smallest, len(train), settings.n_sizes)
    models = contenders(settings.n_folds, run.n_jobs)
    seeds = run.seeds(settings.n_seeds)
    results = Results(NAME)
    with run.progress(len(seeds) * len(sizes), "training sets") as advance:
        for row in contest(models, split, sizes, seeds, advance):
            results.add(**row)
    return results


def contenders(n_folds: int, n_jobs: int | None) -> dict[str, BaseEstimator]:
    """Return the models with defaults, logistic regression first, and then tuned."""
    from wordodds import BernoulliNB, ComplementNB, LogisticRegression, MultinomialNB
    from wordodds.experiments.tuned import CrossValidated

    # Two digits of the optimum are enough here; the dual solver is the one for many words and few
    # documents.
    choices: dict[str, list[BaseEstimator]] = {
        LR: [
            LogisticRegression(
                C=C, solver="dual", tol=1e-3, max_iter=1000, random_state=0, n_jobs=n_jobs
            )
            for C in STRENGTHS
        ]
    }
    kinds = {
        "multinomial NB": MultinomialNB,
        "Bernoulli NB": BernoulliNB,
        "complement NB": ComplementNB,
    }
    for name, kind in kinds.items():
        choices[name] = [kind(alpha=alpha, n_jobs=n_jobs) for alpha in ALPHAS]
    defaults = {name: models[0] for name, models in choices.items()}
    tuned = {name + TUNED: CrossValidated(models, n_folds) for name, models in choices.items()}
    return defaults | tuned


def draw(results: Results) -> list[Plot]:
    """Draw accuracy, log loss and seconds against training size."""
    return [_draw_scores(results), _draw_seconds(results)]


def _draw_scores(results: Results) -> Plot:
    with style.panels(2, len(VARIANTS), height=5.4, sharex=True, sharey="row") as (figure, axes):
        for (suffix, words), column in zip(VARIANTS.items(), axes.T, strict=True):
            part = _with_suffix(results, suffix)
            pairs = [(name + suffix, LR + suffix) for name in bayes_names(results)]
            for ax, y in zip(column, ("accuracy", "log_loss"), strict=True):
                LearningCurveDisplay.from_results(
                    part, y=y, log_x=True, log_y=y == "log_loss", legend=False, ax=ax,
                    crossings=pairs if y == "accuracy" else False,
                )  # fmt: skip
            column[0].set(title=words, ylim=(0.0, 1.0))
            column[1].set_xlabel("training documents")
            style.plain_ticks(column[1].xaxis)
            style.plain_ticks(column[1].yaxis)
        figure.align_ylabels(axes[:, 0])
        figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    caption = (
        "Blue and green against orange, and where they cross for the last time (dotted, shaded "
        "with the 95 % interval). Word counts, trained on documents before a date and tested on "
        "those after it: mean (of the loss: geometric) and 95 % interval over "
        f"{len(results.unique('seed'))} seeds; with all documents one fit stands for every seed. "
        f"{_in_short(results)}"
    )
    return Plot("sparse-curves", "Naive Bayes and logistic regression on counts", caption, figure)


def _draw_seconds(results: Results) -> Plot:
    part = _with_suffix(results, "")
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
        "Naive Bayes counts once, logistic regression goes over the documents again and again. "
        "Seconds of a fit with defaults, geometric mean and 95 % interval over the seeds. With all "
        f"documents, where one fit serves all seeds: {ends}."
    )
    return Plot("sparse-seconds", "Seconds of a fit on counts", caption, figure)


def judge(results: Results) -> list[Finding]:
    """Compare each naive Bayes with logistic regression at both ends."""
    cases = [(name, suffix) for suffix in VARIANTS for name in bayes_names(results)]
    start = [
        judge_start(results, (name + suffix, LR + suffix), _what(name, suffix), on_few)
        for name, suffix in cases
    ]
    end = [judge_end(results, name + suffix, _what(name, suffix), on_all) for name, suffix in cases]
    return [*chain.from_iterable(start), *end]


def _what(name: str, suffix: str) -> str:
    return f"word counts, {name}, {VARIANTS[suffix]}"


def bayes_names(results: Results) -> list[str]:
    """Return the naive Bayes of a table, by their names without what says how they are set."""
    names = dict.fromkeys(name.removesuffix(TUNED) for name in results.unique("model"))
    return [name for name in names if name != LR]


def _with_suffix(results: Results, suffix: str) -> Results:
    """Return the tuned models' rows, or the default ones', logistic regression last."""
    part = Results(results.experiment)
    for name in (*bayes_names(results), LR):
        part.extend(results.where(model=name + suffix))
    return part


def _in_short(results: Results) -> str:
    """Return what each model reaches with all documents, in a sentence."""
    largest = results.where(size=max(results.unique("size")))
    parts = []
    for suffix, words in VARIANTS.items():
        scores = ", ".join(
            f"{name} {largest.where(model=name + suffix).column('accuracy').mean():.2f}"
            for name in (*bayes_names(results), LR)
        )
        parts.append(f"{words} {scores}")
    return f"With all documents: {'; '.join(parts)}."


EXPERIMENT = Experiment(
    NAME,
    TITLE,
    PROTOCOL,
    sized(measure, QUICK, FULL),
    draw,
    judge,
    ("C3", "C4"),
    seconds=(31, 760),
)
