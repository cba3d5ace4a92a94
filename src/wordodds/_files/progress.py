"""One progress bar, drawn on standard error, and only on a terminal."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol, TextIO

__all__ = ["Advance", "duration", "progress"]

_SECONDS_BETWEEN_DRAWS = 0.1
_SECONDS_BEFORE_RATES = 1.0  # the first moments, with a cold cache, say little about the rest
_BAR_CELLS = 24


class Advance(Protocol):
    """Reports progress."""

    def __call__(self, n: int, n_documents: int = 0) -> None:
        """Report that ``n`` more units are done, and how many documents they were."""


@contextmanager
def progress(
    label: str, total: int | None, unit: str = "bytes", *, shown: bool = True
) -> Iterator[Advance]:
    """Show how far a long job has come, how quickly, and how long it will still take.

    Nothing is written unless standard error is a terminal, so logs and pipes stay clean. Without a
    ``total``, only the amount done is shown; the unit "bytes" is shown in megabytes.
    ``advance(n)`` reports that ``n`` more units are done, ``advance(n, n_documents)`` also the
    documents they were.

    Examples
    --------
    >>> with progress("counting", 3, unit="documents") as advance:
    ...     for _ in range(3):
    ...         advance(1)
    """
    stream = sys.stderr  # None under pythonw and some services
    if not shown or stream is None or not _is_terminal(stream):
        yield lambda n, n_documents=0: None
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
        self._documents = 0
        self._began_at = time.monotonic()
        self._drawn_at = 0.0
        self._drawn_width = 0

    def advance(self, n: int, n_documents: int = 0) -> None:
        self._done += n
        self._documents += n_documents
        if time.monotonic() - self._drawn_at >= _SECONDS_BETWEEN_DRAWS:
            self.draw()

    def draw(self) -> None:
        # One cell short of the width: a full line makes some terminals wrap.
        width = max(shutil.get_terminal_size().columns - 1, 1)
        texts = self._texts()
        text = next((text for text in texts if len(text) <= width), texts[-1])[:width]
        # Spaces wipe what a longer text left behind; escape codes are not understood everywhere.
        self._write("\r" + text.ljust(self._drawn_width))
        self._drawn_width = len(text)
        self._drawn_at = time.monotonic()

    def end(self) -> None:
        self._write("\n")

    def _texts(self) -> list[str]:
        """Return what to say, and what to say where that is too long."""
        rate, documents, left = self._pace()
        if self._total is None or self._total <= 0:
            amount = f"{self._label}: {self._amount(self._done)} {self._unit_shown()}"
            return [amount + rate + documents, amount + rate]
        share = min(self._done / self._total, 1.0)
        cells = int(share * _BAR_CELLS)
        bar = "#" * cells + "." * (_BAR_CELLS - cells)
        amounts = f"{self._amount(self._done)}/{self._amount(self._total)}"
        # int(): 100 % is shown only when all is done.
        percent = f"{int(share * 100):3d}% {amounts} {self._unit_shown()}"
        return [
            f"{self._label}: [{bar}] {percent}{rate}{documents}{left}",
            f"{self._label}: {percent}{rate}{documents}{left}",
            f"{self._label}: {percent}{rate}{left}",
        ]

    def _pace(self) -> tuple[str, str, str]:
        """Return units and documents a second, and the time left, as far as they are known."""
        seconds = time.monotonic() - self._began_at
        if seconds < _SECONDS_BEFORE_RATES or self._done <= 0:
            return "", "", ""
        per_second = self._done / seconds
        rate = f", {self._amount(round(per_second))} {self._unit_shown()}/s"
        documents = f", {round(self._documents / seconds):,} documents/s" * bool(self._documents)
        if self._total is None or self._done >= self._total:
            return rate, documents, ""
        return rate, documents, f", {duration((self._total - self._done) / per_second)} left"

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


def duration(seconds: float) -> str:
    """Return seconds in words, such as ``14 s``, ``3 min`` or ``1 h 5 min``."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
