"""The ratios of the report over the measured commits: one panel for each family."""

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordodds.experiments import style

from .bars import COLOURS
from .goals import FAMILIES, Family
from .history import means_of, measured, ratios_of
from .runs import Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TITLE = "How many times as fast as the fastest peer, commit by commit"
COLUMNS, WIDTH, PANEL_HEIGHT, MARGIN = 3, 8.3, 2.3, 1.3  # panels a row; inches
MAX_LABELS = 12  # of commits under a panel
THIN = 0.7  # points
BOLD: Any = {"linewidth": 2.2, "marker": "o", "markersize": 5.0}
JOBS = "#aaaaaa"  # lighter than style.GREY: there are many of them


def draw(history: Sequence[Results], path: Path) -> None:
    """Draw the ratios into an SVG file; its title names the newest commit."""
    with style.style():
        figure = make_figure(history)
    style.save_svg(figure, path, f"{TITLE}, up to {history[-1].commit}")


def make_figure(history: Sequence[Results]) -> "Figure":
    """Return the figure: families in the order of the tables, each on its own scale."""
    families = [
        family
        for family in FAMILIES.values()
        if any(ratios_of(history, job) for job in family.jobs)
    ]
    n_rows = math.ceil(len(families) / COLUMNS)
    figure = style.new_figure(WIDTH, n_rows * PANEL_HEIGHT + MARGIN)
    for place, family in enumerate(families):
        axes = figure.add_subplot(n_rows, COLUMNS, place + 1)
        draw_family(axes, history, family)
        name_commits(axes, history, labelled=place >= len(families) - COLUMNS)
    figure.supylabel("times as fast as the fastest peer of the same run (log scale)", fontsize=9.0)
    figure.legend(*_legend(), loc="outside upper right", ncols=3)
    return figure


def draw_family(axes: "Axes", history: Sequence[Results], family: Family) -> None:
    """Draw the jobs of a family thin, and their geometric mean for 1 and 2 threads bold.

    The means have dots where a job of the family was measured, not copied from the line before.
    """
    commits = range(len(history))
    for job in family.jobs:
        for ratios in ratios_of(history, job).values():
            axes.plot(commits, ratios, color=JOBS, linewidth=THIN)
    new = [measured(history, job.group) for job in family.jobs]
    dots = [place for place, any_new in enumerate(map(any, zip(*new, strict=True))) if any_new]
    for n_threads, means in means_of(history, family).items():
        axes.plot(commits, means, **BOLD, color=COLOURS[n_threads], markevery=dots)
    axes.set_title(family.title, loc="left", weight="bold")
    axes.set_yscale("log")
    style.plain_ticks(axes.yaxis)
    axes.yaxis.set_major_formatter("{x:g}x")
    axes.minorticks_off()
    axes.axhline(1.0, color=style.BLACK, linewidth=0.8, zorder=1.0)
    axes.grid(axis="y", **style.GRID)
    axes.set_axisbelow(True)


def name_commits(axes: "Axes", history: Sequence[Results], labelled: bool) -> None:
    """Mark commits under a panel: all, or evenly chosen ones and the newest."""
    last = len(history) - 1
    step = math.ceil(len(history) / MAX_LABELS)
    places = list(range(last, -1, -step))[::-1]
    labels = [label_of(history[i]) if labelled else "" for i in places]
    axes.set_xticks(places, labels, rotation=90, fontsize=7.5)
    axes.set_xlim(-0.3, last + 0.3)


def label_of(line: Results) -> str:
    """Return the day and the hash of a commit."""
    day = datetime.fromisoformat(line.date).astimezone(UTC).date()
    return f"{day} {line.commit}"


def _legend() -> tuple[list[Any], list[str]]:
    from matplotlib.lines import Line2D

    means = [Line2D([], [], color=colour, **BOLD) for colour in COLOURS.values()]
    job = Line2D([], [], color=JOBS, linewidth=THIN)
    names = [f"geometric mean, {n} thread{'s' * (n > 1)}" for n in COLOURS]
    return [*means, job], [*names, "one job"]
