"""C11: what the class prior does for the decision when one group is much larger."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.sparse import csr_array, vstack

from wordodds.experiments import style
from wordodds.experiments.display import LearningCurveDisplay
from wordodds.experiments.experiment import About, Experiment, Finding, Plot, Run, sized
from wordodds.experiments.intervals import mean_interval, paired_difference
from wordodds.experiments.newsgroups import two_groups
from wordodds.experiments.table import Results
from wordodds.typing import AnyArray, Ints

NAME, TITLE = "prior", "The class prior and skewed classes"
PROTOCOL = (
    "The first two groups, all documents; the second is 50 % to 98 % of 400 test documents. "
    "Multinomial naive Bayes learns from 400 others, of the same skew or as many of each, and "
    "decides with that skew as its prior or with none. Test documents are whole, or ten words "
    "drawn from each. Ten seeds (full: 40)."
)
WITH, WITHOUT = "with the prior", "without it: argmax p(x | y)"
TRAININGS = {
    "skewed": "trained on skewed documents",
    "even": "trained on as many of each",
}
LENGTHS = {0: "whole documents", 10: "ten words of each"}


@dataclass(frozen=True)
class Settings:
    """How much is done."""

    skews: tuple[float, ...] = (0.5, 0.7, 0.8, 0.9, 0.95, 0.98)
    n_documents: int = 400  # to train, and as many to test
    n_seeds: int = 10


QUICK, FULL = Settings(), Settings(n_seeds=40)
finding = About("C11", figure=NAME)


def measure(settings: Settings, run: Run) -> Results:
    """Classify two groups of unequal size with and without their prior."""
    from wordodds import MultinomialNB

    parts = two_groups(run.data.bags)
    counts = vstack([part[0] for part in parts], format="csr")
    y = np.concatenate([part[1] for part in parts])
    results = Results(NAME)
    seeds = run.seeds(settings.n_seeds)
    for seed, skew in run.each(product(seeds, settings.skews), "splits"):
        rng = np.random.default_rng([seed, round(1000 * skew)])
        test, train = split(y, skew, settings.n_documents, rng)
        shown = {n: excerpts(counts[test], n, rng) for n in LENGTHS}
        decisions = {WITH: [1 - skew, skew], WITHOUT: [0.5, 0.5]}
        for (training, chosen), (name, prior) in product(train.items(), decisions.items()):
            model = MultinomialNB(class_prior=prior, n_jobs=run.n_jobs)
            model.fit(counts[chosen], y[chosen])
            for n_words, X in shown.items():
                results.add(
                    model="multinomial NB",
                    size=len(chosen),
                    dims=X.shape[1],
                    seed=seed,
                    skew=skew,
                    training=training,
                    decision=name,
                    words=n_words,
                    accuracy=float(np.mean(model.predict(X) == y[test])),
                )
    return results


def split(y: Ints, skew: float, n: int, rng: np.random.Generator) -> tuple[Ints, dict[str, Ints]]:
    """Draw test documents of a skew, and training documents of the same one and of none.

    ``skew`` is the share of group 1, n the size of each set; fewer where the groups are too small.
    """
    groups = [rng.permutation(np.flatnonzero(y == c)) for c in (0, 1)]
    shares = np.array([1 - skew, skew])
    n = int(min([n, *(len(g) / (s + max(s, 0.5)) for g, s in zip(groups, shares, strict=True))]))
    tested = np.array([n - round(n * skew), round(n * skew)])

    def take(sizes: AnyArray, begins: AnyArray) -> Ints:
        return np.sort(
            np.concatenate([g[b : b + s] for g, b, s in zip(groups, begins, sizes, strict=True)])
        )

    even = np.array([n // 2, n // 2])
    return take(tested, 0 * tested), {"skewed": take(tested, tested), "even": take(even, tested)}


def excerpts(counts: csr_array, n_words: int, rng: np.random.Generator) -> csr_array:
    """Draw words of each document, without putting any back; 0 stands for all of them."""
    if n_words == 0:
        return counts
    words = np.repeat(counts.indices, counts.data)
    lengths = np.asarray(counts.sum(axis=1)).ravel()
    document = np.repeat(np.arange(len(lengths)), lengths)
    # In random order within each document, of which the first few are taken.
    order = np.argsort(document + rng.random(len(words)))
    rank = np.arange(len(words)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    kept = rank < n_words
    drawn = csr_array(
        (np.ones(kept.sum(), dtype=np.int64), (document[kept], words[order][kept])),
        shape=counts.shape,
    )
    drawn.sum_duplicates()
    return drawn


def draw(results: Results) -> list[Plot]:
    """Draw accuracy against the share of the larger group."""
    shape = (len(LENGTHS), len(TRAININGS))
    with style.panels(*shape, height=4.8, sharex=True, sharey=True) as (figure, axes):
        skews = np.array(sorted(results.unique("skew")))
        for ax, (length, how, part) in zip(axes.flat, _cases(results), strict=True):
            LearningCurveDisplay.from_results(part, x="skew", group="decision", ax=ax, legend=False)
            look = {"color": style.GREY, "linestyle": "--", "linewidth": 1.0}
            ax.plot(skews, skews, **look, label="always the larger group")
            ax.set(title=f"{length}; {how}", xlabel="share of the larger group")
        figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    caption = (
        "Accuracy of multinomial naive Bayes (Laplace's rule) on two groups, one of them larger, "
        "with 95 % intervals over the seeds. The lecture: without the prior the decision is poor "
        "when classes are skewed. Where panels differ, a likely reason is that many words outweigh "
        "any prior, and that Laplace's rule spreads what a group of few training documents has "
        "over the whole vocabulary, which counts against that group as a prior would."
    )
    return [Plot(NAME, TITLE, caption, figure)]


def judge(results: Results) -> list[Finding]:
    """Compare the decisions, seed by seed, over all skews but the even one."""
    skewed = Results(NAME, (row for row in results.rows if row["skew"] != 0.5))
    skews = sorted(skewed.unique("skew"))
    findings = []
    for length, how, part in _cases(skewed):
        with_it, without = (
            part.where(decision=name).by_seed("accuracy", "skew").mean(axis=1)
            for name in (WITH, WITHOUT)
        )
        gain, plain = paired_difference(with_it, without), mean_interval(without)
        findings.append(
            finding(
                f"{length}, {how}: better with the prior",
                f"{gain} of accuracy gained over skews of {skews[0]:.2g} to {skews[-1]:.2g}; "
                f"without it {plain}, always the larger group {np.mean(skews):.3f}",
                # The interval leaves out 0, on the claimed side.
                gain.low > 0.0,
            )
        )
    return findings


def _cases(results: Results) -> Iterator[tuple[str, str, Results]]:
    """Go through what is labelled, and by what it is learnt, with the rows of each."""
    for (words, length), (training, how) in product(LENGTHS.items(), TRAININGS.items()):
        yield length, how, results.where(words=words, training=training)


EXPERIMENT = Experiment(
    NAME,
    TITLE,
    PROTOCOL,
    sized(measure, QUICK, FULL),
    draw,
    judge,
    ("C11",),
    seconds=(1.1, 5),
)
