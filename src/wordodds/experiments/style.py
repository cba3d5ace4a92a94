"""How the figures look: colours for all eyes, one style, the same bytes twice."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from wordodds.experiments.names import TUNED
from wordodds.experiments.table import Results, write_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes  # style.Axes, for annotations of the studies
    from matplotlib.axis import Axis
    from matplotlib.collections import PathCollection
    from matplotlib.figure import Figure

__all__ = ["Axes", "colour_of", "label_axes", "new_figure", "panels", "save", "style"]

# Okabe and Ito's colours, which colour-blind readers can tell apart.
BLUE, ORANGE, GREEN = "#0072B2", "#D55E00", "#009E73"
SKY, YELLOW, PINK = "#56B4E9", "#E69F00", "#CC79A7"
GREY, BLACK = "#888888", "#222222"

GRID: Any = {"color": "#dddddd", "linewidth": 0.6}

STYLE: Any = {  # for matplotlib.rc_context
    "svg.hashsalt": "wordodds",
    "svg.fonttype": "path",
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "font.size": 9.0,
    "axes.titlesize": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "path.simplify": True,
}

# Generative models are blue and green, discriminative ones orange, in every figure.
_COLOURS = {
    "Gaussian NB": BLUE,
    "Gaussian NB, shared variances": BLUE,
    "Gaussian NB, own variances": SKY,
    "multinomial NB": BLUE,
    "categorical NB": BLUE,
    "naive Bayes": BLUE,
    "Bernoulli NB": SKY,
    "complement NB": GREEN,
    "logistic regression": ORANGE,
    # Solvers, in figures of their own.
    "IRLS": BLACK,
    "Newton-CG": BLUE,
    "L-BFGS": ORANGE,
    "conjugate gradients": GREEN,
    "gradient descent": SKY,
    "SGD": PINK,
}
_OTHERS = (PINK, YELLOW, GREEN, SKY, BLACK, GREY, BLUE, ORANGE)
_MARKERS = "osD^vPX*"
_PNG_DPI = 160
CREATOR = "wordodds reproduce"  # by which a later run knows its own files


def colour_of(name: str, position: int = 0) -> str:
    """Return the colour of a model: always the same for those of this project, tuned or not."""
    return _COLOURS.get(name.removesuffix(TUNED), _OTHERS[position % len(_OTHERS)])


def marker_of(position: int) -> str:
    """Return a marker, so that lines differ in print without colours too."""
    return _MARKERS[position % len(_MARKERS)]


def points_of(colour: str | tuple[float, ...], position: int, *, size: float) -> dict[str, Any]:
    """Return colour and marker of a line, as keywords of `matplotlib`."""
    return {"color": colour, "marker": marker_of(position), "markersize": size}


def require_matplotlib() -> None:
    """Raise an error that says what to install where matplotlib is not there."""
    try:
        import matplotlib as matplotlib
    except ImportError as error:
        raise ImportError(
            "the figures need matplotlib, which the extra 'plot' of wordodds installs: "
            "pip install '.[plot]' in its folder, or pip install matplotlib"
        ) from error


@contextmanager
def style() -> Iterator[None]:
    """Draw in the style of this project while the context lasts."""
    import matplotlib

    with matplotlib.rc_context(STYLE):
        yield


def plain_ticks(axis: Axis) -> None:
    """Write the numbers of a logarithmic axis as 1, 2, 5, 10 and not as powers."""
    from matplotlib.ticker import LogLocator, NullFormatter

    low, high = sorted(axis.get_view_interval())
    wide = high / low > 300.0
    axis.set_major_locator(LogLocator(subs=(1.0,) if wide else (1.0, 2.0, 5.0)))
    axis.set_major_formatter("{x:,g}")
    axis.set_minor_formatter(NullFormatter())


def few_ticks(axis: Axis) -> None:
    """Write some round numbers beside an axis that begins at zero."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    axis.set_major_formatter("{x:,.0f}")


def new_figure(width: float = 8.0, height: float = 3.2) -> Figure:
    """Return an empty figure whose parts keep clear of each other.

    It belongs to no window: `save` writes it. Draw on it within `style`.
    """
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


@contextmanager
def panels(
    n_rows: int = 1,
    n_columns: int = 1,
    *,
    height: float,
    sharex: bool = False,
    sharey: bool | Literal["row"] = False,
    squeeze: bool = True,
) -> Iterator[tuple[Figure, Any]]:
    """Draw in this project's style on a new figure of full width; yields it and its axes.

    Where panels share an axis, it keeps its name at the left and at the bottom alone.
    """
    with style():
        figure = new_figure(height=height)
        axes = figure.subplots(n_rows, n_columns, sharex=sharex, sharey=sharey, squeeze=squeeze)
        yield figure, axes
        for ax in np.ravel(axes):
            place = ax.get_subplotspec()
            if sharex and not place.is_last_row():
                ax.set_xlabel("")
            if sharey and not place.is_first_col():
                ax.set_ylabel("")


def scatter(ax: Axes, points: Results, colour: str, marker: str, *, size: float) -> PathCollection:
    """Draw points of the plane, the columns ``x_1`` and ``x_2`` of a table."""
    x, y = points.numbers("x_1", "x_2").T
    return ax.scatter(x, y, s=size, color=colour, marker=marker, linewidths=0)


def label_axes(ax: Axes, x: str, y: str) -> None:
    """Name the axes, and lay a light grid behind the drawing."""
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.grid(**GRID)
    ax.set_axisbelow(True)


def save(figure: Figure, folder: Path, stem: str, title: str) -> list[Path]:
    """Write a figure as SVG and as PNG."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    svg = save_svg(figure, folder / f"{stem}.svg", title)
    png, stream = folder / f"{stem}.png", io.BytesIO()
    with style():
        FigureCanvasAgg(figure)
        figure.savefig(stream, format="png", dpi=_PNG_DPI, metadata={"Software": CREATOR})
    write_file(png, stream.getvalue())
    return [svg, png]


def save_svg(figure: Figure, path: Path, title: str) -> Path:
    """Write a figure as SVG, without a date: it changes only when what it shows does."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    canvas: Any = FigureCanvasSVG(figure)
    stream = io.StringIO()
    with style():
        canvas.print_svg(stream, metadata={"Title": title, "Date": None, "Creator": CREATOR})
    write_file(path, stream.getvalue().encode())
    return path
