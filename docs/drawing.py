"""What the programs that draw the figures of these pages share: colours, style, files."""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import matplotlib
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

# Okabe and Ito's colours, which colour-blind readers can tell apart.
BLUE, ORANGE, GREEN = "#0072B2", "#D55E00", "#009E73"
SKY, YELLOW, PINK = "#56B4E9", "#E69F00", "#CC79A7"
GREY, BLACK = "#888888", "#222222"

GRID = {"color": "#dddddd", "linewidth": 0.6}

STYLE = {
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


class Drawing(NamedTuple):
    """How a figure is made."""

    title: str
    make: Callable[[], Figure]
    takes_corpus: bool = False
    shows_time: bool = False  # seconds of this very run: never the same bytes twice


def draw(drawing: Drawing, path: Path) -> Path:
    """Draw a figure into a file and return its path."""
    with matplotlib.rc_context(STYLE):
        figure = drawing.make()
        # No date and no version: a figure changes only when what it shows does.
        metadata = {"Title": drawing.title, "Date": None, "Creator": None}
        FigureCanvasSVG(figure).print_svg(path, metadata=metadata)
    return path


def draw_all(figures: dict[str, Drawing], page: str) -> None:
    """Draw the figures of a page into the folder that the command line names."""
    parser = argparse.ArgumentParser(description=f"Draw the figures of {page}.")
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).parent / "figures")
    parser.add_argument("--only", choices=figures, action="append", help="one figure (repeatable)")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    names = arguments.only or list(figures)
    for number, name in enumerate(names, 1):
        print(f"{number}/{len(names)} {name}", end=" ", file=sys.stderr, flush=True)
        start = time.perf_counter()
        size = draw(figures[name], arguments.folder / name).stat().st_size
        print(f"{size / 1000:.0f} kB, {time.perf_counter() - start:.1f} s", file=sys.stderr)
