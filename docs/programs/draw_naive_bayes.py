"""Draw the figures of naive-bayes.md.

Run ``python docs/programs/draw_naive_bayes.py [folder]``. It needs the extra ``plot`` and, for
four of the six figures, 20 Newsgroups: from ``WORDODDS_DATA``, the cache folder or a download. The
same versions of the packages draw the same bytes.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from drawing import Drawing, draw_all
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse
from naive_bayes_numbers import Floats, bag_of_words, confidence, messages, outliers
from scipy.stats import beta

from wordodds import (
    BernoulliNB,
    ComplementNB,
    CountVectorizer,
    GaussianDiscriminant,
    MultinomialNB,
)
from wordodds.experiments.style import BLACK, BLUE, GREEN, GREY, GRID, ORANGE


def draw_estimates() -> Figure:
    """Draw prior, likelihood and posterior of one probability, and the three estimates."""
    figure = Figure(figsize=(7.2, 3.3), layout="constrained")
    alpha = 2.0
    for axes, (hits, n) in zip(figure.subplots(1, 2), [(0, 8), (10, 40)], strict=True):
        p = np.linspace(0.0, 1.0, 401)
        curves = [
            ("prior Beta(2, 2)", beta(alpha, alpha), GREY, ":"),
            ("likelihood, scaled to area 1", beta(1 + hits, 1 + n - hits), ORANGE, "--"),
            ("posterior", beta(alpha + hits, alpha + n - hits), BLUE, "-"),
        ]
        for label, curve, colour, dashes in curves:
            axes.plot(p, curve.pdf(p), dashes, color=colour, label=label)
        top = max(curve.pdf(p).max() for _, curve, _, _ in curves)
        documents = np.repeat([[1], [0]], [hits, n - hits], axis=0)
        for i, (name, colour) in enumerate([("ml", ORANGE), ("map", BLUE), ("bayes", BLACK)]):
            model = BernoulliNB(alpha=alpha, estimate=name).fit(documents, ["class"] * n)
            estimate = float(np.exp(model.feature_log_prob_[0, 0]))
            height = top * (1.30 - 0.09 * i)
            axes.plot([estimate, estimate], [0.0, height], color=colour, linewidth=1.0)
            axes.text(estimate + 0.015, height, f"{name} {estimate:.3f}", color=colour, va="center")
        axes.set(title=f"{hits} of {n} documents have the word", xlim=(-0.01, 0.8))
        axes.set(xlabel="p(word | class)", ylim=(0.0, 1.36 * top))
    figure.axes[0].set_ylabel("density")
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    return figure


def draw_alpha() -> Figure:
    """Draw the accuracy on Rennie's test part against alpha."""
    train, test = bag_of_words("train"), bag_of_words("test")
    alphas = np.logspace(-6, 2, 25)
    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    axes = figure.subplots()
    styles = [
        (MultinomialNB, BLUE, "-"),
        (BernoulliNB, ORANGE, "--"),
        (ComplementNB, GREEN, "-."),
    ]
    for model, colour, dashes in styles:
        accuracy = [
            model(alpha=alpha).fit(train.counts, train.labels).score(test.counts, test.labels)
            for alpha in alphas
        ]
        axes.plot(alphas, accuracy, dashes, color=colour, label=model.__name__)
    for alpha, name, offset in [(1 / 61_188, "1/61188", 8), (0.01, "0.01", 8), (1.0, "1", -14)]:
        accuracy = confidence(alpha)[1].mean()
        axes.plot(alpha, accuracy, "o", color=BLUE, markersize=4)
        axes.annotate(
            f"{name}: {accuracy:.5f}",
            (alpha, accuracy),
            (0, offset),
            textcoords="offset points",
            ha="right" if alpha == 1.0 else "center",
            color=BLUE,
        )
    axes.set(xscale="log", xlabel="alpha", ylabel="accuracy on 7,505 test documents")
    axes.set(ylim=(0.4, 0.86), xlim=(alphas[0], alphas[-1]))
    axes.grid(**GRID)
    axes.legend(loc="lower left")
    return figure


