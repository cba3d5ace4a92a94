"""C13: what training and testing cost naive Bayes, factor by factor."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from wordodds.experiments import style
from wordodds.experiments.experiment import About, Experiment, Finding, Plot, Run, sized
from wordodds.experiments.intervals import Interval, exponent
from wordodds.experiments.table import Results

NAME, TITLE = "cost", "What naive Bayes costs"
PROTOCOL = (
    "Documents of words drawn by Zipf's law. Multinomial naive Bayes in one thread, the least "
    "processor time of 6 repetitions (full: 32). One factor grows 16-fold in nine sizes, while the "
    "others stay small: the words of all documents, the classes, the vocabulary. An exponent "
    "counts as linear if its interval lies within 0.25 of 1."
)
MODEL = "multinomial NB"
# Over so wide a range constants fade and caches overflow: 1 give or take this counts as linear.
SLACK = 0.25


class Series(NamedTuple):
    """A factor that grows while the others stay."""

    says: str
    x: str
    label: str


SERIES = {
    "fit, words": Series("training: linear in the total of words", "words", "total words"),
    "fit, classes": Series(
        "training: linear in classes * vocabulary, more classes", "cells", "classes * vocabulary"
    ),
    "fit, vocabulary": Series(
        "training: linear in classes * vocabulary, larger vocabulary",
        "cells",
        "classes * vocabulary",
    ),
    "test, classes": Series("testing: linear in the classes", "classes", "classes"),
    "test, words": Series("testing: linear in the words", "words", "total words"),
}


@dataclass(frozen=True)
class Settings:
    """How much is done."""

    n_words: tuple[int, ...] = tuple(round(500_000 * 2 ** (k / 2)) for k in range(9))
    # Classes are scored eight at a time. Above 4 million cells the allocator asks for fresh pages
    # on every fit, which would be timed too.
    n_classes: tuple[int, ...] = (96, 136, 192, 272, 384, 544, 768, 1088, 1536)
    n_vocabulary: tuple[int, ...] = tuple(round(12_000 * 2 ** (k / 2)) for k in range(9))
    rounds: int = 3  # of two calls for each size


QUICK, FULL = Settings(), Settings(rounds=16)
finding = About("C13", figure=NAME)


class Job(NamedTuple):
    """Documents to learn, or to label, under the stopwatch."""

    call: Callable[[], object]
    X: csr_array
    n_classes: int


def measure(settings: Settings, run: Run) -> Results:
    """Time multinomial naive Bayes on documents drawn by Zipf's law, a row for each size."""
    results = Results(NAME)
    rng = np.random.default_rng(run.seed)
    with run.progress(len(SERIES) * settings.rounds, "rounds") as advance:
        for name in SERIES:
            jobs = list(_jobs(name, settings, rng))
            seconds = [math.inf] * len(jobs)
            # In rounds: what else the machine does for a while then meets all sizes, and the
            # least of several leaves it out.
            for _ in range(settings.rounds):
                seconds = [min(least, _time(job)) for least, job in zip(seconds, jobs, strict=True)]
                advance(1)
            for job, least in zip(jobs, seconds, strict=True):
                n_rows, vocabulary = job.X.shape
                results.add(
                    model=MODEL,
                    size=n_rows,
                    dims=vocabulary,
                    seed=run.seed,
                    series=name,
                    words=int(job.X.sum()),
                    classes=job.n_classes,
                    cells=job.n_classes * vocabulary,
                    seconds=least,
                )
    return results


