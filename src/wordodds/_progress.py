"""One progress bar, drawn on standard error, and only where somebody watches."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

__all__ = ["progress"]

_SECONDS_BETWEEN_DRAWS = 0.1
_BAR_CELLS = 24


@contextmanager
def progress(label: str, total: int | None, unit: str = "bytes") -> Iterator[Callable[[int], None]]:
    """Show how far a long job has come.

    Nothing is written unless standard error is a terminal, so logs and pipes stay clean.

    Parameters
    ----------
    label : str
        What is going on, shown in front of the bar.
    total : int or None
        The amount of work in units; None when nobody knows, then only the amount done is shown.
    unit : str, default="bytes"
        What is counted; ``"bytes"`` is shown in megabytes.

    Yields
    ------
    advance : callable
        ``advance(n)`` reports that ``n`` more units are done.

    Examples
    --------
    >>> with progress("counting", 3, unit="documents") as advance:
    ...     for _ in range(3):
    ...         advance(1)
    """
    stream = sys.stderr  # None under pythonw and some services
    if stream is None or not _is_terminal(stream):
        yield lambda n: None
        return
    line = _Line(label, total, unit, stream)
    line.draw()
    try:
        yield line.advance
        line.draw()
    finally:
        # After an exception the traceback must start on a line of its own.
        line.end()


def _is_terminal(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except Exception:  # closed, or something that only looks like a stream
        return False


class _Line:
    """The one line of the terminal that is drawn over and over."""

    def __init__(self, label: str, total: int | None, unit: str, stream: TextIO) -> None:
        self._label = label
        self._total = total
        self._unit = unit
        self._stream: TextIO | None = stream
        self._done = 0
        self._drawn_at = 0.0
        self._drawn_width = 0

    def advance(self, n: int) -> None:
        self._done += n
        if time.monotonic() - self._drawn_at >= _SECONDS_BETWEEN_DRAWS:
            self.draw()

    def draw(self) -> None:
        # One cell short of the width: a full line makes some terminals wrap.
        text = self._text()[: max(shutil.get_terminal_size().columns - 1, 1)]
        # Spaces wipe what a longer text left behind; escape codes are not understood everywhere.
        self._write("\r" + text.ljust(self._drawn_width))
        self._drawn_width = len(text)
        self._drawn_at = time.monotonic()

    def end(self) -> None:
        self._write("\n")

    def _text(self) -> str:
        if self._total is None or self._total <= 0:
            return f"{self._label}: {self._amount(self._done)} {self._unit_shown()}"
        share = min(self._done / self._total, 1.0)
        cells = int(share * _BAR_CELLS)
        bar = "#" * cells + "." * (_BAR_CELLS - cells)
        amounts = f"{self._amount(self._done)}/{self._amount(self._total)}"
        # int(): 100 % is shown only when all is done.
        return f"{self._label}: [{bar}] {int(share * 100):3d}% {amounts} {self._unit_shown()}"

    def _amount(self, n: int) -> str:
        return f"{n / 1e6:.1f}" if self._unit == "bytes" else f"{n:,}"

    def _unit_shown(self) -> str:
        return "MB" if self._unit == "bytes" else self._unit

    def _write(self, text: str) -> None:
        if self._stream is None:
            return
        try:
            self._stream.write(text)
            self._stream.flush()
        except Exception:
            # A terminal that went away must not end the job whose progress it showed.
            self._stream = None
