"""The confusion matrix as a figure."""

import io
import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wordodds._files.atomic import replacing, write_all
from wordodds.model.rendering import shortened
from wordodds.typing import Ints

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_confusion"]

# No date and no version: a figure changes only when what it shows does.
METADATA: dict[str, dict[str, Any]] = {
    ".svg": {"Date": None, "Creator": None},
    ".png": {"Software": None},
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
STYLE: Any = {"svg.hashsalt": "wordodds", "svg.fonttype": "none", "font.size": 9.0}
MOST_CLASSES = 100
MOST_WITH_NUMBERS = 30


def draw_confusion(
    confusion: Ints | None, names: Sequence[str], path: str | os.PathLike[str]
) -> None:
    """Draw a confusion matrix into a file; matplotlib's state stays as it is."""
    target = Path(path)
    kind = target.suffix.lower()
    if kind not in METADATA:
        raise ValueError(f"path must end in {', '.join(METADATA)}, got {target.name!r}")
    if confusion is None or len(names) > MOST_CLASSES:
        raise ValueError(
            f"a figure shows at most {MOST_CLASSES} classes, got {len(names)}: see `confusions`"
        )
    try:
        import matplotlib
    except ImportError:
        raise ImportError("figures need matplotlib: pip install 'wordodds[plot]'") from None
    drawn = io.BytesIO()
    with matplotlib.rc_context(), warnings.catch_warnings():
        # Labels are in any script; a viewer of the file may have the letters.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        matplotlib.rcdefaults()  # the same for everybody, whatever their settings
        matplotlib.rcParams.update(STYLE)
        figure = _figure(confusion, [shortened(name, 30) for name in names])
        figure.savefig(drawn, format=kind[1:], metadata=METADATA[kind], bbox_inches="tight")
    with replacing(target) as descriptor:
        write_all(descriptor, drawn.getvalue())


def _figure(confusion: Ints, names: list[str]) -> "Figure":
    from matplotlib.figure import Figure  # not pyplot, which keeps figures and chooses a window

    n = len(names)
    size = min(max(3.0, 1.5 + 0.38 * n), 14.0)
    figure = Figure(figsize=(size, size), dpi=150)
    axes = figure.add_subplot()
    shares = confusion / np.maximum(confusion.sum(axis=1, keepdims=True), 1)
    axes.imshow(shares, cmap="Blues", vmin=0.0, vmax=1.0)
    font = 9.0 if n <= MOST_WITH_NUMBERS else 5.0
    # A dollar sign in a label is no formula.
    axes.set_xticks(range(n), names, rotation=90, fontsize=font, parse_math=False)
    axes.set_yticks(range(n), names, fontsize=font, parse_math=False)
    axes.set_xlabel("predicted")
    axes.set_ylabel("true")
    if n <= MOST_WITH_NUMBERS:
        for row, column in zip(*np.nonzero(confusion), strict=True):
            axes.text(
                column,
                row,
                str(confusion[row, column]),
                ha="center",
                va="center",
                fontsize=7.0,
                color="white" if shares[row, column] > 0.5 else "black",
            )
    return figure
