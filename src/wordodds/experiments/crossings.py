"""Where logistic regression overtakes naive Bayes: one figure of all corpora."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from wordodds.experiments import style
from wordodds.experiments.experiment import Plot
from wordodds.experiments.intervals import Interval
from wordodds.experiments.leads import NoScoresError, lead
from wordodds.experiments.names import LR, TUNED
from wordodds.experiments.newsgroups import TF_IDF
from wordodds.experiments.studies import other_texts, sparse_counts, svd_columns
from wordodds.experiments.table import Results

NEEDS = (*svd_columns.HEADLINE, sparse_counts.NAME, other_texts.NAME)
_SCORES = {"accuracy": "accuracy", "log_loss": "log loss"}


class Contest(NamedTuple):
    """Two tuned models on the same rows."""

    label: str
    results: Results
    models: tuple[str, str]


def draw(tables: Mapping[str, Results]) -> Plot:
    """Draw where the lead changes for the last time, in accuracy and in log loss."""
    rows = list(_rows(tables))
    with style.panels(1, 2, height=0.26 * len(rows) + 1.0, sharex=True, sharey=True) as (
        figure,
        axes,
    ):
        for ax, (score, words) in zip(axes, _SCORES.items(), strict=True):
            ax.set_xscale("log")
            for height, row in enumerate(reversed(rows)):
                try:
                    found = lead(row.results, *row.models, y=score)
                except NoScoresError:  # an infinite log loss at every size has no place here
                    continue
                colour = style.colour_of(found.leader)
                if found.crossing is not None:
                    _draw_place(ax, found.crossing.interval, height, colour)
                else:
                    ax.text(
                        0.5, height, f"{found.leader.removesuffix(TUNED)} throughout",
                        transform=ax.get_yaxis_transform(), color=colour, fontsize=7,
                        ha="center", va="center",
                    )  # fmt: skip
            ax.set_title(words)
            style.label_axes(ax, "training documents", "")
            ax.set_yticks(range(len(rows)), [row.label for row in reversed(rows)])
            ax.set_ylim(-0.6, len(rows) - 0.4)
        ends = [size for row in rows for size in row.results.unique("size")]
        axes[0].set_xlim(0.8 * min(ends), 1.2 * max(ends))
        style.plain_ticks(axes[0].xaxis)
    n_seeds = [len(row.results.unique("seed")) for row in rows]
    caption = (
        "A point is where the lead between the tuned models changes for the last time, in the "
        "colour of who leads after it: orange for logistic regression, blue for naive Bayes. Where "
        "there is none, one leads on average at every size. The line is the 95 % interval of "
        f"resampled seeds, {min(n_seeds)} to {max(n_seeds)} of them: of three it is hardly more "
        "than their range. Settings are tuned for accuracy, so the right panel compares the log "
        "loss of models that were chosen by their labels."
    )
    return Plot("crossings", "Where naive Bayes and logistic regression cross", caption, figure)


def _draw_place(ax: style.Axes, place: Interval, height: float, colour: str) -> None:
    """Draw a place of the horizontal axis as a point at a height, in its interval."""
    if np.isfinite(place.high):
        ax.plot([place.low, place.high], [height, height], color=colour, linewidth=1.4)
    ax.plot([place.value], [height], marker="o", color=colour, markersize=4.5)


def _rows(tables: Mapping[str, Results]) -> Iterator[Contest]:
    """Yield SVD columns first, then words; 20 Newsgroups first in each."""
    columns = (svd_columns.NB + TUNED, LR + TUNED)
    for name in svd_columns.HEADLINE:
        label = f"20 Newsgroups, {svd_columns.groups_in_words(name)}"
        yield Contest(f"{label}, SVD", tables[name].where(columns=TF_IDF), columns)
    texts = tables[other_texts.NAME]
    for kind in (other_texts.COLUMNS, other_texts.WORDS):
        words = "SVD" if kind == other_texts.COLUMNS else "words"
        models = other_texts.pair(kind, TUNED)
        if kind == other_texts.WORDS:
            yield Contest("20 Newsgroups, 20 groups, words", tables[sparse_counts.NAME], models)
        for name in texts.unique("corpus"):
            part = texts.where(corpus=name, columns=kind)
            yield Contest(f"{other_texts.TITLES[name]}, {words}", part, models)
