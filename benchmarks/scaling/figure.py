"""The curves of benchmarks.scaling as one figure of small panels."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wordodds.experiments import style
from wordodds.experiments.style import BLACK, BLUE, GREEN, GREY, GRID, ORANGE, PINK, YELLOW

from .curves import THREADS, Curve, exponent, long_enough, thread_exponent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TITLE = "Time and peak memory against documents, classes and threads"
# By the beginning of a job's name.
LOOKS = {
    "CountVectorizer": (BLUE, "o"),
    "MultinomialNB.fit": (ORANGE, "s"),
    "LinearModel": (GREEN, "^"),
    "TextClassifier": (PINK, "D"),
    "MultinomialNB.predict": (BLACK, "v"),
    "softmax": (YELLOW, "P"),
}
SMALL = 7.5  # points, of the exponents in the corners


def draw(curves: Sequence[Curve], n_documents: int, path: Path) -> None:
    """Draw the curves into an SVG file."""
    with style.style():
        figure = make_figure(curves, n_documents)
    style.save_svg(figure, path, TITLE)


def make_figure(curves: Sequence[Curve], n_documents: int) -> "Figure":
    """Return the figure: time above memory, a column each for documents, classes and threads."""
    figure = style.new_figure(7.8, 6.0)
    axes = figure.subplots(2, 3, width_ratios=[1.0, 1.0, 0.62])
    for row, (what, divisor) in enumerate((("seconds", 1.0), ("peaks", 1e6))):
        for column, (against, unit) in enumerate((("documents", n_documents), ("classes", 1))):
            chosen = [curve for curve in curves if curve.against == against]
            draw_growth(axes[row, column], chosen, what, unit=unit, divisor=divisor)
        draw_threads(axes[row, 2], curves, what)
    for column, (title, name) in enumerate(
        (
            ("parts and copies of a corpus", "documents"),
            ("labels dealt out at random", "classes"),
            ("relative to one thread", "threads"),
        )
    ):
        axes[0, column].set_title(title)
        axes[1, column].set_xlabel(name)
    axes[0, 0].set_ylabel("time, seconds")
    axes[1, 0].set_ylabel("peak memory beyond the input, MB")
    add_legend(figure, curves)
    return figure


def look_of(job: str) -> dict[str, Any]:
    """Return colour and marker of a job."""
    colour, marker = next(look for name, look in LOOKS.items() if job.startswith(name))
    return {"color": colour, "marker": marker, "markersize": 4.0}


def split_tally(job: str) -> tuple[str, str]:
    """Return a job's name, and "dense" or "sparse" if that distinguishes it from another."""
    name, _, kind = job.removesuffix(" tally").rpartition(", ")
    return (name, kind) if job.endswith(" tally") else (job, "")


def draw_growth(
    axes: "Axes", curves: Sequence[Curve], what: str, *, unit: float, divisor: float
) -> None:
    """Draw values against sizes on logarithmic axes, and write the exponents into the corner."""
    corner = ["exponent, 1 thread"]
    colours = [BLACK]
    for curve in curves:
        look = look_of(curve.job)
        sizes = np.asarray(curve.sizes) * unit
        one, two = (np.asarray(getattr(curve, what)[n]) / divisor for n in THREADS)
        axes.plot(sizes, one, linewidth=1.4, **look)
        axes.plot(sizes, two, linewidth=1.0, linestyle="--", color=look["color"])
        corner.append(f"{exponent(sizes, one)} {split_tally(curve.job)[1]}")
        colours.append(look["color"])
    for line, (text, colour) in enumerate(zip(corner, colours, strict=True)):
        axes.annotate(
            text,
            (0.03, 0.99),
            xycoords="axes fraction",
            xytext=(0, -line * (SMALL + 2.0)),
            textcoords="offset points",
            va="top",
            fontsize=SMALL,
            color=colour,
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.minorticks_off()
    low, high = axes.get_ylim()
    axes.set_ylim(low, high * (high / low) ** 0.45)  # room for the exponents
    axes.grid(**GRID)


def draw_threads(axes: "Axes", curves: Sequence[Curve], what: str) -> None:
    """Draw what a second thread does, in the mean over the sizes that take long enough."""
    for curve in curves:
        slope = thread_exponent(*long_enough(curve, getattr(curve, what))).slope
        axes.plot(THREADS, [1.0, 2.0**slope], linewidth=1.4, **look_of(curve.job))
    if what == "seconds":
        axes.plot(THREADS, [1.0, 0.5], color=GREY, linestyle=":", zorder=0, label="half")
    axes.set_xlim(0.8, 2.2)
    axes.set_ylim(0.0, max(1.5, axes.get_ylim()[1]))
    axes.set_xticks(THREADS)
    axes.grid(axis="y", **GRID)


def add_legend(figure: "Figure", curves: Sequence[Curve]) -> None:
    """Name the jobs, each colour once, and the lines of one and of two threads."""
    from matplotlib.lines import Line2D

    names = dict.fromkeys(split_tally(curve.job)[0] for curve in curves)
    lines = [Line2D([], [], label=name, **look_of(name)) for name in names]
    for name, colour, line in (
        ("1 thread", BLACK, "-"),
        ("2 threads", BLACK, "--"),
        ("half the time", GREY, ":"),
    ):
        lines.append(Line2D([], [], color=colour, linestyle=line, label=name))
    figure.legend(handles=lines, loc="outside lower center", ncols=3, handlelength=2.6)