def draw_log_odds() -> Figure:
    """Draw the words with the largest log-odds between two groups."""
    groups = ["alt.atheism", "comp.graphics"]
    corpus = messages("train")
    chosen = np.flatnonzero(np.isin(corpus.labels, groups))
    vectorizer = CountVectorizer()
    counts = vectorizer.fit_transform([corpus.texts[i] for i in chosen])
    model = MultinomialNB().fit(counts, corpus.labels[chosen])
    top = model.top_features(12, feature_names=vectorizer.get_feature_names_out())
    figure = Figure(figsize=(6.4, 4.6), layout="constrained")
    axes = figure.subplots()
    bars = [(word, odds, ORANGE) for word, odds in top[groups[0]]]
    bars += [(word, -odds, BLUE) for word, odds in reversed(top[groups[1]])]
    for place, (word, odds, colour) in enumerate(reversed(bars)):
        axes.barh(place, odds, color=colour, height=0.75)
        side = -1 if odds > 0 else 1
        axes.text(
            0.12 * side, place, word, ha="right" if side < 0 else "left", va="center", fontsize=8.5
        )
    axes.axvline(0.0, color=BLACK, linewidth=0.8)
    axes.set(yticks=[], xlim=(-7.5, 7.5), ylim=(-0.8, len(bars) - 0.2))
    axes.set_xlabel(f"log-odds of one more occurrence: {groups[1]} (left), {groups[0]} (right)")
    axes.spines["left"].set_visible(False)
    return figure


def _clouds(n: int, seed: int) -> tuple[Floats, npt.NDArray[np.str_]]:
    """Return n points of each of three Gaussian clouds."""
    rng = np.random.default_rng(seed)
    clouds = {
        "a": ([-1.6, 0.2], [[1.0, 0.85], [0.85, 1.0]]),
        "b": ([1.4, 0.8], [[1.2, -0.9], [-0.9, 1.0]]),
        "c": ([0.1, -1.6], [[0.25, 0.0], [0.0, 0.12]]),
    }
    X = np.concatenate([rng.multivariate_normal(*cloud, size=n) for cloud in clouds.values()])
    return X, np.repeat(list(clouds), n)


def draw_covariances() -> Figure:
    """Draw class boundaries for three of the covariances."""
    X, y = _clouds(50, seed=0)
    X_new, y_new = _clouds(20_000, seed=1)
    figure = Figure(figsize=(7.6, 2.9), layout="constrained")
    panels = figure.subplots(1, 3, sharex=True, sharey=True)
    for axes, covariance in zip(panels, ["full", "shared", "diagonal"], strict=True):
        model = GaussianDiscriminant(covariance=covariance).fit(X, y)
        _draw_regions(axes, model)
        for c, (colour, marker) in enumerate([(BLUE, "o"), (ORANGE, "^"), (GREEN, "s")]):
            points = X[y == model.classes_[c]]
            axes.plot(*points.T, marker, color=colour, markersize=2.5, markeredgewidth=0.0)
            for radius in (1.0, 2.0):
                axes.add_patch(_ellipse(model.means_[c], _matrix(model, c), radius, colour))
        right = model.score(X_new, y_new)
        axes.set(title=f'covariance="{covariance}"\naccuracy on new points {right:.3f}')
        axes.set(xlim=(-4.5, 4.5), ylim=(-4.0, 4.0), aspect="equal", xticks=[], yticks=[])
        for side in axes.spines.values():
            side.set_visible(True)
    return figure


def _draw_regions(axes: Axes, model: GaussianDiscriminant) -> None:
    x, y = np.meshgrid(np.linspace(-4.5, 4.5, 73), np.linspace(-4.0, 4.0, 65))
    joint = model.joint_log_proba(np.column_stack([x.ravel(), y.ravel()]))
    for c, colour in enumerate([BLUE, ORANGE, GREEN]):
        lead = (joint[:, c] - np.delete(joint, c, axis=1).max(axis=1)).reshape(x.shape)
        axes.contourf(x, y, lead, levels=[0.0, np.inf], colors=[colour], alpha=0.16)
        if c < 2:  # the borders of the last class are those of the others
            axes.contour(x, y, lead, levels=[0.0], colors=[BLACK], linewidths=0.8)


