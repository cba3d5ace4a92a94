"""What the programs that draw the figures of the pages share: how to make a figure and save it."""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from matplotlib.figure import Figure

from wordodds.experiments import style

__all__ = ["Drawing", "draw", "draw_all"]

FIGURES = Path(__file__).parents[1] / "figures"


class Drawing(NamedTuple):
    """How a figure is made."""

    title: str
    make: Callable[[], Figure]
    takes_corpus: bool = False
    shows_time: bool = False  # seconds of this very run: never the same bytes twice


def draw(drawing: Drawing, path: Path) -> Path:
    """Draw a figure into a file and return its path."""
    with style.style():
        figure = drawing.make()
    return style.save_svg(figure, path, drawing.title)


def draw_all(figures: dict[str, Drawing], page: str) -> None:
    """Draw the figures of a page into the folder that the command line names."""
    parser = argparse.ArgumentParser(description=f"Draw the figures of {page}.")
    parser.add_argument("folder", nargs="?", type=Path, default=FIGURES)
    parser.add_argument("--only", choices=figures, action="append", help="one figure (repeatable)")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    names = arguments.only or list(figures)
    for number, name in enumerate(names, 1):
        print(f"{number}/{len(names)} {name}", end=" ", file=sys.stderr, flush=True)
        start = time.perf_counter()
        size = draw(figures[name], arguments.folder / name).stat().st_size
        print(f"{size / 1000:.0f} kB, {time.perf_counter() - start:.1f} s", file=sys.stderr)