def _jobs(name: str, settings: Settings, rng: np.random.Generator) -> Iterator[Job]:
    """Go through the sizes of a series; what does not grow is small, and stays in the cache."""
    task, factor = name.split(", ")
    if factor == "words":
        X = documents(max(settings.n_words) // 100, 100, 2_000, rng)
        for n_words in settings.n_words:
            yield _job(task, X[: n_words // 100], 8)
    elif factor == "classes":
        # Few words and many cells to train, many words and few cells to test.
        length, vocabulary = (20, 2_500) if task == "fit" else (100, 200)
        X = documents(max(settings.n_classes), length, vocabulary, rng)  # one for each class
        for n_classes in settings.n_classes:
            yield _job(task, X, n_classes)
    else:
        for vocabulary in settings.n_vocabulary:
            yield _job(task, documents(200, 20, vocabulary, rng), 20)


def _job(task: str, X: csr_array, n_classes: int) -> Job:
    from wordodds import MultinomialNB

    y = np.arange(X.shape[0]) % n_classes
    # One thread: how work is shared among more is another question.
    model = MultinomialNB(n_jobs=1).fit(X, y)
    call = partial(model.fit, X, y) if task == "fit" else partial(model.predict, X)
    return Job(call, X, n_classes)


def _time(job: Job) -> float:
    """Return seconds of the processor, as others may use the machine too."""
    seconds = []
    for _ in range(2):  # the first call may find the caches full of the last job
        start = time.process_time()
        job.call()
        seconds.append(time.process_time() - start)
    return min(seconds)


def documents(
    n_documents: int, length: int, vocabulary: int, rng: np.random.Generator
) -> csr_array:
    """Draw documents whose words follow Zipf's law, nearly: the logarithm of the rank is even."""
    words = (vocabulary ** rng.random((n_documents, length))).astype(np.int32) - 1
    words.sort(axis=1)
    ends = np.arange(0, n_documents * length + 1, length)
    ones = np.ones(n_documents * length)  # as the engine takes them: nothing to convert
    counts = csr_array((ones, words.ravel(), ends), shape=(n_documents, vocabulary))
    counts.sum_duplicates()
    return counts


def exponents(results: Results) -> dict[str, Interval]:
    """Fit the exponent of time over the growing factor of each series."""
    return {
        name: exponent(part.column(SERIES[name].x), part.column("seconds"))
        for name, part in results.groups("series")
    }


def draw(results: Results) -> list[Plot]:
    """Draw seconds over each factor, beside a line of slope 1."""
    from matplotlib.ticker import EngFormatter, LogLocator, NullLocator

    fitted = exponents(results)
    panels = (
        ("training", ["fit, words"]),
        ("training", ["fit, classes", "fit, vocabulary"]),
        ("testing", ["test, classes"]),
        ("testing", ["test, words"]),
    )
    with style.panels(2, 2, height=5.0) as (figure, axes):
        for ax, (title, names) in zip(axes.flat, panels, strict=True):
            for position, name in enumerate(names):
                _draw_series(ax, results.where(series=name), name, fitted[name], position)
            ax.set(title=title, xscale="log", yscale="log")
            ax.xaxis.set_major_formatter(EngFormatter(sep=" "))
            ax.yaxis.set_major_formatter("{x:g}")
            for axis in (ax.xaxis, ax.yaxis):
                axis.set_major_locator(LogLocator(subs=(1.0, 3.0)))
                axis.set_minor_locator(NullLocator())
            low, high = ax.get_ylim()
            ax.set_ylim(low, high * 3 ** len(names))  # room for the legend
            style.label_axes(ax, SERIES[names[0]].label, "milliseconds")
            ax.legend(loc="upper left")
    caption = (
        "Processor time of multinomial naive Bayes, the least of several runs in one thread, while "
        "one factor grows and the others are small; with its exponent and the 95 % interval. "
        "Grey: exactly linear. The lecture: training takes O(total words + classes * vocabulary), "
        "testing O(classes * words)."
    )
    return [Plot(NAME, TITLE, caption, figure)]


def _draw_series(ax: style.Axes, part: Results, name: str, fitted: Interval, position: int) -> None:
    x, y = part.column(SERIES[name].x), 1000 * part.column("seconds")
    middle = np.exp(np.log(y / x).mean())
    ax.plot(x, middle * x, color=style.GREY, linewidth=0.9, linestyle="--")
    what = {"fit, classes": "classes: ", "fit, vocabulary": "vocabulary: "}
    look = style.points_of((style.BLUE, style.GREEN)[position], position, size=4)
    ax.plot(x, y, **look, linewidth=1.3, label=f"{what.get(name, '')}exponent {fitted}")


def judge(results: Results) -> list[Finding]:
    """Ask whether each exponent is that of a linear cost."""
    return [
        finding(
            SERIES[name].says,
            f"exponent {fitted}",
            # The whole interval is near 1: far from what is constant, and from what is quadratic.
            fitted.low > 1 - SLACK and fitted.high < 1 + SLACK,
        )
        for name, fitted in exponents(results).items()
    ]


EXPERIMENT = Experiment(
    NAME,
    TITLE,
    PROTOCOL,
    sized(measure, QUICK, FULL),
    draw,
    judge,
    ("C13",),
    seconds=(4.4, 20),
)