def _matrix(model: GaussianDiscriminant, c: int) -> Floats:
    kind = model.covariance
    own = model.covariance_ if kind == "shared" else model.covariance_[c]
    return np.diag(own) if kind == "diagonal" else own


def _ellipse(mean: Floats, covariance: Floats, radius: float, colour: str) -> Ellipse:
    variances, axes = np.linalg.eigh(covariance)
    width, height = 2.0 * radius * np.sqrt(variances)
    angle = float(np.degrees(np.arctan2(axes[1, 0], axes[0, 0])))
    return Ellipse(
        tuple(mean), width, height, angle=angle, fill=False, edgecolor=colour, linewidth=0.9
    )


def draw_outliers() -> Figure:
    """Draw how probable a model of character trigrams finds text of several kinds."""
    text = outliers()
    kinds = [
        ("test messages", text.written, BLUE, -7.35),
        ("each word\nbackwards", text.backwards, ORANGE, -10.3),
        ("letters replaced\nat random", text.other_letters, GREEN, -11.7),
    ]
    figure = Figure(figsize=(6.8, 3.6), layout="constrained")
    axes = figure.subplots()
    edges = np.linspace(-13.0, -6.5, 66)
    for label, values, colour, middle in kinds:
        style: dict[str, Any] = {"edgecolor": colour, "facecolor": colour + "40"}
        heights, *_ = axes.hist(values, edges, density=True, histtype="stepfilled", **style)
        axes.text(middle, heights.max() + 0.05, label, color=colour, ha="center", va="bottom")
    for height, (language, value) in zip([2.3, 2.0, 1.7], text.foreign.items(), strict=True):
        axes.plot([value, value], [0.0, height], color=BLACK, linewidth=0.9)
        axes.text(value - 0.06, height, language, ha="right", va="top")
    axes.set(xlabel="log p(x) per character trigram", ylabel="density")
    axes.set(xlim=(edges[0], edges[-1]), ylim=(0.0, 3.1))
    return figure


def draw_reliability() -> Figure:
    """Draw how often MultinomialNB is right against how sure it is, on Rennie's test part."""
    figure = Figure(figsize=(4.8, 4.8), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=[3, 1])
    upper.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, linestyle=":", label="calibrated")
    edges = np.linspace(0.0, 1.0, 11)
    for i, (alpha, colour, marker) in enumerate([(1.0, BLUE, "o"), (0.01, ORANGE, "s")]):
        sure, right = confidence(alpha)
        bins = np.digitize(sure, edges[1:-1])
        n = np.bincount(bins, minlength=10)
        enough = np.flatnonzero(n >= 20)
        mean_sure = np.array([sure[bins == k].mean() for k in enough])
        share = np.array([right[bins == k].mean() for k in enough])
        error = np.sqrt(share * (1.0 - share) / n[enough])
        label = f"alpha={alpha:g}: mean {sure.mean():.3f}, right {right.mean():.3f}"
        line = {"color": colour, "marker": marker, "markersize": 4, "linewidth": 1.2}
        upper.errorbar(mean_sure, share, error, label=label, elinewidth=0.8, capsize=2, **line)
        lower.bar(edges[:-1] + 0.035 + 0.03 * i, n, width=0.03, color=colour)
    upper.set(ylabel="share that is right", ylim=(0.0, 1.02), xlim=(0.0, 1.02))
    upper.legend(loc="upper left")
    lower.set(xlabel="probability of the predicted class", ylabel="documents", yscale="log")
    lower.set(ylim=(1, 2e4))
    return figure


FIGURES = {
    "estimates.svg": Drawing("Three estimates of a probability", draw_estimates),
    "covariances.svg": Drawing("Class boundaries by covariance", draw_covariances),
    "alpha.svg": Drawing("Accuracy against alpha", draw_alpha, takes_corpus=True),
    "log-odds.svg": Drawing(
        "Log-odds of words between two groups", draw_log_odds, takes_corpus=True
    ),
    "outliers.svg": Drawing(
        "Log-probability of text of several kinds", draw_outliers, takes_corpus=True
    ),
    "reliability.svg": Drawing(
        "How often the model is right when it is sure", draw_reliability, takes_corpus=True
    ),
}


if __name__ == "__main__":
    draw_all(FIGURES, "naive-bayes.md")
