"""Where logistic regression overtakes naive Bayes: one figure of all corpora."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from wordodds.experiments import style
from wordodds.experiments.contest import LR
from wordodds.experiments.display import place_with_interval
from wordodds.experiments.experiment import Plot
from wordodds.experiments.leads import lead
from wordodds.experiments.newsgroups import TF_IDF
from wordodds.experiments.studies import other_texts, sparse_counts, svd_columns
from wordodds.experiments.style import TUNED
from wordodds.experiments.table import Results

NEEDS = (*svd_columns.HEADLINE, sparse_counts.NAME, other_texts.NAME)
_SCORES = {"accuracy": "accuracy", "log_loss": "log loss"}


class Row(NamedTuple):
    """Two tuned models on the same rows."""

    label: str
    results: Results
    models: tuple[str, str]


def draw(tables: Mapping[str, Results]) -> Plot:
    """Draw where the lead changes for the last time, in accuracy and in log loss."""
    rows = list(_rows(tables))
    with style.panels(1, 2, height=0.28 * len(rows) + 1.0, sharey=True) as (figure, axes):
        for ax, (score, words) in zip(axes, _SCORES.items(), strict=True):
            ax.set_xscale("log")
            for height, row in enumerate(reversed(rows)):
                found = lead(row.results, *row.models, y=score)
                colour = style.colour_of(found.leader)
                if found.crossing is not None:
                    place_with_interval(ax, found.crossing.interval, height, colour)
                else:
                    low, high = found.sizes
                    middle = (max(low, 1.0) * high) ** 0.5
                    named = found.leader.removesuffix(TUNED)
                    ax.text(
                        middle, height, f"{named} throughout", color=colour, fontsize=7,
                        ha="center", va="center",
                    )  # fmt: skip
            ax.set_title(words)
            style.label_axes(ax, "training documents", "")
            ax.set_yticks(range(len(rows)), [row.label for row in reversed(rows)])
            style.plain_ticks(ax.xaxis)
    caption = (
        "A point is where the lead between the tuned models changes for the last time, with the "
        "95 % interval of resampled seeds, in the colour of who leads after it: orange for "
        "logistic regression, blue for naive Bayes. Where there is none, one leads from the "
        "smallest training set to all documents."
    )
    return Plot("crossings", "Where naive Bayes and logistic regression cross", caption, figure)


def _rows(tables: Mapping[str, Results]) -> Iterator[Row]:
    """Yield SVD columns first, then words; 20 Newsgroups first in each."""
    columns = (svd_columns.NB + TUNED, LR + TUNED)
    for name in svd_columns.HEADLINE:
        label = f"20 Newsgroups, {svd_columns.documents(name)}"
        yield Row(f"{label}, SVD", tables[name].where(columns=TF_IDF), columns)
    texts = tables[other_texts.NAME]
    for kind in (other_texts.COLUMNS, other_texts.WORDS):
        words = "SVD" if kind == other_texts.COLUMNS else "words"
        models = other_texts.pair(kind, TUNED)
        if kind == other_texts.WORDS:
            yield Row("20 Newsgroups, 20 groups, words", tables[sparse_counts.NAME], models)
        for name in texts.unique("corpus"):
            part = texts.where(corpus=name, columns=kind)
            yield Row(f"{other_texts.TITLES[name]}, {words}", part, models)
